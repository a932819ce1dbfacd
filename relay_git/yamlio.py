"""YAML as people write it: read with the line of everything, and edited in place.

An edit replaces the characters of one value and nothing else, so quotes, comments, order,
wrapping, line ends and BOM stay as their author left them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from relay_git.errors import RelayError
from relay_git.yamlnodes import Node, Text, compose

MAX_BYTES = 256 * 1024

Path = tuple[str | int, ...]

_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_PLAIN = re.compile(r"[A-Za-z](?:[\w./ -]*[\w./-])?", re.ASCII)
_NOT_TEXT_ELSEWHERE = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


@dataclass(frozen=True, slots=True)
class Document:
    """A mapping read from a file. A path is keys and list indices, outermost first."""

    source: Text
    root: Node

    @property
    def value(self) -> dict[str, Any]:
        mapping: dict[str, Any] = self.root.value
        return mapping

    def node(self, path: Path) -> Node:
        """The node at the path; parts that are not in the file are passed over."""
        node = self.root
        for part in path:
            node = node.children.get(part, node)
        return node

    def line_of(self, path: Path) -> int:
        """The line of the key or list item; for one that is missing, of what should hold it."""
        node = self.node(path)
        return self.source.line(node.key[0] if node.key else node.start)

    def written(self, path: Path) -> str:
        """The value exactly as the file spells it."""
        node = self.node(path)
        return self.source.text[node.start : node.end]

    def problem(self, path: Path, what: str, hint: str | None = None) -> RelayError:
        return RelayError(what, where=f"{self.source.where}:{self.line_of(path)}", hint=hint)


def load(data: bytes | str, where: str, first_line: int = 1) -> Document:
    """Read a file, or the front matter that begins at `first_line` of one."""
    source = Text(_decoded(data, where, first_line), where, first_line)
    _refuse_at(source, _CONFLICT, "a merge conflict is not resolved", "choose a side, then retry")
    _refuse_at(source, _UNPRINTABLE, "a control character", "delete it, or escape it in quotes")
    if not source.text.strip():
        raise source.error(0, "empty", "write `key: value` lines")
    return Document(source, compose(source))


def _decoded(data: bytes | str, where: str, first_line: int) -> str:
    if len(data) > MAX_BYTES:
        what = f"{len(data)} bytes are more than the {MAX_BYTES} allowed"
        raise RelayError(what, where=f"{where}:{first_line}", hint="keep prose in artifacts")
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        what = f"not UTF-8 text (byte {error.start})"
        raise RelayError(what, where=f"{where}:{line}", hint="save it as UTF-8") from None


def _refuse_at(source: Text, pattern: re.Pattern[str], what: str, hint: str) -> None:
    found = pattern.search(source.text)
    if found:
        raise source.error(found.start(), what, hint)


# Writing


def dump_mapping(pairs: Iterable[tuple[str, Any]]) -> str:
    """One line a pair, each value in its JSON form: a text is always quoted, never a number."""
    return "".join(f"{line}\n" for line in _lines(pairs))


def edit_mapping(text: str, changes: Mapping[str, Any], where: str = "front matter") -> str:
    """Set keys of a mapping, new ones at its end. Refuses what it could not do cleanly."""
    document = load(text, where)
    source, old = document.source, document.value
    body = source.text
    edits = [
        edit
        for key, value in changes.items()
        if key in old
        for edit in _edits(source, document.root.children[key], value)
    ]
    for start, end, new in sorted(edits, reverse=True):
        body = body[:start] + new + body[end:]
    body += _appendix(document, {key: changes[key] for key in changes if key not in old})
    if not _reads_as(body, {**old, **changes}):
        raise RelayError("cannot be edited cleanly", where=where, hint="edit the file by hand")
    return text[: len(text) - len(source.text)] + body


def _reads_as(text: str, value: Any) -> bool:
    try:
        return _json(load(text, "").value) == _json(value)
    except RelayError:
        return False


def _lines(pairs: Iterable[tuple[str, Any]]) -> Iterator[str]:
    for key, value in pairs:
        yield f"{key if _is_plain(key) else _json(key)}: {_json(value)}"


def _appendix(document: Document, added: Mapping[str, Any]) -> str:
    source = document.source
    indent = " " * source.column(document.root.start)
    lines = [indent + line for line in _lines(added.items())]
    if source.text.endswith("\n"):
        return "".join(line + _eol(source) for line in lines)
    return "".join(_eol(source) + line for line in lines)


def _edits(source: Text, node: Node, value: Any) -> Iterator[tuple[int, int, str]]:
    """The smallest replacements (start, end, new text) that turn the node into the value."""
    if _json(node.value) == _json(value):
        return
    inner = _inner(node, value)
    if inner is None:
        yield _replacement(source, node, value)
        return
    for key, item in inner.items():
        yield from _edits(source, node.children[key], item)


def _inner(node: Node, value: Any) -> dict[str | int, Any] | None:
    """The new values of the node's children, where exactly these are kept."""
    if isinstance(value, dict) and isinstance(node.value, dict):
        return dict(value) if list(value) == list(node.value) else None
    if isinstance(value, list) and isinstance(node.value, list):
        return dict(enumerate(value)) if len(value) == len(node.value) else None
    return None


def _replacement(source: Text, node: Node, value: Any) -> tuple[int, int, str]:
    if _holds_comment(source.text, node):
        raise source.error(node.start, "the old value holds comments", "edit the file by hand")
    old = source.text[node.start : node.end].rstrip("\r\n")
    if isinstance(value, str):
        new = _scalar(value, node.style)
    elif isinstance(value, list) and value and old.startswith("-") and node.style == "block":
        new = _block_list(source, node, value)
    else:
        new = _json(value)
    return node.start, node.start + len(old), new if old else f" {new}"


def _block_list(source: Text, node: Node, value: list[Any]) -> str:
    """Items that were there before are written as they were."""
    old = {_json(item.value): source.text[item.start : item.end] for item in node.children.values()}
    between = _eol(source) + " " * source.column(node.start) + "- "
    return "- " + between.join(old.get(_json(item), _json(item)) for item in value)


def _scalar(value: str, style: str) -> str:
    """The text in the style that it had, where that can hold it."""
    if style == "" and _is_plain(value):
        return value
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return _json(value)


def _is_plain(text: str) -> bool:
    """Whether any YAML reader, of 1.1 too, takes the bare text for itself."""
    return bool(_PLAIN.fullmatch(text)) and text.lower() not in _NOT_TEXT_ELSEWHERE


def _json(value: Any) -> str:
    """JSON, which is YAML once the characters are escaped that YAML forbids or folds."""
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _holds_comment(text: str, node: Node) -> bool:
    spans = [*sorted(_leaves(node)), (node.end, node.end)]
    starts = [node.start, *(end for _, end in spans)]
    return any("#" in text[left:right] for left, (right, _) in zip(starts, spans, strict=False))


def _leaves(node: Node) -> Iterator[tuple[int, int]]:
    if not node.children:
        yield node.start, node.end
    for child in node.children.values():
        if child.key:
            yield child.key
        yield from _leaves(child)


def _eol(source: Text) -> str:
    return "\r\n" if "\r\n" in source.text else "\n"
