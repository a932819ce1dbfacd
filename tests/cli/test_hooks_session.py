"""A person who uses git and an editor: real git, real hooks, in every kind of worktree."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import kinds
import pytest
from flow import APPROVED, REJECTED, add_workflow, copy_of, done, draft, write
from hooking import (
    commit,
    git_processes,
    hooked,
    hooks_of,
    program,
    run,
    started,
    watch,
    with_program,
    with_workflow,
    write_hook,
)
from kinds import Kind
from support import git, make_commits, make_repo, relay


@pytest.fixture(
    params=[
        kinds.main_worktree,
        kinds.linked_worktree,
        kinds.submodule,
        kinds.worktree_of_a_bare_repository,
    ],
    ids=lambda kind: kind.__name__,
)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    kind: Kind = request.param
    here = kind(tmp_path / "a project")
    done(here, "init")
    return here


def trailers(path: Path, rev: str = "HEAD") -> list[str]:
    return git(path, "log", "-1", "--format=%(trailers:key=Relay-Run,valueonly)", rev).split()


def advance_line(path: Path, verdict: str) -> str:
    state = json.loads(done(path, "status", "--json"))
    visits = {stage["name"]: stage["visits"] for stage in state["stages"]}
    return f"Relay-Advance: {state['stage']}.{visits[state['stage']]}={verdict}"


def test_a_run_by_git_and_an_editor_alone(project: Path) -> None:
    done(project, "start", "--slug", "mail")
    [run_id] = git(
        project, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/relay/runs"
    ).split()
    write(project, "draft.md", "A draft.\n")
    done(project, "advance")
    write(project, "review.md", REJECTED)
    done(project, "advance")
    draft(project, "A better draft.\n")

    assert commit(project, "one.py") == ""
    below = project / "below"
    below.mkdir()
    commit(below, "two.py")
    (project / "three.py").write_text("three\n")
    git(project, "add", "three.py")
    tip = git(project, "rev-parse", "HEAD")
    emptied = write_hook(project.parent / "editor", '#!/bin/sh\nsed -i "/^#/!d" "$1"\n')
    aborted = run(project, "git", "commit", GIT_EDITOR=shlex.quote(str(emptied)))
    assert aborted.code == 1
    assert "empty commit message" in aborted.err
    assert git(project, "rev-parse", "HEAD") == tip

    write(project, "review.md", APPROVED)
    message = f"finish\n\n{advance_line(project, 'approve')}\n"
    answer = run(project, "git", "commit", "-q", "-F", "-", input=message)
    assert answer.code == 0
    summary = answer.err.splitlines()
    assert len(summary) == 1
    assert "review: approve → done" in summary[0]
    assert f"{run_id} is done: 1 new lesson in .relay/lessons" in summary[0]

    made = git(project, "rev-list", "-3", "HEAD").split()
    assert [trailers(project, rev) for rev in made] == [[run_id]] * 3
    notes = git(project, "for-each-ref", "--format=%(refname)", "refs/notes/relay").splitlines()
    for rev in made:
        assert run_id in git(project, "notes", "--ref", notes[0], "show", rev)
    assert git(project, "status", "--short", "--untracked-files=all", "--", ".").splitlines() == [
        f"?? {path.relative_to(project)}" for path in (project / ".relay/lessons").rglob("*.md")
    ]
    assert git(project, "for-each-ref", "refs/relay/runs") == ""
    examined = run(project, "git", "relay", "doctor", PATH=with_program())
    assert examined == (0, "all is well; a hook was fired and ran\n", "")


def test_hooks_with_nothing_to_do_start_no_program_and_no_git(
    project: Path, tmp_path: Path
) -> None:
    """Counted by a program that tells, and by git's own trace; pre-commit asks git once."""
    log, trace = watch(project, tmp_path / "log"), tmp_path / "trace"
    with_hooks = busy_day(project, trace)
    assert started(log) == []
    for hook in hooks_of(project).iterdir():
        hook.unlink()
    without = busy_day(project, trace)
    assert with_hooks.pop("commit") == without.pop("commit") + 1
    assert with_hooks == without


