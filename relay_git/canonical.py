"""Canonical JSON (RFC 8785) for what is hashed and signed, and a strict reader for it.

Signed records hold no floats and no integers beyond 2**53 (they are strings instead), which is
what lets the standard library's serialiser produce the canonical form.
"""

from __future__ import annotations

import json
from typing import Any

from relay_git.errors import Corrupt, NewerFormat

_EXACT = 2**53


def dumps(value: Any) -> bytes:
    """The canonical bytes of a JSON value: keys sorted by UTF-16 code units, no spaces, UTF-8.

    Raises TypeError or ValueError for what has no such form.
    """
    return written(ordered(value))


def written(value: Any) -> bytes:
    """As `dumps`, of what `ordered` gave."""
    return _WRITER.encode(value).encode("utf-8")


def ordered(value: Any) -> Any:
    """The value with its keys in their order. Raises TypeError or ValueError."""
    try:
        return _ordered(value)
    except RecursionError:
        raise ValueError("nested too deep") from None


def loads(data: bytes, where: str) -> dict[str, Any]:
    """Read an object; duplicate keys, floats and anything that is not an object are refused."""
    try:
        value = _READER.decode(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Corrupt(f"not a valid record: {error}", where=where) from None
    if not isinstance(value, dict):
        raise Corrupt("not a JSON object", where=where)
    return value


def refuse_newer(version: object, known: int, kind: str, where: str) -> None:
    """Raises `NewerFormat` for a record of a version that is not known yet."""
    if isinstance(version, int) and version > known:
        raise NewerFormat(
            f"{kind} format {version} is newer than this git-relay reads ({known})",
            where=where,
            hint="upgrade git-relay",
        )


def text(value: object) -> str:
    """A field that must be text. Raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def text_or_none(value: object) -> str | None:
    return None if value is None else text(value)


def integer(value: object) -> int:
    """A field that must be a whole number. Raises TypeError."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not an integer")
    return value


def _ordered(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in _in_order(value)}
    if isinstance(value, (list, tuple)):
        return [_ordered(item) for item in value]
    if isinstance(value, float):
        raise TypeError("canonical JSON of a signed record holds no floats")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _EXACT:
        raise TypeError("integers beyond 2**53 are written as strings")
    return value


def _in_order(keys: dict[Any, Any]) -> list[str]:
    """ASCII has the order of its code units anyway."""
    if not all(isinstance(key, str) for key in keys):
        raise TypeError("canonical JSON has string keys only")
    return sorted(keys, key=None if "".join(keys).isascii() else _utf16)


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result


def _no_floats(text: str) -> None:
    raise ValueError(f"a record holds no floats, such as {text}")


_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_READER = json.JSONDecoder(
    object_pairs_hook=_no_duplicates, parse_float=_no_floats, parse_constant=_no_floats
)
"""Made once: thousands of records are read in a row."""
