"""A hook never rewrites the user's files, interrupted or not."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from flow import done, draft
from hooking import hooked, run
from support import git

BYTES = b"one\r\ntwo \xe9\xff\r\nthree\r\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A run is open; a file is staged in part, with bytes of no one encoding."""
    path = hooked(tmp_path / "project")
    done(path, "start")
    draft(path)
    (path / "odd.txt").write_bytes(BYTES)
    git(path, "add", "odd.txt")
    (path / "odd.txt").write_bytes(BYTES + b"not staged\r\n")
    return path


def test_bytes_that_are_staged_in_part_stay_as_they_are(project: Path) -> None:
    assert run(project, "git", "commit", "-q", "-m", "part").code == 0
    assert (project / "odd.txt").read_bytes() == BYTES + b"not staged\r\n"
    shown = subprocess.run(["git", "show", "HEAD:odd.txt"], cwd=project, capture_output=True)
    assert shown.stdout == BYTES
    assert git(project, "status", "--short", "odd.txt") == " M odd.txt"


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.08, 0.15, 0.3])
def test_interrupting_three_times_loses_nothing(project: Path, delay: float) -> None:
    before = git(project, "rev-parse", "HEAD")
    process = subprocess.Popen(
        ["git", "commit", "-q", "-m", "part"], cwd=project, start_new_session=True
    )
    for _ in range(3):
        with suppress(subprocess.TimeoutExpired):
            process.wait(delay)
            break
        os.killpg(process.pid, signal.SIGINT)
    process.wait(30)
    assert (project / "odd.txt").read_bytes() == BYTES + b"not staged\r\n"
    made = git(project, "rev-parse", "HEAD") != before
    assert git(project, "status", "--short", "odd.txt") == (" M odd.txt" if made else "AM odd.txt")
    assert run(project, "git", "fsck", "--strict").code == 0
    (project / ".git/index.lock").unlink(missing_ok=True)
    assert run(project, "git", "commit", "-q", "--allow-empty", "-m", "next").code == 0
    done(project, "verify")


def test_configuration_from_a_broken_environment_does_not_block_a_commit(project: Path) -> None:
    """GIT_CONFIG_COUNT without values makes every git that we start fail; git itself too."""
    broken = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a"}
    for hook in ("post-commit", "post-checkout", "post-merge"):
        assert run(project, f".git/hooks/{hook}", "x", "y", "1", **broken).code == 0
    assert git(project, "status", "--short", "odd.txt") == "AM odd.txt"