def busy_day(path: Path, trace: Path) -> dict[str, int]:
    """The git processes of a commit, an amend, a checkout, two rebases, a merge and a fetch."""
    day = git(path, "rev-parse", "--short", "HEAD")
    (path / f"{day}.txt").write_text("a\n")
    git(path, "add", f"{day}.txt")

    def counted(*args: str) -> int:
        return git_processes(path, trace, *args)

    found = {
        "commit": counted("commit", "-q", "-m", "x"),
        "amend": counted("commit", "-q", "--no-verify", "--amend", "-m", "y"),
        "checkout": counted("checkout", "-q", "-b", f"topic-{day}", "HEAD^"),
    }
    make_commits(path, 5)
    return found | {
        "rebase": counted("rebase", "-q", "--force-rebase", "HEAD~5"),
        "merge": counted("merge", "-q", "--no-ff", "-m", "m", "@{-1}"),
        "fetch": counted("fetch", "-q", ten_branches(path, day), f"refs/heads/*:refs/{day}/*"),
    }


def ten_branches(path: Path, day: str) -> str:
    other = make_repo(path.parent / f"other-{day}")
    git(other, "commit", "-q", "--allow-empty", "-m", f"something new on {day}")
    for number in range(10):
        git(other, "branch", f"branch-{number}")
    return str(other)


def test_a_rebase_with_an_open_run_starts_one_program_and_notes_follow(
    project: Path, tmp_path: Path
) -> None:
    done(project, "start")
    first = git(project, "rev-parse", "HEAD")
    for number in range(5):
        commit(project, f"{number}.txt")
    log = watch(project, tmp_path / "log")
    run(
        project,
        "git",
        "rebase",
        "-q",
        "--force-rebase",
        first,
        GIT_COMMITTER_DATE="1893456000 +0000",
    )
    assert started(log) == ["hook post-rewrite rebase"]
    new = git(project, "rev-list", f"{first}..HEAD").split()
    assert len(new) == 5
    ref = git(project, "for-each-ref", "--format=%(refname)", "refs/notes/relay")
    for rev in new:
        assert '"kind":"commit"' in git(project, "notes", "--ref", ref, "show", rev)
    git(project, "commit", "-q", "--amend", "-m", "again")
    assert '"kind":"commit"' in git(project, "notes", "--ref", ref, "show", "HEAD")


