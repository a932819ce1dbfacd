"""Distil the lessons of the templates' examples again: `python tools/examples.py`.

Each example is played by the real program in a scratch repository, at a fixed time, and what it
learns replaces `example/lessons/` and `example/LESSONS.md`. A test does the same and compares.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
STARTED = 1_777_368_600
"""2026-04-28 09:30 UTC."""
A_STEP = 20 * 60


def examples() -> list[Path]:
    return sorted(path.parent for path in TEMPLATES.glob("*/example/README.md"))


def learnt(example: Path) -> dict[str, bytes]:
    """The lesson files and their index, by path below `.relay/`, as playing the example gives."""
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch)
        play(project, example)
        found = [*project.glob(".relay/lessons/**/*.md"), project / ".relay/LESSONS.md"]
        return {str(path.relative_to(project / ".relay")): path.read_bytes() for path in found}


def play(project: Path, example: Path) -> None:
    def call(*words: str, minutes: int = 0) -> None:
        env = {
            **os.environ,
            "GIT_RELAY_NOW": str(STARTED + minutes),
            "GIT_RELAY_SEED": example.parent.name,
        }
        subprocess.run(words, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)

    relay = (sys.executable, "-P", "-m", "relay_git")
    given = [str(path) for path in sorted(example.glob("*.md")) if is_context(path)]
    call("git", "init", "--quiet")
    call("git", "config", "user.name", "Ada")
    call("git", "config", "user.email", "ada@example.com")
    call(*relay, "init", "--template", example.parent.name)
    call(*relay, "start", "--slug", "example", "--context", *given)
    for number, step in enumerate(sorted((example / "steps").iterdir()), start=1):
        for artifact in step.iterdir():
            shutil.copy(artifact, project / ".relay/artifacts")
        call(*relay, "advance", minutes=number * A_STEP)


def is_context(path: Path) -> bool:
    return path.name not in ("README.md", "LESSONS.md")


def main() -> None:
    for example in examples():
        shutil.rmtree(example / "lessons", ignore_errors=True)
        for path, data in learnt(example).items():
            (example / path).parent.mkdir(parents=True, exist_ok=True)
            (example / path).write_bytes(data)


if __name__ == "__main__":
    main()
