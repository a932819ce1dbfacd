"""LESSONS.md: generated, stable, and a place where a line becomes a lesson."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support import git, make_repo

from relay_git.lessons.index import (
    Manual,
    absorb_manual,
    index_would_change,
    manual_lines,
    render_index,
    update_index,
)
from relay_git.lessons.keep import lesson_path, manual_draft, read_lesson
from relay_git.lessons.model import Evidence, Lesson
from relay_git.lessons.shelf import Delivery, Shelf, deliver, retire
from relay_git.names import LESSONS_INDEX, ArtifactName, RunId

AT = "2026-05-01T00:00:00Z"


def lesson(claim: str, role: str = "planner", **values: Any) -> Lesson:
    fields: dict[str, Any] = {
        "severity": "warn",
        "run": RunId("20260428-0930-fix-bug-3f9a"),
        "excerpt": "",
        "evidence": Evidence(ArtifactName("review.md"), "0" * 40, 2, 7),
        "observed_at": "2026-04-28T09:30:00Z",
        **values,
    }
    return Lesson(role=role, claim=claim, **fields)


def load(tree: Path) -> Shelf:
    return Shelf.load(str(tree), str(tree / "cache"))


def bring(tree: Path, *lessons: Lesson) -> None:
    deliver(str(tree), lessons, load(tree))


def rebuild(tree: Path) -> bool:
    absorb_manual(str(tree), load(tree))
    return update_index(str(tree), load(tree))


def index(tree: Path) -> str:
    return (tree / LESSONS_INDEX).read_bytes().decode()


def test_the_index_is_by_role_and_worst_first(tmp_path: Path) -> None:
    often = lesson("Often", observed_at="2026-04-29T00:00:00Z")
    bad = lesson("Bad", severity="error")
    later = lesson("Later", observed_at="2026-04-30T00:00:00Z")
    audit = lesson("Audit <b>this</b>", role="auditor")
    bring(tmp_path, often, bad, later, audit, lesson("Early"))
    early = lesson("Early")
    update_index(str(tmp_path), load(tmp_path), {often.claim_hash: 3})

    def link(one: Lesson, more: str = "") -> str:
        path = lesson_path(one).removeprefix(".relay/")
        return f"([{one.id[:8]}]({path}), 20260428-0930-fix-bug-3f9a{more})"

    assert index(tmp_path) == (
        "<!-- Generated from .relay/lessons/: rebuild it with `git relay lessons render`. A line of"
        " the\nform `# manual: …` below a role becomes a lesson and stays; other edits are"
        " overwritten. -->\n"
        "\n"
        "# Lessons\n"
        "\n"
        "## auditor\n"
        "\n"
        f"- **warn** Audit \\<b>this\\</b> {link(audit)}\n"
        "\n"
        "<!-- end of auditor.\n"
        "These four lines keep the\nroles apart when branches\nmerge: leave them. -->\n"
        "\n"
        "## planner\n"
        "\n"
        f"- **error** Bad {link(bad)}\n"
        f"- **warn** Often {link(often, ' ×3')}\n"
        f"- **warn** Early {link(early)}\n"
        f"- **warn** Later {link(later)}\n"
        "\n"
        "<!-- end of planner.\n"
        "These four lines keep the\nroles apart when branches\nmerge: leave them. -->\n"
    )


@settings(deadline=None)
@given(st.text(alphabet="[]()`<>!*_\\# -:|ab", max_size=30))
def test_any_claim_is_one_item_with_its_link(text: str) -> None:
    one = manual_draft("planner", f"a{text}")
    shelf = Shelf((read_lesson(one.text, one.path()),), [])
    tokens = MarkdownIt().parse(render_index(shelf))
    items = [token for token in tokens if token.type == "list_item_open"]
    links = [
        child.attrs["href"]
        for token in tokens
        for child in token.children or ()
        if child.type == "link_open"
    ]
    assert len(items) == 1
    assert one.path().removeprefix(".relay/") in links


def test_an_empty_shelf_makes_no_index_and_empties_one(tmp_path: Path) -> None:
    assert not index_would_change(str(tmp_path), load(tmp_path))
    assert not rebuild(tmp_path)
    assert not (tmp_path / LESSONS_INDEX).exists()
    one = lesson("Close it")
    bring(tmp_path, one)
    assert rebuild(tmp_path)
    (tmp_path / lesson_path(one)).unlink()
    assert rebuild(tmp_path)
    assert index(tmp_path).endswith("# Lessons\n\nNone yet.\n")


def test_updating_twice_changes_nothing(tmp_path: Path) -> None:
    bring(tmp_path, lesson("Close it"))
    tree = str(tmp_path)
    assert index_would_change(tree, load(tmp_path))
    assert update_index(tree, load(tmp_path))
    assert not index_would_change(tree, load(tmp_path))
    assert not update_index(tree, load(tmp_path))
    path = tmp_path / LESSONS_INDEX
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert not index_would_change(tree, load(tmp_path))
    assert not update_index(tree, load(tmp_path))


def test_manual_lines_stand_under_a_role() -> None:
    text = (
        "\ufeff# manual: for nobody\r\n"
        "## planner\r\n"
        "# manual: Ask first\r\n"
        "#manual:Ask twice\n"
        "  # Manual:   Ask <thrice>  \n"
        "# manual:\n"
        "# manual: ...\n"
        "- # manual: in an item\n"
        "    # manual: in code\n"
        "not # manual: at the start\n"
        "## No Role!\n"
        "# manual: lost\n"
        "## 教訓-x ##\n"
        "## auditor ##\n"
        "### detail\n"
        "# manual: Check it"
    ).removeprefix("\ufeff")
    assert manual_lines(text) == [
        Manual("", "for nobody", 1),
        Manual("planner", "Ask first", 3),
        Manual("planner", "Ask twice", 4),
        Manual("planner", "Ask <thrice>", 5),
        Manual("", "lost", 12),
        Manual("auditor", "Check it", 16),
    ]


def test_the_index_itself_holds_no_manual_line(tmp_path: Path) -> None:
    bring(tmp_path, lesson("# manual: a claim that looks like one"))
    assert manual_lines(render_index(load(tmp_path))) == []


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_manual_line_becomes_a_lesson_and_stays(tmp_path: Path, eol: str) -> None:
    bring(tmp_path, lesson("Close it"))
    rebuild(tmp_path)
    added = "## planner\n# manual: Ask first\n# manual: Ask first\n# manual: ask FIRST!\n"
    text = index(tmp_path).replace("## planner\n", added).replace("\n", eol)
    (tmp_path / LESSONS_INDEX).write_bytes(text.encode())
    assert index_would_change(str(tmp_path), load(tmp_path))
    assert rebuild(tmp_path)
    kept = {one.claim: one for one in load(tmp_path).by_role("planner")}
    assert set(kept) == {"Ask first", "Close it"}
    assert (kept["Ask first"].severity, kept["Ask first"].run) == ("warn", None)
    after = index(tmp_path)
    assert after.count("# manual: Ask first\n") == 1
    assert after.count("manual:") == 2
    assert f"- **warn** Ask first ([{kept['Ask first'].id[:8]}](lessons/planner/ask-first" in after
    assert ", by hand)" in after
    assert not index_would_change(str(tmp_path), load(tmp_path))
    assert absorb_manual(str(tmp_path), load(tmp_path)).written == ()
    assert not rebuild(tmp_path)
    assert index(tmp_path) == after


def test_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    texts = []
    for name, lines in (
        ("one", ["Ask first", "ask FIRST", "Read"]),
        ("two", ["Read", "ask FIRST", "Ask first"]),
    ):
        (tmp_path / name / ".relay").mkdir(parents=True)
        text = "## planner\n" + "".join(f"# manual: {line}\n" for line in lines)
        (tmp_path / name / LESSONS_INDEX).write_text(text)
        rebuild(tmp_path / name)
        kept = load(tmp_path / name).kept
        texts.append(
            [index(tmp_path / name), *[(tmp_path / name / k.path).read_text() for k in kept]]
        )
    assert texts[0] == texts[1]


def test_a_line_that_is_no_lesson_yet_is_a_change(tmp_path: Path) -> None:
    (tmp_path / ".relay").mkdir()
    (tmp_path / LESSONS_INDEX).write_text("## planner\n# manual: Ask first\n")
    update_index(str(tmp_path), load(tmp_path))
    assert not update_index(str(tmp_path), load(tmp_path))
    assert index_would_change(str(tmp_path), load(tmp_path))


def test_a_line_for_nobody_stays_a_line(tmp_path: Path) -> None:
    (tmp_path / ".relay").mkdir()
    (tmp_path / LESSONS_INDEX).write_text("# manual: Ask first\n\n## planner\n# manual: Ask\n")
    assert rebuild(tmp_path)
    assert [kept.claim for kept in load(tmp_path).kept] == ["Ask"]
    assert "# Lessons\n\n# manual: Ask first\n\n## planner\n" in index(tmp_path)
    assert not rebuild(tmp_path)


def test_a_withdrawn_manual_lesson_does_not_come_back(tmp_path: Path) -> None:
    (tmp_path / ".relay").mkdir()
    line = "## planner\n\n# manual: Ask first\n"
    (tmp_path / LESSONS_INDEX).write_text(line)
    rebuild(tmp_path)
    path = retire(str(tmp_path), load(tmp_path), "ask-first", "we never did", AT)
    assert rebuild(tmp_path)
    assert "Ask first" not in index(tmp_path)
    (tmp_path / LESSONS_INDEX).write_text(index(tmp_path) + line)
    assert absorb_manual(str(tmp_path), load(tmp_path)) == Delivery(retired=(path,))
    assert rebuild(tmp_path)
    assert load(tmp_path).kept == ()
    assert "Ask first" not in index(tmp_path)


def test_a_manual_lesson_that_was_edited_is_not_made_again(tmp_path: Path) -> None:
    (tmp_path / ".relay").mkdir()
    (tmp_path / LESSONS_INDEX).write_text("## planner\n# manual: Ask first\n")
    rebuild(tmp_path)
    path = tmp_path / load(tmp_path).kept[0].path
    path.write_text(path.read_text().replace("Ask first", "Ask the owner first"))
    assert rebuild(tmp_path)
    assert [kept.claim for kept in load(tmp_path).kept] == ["Ask the owner first"]
    assert not rebuild(tmp_path)


def branches(tmp_path: Path, edits: dict[str, dict[str, str]]) -> Path:
    """A repository whose branches each add manual lines, by role, to one common index."""
    repo = make_repo(tmp_path / "repo")
    bring(repo, lesson("Close it"), lesson("Test it", role="auditor"))
    rebuild(repo)
    (repo / ".relay/.gitattributes").write_text("LESSONS.md merge=union linguist-generated\n")
    commit(repo, "base")
    for branch, lines in edits.items():
        git(repo, "switch", "-q", "-c", branch, "main")
        text = index(repo)
        for role, claim in lines.items():
            end = f"\n<!-- end of {role}."
            new = f"# manual: {claim}\n"
            text = text.replace(end, new + end) if end in text else f"{text}\n## {role}\n\n{new}"
        (repo / LESSONS_INDEX).write_text(text)
        commit(repo, branch)
    return repo


def commit(repo: Path, message: str) -> None:
    git(repo, "add", ".relay")
    git(repo, "commit", "-q", "-m", message)


@pytest.mark.parametrize("absorbed", [False, True])
def test_lines_of_two_branches_merge_into_lessons_of_their_roles(
    tmp_path: Path, absorbed: bool
) -> None:
    edits = {
        "a": {"planner": "Ask first", "architect": "Draw it", "auditor": "Same for both"},
        "b": {"planner": "Ask last", "reviewer": "Read it", "auditor": "Same for both"},
    }
    repo = branches(tmp_path, edits)
    if absorbed:
        for branch in edits:
            git(repo, "switch", "-q", branch)
            rebuild(repo)
            commit(repo, "absorb")
    results = []
    for into, other in (("a", "b"), ("b", "a")):
        git(repo, "switch", "-q", "--detach", into)
        git(repo, "merge", "-q", "-m", "merge", other)
        rebuild(repo)
        assert not rebuild(repo)
        claims = {(kept.role, kept.claim) for kept in load(repo).kept}
        results.append(index(repo))
        assert claims == {
            ("planner", "Close it"),
            ("auditor", "Test it"),
            *((role, claim) for lines in edits.values() for role, claim in lines.items()),
        }
        git(repo, "add", ".relay")
        git(repo, "commit", "-q", "--allow-empty", "-m", "rebuilt")
    assert results[0] == results[1]
