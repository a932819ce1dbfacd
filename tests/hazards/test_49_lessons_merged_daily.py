"""Two branches learn, edit and withdraw, and are merged by a git that knows nothing of us."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flow import REJECTED, add_workflow, call, copy_of, done, draft, review
from hooking import Done, run
from support import git, make_repo

INDEX = ".relay/LESSONS.md"
BEFORE = "Before both branches there was one"
FORMER = "A former lesson of the other role"


def build(path: Path) -> None:
    """A project with a few lessons on its branch, and no hooks."""
    make_repo(path)
    done(path, "init", "--template", "bug-rca-fix", "--no-hooks")
    add_workflow_beside(path)
    for role, claim in (("author", BEFORE), ("critic", FORMER), ("planner", FORMER)):
        done(path, "lessons", "add", role, claim)
    save(path, "set up")


def add_workflow_beside(path: Path) -> None:
    ignore = (path / ".relay/.gitignore").read_text()
    add_workflow(path)
    (path / ".relay/.gitignore").write_text(ignore)
    (path / ".relay/relay.yml").write_text("version: 1\ndefault_workflow: loop\n")


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Two worktrees on branches of their own, from one point."""
    main = copy_of("with-lessons", build, tmp_path / "main")
    for name in ("a", "b"):
        git(main, "worktree", "add", "-q", "-b", name, str(tmp_path / name))
    return tmp_path / "a", tmp_path / "b"


def save(path: Path, message: str = "lessons") -> None:
    git(path, "add", ".relay")
    git(path, "commit", "-q", "-m", message)


def add(path: Path, claim: str, role: str = "author", *options: str) -> str:
    made = json.loads(done(path, "lessons", "add", role, claim, *options, "--json"))
    return str(made["path"])


def rejected_run(path: Path, text: str = REJECTED) -> None:
    """A run of its own whose one lesson is delivered here."""
    done(path, "start")
    draft(path)
    review(path, text)
    done(path, "abandon", "-m", "enough")
    done(path, "lessons", "render")


def merge(path: Path, other: str, *options: str) -> Done:
    """By git alone: nothing of ours is installed, and nothing is on PATH."""
    assert not any(name == "post-merge" for name in os.listdir(path.parent / "main/.git/hooks"))
    return run(path, "git", "merge", "-q", "--no-edit", *options, other, PATH="/usr/bin:/bin")


def merged(sides: tuple[Path, Path]) -> Path:
    """B in A and A in B, without a conflict; the page is the same once it is rebuilt."""
    a, b = sides
    for side in sides:
        save(side)
    before = git(a, "rev-parse", "a")
    assert merge(a, "b").code == 0
    assert merge(b, before).code == 0
    for side in sides:
        assert markers(side) == []
        done(side, "lessons", "render")
    assert (a / INDEX).read_text() == (b / INDEX).read_text()
    assert call(a, "lessons", "render", "--exit-code").code == 0
    return a


def markers(path: Path) -> list[str]:
    found = run(path, "git", "grep", "-lE", "^(<{7}|={7}|>{7})", "--", ".relay").out
    return found.split()


def in_force(path: Path) -> list[str]:
    found = json.loads(done(path, "lessons", "list", "--json"))
    return sorted(lesson["claim"] for lesson in found if lesson["claim"] != FORMER)


def id_of(path: Path, claim: str) -> str:
    found = json.loads(done(path, "lessons", "list", "--json"))
    return next(str(lesson["id"]) for lesson in found if lesson["claim"] == claim)


def on_the_page(path: Path) -> list[str]:
    lines = (path / INDEX).read_text().splitlines()
    found = [re.sub(r" \(\[.*", "", line) for line in lines if line.startswith("- **")]
    return sorted(line.partition("** ")[2] for line in found if not line.endswith(FORMER))


def test_each_side_learns_something(sides: tuple[Path, Path]) -> None:
    a, b = sides
    add(a, "Learnt in a", "author", "--severity", "error")
    add(b, "Learnt in b", "author", "--severity", "error")
    add(b, "Learnt for a new role", "auditor")
    both = merged(sides)
    assert in_force(both) == on_the_page(both)
    assert in_force(both) == sorted([BEFORE, "Learnt in a", "Learnt for a new role", "Learnt in b"])


def test_the_page_is_joined_without_marks_and_doubles_by_git_alone(
    sides: tuple[Path, Path],
) -> None:
    """As a reader of the merge commit sees it, before anything is rebuilt."""
    a, b = sides
    add(a, "Learnt in a")
    add(b, "Learnt in b")
    add(b, "Learnt in b too", "critic")
    for side in sides:
        save(side)
    assert merge(a, "b").code == 0
    joined = on_the_page(a)
    assert joined == sorted([BEFORE, "Learnt in a", "Learnt in b", "Learnt in b too"])


def test_both_sides_settle_runs_with_the_same_finding(sides: tuple[Path, Path]) -> None:
    for side in sides:
        rejected_run(side)
    both = merged(sides)
    (twice,) = [line for line in on_the_page(both) if line != BEFORE]
    assert len(in_force(both)) == 2, twice
    done(both, "distill", "--all")
    assert len(in_force(both)) == 2


