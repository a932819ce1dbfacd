"""JSON values that cannot be changed, at any depth. They compare and serialise as plain ones do."""

from __future__ import annotations

from typing import Any, NoReturn, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class FrozenDict(dict[str, Any]):
    """A JSON object."""

    def _refuse(self, *given: Any, **named: Any) -> NoReturn:
        raise TypeError("a slice is read-only; `thaw` gives a copy")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> Any:
        """Copied and pickled as a plain one."""
        return thaw, (dict(self),)


class FrozenList(list[Any]):
    """A JSON array."""

    def _refuse(self, *given: Any, **named: Any) -> NoReturn:
        raise TypeError("a slice is read-only; `thaw` gives a copy")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = pop = _refuse
    clear = sort = reverse = _refuse

    def __reduce__(self) -> Any:
        """Copied and pickled as a plain one."""
        return thaw, (list(self),)


def freeze(value: Any) -> Any:
    """A read-only copy of a JSON value; itself, if it is one."""
    if isinstance(value, FrozenDict | FrozenList):
        return value
    if isinstance(value, dict):
        return FrozenDict({key: freeze(inner) for key, inner in value.items()})
    if isinstance(value, list):
        return FrozenList(map(freeze, value))
    return value


def thaw(value: Any) -> Any:
    """A plain copy of a JSON value, which may be changed."""
    if isinstance(value, dict):
        return {key: thaw(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [thaw(item) for item in value]
    return value
