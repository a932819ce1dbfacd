"""Lessons that seem to contradict each other: shown to people, never resolved."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from relay_git.lessons.keep import KeptLesson
from relay_git.lessons.shelf import Shelf

_NEGATIONS = frozenset(
    ("not", "no", "never", "none", "cannot", "without", "avoid", "avoids", "avoiding", "neither")
)
_SHARED_PERCENT = 70


def conflicts(shelf: Shelf) -> list[tuple[KeptLesson, ...]]:
    """Groups of lessons for one role that say nearly the same, one with a negation, one without.

    Nearly the same: of all the words of two claims, negations (English ones) aside, at least
    70 % are in both. Each lesson that says the plain thing begins a group; its contradictions
    follow.
    """
    roles = sorted({lesson.role for lesson in shelf.kept})
    return [group for role in roles for group in _groups(shelf.by_role(role))]


def _groups(lessons: Iterable[KeptLesson]) -> list[tuple[KeptLesson, ...]]:
    read = [(lesson, *_words(lesson.claim)) for lesson in lessons]
    groups = []
    for plain, words, negated in read:
        if not negated:
            against = [one for one, other, negates in read if negates and _are_near(words, other)]
            groups += [(plain, *against)] if against else []
    return groups


def _words(claim: str) -> tuple[frozenset[str], bool]:
    """The words of the claim without its negations, and whether there were any."""
    folded = unicodedata.normalize("NFKC", claim).casefold().replace("’", "'")
    words = frozenset(re.findall(r"[^\W_]+(?:'[^\W_]+)?", folded))
    negations = frozenset(word for word in words if word in _NEGATIONS or word.endswith("n't"))
    plain = words - negations - ({"do", "does", "did"} if negations else set())
    return plain, bool(negations)


def _are_near(words: frozenset[str], others: frozenset[str]) -> bool:
    together = len(words | others)
    return together > 0 and 100 * len(words & others) >= _SHARED_PERCENT * together
