"""Whole processes against `python -c pass`: what a person waits for at every command."""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Row, against, interleaved
from scratch import Stage

import relay_git

ROUNDS = 20
BARS = {"git relay status": 5.0, "git relay next": 10.0, "git relay advance": 7.0}
_PROGRAM = str(Path(sys.executable).with_name("git-relay"))


def rows(stage: Stage) -> list[Row]:
    """The package is compiled first, as installing it does."""
    compileall.compile_dir(os.path.dirname(relay_git.__file__), quiet=1)
    with tempfile.TemporaryDirectory() as scratch:
        project = _project(Path(scratch))
        plan = project / ".relay/artifacts/plan.md"
        written = 0

        def call(*words: str) -> None:
            subprocess.run([_PROGRAM, *words], cwd=project, check=True, stdout=subprocess.DEVNULL)

        def advance() -> None:
            call("advance")

        def back() -> None:
            nonlocal written
            written += 1
            call("rollback", "--to", "1")
            plan.write_text(f"# Plan {written}\n\n" + "One step of the plan.\n" * 40)

        back()
        samples = interleaved(
            {
                "python -c pass": lambda: subprocess.run(
                    [sys.executable, "-c", "pass"], check=True
                ),
                "python -c pass (again)": lambda: subprocess.run(
                    [sys.executable, "-c", "pass"], check=True
                ),
                "git relay status": lambda: call("status"),
                "git relay next": lambda: call("next"),
                "git relay advance": advance,
                "rollback (not measured)": back,
            },
            stage.rounds(ROUNDS),
        )
    del samples["rollback (not measured)"]
    return against("python -c pass", samples, BARS)


def _project(scratch: Path) -> Path:
    """A repository with lessons for the planner and a run that waits for its plan."""
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    project = scratch / "project"
    for command in (
        ["git", "init", "--quiet", str(project)],
        ["git", "-C", str(project), "config", "user.name", "Ada"],
        ["git", "-C", str(project), "config", "user.email", "ada@example.com"],
        ["git", "-C", str(project), "commit", "--quiet", "--allow-empty", "-m", "first"],
        [_PROGRAM, "-C", str(project), "init"],
        [
            _PROGRAM,
            "-C",
            str(project),
            "lessons",
            "add",
            "planner",
            "Say how to go back in plan.md",
        ],
        [_PROGRAM, "-C", str(project), "start", "--slug", "bench"],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return project
