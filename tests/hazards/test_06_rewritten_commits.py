"""Hazard 6: notes of commits that clones rewrote apart are united as data, and guess nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flow import done, run_ref, started
from support import git, repository

from relay_git.git.notes_merge import merge_notes
from relay_git.git.store import Move
from relay_git.lessons.provenance import combine
from relay_git.names import NOTES, Oid, RefName
from relay_git.workflow import commits
from relay_git.workspace import Workspace


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return started(tmp_path / "project")


def opened(path: Path) -> Workspace:
    return Workspace(repository(path), durability="os")


def recorded(path: Path, name: str) -> Oid:
    """A commit of the run's, with its note."""
    (path / name).write_text(f"{name}\n")
    git(path, "add", name)
    git(path, "commit", "-q", "-m", f"add {name}")
    commits.record(opened(path))
    return Oid(git(path, "rev-parse", "HEAD"))


def notes_tip(path: Path) -> tuple[RefName, Oid]:
    ((ref, tip),) = opened(path).store.refs(NOTES).items()
    return ref, tip


def rewritten(path: Path, base: Oid, message: str) -> Oid:
    """What a clone makes of the last commit, with the notes that follow it."""
    git(path, "reset", "-q", "--hard", base)
    git(path, "commit", "-q", "--amend", "-m", message)
    new = Oid(git(path, "rev-parse", "HEAD"))
    assert commits.move_notes(opened(path), [(base, new)]) == 1
    return new


def lines(path: Path, ref: str, commit: str) -> list[dict[str, object]]:
    shown = git(path, "notes", f"--ref={ref}", "show", commit)
    return [json.loads(line) for line in shown.splitlines()]


def test_a_commit_that_two_clones_rewrote_has_its_origin_in_both(project: Path) -> None:
    old = recorded(project, "app.py")
    ref, before = notes_tip(project)
    first = rewritten(project, old, "as Ada wants it")
    _, ours = notes_tip(project)
    git(project, "update-ref", ref, before)
    second = rewritten(project, old, "as Bob wants it")
    _, theirs = notes_tip(project)

    store = opened(project).store
    store.move(Move(ref, theirs, merge_notes(store, ours, theirs, combine)))
    said = [lines(project, ref, commit) for commit in (old, first, second)]
    assert [len(found) for found in said] == [1, 1, 1]
    assert said[0] == said[1] == said[2]
    for commit in (first, second):
        git(project, "reset", "-q", "--hard", commit)
        (told,) = json.loads(done(project, "blame", "app.py", "--json"))
        assert (told["commit"], told["stage"]) == (commit, "draft")
        assert told["run"] == run_ref(project).rpartition("/")[2]


def test_commits_that_were_squashed_keep_each_line_once(project: Path) -> None:
    """Also where git itself joined the notes as text before they were merged."""
    first, second = recorded(project, "a.py"), recorded(project, "b.py")
    ref, before = notes_tip(project)
    git(project, "reset", "-q", "--soft", f"{first}^")
    git(project, "commit", "-q", "-m", "both")
    both = git(project, "rev-parse", "HEAD")
    commits.move_notes(opened(project), [(first, Oid(both)), (second, Oid(both))])
    _, ours = notes_tip(project)
    git(project, "update-ref", ref, before)
    for commit in (first, second, first):
        text = git(project, "notes", f"--ref={ref}", "show", commit)
        git(project, "notes", f"--ref={ref}", "append", "-m", text, both)
    _, theirs = notes_tip(project)

    store = opened(project).store
    store.move(Move(ref, theirs, merge_notes(store, ours, theirs, combine)))
    assert [line["step"] for line in lines(project, ref, both)] == [2, 3]
    (told,) = json.loads(done(project, "blame", "a.py", "--json"))
    assert told["commit"] == both


@pytest.mark.parametrize("text", [b"reviewed by Bob", b"reviewed by Bob\n"])
def test_a_note_of_somebody_elses_is_not_glued_to_ours(project: Path, text: bytes) -> None:
    (project / "app.py").write_text("x\n")
    git(project, "add", "app.py")
    git(project, "commit", "-q", "-m", "code")
    month = run_ref(project).rpartition("/")[2][:6]
    ref = f"{NOTES}{month[:4]}-{month[4:]}"
    blob = git(project, "hash-object", "-w", "--stdin", input=text)
    git(project, "notes", f"--ref={ref}", "add", "-C", blob, "HEAD")
    commits.record(opened(project))
    shown = git(project, "notes", f"--ref={ref}", "show", "HEAD").splitlines()
    assert "reviewed by Bob" in shown
    (told,) = json.loads(done(project, "blame", "app.py", "--json"))
    assert told["stage"] == "draft"
