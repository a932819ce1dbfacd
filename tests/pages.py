"""Pages whose commands are run as they stand, and whose shown output is compared.

In a ```console block, lines after `$ ` are commands, run in order in one session, and the lines
below are what they print: `…` stands for any text in a line, and for any lines when it stands
alone. A command must succeed, unless a line of `git relay: …` is shown to say why it does not. A
block whose first line names a file after its language (```yaml notes.yml) is written to that file.
The `$ ` lines of an HTML comment are run too; they play the agents, or say where the session goes
on, with `cd`. `$CHECKOUT` is the path of this project.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

BLOCK = re.compile(
    r"^```(?P<language>\w*)(?: (?P<file>\S+))?\n(?P<body>.*?)^```$|^<!--(?P<hidden>.*?)-->",
    re.M | re.S,
)
_REFUSAL = re.compile(r"^(?:remote: )?git relay: ", re.M)


class Command(NamedTuple):
    """A line to run; `output` is what the page shows, None where it shows nothing."""

    line: str
    output: str | None = None


class File(NamedTuple):
    """A file to write."""

    path: str
    text: str


class Session:
    """A shell's: each command begins in the folder where the one before it ended."""

    def __init__(self, folder: Path, notes: Path) -> None:
        self.folder = folder
        self._ended = notes / "folder"

    def follow(self, text: str) -> None:
        """Do all that a page says."""
        for act in acts(text):
            if isinstance(act, File):
                self.write(act)
            else:
                self.check(act)

    def write(self, file: File) -> None:
        path = self.folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)

    def check(self, command: Command) -> None:
        code, said = self.run(command.line)
        told = f"$ {command.line}\n{said}"
        if command.output is None or not _REFUSAL.search(command.output):
            assert code == 0, f"exit code {code}\n{told}"
        if command.output is not None:
            assert fits(command.output, said), f"{told}\nand the page\n{command.output}"

    def run(self, line: str) -> tuple[int, str]:
        """The exit code, and all that was printed."""
        done = subprocess.run(
            ["sh", "-e", "-c", f"trap 'pwd >\"$ENDED\"' EXIT\n{line}"],
            cwd=self.folder,
            env=environment() | {"ENDED": str(self._ended)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        self.folder = Path(self._ended.read_text().removesuffix("\n"))
        return done.returncode, done.stdout


def environment() -> dict[str, str]:
    """One in which git finds this environment's git-relay."""
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": scripts, "CHECKOUT": str(ROOT)}


def acts(text: str) -> Iterator[Command | File]:
    """What a page has one do, in order."""
    for block in BLOCK.finditer(text):
        if block["file"]:
            yield File(block["file"], block["body"])
        elif block["language"] == "console":
            yield from _shown(block["body"])
        elif block["hidden"] and "$ " in block["hidden"]:
            lines = re.findall(r"^\s*\$ (.*\S)", block["hidden"], re.M)
            yield Command("\n".join(lines))


def _shown(body: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        line, _, output = part.partition("\n")
        yield Command(line, output)


def fits(pattern: str, output: str) -> bool:
    """Whether the output is what a page shows, with `…` for what it leaves out."""
    lines = [
        r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in pattern.splitlines()
    ]
    return re.fullmatch("".join(lines), output) is not None


def links(page: Path) -> list[str]:
    """The relative targets of a page's links."""
    found = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    return [target for target in found if "://" not in target]
