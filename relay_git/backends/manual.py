"""A person with a chat window or a tool that cannot be driven: the prompt is shown, then waited."""

from __future__ import annotations

import os

from relay_git import clock
from relay_git.backends.backend import Setup
from relay_git.drive.asking import Answer, Follower, Question
from relay_git.errors import BackendError

_PATIENCE = 86_400
_LOOK = 1.0
_STILL = 2.0
"""Seconds between two looks, and for which files must stay as they are to count as written."""

Stamps = dict[str, tuple[int, int] | None]


class Manual:
    """Waits until every file was written anew, or the person says that it is done."""

    name = "manual"
    model = None
    writes_files = True
    takes_system = False

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout

    def ask(self, question: Question, follower: Follower) -> Answer:
        before = _stamps(question)
        follower.show(question.prompt)
        deadline = clock.monotonic() + self._timeout
        last, since = before, clock.monotonic()
        while not follower.wait(_LOOK):
            now = _stamps(question)
            if now != last:
                last, since = now, clock.monotonic()
            if _all_new(before, now) and clock.monotonic() - since >= _STILL:
                break
            if clock.monotonic() > deadline:
                raise BackendError(
                    f"nothing was written in {self._timeout:g} seconds",
                    hint="the run stays where it is; run this again",
                )
        return Answer()


def make(setup: Setup) -> Manual:
    if setup.answers:
        hint = "name another backend for that"
        raise BackendError("manual writes files, and cannot answer a question", hint=hint)
    return Manual(setup.timeout(_PATIENCE))


def _stamps(question: Question) -> Stamps:
    return {path: _stamp(os.path.join(question.directory, path)) for path in question.writes}


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _all_new(before: Stamps, now: Stamps) -> bool:
    return all(stamp is not None and stamp != before[path] for path, stamp in now.items())
