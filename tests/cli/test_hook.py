"""`git relay hook` as git's shims say it, and as people may."""

from __future__ import annotations

from pathlib import Path

import pytest
from hooking import hooked, program
from support import git, relay


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository whose last commit no hook has recorded in the open run."""
    path = hooked(tmp_path / "project")
    relay(path, "hooks", "uninstall")
    relay(path, "start")
    git(path, "commit", "-q", "--allow-empty", "-m", "not recorded")
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("hook", "post-commit"),
        ("--json", "hook", "post-commit"),
        ("hook", "post-commit", "--json"),
        ("hook", "--json", "post-commit"),
        ("hook", "settle"),
    ],
    ids=" ".join,
)
def test_the_words_may_stand_in_any_order(project: Path, words: tuple[str, ...]) -> None:
    assert program(project, *words) == (0, "", "")
    assert recorded(project)


@pytest.mark.parametrize("before", [True, False])
def test_another_directory_may_be_named(project: Path, tmp_path: Path, before: bool) -> None:
    option, call = ("-C", "project"), ("hook", "post-commit")
    assert program(tmp_path, *((*option, *call) if before else (*call, *option))).code == 0
    assert recorded(project)


@pytest.mark.parametrize("words", [(), ("reference-transaction",), ("post-commit", "--quiet")])
def test_what_no_hook_says_is_a_usage_error(project: Path, words: tuple[str, ...]) -> None:
    done = program(project, "hook", *words)
    assert done.code == 2
    assert "see `git relay hook --help`" in done.err
    assert not recorded(project)


def recorded(project: Path) -> bool:
    """Whether HEAD is in the run."""
    head = git(project, "rev-parse", "HEAD")
    subject = git(project, "log", "-1", "--format=%s", "--glob=refs/relay/runs")
    return subject.startswith(f"commit {head[:12]} ")
