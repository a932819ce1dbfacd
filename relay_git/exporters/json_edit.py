"""JSON that people keep by hand: something is added to a list, and nothing else changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_BOM = "\ufeff"


def parse(text: str) -> dict[str, Any]:
    """The object that the text is. Raises `ValueError` for anything else, comments included."""
    value = json.loads(text.removeprefix(_BOM))
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def append(text: str, keys: Sequence[str], item: Any) -> str:
    """The text with one more item in the list that the keys lead to; what is missing is made.

    Raises `ValueError` when something else than an object, or a list at last, is in the way.
    """
    at = _after_space(text, len(_BOM) if text.startswith(_BOM) else 0)
    for depth, key in enumerate(keys):
        _expect(text, at, "{", keys[:depth])
        found = [start for name, start in _members(text, at) if name == key]
        if len(found) > 1:
            raise ValueError(f"{key!r} occurs twice")
        if not found:
            return _inserted(text, at, _missing(keys[depth + 1 :], item), f"{json.dumps(key)}: ")
        at = found[0]
    _expect(text, at, "[", keys)
    return _inserted(text, at, item)


def _missing(keys: Sequence[str], item: Any) -> Any:
    value: Any = [item]
    for key in reversed(keys):
        value = {key: value}
    return value


def _expect(text: str, at: int, opening: str, keys: Sequence[str]) -> None:
    if text[at] != opening:
        kind = {"{": "an object", "[": "a list"}[opening]
        raise ValueError(f"{'.'.join(keys)!r} is not {kind}")


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The keys of the object that begins at `at`, and where their values begin."""
    at = _after_space(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _after_space(text, _after_space(text, at) + 1)
        yield key, start
        _, at = _DECODER.raw_decode(text, start)
        at = _after_space(text, at)
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _inserted(text: str, at: int, value: Any, label: str = "") -> str:
    """The value as the last one of the container that begins at `at`, laid out like the others."""
    close = _DECODER.raw_decode(text, at)[1] - 1
    inner = text[at + 1 : close]
    if not inner.strip():
        base = re.search(r"(?:\A|\n)([ \t]*)[^\n]*\Z", text[:at])
        outer = base[1] if base else ""
        new = _laid_out(text, value, outer + _unit(text), label)
        return f"{text[: at + 1]}{new}{_eol(text)}{outer}{text[close:]}"
    end = at + 1 + len(inner.rstrip())
    first = re.match(r"[ \t\r]*\n([ \t]*)", inner)
    if first is None:
        return f"{text[:end]}, {label}{json.dumps(value)}{text[end:]}"
    return f"{text[:end]},{_laid_out(text, value, first[1], label)}{text[end:]}"


def _laid_out(text: str, value: Any, indent: str, label: str) -> str:
    between = _eol(text) + indent
    return between + label + json.dumps(value, indent=_unit(text)).replace("\n", between)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
