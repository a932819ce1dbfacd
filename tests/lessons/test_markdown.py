from __future__ import annotations

import pytest

from relay_git.lessons.blocks import Fence, List, Paragraph, Quote, Section, Table
from relay_git.lessons.markdown import parse


def _only(text: str) -> object:
    blocks = parse(text).root.blocks
    assert len(blocks) == 1
    return blocks[0]


def test_headings_nest_and_know_where_they_end() -> None:
    root = parse("# A\n\none\n\n## B\n\ntwo\n\n# C\n").root
    first, second = root.sections
    assert (first.title, first.line, first.end) == ("A", 1, 8)
    assert [(s.title, s.line, s.end) for s in first.sections] == [("B", 5, 8)]
    assert (second.title, second.level) == ("C", 1)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_line_end_counts_the_same(newline: str) -> None:
    items = _only(newline.join(["- a", "- b", ""]))
    assert isinstance(items, List)
    assert [(item.line, item.text) for item in items.items] == [(1, "a"), (2, "b")]


def test_a_byte_order_mark_hides_no_heading() -> None:
    assert isinstance(_only("\ufeff# A"), Section)


def test_other_separators_break_no_line() -> None:
    paragraph = _only("a\u2028- b\x0b- c\n")
    assert isinstance(paragraph, Paragraph)
    assert paragraph.line == paragraph.end == 1


def test_front_matter_is_apart() -> None:
    tree = parse("---\nverdict: x\n---\n\n# A\n")
    assert tree.front_matter is not None
    assert (tree.front_matter.line, tree.front_matter.text.strip()) == (1, "verdict: x")
    assert [section.line for section in tree.root.sections] == [5]
    assert parse("---\nverdict: x\n").front_matter is None


def test_items_hold_their_blocks() -> None:
    items = _only("1. first\n   more\n\n   - inner\n2. [x] second\n   ```\n   - code\n   ```\n")
    assert isinstance(items, List)
    first, second = items.items
    assert (first.text, first.checked, first.ordered) == ("first\nmore", None, True)
    assert isinstance(first.blocks[0], List)
    assert (second.text, second.checked) == ("second", True)
    assert isinstance(second.blocks[0], Fence)


def test_an_item_may_open_with_a_fence() -> None:
    items = _only("- ```python\n  # no heading\n  ```\n- [ ] b\n")
    assert isinstance(items, List)
    assert isinstance(items.items[0].blocks[0], Fence)
    assert items.items[1].checked is False


@pytest.mark.parametrize("text", ["~~~\n# a\n~~~\n", "````\n```\n# a\n```\n````\n", "```\n# a\n"])
def test_a_comment_in_a_fence_is_no_heading(text: str) -> None:
    assert isinstance(_only(text), Fence)


def test_tables_have_rows_with_lines() -> None:
    table = _only("| A | B |\n|---|---|\n| 1 | x \\| y |\n| 2 |\n")
    assert isinstance(table, Table)
    assert table.header == ("A", "B")
    assert [(row.line, row.cells) for row in table.rows] == [(3, ("1", "x | y")), (4, ("2", ""))]


def test_comments_are_not_text() -> None:
    assert parse("<!-- # a\n\n- b -->\n").root.blocks == []
    paragraph = _only("a <!-- b --> c")
    assert isinstance(paragraph, Paragraph)
    assert paragraph.text == "a  c"


def test_a_bold_line_heads_what_follows() -> None:
    bold, heading = parse("**Critical:**\n\n- a\n\n# H\n").root.blocks
    assert isinstance(bold, Section)
    assert isinstance(bold.blocks[0], List)
    assert (bold.line, bold.end) == (1, 4)
    assert isinstance(heading, Section)


@pytest.mark.parametrize("text", ["**It is wrong.**", "**Severity: high**", "**a** and **b**"])
def test_other_bold_lines_are_paragraphs(text: str) -> None:
    assert isinstance(_only(text), Paragraph)


def test_a_rule_below_a_paragraph_makes_no_heading() -> None:
    paragraph = _only("one\ntwo\n---\n")
    assert isinstance(paragraph, Paragraph)
    assert paragraph.end == 2


def test_headings_inside_other_blocks_head_nothing() -> None:
    quote = _only("> # A\n> text\n")
    assert isinstance(quote, Quote)
    assert all(isinstance(block, Paragraph) for block in quote.blocks)
