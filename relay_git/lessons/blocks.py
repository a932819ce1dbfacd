"""The parts of a markdown document, each with its first and last line, both 1-based."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

BOLD_LEVEL = 7
LONGEST_HEADING = 160


@dataclass(slots=True)
class Paragraph:
    line: int
    end: int
    text: str


@dataclass(slots=True)
class Fence:
    line: int
    end: int
    info: str
    text: str


@dataclass(slots=True)
class Quote:
    line: int
    end: int
    blocks: list[Block]


@dataclass(slots=True)
class Item:
    """A list item: `text` is its first paragraph, `blocks` what follows inside it."""

    line: int
    end: int
    text: str
    ordered: bool
    checked: bool | None
    blocks: list[Block]


@dataclass(slots=True)
class List:
    line: int
    end: int
    items: list[Item]


@dataclass(slots=True)
class Row:
    line: int
    cells: tuple[str, ...]


@dataclass(slots=True)
class Table:
    line: int
    end: int
    header: tuple[str, ...]
    rows: list[Row]


@dataclass(slots=True)
class Section:
    """A heading and what it heads. Level 0 is the document; 7 a line that is all bold."""

    line: int
    end: int
    title: str
    level: int
    blocks: list[Block] = field(default_factory=list)

    @property
    def sections(self) -> Iterator[Section]:
        return (block for block in self.blocks if isinstance(block, Section))


Block = Paragraph | Fence | Quote | List | Table | Section
