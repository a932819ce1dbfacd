"""What a one-shot command may cost: the imports it makes and the processes it starts."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from flow import copy_of
from support import git, make_repo, processes

from relay_git.pipeline import Pipeline

DEAR = {"pygit2", "pydantic", "ruamel", "markdown_it", "jinja2", "rich", "openai", "anthropic"}
"""Each costs 60 to 340 ms on a small machine."""

LESSON = "Every plan says how to go back"

_RUN_AND_LIST = """
import json, sys
from relay_git.main import main
code = main(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    json.dump(sorted({name.partition(".")[0] for name in sys.modules}), file)
sys.exit(code)
"""

_RUN_AND_COUNT = """
import gc, sys
from relay_git.__main__ import program
before = sum(generation["collections"] for generation in gc.get_stats())
sys.argv[0] = "git-relay"
code = program()
after = sum(generation["collections"] for generation in gc.get_stats())
print(after - before, gc.get_freeze_count() > 10_000, file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a lesson, and an open run whose first artifact is written."""
    return copy_of("planning", build, tmp_path / "project")


def build(path: Path) -> None:
    make_repo(path)
    relay(path, "init", "--template", "plan-review-implement-audit")
    relay(path, "lessons", "add", "planner", LESSON)
    git(path, "add", ".relay")
    git(path, "commit", "-q", "-m", "set up")
    relay(path, "start")
    plan = path / ".relay" / "artifacts" / "plan.md"
    plan.write_text("# Plan\n\n1. Do the work\n2. Test it\n")


def relay(path: Path, *words: str, **environment: str) -> None:
    """The whole program, as a process of its own."""
    argv = [sys.executable, "-m", "relay_git", *words]
    subprocess.run(argv, cwd=path, check=True, capture_output=True, env=os.environ | environment)


def imported(path: Path, *words: str) -> tuple[set[str], str]:
    """The top-level modules that are loaded when the command has run, and what it printed."""
    listing = path.parent / "modules.json"
    argv = [sys.executable, "-c", _RUN_AND_LIST, str(listing), *words]
    done = subprocess.run(argv, cwd=path, check=True, capture_output=True, text=True)
    return set(json.loads(listing.read_text())), done.stdout


@pytest.mark.parametrize(
    ("command", "says"),
    [("status", "▶ plan_draft"), ("advance", "plan_draft → plan_review")],
    ids=["status", "advance"],
)
def test_status_and_advance_import_nothing_dear(project: Path, command: str, says: str) -> None:
    modules, output = imported(project, command)
    assert says in output
    assert "relay_git" in modules
    assert not modules & DEAR


def test_inspect_imports_nothing_dear(project: Path) -> None:
    with Pipeline.open(project, "tickets", payload={"FACTS": ["a"]}) as pipeline:
        pipeline.rollback(1).unwrap()
    for words in ((), ("tickets",), ("tickets", "--step", "1")):
        modules, output = imported(project, "inspect", *words)
        assert "tickets" in output
        assert not modules & (DEAR | {"cryptography", "asyncio"})


def test_next_imports_jinja2_and_nothing_else_that_is_dear(project: Path) -> None:
    modules, output = imported(project, "next")
    assert LESSON in output
    assert modules & DEAR == {"jinja2"}


def test_run_imports_no_client_and_nothing_dear_but_jinja2(project: Path) -> None:
    write = "from pathlib import Path; Path('.relay/artifacts/plan.md').write_text('# Another')"
    git(project, "config", "relay.agent.command", shlex.join([sys.executable, "-c", write]))
    modules, output = imported(project, "run", "--backend", "agent")
    assert "plan_draft → plan_review" in output
    assert modules & (DEAR | {"httpx2"}) == {"jinja2"}


def test_a_cold_advance_starts_at_most_three_git_processes(project: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    relay(project, "advance", GIT_RELAY_TRACE=str(trace))
    started = processes(trace)
    assert 1 <= len(started) <= 3, started
    assert all(line.startswith("git ") for line in started)
    subjects = git(project, "log", "--format=%s", "--glob=refs/relay/runs").splitlines()
    assert subjects[0] == "plan_draft → plan_review"


def test_a_hook_reads_its_words_without_argparse(project: Path) -> None:
    modules, _ = imported(project, "hook", "post-commit")
    assert "relay_git" in modules
    assert not modules & (DEAR | {"argparse"})


def test_a_commit_of_an_open_run_starts_four_git_processes(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That make its step and note, once the month has a note."""
    git(project, "commit", "-q", "--allow-empty", "-m", "the first note of the month")
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
    git(project, "commit", "-q", "--allow-empty", "-m", "another")
    started = [line.partition(" --")[0] for line in processes(trace)]
    settings = "core.warnAmbiguousRefs=false", "core.fsync=reference", "core.fsyncMethod=fsync"
    move = " ".join(["git", *(f"-c {setting}" for setting in settings), "update-ref"])
    assert started == ["git rev-parse", "git var -l", "git diff-tree", move]
    subject = git(project, "log", "-1", "--format=%s", "--glob=refs/relay/runs")
    assert subject.startswith(f"commit {git(project, 'rev-parse', 'HEAD')[:12]}")


def test_a_command_is_not_searched_for_garbage(project: Path) -> None:
    argv = [sys.executable, "-c", _RUN_AND_COUNT, "status"]
    done = subprocess.run(argv, cwd=project, check=True, capture_output=True, text=True)
    assert "plan_draft" in done.stdout
    assert done.stderr == "0 True\n"
