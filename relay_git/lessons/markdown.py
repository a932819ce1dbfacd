"""A markdown document as a small tree: sections, items, tables, paragraphs, each with its line.

Block structure comes from markdown-it-py's CommonMark tokens; inline text stays as written,
since only emphasis and code spans matter to the readers and they are stripped there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from relay_git.lessons.blocks import (
    LONGEST_HEADING,
    Block,
    Fence,
    Item,
    List,
    Paragraph,
    Quote,
    Row,
    Section,
    Table,
)
from relay_git.lessons.folding import fold
from relay_git.lessons.severity_words import SHORTCODES

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STOPPED = re.compile(r"[.!。！][*_\s]*$")
_SHORTCODE = re.compile(r":([a-z_+0-9]{1,30}):")
_CHECKBOX = re.compile(r"\[([ xX])\][ \t]+")


@dataclass(slots=True)
class Tree:
    root: Section
    front_matter: Fence | None
    lines: Sequence[str]

    def source(self, line: int, end: int) -> str:
        """The text of lines `line` to `end`, both 1-based and included."""
        return "\n".join(self.lines[line - 1 : end])


def parse(text: str) -> Tree:
    """Never fails: all text is markdown. Every line end is a `\\n` afterwards."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    tokens = _parser().parse(_SHORTCODE.sub(_emoji, plain) if ":" in plain else plain)
    lines = plain.split("\n")
    front = next(
        (_fence(token, len(lines)) for token in tokens if token.type == "front_matter"), None
    )
    root = Section(1, len(lines), "", 0)
    _nest(_Cursor(tokens, len(lines)).blocks(None), root)
    _close(root, len(lines))
    fold(root)
    return Tree(root, front, lines)


@cache
def _emoji(code: re.Match[str]) -> str:
    return SHORTCODES.get(code[1], code[0])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 60}).enable("table").use(front_matter_plugin)
    return parser.disable(["inline", "text_join", "reference"], ignoreInvalid=True)


class _Cursor:
    """Walks the flat token list once; `last` is the document's last line."""

    def __init__(self, tokens: Sequence[Token], last: int) -> None:
        self.tokens = tokens
        self.last = last
        self.at = 0

    def blocks(self, until: str | None) -> Iterator[Block]:
        """The blocks before the closing token `until`, which is consumed."""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.type == until:
                return
            block = self._block(token)
            if block is not None:
                yield block

    def _block(self, token: Token) -> Block | None:
        line, end = _span(token, self.last)
        match token.type:
            case "heading_open":
                return self._heading(token, line, end)
            case "paragraph_open":
                return Paragraph(line, end, self._inline("paragraph_close"))
            case "bullet_list_open" | "ordered_list_open":
                return self._list(token, line, end)
            case "blockquote_open":
                return Quote(line, end, _flat(self.blocks("blockquote_close")))
            case "table_open":
                return self._table(line, end)
            case "fence" | "code_block":
                return _fence(token, self.last)
        return None

    def _heading(self, token: Token, line: int, end: int) -> Block:
        text = self._inline("heading_close")
        underlined = token.markup in ("-", "=")
        if underlined and ("\n" in text or len(text) > LONGEST_HEADING or _STOPPED.search(text)):
            return Paragraph(line, end - 1, text)
        return Section(line, end, text, int(token.tag[1]))

    def _inline(self, until: str) -> str:
        text = ""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.type == until:
                break
            text += token.content
        return _COMMENT.sub("", text).strip()

    def _list(self, token: Token, line: int, end: int) -> List:
        ordered = token.type == "ordered_list_open"
        items = []
        while self.at < len(self.tokens):
            inner = self.tokens[self.at]
            self.at += 1
            if inner.type in ("bullet_list_close", "ordered_list_close"):
                break
            items.append(self._item(inner, ordered))
        return List(line, end, items)

    def _item(self, token: Token, ordered: bool) -> Item:
        line, end = _span(token, self.last)
        blocks = _flat(self.blocks("list_item_close"))
        first = blocks[0] if blocks else None
        text = ""
        if isinstance(first, Paragraph):
            text = first.text
            blocks = blocks[1:]
        box = _CHECKBOX.match(text)
        checked = None if box is None else box[1] != " "
        return Item(line, end, text[box.end() :] if box else text, ordered, checked, blocks)

    def _table(self, line: int, end: int) -> Table:
        rows: list[Row] = []
        cells: list[str] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                cells, at = [], _span(token, self.last)[0]
            elif token.type == "inline":
                cells.append(_COMMENT.sub("", token.content).strip())
            elif token.type == "tr_close":
                rows.append(Row(at, tuple(cells)))
        header = rows[0].cells if rows else ()
        return Table(line, end, header, rows[1:])


def _span(token: Token, last: int) -> tuple[int, int]:
    first, after = token.map or (0, 1)
    return min(first + 1, last), max(min(after, last), first + 1)


def _fence(token: Token, last: int) -> Fence:
    line, end = _span(token, last)
    return Fence(line, end, token.info.strip(), token.content)


def _flat(blocks: Iterable[Block]) -> list[Block]:
    """Headings inside quotes and items head nothing: they are read as paragraphs."""
    return [
        Paragraph(block.line, block.end, block.title) if isinstance(block, Section) else block
        for block in blocks
    ]


def _nest(blocks: Iterable[Block], root: Section) -> None:
    stack = [root]
    for block in blocks:
        if isinstance(block, Section):
            while stack[-1].level >= block.level:
                stack.pop()
            stack[-1].blocks.append(block)
            stack.append(block)
        else:
            stack[-1].blocks.append(block)


def _close(section: Section, end: int) -> None:
    """A section ends where the next one of its parent begins."""
    section.end = end
    for child in reversed(list(section.sections)):
        _close(child, end)
        end = child.line - 1
