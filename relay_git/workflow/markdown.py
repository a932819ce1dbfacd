"""Which lines of a markdown document are its author's plain statements.

A line scanner and not a markdown parser: it knows CommonMark's containers well enough to tell
plain lines from fenced or indented code, quotes, HTML comments and front matter, in linear
time and without a dependency. In doubt it hides a line, as a hidden verdict moves no run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from relay_git.record import Record

Kind = Literal["blank", "text", "item", "heading", "rule", "hidden"]

_EOL = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])( +)(?=\S)")
_HEADING = re.compile(r"#{1,6}(?: (.*))?$")
_BREAK = re.compile(r"([-*_])(?: *\1){2,}+ *$")
_QUOTE = re.compile(r"^(?: {0,3}> ?)++ {0,3}")
_UNDERLINE = re.compile(r"(?:-+|=+) *$")
_LEAD = re.compile(r" *+(?:(?:[-*+]|\d{1,9}[.)]) +)*+")
_FRONT_KEY = re.compile(r"[\"']?\w[\w .-]*+[\"']?:(?:\s|$)")
_FRONT_OTHER = re.compile(r"\s|#|- |-$|[\]}]|$")
_HIDING = re.compile(r"`[^`]*`|<!--|<(pre|script|style|textarea|blockquote)(?=[\s>])", re.I)
_COMMENT_END = "-->"
_DATA = {"yaml": "yaml", "yml": "yaml", "json": "json"}


class Line(Record):
    """`raw` is the line as written, `text` what follows its list marker or heading marks."""

    number: int
    raw: str
    text: str
    kind: Kind


class Block:
    """A yaml or json text inside the document; `first` is the number of its first line."""

    def __init__(self, info: str, first: int) -> None:
        self.info = info
        self.first = first
        self.lines: list[str] = []


class Page:
    """Lines in their order (those of front matter, fences and comments left out), and the data."""

    def __init__(self, front: Block | None) -> None:
        self.front = front
        self.lines: list[Line] = []
        self.blocks: list[Block] = []


def read_page(text: str) -> Page:
    lines = _EOL.split(text.removeprefix("\ufeff"))
    front = _front_matter(lines)
    scanner = _Scanner(lines, Page(front))
    start = front.first + len(front.lines) + 1 if front else 1
    for number in range(start, len(lines) + 1):
        scanner.take(number, lines[number - 1])
    return scanner.page


def _front_matter(lines: Sequence[str]) -> Block | None:
    """Between `---` lines at the very top, if every line there could be YAML."""
    if lines[0].rstrip() != "---" or len(lines) < 2 or not _FRONT_KEY.match(lines[1]):
        return None
    block = Block("yaml", 2)
    for line in lines[1:]:
        if line.rstrip() in ("---", "..."):
            return block
        if not (_FRONT_KEY.match(line) or _FRONT_OTHER.match(line)):
            return None
        block.lines.append(line)
    return None


class _Fence(Record):
    mark: str
    column: int
    container: int
    block: Block

    def closed_by(self, stripped: str, indent: int) -> bool:
        return (
            indent - self.container < 4
            and len(stripped) >= len(self.mark)
            and not stripped.strip(self.mark[0])
        )


class _Scanner:
    def __init__(self, lines: Sequence[str], page: Page) -> None:
        self.page = page
        self._items: list[int] = []  # the content columns of the open list items
        self._fence: _Fence | None = None
        self._until = ""  # what ends the HTML that hides the text
        self._inline = False  # whether it opened inside a line, so that a fence ends it too
        self._last_end = max(
            (n for n, line in enumerate(lines) if _COMMENT_END in line), default=-1
        )
        self._paragraph = ""  # of the line before: `plain`, `quoted`, or none

    def take(self, number: int, raw: str) -> None:
        body = raw.expandtabs(4).rstrip()
        if self._fence and self._fenced(self._fence, body):
            return
        shown = self._outside_html(number, body)
        if shown or not body:
            kind, text = self._classify(number, shown)
            self.page.lines.append(Line(number, raw, text, kind))

    def _fenced(self, fence: _Fence, body: str) -> bool:
        """Whether the line belongs to the open fence, which ends with its list item."""
        stripped = body.strip()
        indent = _indent(body)
        if stripped and indent < fence.container:
            self._fence = None
            return False
        if fence.closed_by(stripped, indent):
            self._fence = None
            if fence.block.info:
                self.page.blocks.append(fence.block)
        else:
            fence.block.lines.append(body[min(indent, fence.column) :])
        return True

    def _outside_html(self, number: int, body: str) -> str:
        """The line without its parts in comments and in elements that show code or quotes."""
        shown: list[str] = []
        at = 0
        lead = _lead(body)
        if self._inline and _FENCE.match(body.lstrip()):
            self._until = ""
        while at < len(body):
            if self._until:
                end = re.compile(self._until, re.I).search(body, at)
                if end is None:
                    break
                at = end.end()
                self._until = ""
            opener = self._opener(number, body, at, lead)
            shown.append(body[at : opener.start() if opener else None])
            if opener is None:
                break
            self._until = f"</{opener[1]}>" if opener[1] else _COMMENT_END
            self._inline = opener.start() != lead
            if not self._inline:
                self._leave(_indent(body))
            at = opener.start() + 2  # `<!-->` is a whole comment
        return "".join(shown).rstrip()

    def _opener(self, number: int, body: str, start: int, lead: int) -> re.Match[str] | None:
        """What hides the text after it. A comment inside a line needs an end: else it is text."""
        last_end = len(body) if self._last_end >= number else body.rfind(_COMMENT_END)
        for match in _HIDING.finditer(body, start):
            leads = match.start() == lead
            if leads and match[1]:
                return match
            if match[0] == "<!--" and (leads or match.start() < last_end):
                return match
        return None

    def _classify(self, number: int, body: str) -> tuple[Kind, str]:
        before, self._paragraph = self._paragraph, ""
        if not body:
            return "blank", ""
        indent = _indent(body)
        if before and self._continues(before, body, indent):
            self._paragraph = before
            shown = before == "plain" and indent < 4 and not self._nested(indent)
            return "text" if shown else "hidden", body[indent:]
        column, container, is_item = self._enter(body, indent)
        rest = body[column:]
        if column - container >= 4:
            return "hidden", rest
        if rest.startswith(">"):
            inner = _QUOTE.sub("", rest)
            self._paragraph = "quoted" if inner and not _starts_block(inner) else ""
            return "hidden", rest
        if opening := _FENCE.match(rest):
            self._open_fence(number, column, container, opening)
            return "hidden", rest
        return self._plain(rest, column, is_item)

    def _continues(self, before: str, body: str, indent: int) -> bool:
        """Whether a line goes on with the paragraph before it, perhaps lazily."""
        inside = bisect_right(self._items, indent)
        if indent - (self._items[inside - 1] if inside else 0) >= 4:
            return True
        rest = body[indent:]
        underlined = before == "plain" and _UNDERLINE.match(rest)
        return not (underlined or rest.startswith(">") or _ITEM.match(rest) or _starts_block(rest))

    def _nested(self, column: int) -> bool:
        """Whether that column is inside a list inside a list."""
        return len(self._items) > 1 and column >= self._items[1]

    def _leave(self, column: int) -> None:
        while self._items and column < self._items[-1]:
            self._items.pop()

    def _enter(self, body: str, column: int) -> tuple[int, int, bool]:
        """Where the line's content starts, its container's column, whether it begins an item."""
        self._leave(column)
        container = self._items[-1] if self._items else 0
        if _BREAK.match(body, column):
            return column, container, False
        is_item = False
        while column - container < 4 and (match := _ITEM.match(body, column)):
            container = match.end() if len(match[1]) <= 4 else match.start(1) + 1
            self._items.append(container)
            column = match.end()
            is_item = True
        return column, container, is_item

    def _open_fence(self, number: int, column: int, container: int, opening: re.Match[str]) -> None:
        words = (opening[2] or opening[4] or "").split()
        info = _DATA.get(words[0].lower(), "") if words else ""
        mark = opening[1] or opening[3]
        self._fence = _Fence(mark, column, container, Block(info, number + 1))

    def _plain(self, rest: str, column: int, is_item: bool) -> tuple[Kind, str]:
        if _BREAK.match(rest) or _UNDERLINE.match(rest):
            return "rule", rest
        heading = _HEADING.match(rest)
        if not heading:
            self._paragraph = "plain"
        if self._nested(column):
            return "hidden", rest
        if is_item:
            return "item", rest
        return ("heading", heading[1] or "") if heading else ("text", rest)


def _indent(body: str) -> int:
    return len(body) - len(body.lstrip(" "))


def _lead(body: str) -> int:
    """The column where the content of a line begins, behind the marks of list items."""
    match = _LEAD.match(body)
    return match.end() if match else 0


def _starts_block(rest: str) -> bool:
    return any(pattern.match(rest) for pattern in (_HEADING, _BREAK, _FENCE))
