"""What the words of a statement say about the work: something is amiss, all is well, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

from relay_git.lessons.lead import is_dense, plain
from relay_git.lessons.tone_words import (
    CONTRAST,
    DENIED,
    NEUTRAL,
    NOT,
    STATING,
    WANTED,
    WELL,
    WRONG,
)
from relay_git.lessons.vocabulary import WORD_END, WORD_START, alternatives, by_script, fold

_LONGEST = 400
_REACH = 24
"""So many characters behind a denial it still denies."""
_CODE = re.compile(r"`[^`]*`")
_KINDS = {"well": WELL, "denied": DENIED, "wrong": WRONG, "wanted": WANTED, "not": NOT}
"""In this order, since a word of one may begin one of another."""
_SOURCES = {kind: by_script(words) for kind, words in _KINDS.items()}
_SPACED = re.compile(
    f"{WORD_START}(?:"
    + "|".join(f"(?P<{kind}>{spaced})" for kind, (spaced, _) in _SOURCES.items())
    + f"){WORD_END}"
)
_DENSE = re.compile(
    "|".join(f"(?P<{kind}>{dense})" for kind, (_, dense) in _SOURCES.items() if dense)
)
_NEUTRAL = re.compile(alternatives(NEUTRAL))
_CONTRAST = re.compile(alternatives(CONTRAST))
_PAUSE = re.compile(r"[.;,:—()]|\b(?:and|y|und|et|i|и|dan)\b")
_OPENING_NOT = re.compile(rf"\W*(?:{alternatives(NOT)})")
_WEIGHTS = {"well": -2, "wrong": 2, "wanted": 1, "not": 1, "denied": 2}
_AFTER = {
    ("not", "well"): 3,
    ("not", "wrong"): -3,
    ("not", "wanted"): -2,
    ("denied", "well"): 2,
    ("denied", "wrong"): -4,
    ("denied", "wanted"): -1,
    ("wanted", "well"): 0,
}
"""What a word adds where a denial or a wish, counted already, stands before it."""
_DENIALS = ("not", "denied")
_GOOD = {("", "well"), ("well", "well"), ("wrong", "well"), ("not", "wrong"), ("denied", "wrong")}


@lru_cache(maxsize=1 << 14)
def tone(text: str) -> int:
    """Above zero where the words blame or ask for change, below where they praise."""
    words = _words(text)
    clauses = _CONTRAST.split(words)
    return max(_weigh(words), _weigh(clauses[-1]) if len(clauses) > 1 else -99)


@lru_cache(maxsize=1 << 14)
def reassures(text: str) -> bool:
    """Whether it states that something is well, or denies that it is not, and nothing else.

    `Keep the names consistent` states nothing.
    """
    words = _words(text)
    pairs = list(_pairs(words))
    denials = zip_longest(pairs, pairs[1:], fillvalue=("", ""))
    answered = all(after[0] == kind for (_, kind), after in denials if kind in _DENIALS)
    said = [pair for pair in pairs if pair[1] not in _DENIALS]
    good = answered and bool(said) and all(pair in _GOOD for pair in said)
    return good and (STATING.search(words) is not None or (len(said) > 1 and is_dense(words)))


def _words(text: str) -> str:
    return _NEUTRAL.sub(" ` ", fold(plain(_CODE.sub(" ` ", text[:_LONGEST]))))


def _weigh(words: str) -> int:
    weights = (_AFTER.get(pair, _WEIGHTS[pair[1]]) for pair in _pairs(words))
    return sum(weights) + (_OPENING_NOT.match(words) is not None)


def _pairs(words: str) -> Iterator[tuple[str, str]]:
    """Each telling word's kind after the kind of the one close before it, if there is one."""
    before, end = "", 0
    for mark in _marks(words):
        between = words[end : mark.start()]
        if len(between) > _REACH or _PAUSE.search(between):
            before = ""
        kind = str(mark.lastgroup)
        yield before, kind
        before, end = kind, mark.end()


def _marks(words: str) -> list[re.Match[str]]:
    marks = list(_SPACED.finditer(words))
    if is_dense(words):
        marks = sorted([*marks, *_DENSE.finditer(words)], key=lambda mark: mark.start())
    return marks