def test_both_sides_distil_one_run(sides: tuple[Path, Path]) -> None:
    """The very same file on both."""
    a, b = sides
    rejected_run(a)
    done(b, "distill", "--all")
    assert lesson_files(a) == lesson_files(b)
    assert len(in_force(merged(sides))) == 2


def lesson_files(path: Path) -> dict[str, bytes]:
    below = path / ".relay/lessons"
    return {str(f.relative_to(below)): f.read_bytes() for f in sorted(below.rglob("*.md"))}


def test_both_sides_add_the_same_by_hand_on_different_days(
    sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for day, side in enumerate(sides):
        monkeypatch.setenv("GIT_RELAY_NOW", str(1777368600 + day * 86400))
        add(side, "Say what it costs")
    both = merged(sides)
    assert in_force(both) == on_the_page(both) == [BEFORE, "Say what it costs"]


def edit(path: Path) -> None:
    (file,) = [
        f for f in (path / ".relay/lessons/author").iterdir() if BEFORE[:6].lower() in f.name
    ]
    file.write_text(file.read_text() + "\nA person's remark.\n")


def retire(path: Path, reason: str = "it is gone") -> None:
    done(path, "lessons", "retire", "before-both-branches-there-was-one", "--reason", reason)


@pytest.mark.parametrize("first", [edit, retire], ids=["edit-retire", "retire-edit"])
def test_edited_on_one_side_and_withdrawn_on_the_other(
    sides: tuple[Path, Path], first: Callable[[Path], None]
) -> None:
    """Withdrawn once, and the remark is not lost."""
    a, b = sides
    edit(a if first is edit else b)
    retire(b if first is edit else a)
    both = merged(sides)
    assert in_force(both) == on_the_page(both) == []
    (kept,) = (both / ".relay/lessons/retired/author").iterdir()
    assert "A person's remark." in kept.read_text()
    assert "it is gone" in kept.read_text()
    assert list((both / ".relay/lessons").glob("author/*")) == []


def test_renames_are_not_followed(sides: tuple[Path, Path]) -> None:
    """git stops, names both files, and either answer leaves the lesson withdrawn."""
    a, b = sides
    edit(a)
    retire(b)
    for side in sides:
        save(side)
    stopped = merge(a, "b", "-s", "recursive", "-X", "no-renames")
    assert stopped.code == 1
    assert markers(a) == []
    git(a, "add", ".relay/lessons")
    git(a, "commit", "-q", "--no-edit")
    assert in_force(a) == []
    assert "and still here" in call(a, "lessons", "list").err


def test_withdrawn_on_one_side_and_learnt_again_on_the_other(sides: tuple[Path, Path]) -> None:
    """A claim that is withdrawn stays so, whichever run says it again meanwhile."""
    a, _ = sides
    for side in sides:
        rejected_run(side)
    claim = next(one for one in in_force(a) if one != BEFORE)
    done(a, "lessons", "retire", id_of(a, claim), "--reason", "it waits now")
    both = merged(sides)
    assert in_force(both) == on_the_page(both) == [BEFORE]
    done(both, "distill", "--all")
    assert in_force(both) == [BEFORE]
    assert "and still here" in call(both, "lessons", "list").err


def test_one_withdrawal_withdraws_every_file_of_the_claim(sides: tuple[Path, Path]) -> None:
    for side in sides:
        rejected_run(side)
    both = merged(sides)
    claim = next(one for one in in_force(both) if one != BEFORE)
    done(both, "lessons", "retire", id_of(both, claim), "--reason", "it waits now")
    assert call(both, "lessons", "list").err == ""
    assert len(list((both / ".relay/lessons/retired/author").iterdir())) == 2


def test_both_sides_withdraw_with_their_own_reasons(sides: tuple[Path, Path]) -> None:
    """Two reasons are for people to join; until then the lesson comes back nowhere."""
    a, b = sides
    retire(a, "the queue is gone")
    retire(b, "nobody uses it")
    for side in sides:
        save(side)
    merge(a, "b")
    assert in_force(a) == []
    done(a, "distill", "--all")
    assert in_force(a) == []


def test_five_branches_in_any_order_give_one_page(tmp_path: Path) -> None:
    main = copy_of("with-lessons", build, tmp_path / "main")
    names = [f"side-{number}" for number in range(4)]
    for number, name in enumerate(names):
        git(main, "checkout", "-q", "-b", name, "main")
        add(main, f"Learnt in {name}", ("author", "critic")[number % 2])
        save(main)
    pages = set()
    for order in list(itertools.permutations(names))[::7]:
        git(main, "checkout", "-q", "-B", "all", "main")
        for name in order:
            assert merge(main, name).code == 0
        assert markers(main) == []
        done(main, "lessons", "render")
        pages.add((main / INDEX).read_text())
        git(main, "checkout", "-q", "-f", "main")
    assert len(pages) == 1
    assert pages.pop().count("Learnt in side-") == 4
