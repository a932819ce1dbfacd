"""TOML as far as an export writes it: texts by key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_CLOSING = re.compile(r'"(?=""|\Z)')
"""A quote that would help to end a text of several lines."""
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def dump(pairs: Iterable[tuple[str, str]]) -> str:
    """One value a key; a text of several lines stays readable."""
    return "".join(f"{key} = {_value(text)}\n" for key, text in pairs)


def _value(text: str) -> str:
    if "\n" not in text:
        return _escaped(json.dumps(text, ensure_ascii=False))
    body = _CLOSING.sub('\\\\"', text.replace("\\", "\\\\"))
    return f'"""\n{_escaped(body)}"""'


def _escaped(text: str) -> str:
    """The control characters that TOML forbids."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
