"""The markdown of a lesson file: front matter, the claim, the excerpt as a quote, what was added.

The claim is one line. It is escaped as CommonMark asks where it would begin a block or hold a
tag, so that a reviewer sees all of it, and reading the page gives back the very same claim.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from relay_git.errors import RelayError

_PAGE = re.compile(
    r"\ufeff?(?P<front>---[ \t]*\r?\n.*?)^---[ \t]*\r?$\n?(?P<body>.*)", re.DOTALL | re.MULTILINE
)
_NOT_TEXT = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
"""Compiled when first needed: a set that wide takes two milliseconds."""

_ANGLE = re.compile(r"(\\*)<")
_BLOCK = re.compile(
    r"(\\*)(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|(?:[-*_][ \t]*){3,}$|```|~~~|\[[^\]]*\]:)"
)
_NUMBERED = re.compile(r"\d{1,9}(\\*)(?=[.)](?:\s|$))")


class Body(NamedTuple):
    """Each part is empty where the page has none. `extra` is what people wrote below."""

    claim: str
    excerpt: str
    extra: str


def compose(front: str, claim: str, excerpt: str) -> str:
    """A page from the lines of its front matter, the claim and the excerpt."""
    head = f"---\n{front}---\n\n{_claim_to_markdown(claim)}\n"
    return f"{head}\n{_quoted(plain_text(excerpt))}\n" if excerpt else head


def split(text: str, where: str) -> re.Match[str]:
    """Groups `front`, with its opening `---`, and `body`, both exactly as the file has them."""
    found = _PAGE.match(text)
    if not found:
        hint = "begin it with `---`, the fields and `---`"
        raise RelayError("no front matter", where=f"{where}:1", hint=hint)
    return found


def parse_body(text: str) -> Body:
    lines = plain_text(text).split("\n")
    _taken(lines, _is_blank)
    claim = _taken(lines, lambda line: not _is_blank(line) and not line.startswith(">"))
    _taken(lines, _is_blank)
    quote = _taken(lines, lambda line: line.startswith(">"))
    excerpt = "\n".join(line[2:] if line.startswith("> ") else line[1:] for line in quote)
    return Body(_claim_from_markdown(" ".join(claim)), excerpt, "\n".join(lines).strip("\n"))


def plain_text(text: str) -> str:
    """With `\\n` as line end; what no text file may hold becomes U+FFFD."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(_NOT_TEXT, "\ufffd", lines)


def one_line(text: str) -> str:
    return " ".join(plain_text(text).split())


def escape_html(line: str) -> str:
    """No tag and no comment in the line is read as one; code spans stay as they are."""
    return _outside_code(line, lambda found: _escaped(found[1]) + "<")


def _claim_to_markdown(claim: str) -> str:
    line = escape_html(one_line(claim))
    for mark in (_BLOCK, _NUMBERED):
        line = _replace_slashes(mark, line, _escaped)
    return line


def _claim_from_markdown(text: str) -> str:
    line = one_line(text)
    for mark in (_BLOCK, _NUMBERED):
        line = _replace_slashes(mark, line, _unescaped)
    return _outside_code(line, lambda found: _unescaped(found[1]) + "<")


def _replace_slashes(mark: re.Pattern[str], line: str, change: Callable[[str], str]) -> str:
    """Change the backslashes before the mark that begins the line, if one does."""
    found = mark.match(line)
    if not found:
        return line
    return line[: found.start(1)] + change(found[1]) + line[found.end(1) :]


def _escaped(backslashes: str) -> str:
    return backslashes * 2 + "\\"


def _unescaped(backslashes: str) -> str:
    return "\\" * (len(backslashes) // 2)


def _outside_code(line: str, replace: Callable[[re.Match[str]], str]) -> str:
    """Replace each `<` and the backslashes before it, except between two runs of backticks."""
    parts = re.split("(`+)", line)
    for index in range(0, len(parts), 2):
        is_code = index % 4 == 2 and index + 2 < len(parts)
        if not is_code:
            parts[index] = _ANGLE.sub(replace, parts[index])
    return "".join(parts)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def _is_blank(line: str) -> bool:
    return not line.strip()


def _taken(lines: list[str], wanted: Callable[[str], bool]) -> list[str]:
    """Remove and return the leading lines that are wanted."""
    count = next((index for index, line in enumerate(lines) if not wanted(line)), len(lines))
    head = lines[:count]
    del lines[:count]
    return head
