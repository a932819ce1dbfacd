"""Cutting sections down to a number of tokens, and putting what was taken together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, Protocol

from relay_git.pipeline.frozen import Json
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.sections import json_of, text_of
from relay_git.pipeline.tokens import TokenCounter, count
from relay_git.record import Record

Sections = Mapping[str, Json]


class Packer(Protocol):
    """Cuts sections down to `manifest.max_tokens`, and adds nothing."""

    def pack(self, sections: Sections, manifest: Manifest, counter: TokenCounter) -> Sections:
        """`sections` are those that the manifest reads and that exist, in its order."""
        ...


class Part(Record):
    """What is taken or left: a section as a whole, an item of a list, a stretch of a text."""

    section: str
    value: Json
    kind: Literal["whole", "item", "stretch"] = "whole"

    @property
    def text(self) -> str:
        return text_of(self.value)

    @property
    def counted(self) -> str:
        """As it stands in its section, with what separates it there."""
        return f"{json_of(self.value)}, " if self.kind == "item" else self.text


Split = Callable[[str, Json], Sequence[Part]]


def split_lists(section: str, value: Json) -> list[Part]:
    """The items of a list, any other section as one."""
    if isinstance(value, list) and value:
        return [Part(section, item, "item") for item in value]
    return [Part(section, value)]


def tokens_of(sections: Sections, counter: TokenCounter) -> int:
    """What a slice costs, the names of its sections included."""
    return sum(count(counter, f"{name}: {text_of(value)}\n") for name, value in sections.items())


class Room:
    """The tokens that are left. Parts are counted one by one, each with what separates it."""

    def __init__(self, limit: int, counter: TokenCounter) -> None:
        self._left, self._counter = limit, counter
        self._named: set[str] = set()

    def take(self, part: Part) -> bool:
        """Whether it fits, and then it is in."""
        tokens = count(self._counter, part.counted)
        if part.section not in self._named:
            tokens += count(self._counter, f"{part.section}: []\n")
        if tokens > self._left:
            return False
        self._left -= tokens
        self._named.add(part.section)
        return True


def fitting(order: Iterable[Part], manifest: Manifest, counter: TokenCounter) -> list[Part]:
    """The parts that fit, asked in that order."""
    room = Room(manifest.max_tokens, counter)
    return [part for part in order if room.take(part)]


def together(parts: Sequence[Part], taken: Iterable[Part]) -> Sections:
    """The sections of the parts that were taken, which stand in the order of `parts`."""
    wanted = set(map(id, taken))
    found: dict[str, list[Part]] = {}
    for part in parts:
        if id(part) in wanted:
            found.setdefault(part.section, []).append(part)
    return {name: _joined(some) for name, some in found.items()}


def _joined(parts: Sequence[Part]) -> Json:
    match parts[0].kind:
        case "whole":
            return parts[0].value
        case "stretch":
            return "".join(part.text for part in parts)
    return [part.value for part in parts]
