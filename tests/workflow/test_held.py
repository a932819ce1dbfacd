"""A run that is moved on in another place, and the files that lie here from before."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import make_clone, make_server, neighbours
from flow import REJECTED, artifact, call, done, draft, review, run_ref, write
from hooking import commit, with_program
from support import git

ANOTHER = REJECTED.replace("`retry.py` calls `send`", "`queue.py` drops the job")


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two clones in which the run stands in its second draft, and then goes on in Ada's."""
    monkeypatch.setenv("PATH", with_program())
    neighbours("at-work", at_work, tmp_path)
    return tmp_path / "ada", tmp_path / "bob"


def at_work(folder: Path) -> None:
    folder.mkdir()
    server = make_server(folder / "server")
    ada, bob = (make_clone(server, folder / name) for name in ("ada", "bob"))
    done(bob, "hooks", "install")
    done(ada, "start")
    draft(ada, "First.\n")
    review(ada)
    travels(ada, bob)
    done(bob, "switch", "loop")
    draft(ada, "Second.\n")


def travels(path: Path, other: Path) -> None:
    for clone in (path, other):
        done(clone, "sync")


def recorded(path: Path, name: str) -> str:
    return git(path, "show", f"{run_ref(path)}:artifacts/{name}")


def test_a_commit_records_no_file_over_what_others_wrote_since(both: tuple[Path, Path]) -> None:
    ada, bob = both
    travels(ada, bob)
    for name in ("one.py", "two.py"):
        commit(bob, name)
        assert recorded(bob, "draft.md") == "Second."
    assert artifact(bob, "draft.md").read_text() == "First.\n"


def test_what_was_written_here_is_recorded(both: tuple[Path, Path]) -> None:
    ada, bob = both
    travels(ada, bob)
    write(bob, "draft.md", "Mine.\n")
    commit(bob, "one.py")
    assert recorded(bob, "draft.md") == "Mine."
    commit(bob, "two.py")
    write(bob, "draft.md", "Mine again.\n")
    commit(bob, "three.py")
    assert recorded(bob, "draft.md") == "Mine again."


def test_an_advance_keeps_the_draft_that_others_wrote(both: tuple[Path, Path]) -> None:
    ada, bob = both
    travels(ada, bob)
    assert "has moved on to review (visit 2)" in call(bob, "advance").err
    review(bob, ANOTHER)
    assert recorded(bob, "draft.md") == "Second."


def test_the_verdict_of_a_visit_that_is_over_is_not_given_again(both: tuple[Path, Path]) -> None:
    """What lies here differs from what the stage was entered with, and is not of this visit."""
    ada, bob = both
    review(ada, ANOTHER)
    draft(ada, "Third.\n")
    travels(ada, bob)
    assert "has moved on to review (visit 3)" in call(bob, "advance").err
    answer = call(bob, "advance")
    assert (answer.code, answer.out) == (1, "")
    assert "review.md: unchanged since review was entered" in answer.err


def test_next_brings_what_others_wrote_and_leaves_what_was_written_here(
    both: tuple[Path, Path],
) -> None:
    ada, bob = both
    review(ada, ANOTHER)
    draft(ada, "Third.\n")
    write(bob, "review.md", "Begun.\n")
    travels(ada, bob)
    said = call(bob, "next").err
    assert said == "git relay: brought .relay/artifacts/draft.md here, as others wrote it since\n"
    assert artifact(bob, "draft.md").read_text() == "Third.\n"
    assert artifact(bob, "review.md").read_text() == "Begun.\n"
    assert call(bob, "next").err == ""


@pytest.mark.parametrize("here", [None, b"half \0 written", b"Mine.\n"])
def test_next_brings_a_file_that_was_not_there(tmp_path: Path, here: bytes | None) -> None:
    """And replaces none that somebody is writing."""
    server = make_server(tmp_path / "server")
    ada, bob = (make_clone(server, tmp_path / name) for name in ("ada", "bob"))
    done(ada, "start")
    travels(ada, bob)
    done(bob, "switch", "loop")
    if here:
        artifact(bob, "draft.md").write_bytes(here)
    draft(ada)
    travels(ada, bob)
    done(bob, "next")
    assert artifact(bob, "draft.md").read_bytes() == (here or b"A draft.\n")


def test_a_file_with_a_secret_stays_as_it_is_here(tmp_path: Path) -> None:
    """It is recorded otherwise than it lies here, and that is nobody else's doing."""
    server = make_server(tmp_path / "server")
    ada = make_clone(server, tmp_path / "ada")
    done(ada, "start")
    text = "The key is ghp_" + "a1B2" * 9 + ".\n"
    draft(ada, text)
    assert "ghp_" not in recorded(ada, "draft.md")
    assert call(ada, "next").err == ""
    assert artifact(ada, "draft.md").read_text() == text


@pytest.mark.parametrize("damage", ["", "{", "[1]", '{"run": 1}', '{"files": 3}'])
def test_a_record_that_is_damaged_knows_nothing(both: tuple[Path, Path], damage: str) -> None:
    ada, bob = both
    (bob / ".git/relay/held").write_text(damage)
    travels(ada, bob)
    done(bob, "next")
    assert artifact(bob, "draft.md").read_text() == "First.\n"
