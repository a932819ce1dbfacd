"""All or nothing: what is not ours is named and stops everything, and what is left over goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from relay_git.errors import Invalid
from relay_git.exporters.part import Block, Generated, Part
from relay_git.exporters.plan import carry_out, make_plan

A, B = Generated("to/a.md", "src", "A.\n"), Generated("to/b.md", "src", "B.\n")
SHARED = Block("AGENTS.md", "src", "All.\n")


def export(root: Path, *parts: Part, force: bool = False) -> None:
    carry_out(str(root), make_plan(str(root), parts, force))


def names(root: Path) -> list[str]:
    return sorted(str(f.relative_to(root)) for f in root.rglob("*") if f.is_file())


def test_a_second_plan_has_nothing_to_do(tmp_path: Path) -> None:
    export(tmp_path, A, B, SHARED)
    plan = make_plan(str(tmp_path), (A, B, SHARED), force=False)
    assert not plan.changes
    assert plan.unchanged == ("to/a.md", "to/b.md", "AGENTS.md")


def test_everything_that_is_not_ours_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    (tmp_path / "to/b.md").write_text("Mine.\n")
    (tmp_path / "AGENTS.md").symlink_to("elsewhere.md")
    with pytest.raises(Invalid) as caught:
        export(tmp_path, A, B, SHARED)
    assert [Path(p.where or "").name for p in caught.value.problems] == ["b.md", "AGENTS.md"]
    assert names(tmp_path) == ["to/b.md"]


def test_force_does_not_follow_a_link(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "to").symlink_to(outside)
    with pytest.raises(Invalid, match="a symbolic link, which is never followed"):
        export(root, A, force=True)
    assert not list(outside.iterdir())


def test_a_directory_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "to/a.md").mkdir(parents=True)
    with pytest.raises(Invalid, match=r"to/a\.md: not a regular file"):
        export(tmp_path, A, force=True)


@pytest.mark.parametrize("force", [False, True])
def test_leftovers_go_unless_they_are_not_ours_any_more(tmp_path: Path, force: bool) -> None:
    export(tmp_path, A, B, Generated("to/c.md", "src", "C.\n"))
    (tmp_path / "to/mine.md").write_text("Mine.\n")
    with (tmp_path / "to/c.md").open("a") as file:
        file.write("And mine.\n")
    plan = make_plan(str(tmp_path), [A], force)
    assert (plan.removes, plan.kept) == (("to/b.md",), ("to/c.md",))
    carry_out(str(tmp_path), plan)
    assert names(tmp_path) == ["to/a.md", "to/c.md", "to/mine.md"]


def test_a_name_of_another_case_is_no_leftover(tmp_path: Path) -> None:
    export(tmp_path, Generated("to/A.md", "src", "A.\n"))
    assert make_plan(str(tmp_path), [A], force=False).removes == ()
