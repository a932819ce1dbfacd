"""What a parsed document means although its markdown does not quite say so.

A line that is all bold is a heading; what stands between numbered items written apart is theirs.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from relay_git.lessons.blocks import (
    BOLD_LEVEL,
    LONGEST_HEADING,
    Block,
    Fence,
    Item,
    List,
    Paragraph,
    Section,
)

_BOLD_LINE = re.compile(r"[^\w*]{0,8}(?:\*\*([^*\n]+)\*\*|__([^_\n]+)__)\s*[:：]?[^\w*]{0,8}")
_PLAIN_HEADING = re.compile(r"\w[^\n.。!！:：;；,，|`*]{2,60}")
_LABELLED = re.compile(r"\w\s*(?::\s+|：\s*)\S")
_FIELD = re.compile(r"\W{0,3}\w[\w /-]{1,30}?\W{0,3}[:：]")


def fold(section: Section) -> None:
    """In place, and everywhere below."""
    _fold_fields(section.blocks)
    _fold_numbers(section)
    _fold_bold(section)


def _fold_fields(blocks: list[Block]) -> None:
    """`- **Title**`, then `Severity: high` on the next line: a field is no part of the title."""
    for block in blocks:
        if isinstance(block, Section):
            _fold_fields(block.blocks)
        elif isinstance(block, List):
            for item in block.items:
                title, _, fields = item.text.partition("\n")
                if fields and all(map(_FIELD.match, fields.split("\n"))):
                    item.text = title
                    item.blocks.insert(0, Paragraph(item.line + 1, item.end, fields))


def _fold_numbers(section: Section) -> None:
    """`1. title`, bullets that are not indented, `2. title`: the bullets are the item's."""
    for child in section.sections:
        _fold_numbers(child)
    if sum(_is_apart(block) for block in section.blocks) < 2:
        return
    blocks: list[Block] = []
    for block in section.blocks:
        item = _open_item(blocks)
        if item is not None and _goes_on(block, item):
            item.blocks.append(block)
            item.end = blocks[-1].end = block.end
        else:
            blocks.append(block)
    section.blocks = blocks


def _is_apart(block: Block) -> bool:
    return isinstance(block, List) and len(block.items) == 1 and block.items[0].ordered


def _open_item(blocks: list[Block]) -> Item | None:
    last = blocks[-1] if blocks else None
    return last.items[0] if isinstance(last, List) and _is_apart(last) else None


def _goes_on(block: Block, item: Item) -> bool:
    """Only what is set off by no blank line, or one list."""
    if isinstance(block, List):
        return not block.items[0].ordered and not any(isinstance(b, List) for b in item.blocks)
    return isinstance(block, Fence)


def _fold_bold(section: Section) -> None:
    """A line that is all bold heads what follows it, as if it were a heading of level 7."""
    blocks: list[Block] = []
    bold: Section | None = None
    for block, after in zip_longest(section.blocks, section.blocks[1:]):
        if isinstance(block, Section):
            _fold_bold(block)
            bold = None
            blocks.append(block)
        elif isinstance(block, Paragraph) and (title := _bold_title(block, after)):
            bold = Section(block.line, block.end, title, BOLD_LEVEL)
            blocks.append(bold)
        elif bold is not None:
            bold.blocks.append(block)
            bold.end = block.end
        else:
            blocks.append(block)
    section.blocks = blocks


def _bold_title(paragraph: Paragraph, after: Block | None) -> str:
    """A short line without a full stop before a list is a heading, too."""
    if isinstance(after, List) and _PLAIN_HEADING.fullmatch(paragraph.text):
        return paragraph.text
    if len(paragraph.text) > LONGEST_HEADING or not _BOLD_LINE.fullmatch(paragraph.text):
        return ""
    title = paragraph.text
    inner = title.rstrip("*_ :：✅❌⚠️🔴🟠🟡🟢🚨👍")
    return "" if inner.endswith((".", "。")) or _LABELLED.search(inner) else title
