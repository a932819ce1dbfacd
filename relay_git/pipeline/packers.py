"""Three ways to choose what of the sections that an agent reads goes into its slice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import Protocol

from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.frozen import Json
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.packing import (
    Part,
    Room,
    Sections,
    fitting,
    split_lists,
    together,
    tokens_of,
)
from relay_git.pipeline.relevance import TfIdf, cosine
from relay_git.pipeline.settings import having
from relay_git.pipeline.tokens import TokenCounter

_MARK = re.compile(r"^\[(FACTS|DECISIONS|SCRATCHPAD)\][ \t]*$", re.MULTILINE)
_RANKS = ("FACTS", "DECISIONS", "", "SCRATCHPAD")


class Recency:
    """Each section that fits, in the order of `reads`; of a list that does not, as many of its
    last items as do. Other sections are never cut."""

    def pack(self, sections: Sections, manifest: Manifest, counter: TokenCounter) -> Sections:
        if tokens_of(sections, counter) <= manifest.max_tokens:
            return sections
        parts = [part for name, value in sections.items() for part in split_lists(name, value)]
        room = Room(manifest.max_tokens, counter)
        taken: list[Part] = []
        for _, items in groupby(parts, key=lambda part: part.section):
            taken += takewhile(room.take, reversed(list(items)))
        return together(parts, taken)


class Embedder(Protocol):
    """Turns texts into vectors, all of one length."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in their order."""
        ...


class Relevance:
    """What is nearest to the manifest's task, by the cosine of the embedder's vectors; lists are
    taken apart into their items. What was taken keeps its order."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        """Raises `PipelineError` (INVALID_SETTING)."""
        self._embedder = TfIdf() if embedder is None else having("embed", embedder, "embedder")

    def pack(self, sections: Sections, manifest: Manifest, counter: TokenCounter) -> Sections:
        parts = [part for name, value in sections.items() for part in split_lists(name, value)]
        texts = [manifest.task, *(f"{part.section} {part.text}" for part in parts)]
        task, *vectors = self._vectors(texts)
        nearness = {id(p): cosine(task, v) for p, v in zip(parts, vectors, strict=True)}
        nearest = sorted(parts, key=lambda part: -nearness[id(part)])
        return together(parts, fitting(nearest, manifest, counter))

    def _vectors(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors = self._embedder.embed(texts)
        lengths = {len(vector) for vector in vectors}
        if len(vectors) != len(texts) or len(lengths) > 1:
            what = f"the embedder gave {len(vectors)} vectors of lengths {sorted(lengths)}"
            raise PipelineError(Code.INVALID_SLICE, f"{what} for {len(texts)} texts")
        return vectors


class Structural:
    """By the marks `[FACTS]`, `[DECISIONS]` and `[SCRATCHPAD]` in sections that are text: where not
    all fits, facts go before decisions, these before unmarked text and that before the scratchpad.

    A mark stands on a line of its own and holds until the next one. A section that is no text
    counts as facts, and is never cut.
    """

    def pack(self, sections: Sections, manifest: Manifest, counter: TokenCounter) -> Sections:
        ranked = [item for name, value in sections.items() for item in _marked(name, value)]
        parts = [part for _, part in ranked]
        first = [part for _, part in sorted(ranked, key=lambda item: item[0])]
        return together(parts, fitting(first, manifest, counter))


def _marked(section: str, value: Json) -> Iterator[tuple[int, Part]]:
    """The stretches of a text with their ranks."""
    if not isinstance(value, str) or not value:
        yield 0, Part(section, value)
        return
    marks = list(_MARK.finditer(value))
    starts = [0, *(mark.start() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(value)]
    kinds = ["", *(mark[1] for mark in marks)]
    for kind, start, end in zip(kinds, starts, ends, strict=True):
        if start < end:
            yield _RANKS.index(kind), Part(section, value[start:end], "stretch")
