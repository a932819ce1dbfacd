"""The top-level `limits` map of an older format, as a stage's most visits.

A key is a stage's name, or `max_<word>_iterations` for every stage with that word in its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_OLDER = re.compile(r"max_(.+)_iterations")
_BREAK = re.compile(r"[-_]")


def limited(key: str, stages: Iterable[str]) -> list[str]:
    """The stages that the key speaks of."""
    names = list(stages)
    if key in names:
        return [key]
    older = _OLDER.fullmatch(key)
    return [name for name in names if older and _has_words(name, older[1])]


def limit_of(stage: str, limits: Mapping[str, int], stages: Iterable[str]) -> int | None:
    """The limit given by the stage's own name, else the least that a word of it gives."""
    if stage in limits:
        return limits[stage]
    names = list(stages)
    return min((most for key, most in limits.items() if stage in limited(key, names)), default=None)


def _has_words(name: str, phrase: str) -> bool:
    words, wanted = _BREAK.split(name.lower()), _BREAK.split(phrase.lower())
    starts = range(len(words) - len(wanted) + 1)
    return any(words[at : at + len(wanted)] == wanted for at in starts)
