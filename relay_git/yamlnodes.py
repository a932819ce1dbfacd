"""YAML text as a tree of nodes that know where they stand.

The YAML 1.2 core schema less what surprises: duplicate keys, anchors, tags, directives and
keys that are not text are refused, each with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from relay_git.errors import RelayError

MAX_DEPTH = 20

_INT = re.compile(r"[-+]?[0-9]{1,15}")
_OTHER_BASE = re.compile(r"0o[0-7]{1,15}|0x[0-9a-fA-F]{1,12}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_BEYOND_UNICODE = re.compile(r"\\U(?!000|0010)[0-9a-fA-F]{8}")
_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


@dataclass(frozen=True, slots=True)
class Text:
    """The characters of a file, which knows how to name a place in it."""

    text: str
    where: str
    first_line: int

    def line(self, index: int) -> int:
        return self.text.count("\n", 0, index) + self.first_line

    def column(self, index: int) -> int:
        return index - (self.text.rfind("\n", 0, index) + 1)

    def error(self, index: int, what: str, hint: str | None = None) -> RelayError:
        return RelayError(what, where=f"{self.where}:{self.line(index)}", hint=hint)


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: `text[start:end]`, and the same for its key.

    `style` is `block` or `flow` for a collection, else the scalar's first character: a quote,
    `|`, `>`, or nothing for a plain one.
    """

    value: Any
    start: int
    end: int
    style: str = ""
    children: Mapping[str | int, Node] = field(default_factory=dict)
    key: tuple[int, int] | None = None


def compose(source: Text) -> Node:
    """The one mapping that the text holds."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    try:
        return _Composer(source, YAML(typ="safe", pure=True).parse(source.text)).root()
    except MarkedYAMLError as error:
        raise _syntax_error(source, error) from None
    except ValueError:  # from chr(), which the scanner calls unchecked
        escape = _BEYOND_UNICODE.search(source.text)
        what = "an escape beyond the last character of Unicode"
        raise source.error(escape.start() if escape else 0, what, "correct it") from None


def resolved(text: str) -> Any:
    """A plain scalar by the core schema. Digits beyond 15 are a float, which nothing accepts."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", "", 1))
    return text


def _syntax_error(source: Text, error: Any) -> RelayError:
    problem = " ".join(str(error.problem).split())
    mark = error.problem_mark or error.context_mark
    if error.context_mark and ("end of stream" in problem or "<stream end>" in problem):
        mark = error.context_mark  # where the quote or bracket opens
    hint = "check the indentation and the quotes"
    if "'\\t'" in problem:
        problem, hint = "a tab cannot indent", "use spaces"
    elif "mapping values" in problem:
        hint = "quote a text that holds ': ', and check the indentation"
    elif "cannot start any token" in problem:
        hint = "quote the text"
    return source.error(mark.index, f"not valid YAML: {problem}", hint)


class _Composer:
    """Builds nodes from parse events: nothing is expanded, so nothing can explode."""

    def __init__(self, source: Text, events: Iterator[Any]) -> None:
        self._source = source
        self._events = events

    def root(self) -> Node:
        next(self._events)
        start = next(self._events)
        if _kind(start) == "StreamEnd":
            raise self._error(start, "nothing but comments", "write `key: value` lines")
        if start.version or start.tags:
            raise self._error(start, "a YAML directive", "delete the line that begins with '%'")
        node = self._node(next(self._events), depth=0)
        next(self._events)
        after = next(self._events)
        if _kind(after) != "StreamEnd":
            raise self._error(after, "a second document", "keep one document in a file")
        if not isinstance(node.value, dict):
            raise self._source.error(node.start, "not a mapping", "write `key: value` lines")
        return node

    def _node(self, event: Any, depth: int) -> Node:
        self._refuse_cleverness(event)
        if depth > MAX_DEPTH:
            raise self._error(event, f"nested more than {MAX_DEPTH} deep", "flatten it")
        if _kind(event) == "MappingStart":
            return self._mapping(event, depth + 1)
        if _kind(event) == "SequenceStart":
            return self._sequence(event, depth + 1)
        value = event.value if event.style else resolved(event.value)
        return Node(value, event.start_mark.index, event.end_mark.index, event.style or "")

    def _mapping(self, start: Any, depth: int) -> Node:
        children: dict[str | int, Node] = {}
        while _kind(event := next(self._events)) != "MappingEnd":
            key = self._key(event, children)
            span = (event.start_mark.index, event.end_mark.index)
            node = self._node(next(self._events), depth)
            if node.start == node.end:
                node = self._after_colon(node, span[1])
            children[key] = replace(node, key=span)
        value = {key: node.value for key, node in children.items()}
        return _collection(value, start, event, children)

    def _after_colon(self, empty: Node, key_end: int) -> Node:
        """The parser puts an empty value where the next token begins."""
        place = self._source.text.find(":", key_end, empty.end) + 1 or empty.end
        return replace(empty, start=place, end=place)

    def _sequence(self, start: Any, depth: int) -> Node:
        children: dict[str | int, Node] = {}
        while _kind(event := next(self._events)) != "SequenceEnd":
            children[len(children)] = self._node(event, depth)
        return _collection([node.value for node in children.values()], start, event, children)

    def _key(self, event: Any, known: Mapping[str | int, Node]) -> str:
        self._refuse_cleverness(event)
        if _kind(event) != "Scalar":
            raise self._error(event, "a key that is a collection", "use a word as key")
        key = event.value if event.style else resolved(event.value)
        if not isinstance(key, str):
            what = f"the key {event.value or 'null'} is not text"
            raise self._error(event, what, f'quote it: "{event.value}"')
        if key in known:
            line = self._source.line((known[key].key or (0, 0))[0])
            raise self._error(event, f"{key!r} stands on line {line} already", "keep one of them")
        return key

    def _refuse_cleverness(self, event: Any) -> None:
        if _kind(event) == "Alias" or event.anchor:
            hint = "write the value out where it is needed"
            raise self._error(event, "anchors and aliases are not read", hint)
        if event.tag:
            raise self._error(event, f"a YAML tag ({event.tag})", "delete the tag")

    def _error(self, event: Any, what: str, hint: str) -> RelayError:
        return self._source.error(event.start_mark.index, what, hint)


def _kind(event: Any) -> str:
    return type(event).__name__.removesuffix("Event")


def _collection(value: Any, start: Any, end: Any, children: dict[str | int, Node]) -> Node:
    """A block collection ends with its last value: its end event comes after the comments."""
    begin = start.start_mark.index
    if start.flow_style:
        return Node(value, begin, end.end_mark.index, "flow", children)
    return Node(value, begin, list(children.values())[-1].end, "block", children)
