"""What `git fast-import` is told: blobs, commits and questions."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

from relay_git.git.store import Ident


@contextmanager
def importing(repository: Path) -> Iterator[Stream]:
    command = ["git", "-C", str(repository), "fast-import", "--quiet", "--force"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as git:
        assert git.stdin and git.stdout
        yield Stream(git.stdin, git.stdout)
        git.stdin.close()
    if git.returncode:
        raise RuntimeError("git fast-import failed")


class Stream:
    """What git fast-import is told, and what it answers."""

    def __init__(self, to: IO[bytes], answers: IO[bytes]) -> None:
        self._to = to
        self._answers = answers
        self._marks = count(1)
        self._known: dict[bytes, int] = {}

    def say(self, text: str) -> None:
        self._to.write(text.encode())

    def ask(self, questions: Sequence[str]) -> list[str]:
        self.say("".join(questions))
        self._to.flush()
        return [self._answers.readline().decode().rstrip("\n") for _ in questions]

    def constant(self, data: bytes) -> int:
        """A blob that is the same in many runs."""
        if data not in self._known:
            self._known[data] = self.blob(data)
        return self._known[data]

    def blob(self, data: bytes) -> int:
        mark = next(self._marks)
        self._to.write(b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(data), data))
        return mark

    def commit(
        self, ref: str, who: Ident, message: str, parents: Sequence[int], changes: Sequence[str]
    ) -> int:
        """`changes` are fast-import's `M` lines. Without parents it is a root."""
        mark = next(self._marks)
        self.say("" if parents else f"reset {ref}\n\n")
        size = len(message.encode())
        lines = [f"commit {ref}", f"mark :{mark}", f"author {who}", f"committer {who}"]
        lines += [f"data {size}", message.removesuffix("\n")]
        lines += [f"{'merge' if n else 'from'} :{parent}" for n, parent in enumerate(parents)]
        self.say("\n".join([*lines, *changes, "\n"]))
        return mark
