"""The benchmarks run, every one, and leave nothing behind. Their figures are `make bench`'s."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import histories
import run
from support import git, make_repo, relay

ROOT = Path(__file__).parents[1]
RUN = ROOT / "benchmarks" / "run.py"


def bench(*words: str, temporary: Path) -> subprocess.CompletedProcess[str]:
    temporary.mkdir(exist_ok=True)
    environment = os.environ | {"TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
    argv = [sys.executable, str(RUN), *words]
    return subprocess.run(
        argv, cwd=temporary, env=environment, capture_output=True, text=True, timeout=280
    )


def test_all_sections_run_in_a_small_size_and_leave_nothing(tmp_path: Path) -> None:
    done = bench("--quick", temporary=tmp_path / "t")
    assert done.returncode == 0, done.stderr
    machine, *lines = done.stdout.splitlines()
    assert "cores" in machine and "git 2." in machine
    headings = [line for line in lines if line and " ms " not in line]
    assert headings == sections()
    rows = [line for line in lines if " ms " in line]
    assert len(rows) >= 45 and not any("MISSED" in row for row in rows)
    assert any("16 notes at once, 16 kept" in row for row in rows)
    assert list((tmp_path / "t").iterdir()) == []


def sections() -> list[str]:
    """In the order of the table; every module that has rows is one."""
    having = {path.stem for path in RUN.parent.glob("*.py") if "def rows(" in path.read_text()}
    assert having == set(run.SECTIONS)
    return list(run.SECTIONS)


def test_a_section_that_is_none_is_refused(tmp_path: Path) -> None:
    done = bench("nonsense", temporary=tmp_path / "t")
    assert done.returncode == 2 and "unknown section nonsense" in done.stderr


def test_made_histories_are_as_we_make_them(tmp_path: Path) -> None:
    """Every step verifies, and what a real settling adds to a month looks like what was there."""
    path = make_repo(tmp_path / "p")
    histories.build(path, histories.Size(72, rejections=1))
    assert "504 of 504 steps ok in 72 runs" in relay(path, "verify", "--all")
    (late,) = histories.finish(path, [1], rejections=1)
    relay(path, "settle", late)
    assert "7 of 7 steps ok in 1 run" in relay(path, "verify", late)
    made, ours = "refs/relay/history/2026-04^", "refs/relay/history/2026-04"
    shapes = [
        git(path, "log", "-1", "--format=%an %ae %cn %ce %s", ref).replace(run, "RUN")
        for ref, run in ((made, filed(path, made)), (ours, late))
    ]
    assert shapes[0] == shapes[1]
    notes = [git(path, "show", f"{ref}:{note}") for ref, note in noted(path)]
    keys = [sorted(part.split(":")[0] for part in note.split(",")) for note in notes]
    assert len(notes) == 3 and keys[0] == keys[1] == keys[2]
    git(path, "fsck", "--strict", "--no-dangling")


def filed(path: Path, commit: str) -> str:
    return git(path, "log", "-1", "--format=%(trailers:key=Relay-Run,valueonly)", commit).strip()


def noted(path: Path) -> list[tuple[str, str]]:
    ref = "refs/notes/relay/2026-04"
    listed = git(path, "ls-tree", "-r", "--name-only", ref).splitlines()
    assert all(name[2] == "/" for name in listed)
    return [(ref, name) for name in listed]