def test_a_merge_into_the_default_branch_rebuilds_the_page(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    page = project / ".relay" / "LESSONS.md"
    git(project, "checkout", "-q", "-b", "topic")
    done(project, "lessons", "add", "planner", "Name every file")
    page.unlink()
    git(project, "add", ".relay")
    git(project, "commit", "-q", "-m", "a lesson")
    git(project, "checkout", "-q", "-b", "other", "main")
    commit(project, "other.txt")
    told = run(project, "git", "merge", "-q", "--no-ff", "-m", "m", "topic").err
    assert not page.exists(), told
    git(project, "checkout", "-q", "main")
    told = run(project, "git", "merge", "-q", "--squash", "topic").err
    assert not page.exists(), told
    git(project, "reset", "-q", "--hard")
    told = run(project, "git", "merge", "-q", "--no-ff", "-m", "m", "topic").err
    assert told == "git-relay: rebuilt .relay/LESSONS.md\n"
    assert "Name every file" in page.read_text()
    page.unlink()
    commit(project, "main.txt")
    git(project, "checkout", "-q", "-b", "third", "HEAD^")
    commit(project, "third.txt")
    git(project, "checkout", "-q", "main")
    assert run(project, "git", "merge", "-q", "-m", "m", "third").err == ""
    assert not page.exists(), "no lesson came with this merge"
    assert relay(project, "hook", "post-merge", "0") == "", "whoever calls it"
    assert not page.exists()


@pytest.fixture
def unsettled(tmp_path: Path) -> Path:
    """The run has ended, and its lessons wait, as after a crash."""
    project = copy_of("unsettled", make_unsettled, tmp_path / "project")
    (pending,) = (project / ".git/relay/pending").iterdir()
    mark = {"branch": "refs/heads/main", "format": 1, "worktree": str(project / ".git")}
    pending.write_text(json.dumps(mark, sort_keys=True, separators=(",", ":")) + "\n")
    return project


def make_unsettled(path: Path) -> None:
    project = hooked(path)
    done(project, "start")
    draft(project)
    write(project, "review.md", REJECTED)
    done(project, "advance")
    draft(project, "A better draft.\n")
    write(project, "review.md", APPROVED)
    done(project, "advance")
    for lesson in (project / ".relay/lessons").rglob("*.md"):
        lesson.unlink()
    (project / ".relay/LESSONS.md").unlink()
    ended = git(project, "log", "-1", "--format=%s", "--glob=refs/relay/history").split()[1]
    (project / ".git/relay/pending" / ended.rstrip(":")).touch()


def waits(project: Path) -> bool:
    return bool(os.listdir(project / ".git/relay/pending"))


def lessons(project: Path) -> list[Path]:
    return list((project / ".relay/lessons").rglob("*.md"))


@pytest.mark.parametrize("what", ["commit", "checkout", "merge", "amend"])
def test_what_waits_is_settled_by_the_next_hook(unsettled: Path, what: str) -> None:
    with_side = ["checkout", "-q", "-b", "side"]
    done = {
        "commit": lambda: run(unsettled, "git", "commit", "-q", "--allow-empty", "-m", "x"),
        "amend": lambda: run(unsettled, "git", "commit", "-q", "--amend", "-m", "x"),
        "checkout": lambda: run(unsettled, "git", "checkout", "-q", "-B", "main"),
        "merge": lambda: run(unsettled, "git", "merge", "-q", "side-branch"),
    }
    if what == "merge":
        env = {"GIT_RELAY": "0"}
        run(unsettled, "git", *with_side[:-1], "side-branch", **env)
        run(unsettled, "git", "commit", "-q", "--allow-empty", "-m", "x", **env)
        run(unsettled, "git", "checkout", "-q", "main", **env)
    told = done[what]()
    assert told.code == 0
    assert "is done: 1 new lesson" in told.err
    assert len(told.err.splitlines()) == 1
    assert not waits(unsettled)
    assert lessons(unsettled)
    assert not (unsettled / ".relay/LESSONS.md").exists()


@pytest.mark.parametrize(
    "mark", ["rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "BISECT_LOG"]
)
def test_nothing_is_written_while_git_is_in_the_middle_of_something(
    unsettled: Path, mark: str
) -> None:
    """Whoever calls the hook: the shim, another tool's line, or the framework."""
    head = git(unsettled, "rev-parse", "HEAD")
    (unsettled / ".git" / mark).write_text(f"{head}\n")
    for hook, args in (("post-commit", ()), ("post-checkout", (head, head, "1"))):
        assert run(unsettled, f".git/hooks/{hook}", *args) == (0, "", "")
        assert program(unsettled, "hook", hook, *args) == (0, "", "")
    assert waits(unsettled)
    assert not lessons(unsettled)
    (unsettled / ".git" / mark).unlink()
    git(unsettled, "commit", "-q", "--allow-empty", "-m", "x")
    assert not waits(unsettled)


def test_a_conflict_in_the_middle_of_a_rebase_leaves_the_run_to_its_end(unsettled: Path) -> None:
    env = {"GIT_RELAY": "0"}
    for name, text in (("main", "ours\n"), ("topic", "theirs\n")):
        run(unsettled, "git", "checkout", "-q", "-B", name, **env)
        (unsettled / "c.txt").write_text(text)
        git(unsettled, "add", "c.txt")
        run(unsettled, "git", "commit", "-q", "-m", name, **env)
        if name == "main":
            run(unsettled, "git", "checkout", "-q", "--detach", "HEAD^", **env)
    run(unsettled, "git", "checkout", "-q", "main", **env)
    assert run(unsettled, "git", "rebase", "-q", "topic").code == 1
    assert waits(unsettled)
    assert not lessons(unsettled)
    (unsettled / "c.txt").write_text("both\n")
    git(unsettled, "add", "c.txt")
    assert run(unsettled, "git", "-c", "core.editor=true", "rebase", "--continue").code == 0
    run(unsettled, "git", "commit", "-q", "--allow-empty", "-m", "next")
    assert not waits(unsettled)
    assert lessons(unsettled)


def test_a_worktree_delivers_what_it_ended_and_nothing_else(unsettled: Path) -> None:
    linked = unsettled.parent / "linked"
    git(unsettled, "worktree", "add", "-q", "-b", "side", str(linked))
    assert run(linked, "git", "commit", "-q", "--allow-empty", "-m", "x") == (0, "", "")
    assert waits(unsettled)
    assert not lessons(linked)
    run(unsettled, "git", "commit", "-q", "--allow-empty", "-m", "x")
    assert lessons(unsettled)
    assert not lessons(linked)


def test_post_checkout_of_a_new_worktree_and_a_clone_has_nothing_to_say(tmp_path: Path) -> None:
    main = with_workflow(make_repo(tmp_path / "main"))
    added = run(main, "git", "worktree", "add", "-q", "../linked")
    assert added == (0, "", "")
    template = tmp_path / "template"
    (template / "hooks").mkdir(parents=True)
    for hook in ("post-checkout", "post-merge"):
        write_hook(template / "hooks" / hook, (hooks_of(main) / hook).read_text())
    cloned = run(tmp_path, "git", "clone", "-q", f"--template={template}", str(main), "clone")
    assert cloned == (0, "", "")
    add_workflow(make_repo(tmp_path / "fresh"))
