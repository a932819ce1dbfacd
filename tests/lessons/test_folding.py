"""What a document means although its markdown does not quite say so."""

from __future__ import annotations

from relay_git.lessons.blocks import List, Paragraph, Section
from relay_git.lessons.document import read_document
from relay_git.lessons.markdown import parse


def _lists(text: str) -> list[List]:
    return [block for block in parse(text).root.blocks if isinstance(block, List)]


def test_bullets_between_numbered_items_are_theirs() -> None:
    first, second = _lists("1) One\n- a\n- b\n\n2) Two\n- c\n")
    assert isinstance(first.items[0].blocks[0], List)
    assert first.end == first.items[0].end
    assert isinstance(second.items[0].blocks[0], List)


def test_one_numbered_item_does_not_own_what_follows() -> None:
    numbered, bullets = _lists("1) One\n\n- a\n- b\n")
    assert (numbered.items[0].blocks, len(bullets.items)) == ([], 2)


def test_fields_below_a_title_are_no_part_of_it() -> None:
    (items,) = _lists(
        "- **Token logged**\n  Severity: High\n  File: a.py\n- **Typo** in a\n  word\n"
    )
    title, prose = items.items
    assert (title.text, prose.text) == ("**Token logged**", "**Typo** in a\nword")
    assert isinstance(title.blocks[0], Paragraph)
    assert (title.blocks[0].line, title.blocks[0].text) == (2, "Severity: High\nFile: a.py")


def test_a_bold_line_heads_what_follows() -> None:
    (bold,) = parse("**Weaknesses**\n\n- a\n").root.blocks
    assert isinstance(bold, Section)
    assert isinstance(bold.blocks[0], List)


def test_the_fields_grade_the_finding() -> None:
    text = "## Findings\n\n1. **Token logged**\n   Severity: High\n\n   It is in the log.\n"
    (finding,) = read_document(text).findings
    assert (finding.severity, finding.claim) == ("error", "Token logged: It is in the log.")
