"""JSON values that cannot be changed, at any depth. They compare and serialise as plain ones do."""

from __future__ import annotations

import json
import sys
from functools import cached_property
from typing import Any, NoReturn, TypeAlias, TypeVar

T = TypeVar("T")

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_TEXT = {str}
_SCALARS = {str, int, float, bool, type(None)}
ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, check_circular=False
)
"""A circle is a `RecursionError`."""


class Frozen:
    """What will never change, so that what is made of it is made once."""

    @cached_property
    def as_json(self) -> str:
        """One line, the keys in order."""
        return ENCODER.encode(self)


class FrozenDict(dict[str, Any], Frozen):
    """A JSON object."""

    def _refuse(self, *given: Any, **named: Any) -> NoReturn:
        raise TypeError("a slice is read-only; `thaw` gives a copy")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> Any:
        """Copied and pickled as a plain one."""
        return thaw, (dict(self),)


class FrozenList(list[Any], Frozen):
    """A JSON array."""

    def _refuse(self, *given: Any, **named: Any) -> NoReturn:
        raise TypeError("a slice is read-only; `thaw` gives a copy")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = pop = _refuse
    clear = sort = reverse = _refuse

    def __reduce__(self) -> Any:
        """Copied and pickled as a plain one."""
        return thaw, (list(self),)


def freeze(value: Any, levels: int = sys.maxsize) -> Any:
    """A read-only copy of a JSON value; itself, if it is one. Raises `ValueError` for what is
    nested deeper than so many levels."""
    if type(value) in _SCALARS or isinstance(value, Frozen):
        return value
    if levels == 0:
        raise ValueError("nested too deep")
    if isinstance(value, dict):
        return FrozenDict({key: freeze(inner, levels - 1) for key, inner in value.items()})
    if isinstance(value, list):
        items = value if is_flat(value) else [freeze(inner, levels - 1) for inner in value]
        return FrozenList(items)
    return value


def another(value: Any) -> Any:
    """A read-only copy that shares no list and no object with the value: what is made in C, such as
    `heapq`, does change lists that refuse it."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, dict):
        return FrozenDict({key: another(inner) for key, inner in value.items()})
    if isinstance(value, list):
        return FrozenList(value if is_flat(value) else map(another, value))
    return value


def lent(value: T, borrower: object) -> T:
    """For code of somebody else a copy, see `another`; ours changes nothing."""
    ours = str(getattr(borrower, "__module__", "")).startswith("relay_git.")
    return value if ours else another(value)


def thaw(value: Any) -> Any:
    """A plain copy of a JSON value, which may be changed."""
    if isinstance(value, dict):
        return {key: thaw(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [thaw(item) for item in value]
    return value


def is_flat(items: list[Any]) -> bool:
    """Whether it holds text alone, as most lists do."""
    return set(map(type, items)) <= _TEXT
