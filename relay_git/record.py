"""Frozen values: what `dataclass(frozen=True)` gives, at a tenth of its cost to define.

A command defines some forty of them before it does anything. `dataclasses` compiles six methods
for each and imports `inspect`, together more than `git relay status` may cost as a whole; here
one method is compiled, when the first value of a class is made, and the others are shared. Type
checkers see a dataclass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

if TYPE_CHECKING:
    from inspect import Signature

EMPTY: Mapping[str, Any] = MappingProxyType({})
"""The default of fields that hold a mapping."""
_NOTES = "__annotations__"


class _Fields:
    """What `help` and `inspect.signature` say of a class: its fields, compiled or not."""

    def __get__(self, record: Record | None, kind: type[Record]) -> Signature:
        from inspect import Parameter, Signature

        notes = {n: note for one in kind.__mro__ for n, note in vars(one).get(_NOTES, {}).items()}
        parameters = (
            Parameter(
                name,
                Parameter.POSITIONAL_OR_KEYWORD,
                default=getattr(kind, name, Parameter.empty),
                annotation=notes[name],
            )
            for name in kind._fields
        )
        return Signature([*parameters])


@dataclass_transform(frozen_default=True)
class Record:
    """Subclasses name their fields with annotations, defaults after them.

    A default must not be mutable, for it is shared. `__post_init__` may check the values.
    """

    __signature__ = _Fields()
    __match_args__: tuple[str, ...] = ()
    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._fields += tuple(cls.__dict__.get(_NOTES, ()))
        cls.__match_args__ = cls._fields  # type: ignore[misc]
        cls.__init__ = Record.__init__  # type: ignore[method-assign]

    def __init__(self, *given: Any, **named: Any) -> None:
        """The fields, in their order or by name."""
        # Of the first value of a class; the next ones find the method that it compiles.
        _add_init(type(self))
        type(self).__init__(self, *given, **named)

    def __post_init__(self) -> None:
        """Raise when the values cannot be."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be taken out")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return tuple(values(self)) == tuple(values(other))

    def __hash__(self) -> int:
        return hash((type(self), *values(self)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({shown})"

    def __getstate__(self) -> dict[str, Any]:
        """For copies and other processes: without what was computed, and `EMPTY`, which cannot."""
        return {name: value for name, value in as_dict(self).items() if value is not EMPTY}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: state.get(name, EMPTY) for name in self._fields})

    def replace(self, **changes: Any) -> Self:
        """The same but for these fields."""
        return type(self)(**{**as_dict(self), **changes})


def field_names(kind: type[Record]) -> tuple[str, ...]:
    return kind._fields


def values(record: Record) -> Iterator[Any]:
    """In the order of the fields, what was computed and cached left out."""
    return (record.__dict__[name] for name in record._fields)


def as_dict(record: Record) -> dict[str, Any]:
    """The fields by name; records inside stay records."""
    return {name: record.__dict__[name] for name in record._fields}


def _add_init(cls: type[Record]) -> None:
    """Compile the one method that is different in every class."""
    known = {name: getattr(cls, name) for name in cls._fields if hasattr(cls, name)}
    given = ", ".join(f"{n}={n}" if n in known else n for n in cls._fields)
    lines = [f"def __init__(self, {given}):", " d = self.__dict__"]
    lines += [f" d[{name!r}] = {name}" for name in cls._fields]
    if cls.__post_init__ is not Record.__post_init__:
        lines.append(" self.__post_init__()")
    exec("\n".join(lines), known)
    cls.__init__ = known["__init__"]  # type: ignore[method-assign]
