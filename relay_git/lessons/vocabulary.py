"""The words reviewers use are data, in the `*_words` modules; this is how they are found.

Terms are written folded: lower case, Latin letters without accents (`fold`). A term in a script
with word spaces matches whole words; one in Chinese, Japanese or Korean matches anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby

PRAISE_MARKS = "✅✔☑👍🎉💯🏆⭐"
WORD_START, WORD_END = r"(?<![\w-])", r"(?![\w-])"
DENSE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Ranges of the scripts without word spaces, for use inside a character class."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_ACCENTS = re.compile("[\u0300-\u036f]")
_ALIKE = str.maketrans(
    {"’": "'", "‑": "-", "–": "-", "ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"}
)
_SPACED = re.compile(rf"[^\W{DENSE}]")


def fold(text: str) -> str:
    """Lower case, without the accents and width variants that the same word is written in."""
    if text.isascii():
        return text.lower()
    wide = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", wide)).translate(_ALIKE)


def terms(*groups: str) -> re.Pattern[str]:
    """A pattern that finds any of the comma-separated terms in folded text."""
    return re.compile(alternatives(term_list(*groups)))


def names(*groups: str) -> frozenset[str]:
    """Terms that are whole labels, with hyphens or spaces: compared and not searched for."""
    found = term_list(*groups)
    return frozenset(
        form for term in found for form in (term, term.replace("-", " "), term.replace(" ", "-"))
    )


def term_list(*groups: str) -> tuple[str, ...]:
    """The terms folded; German ones also as they are written without umlauts."""
    words = [term.strip() for group in groups for term in group.split(",")]
    return tuple(fold(form) for word in words if word for form in {word, word.translate(_UMLAUTS)})


def alternatives(words: Iterable[str]) -> str:
    """The source of a pattern for any of the words; a `*` at the end is any ending."""
    spaced, dense = by_script(words)
    whole = f"{WORD_START}(?:{spaced}){WORD_END}"
    return f"{whole}|{dense}" if dense else whole


def by_script(words: Iterable[str]) -> tuple[str, str]:
    """The sources for the words of scripts with word spaces, bounds aside, and of others."""
    words = tuple(words)
    spaced = _joined(word for word in words if _SPACED.match(word))
    return spaced, _joined(word for word in words if word and not _SPACED.match(word))


def _joined(words: Iterable[str]) -> str:
    """The longest word wins; those with one first letter stand together, to be passed over fast."""
    longest_first = sorted(set(words), key=lambda word: (word[0], -len(word), word))
    groups = groupby(longest_first, key=lambda word: word[0])
    return "|".join(_same_start(first, tuple(group)) for first, group in groups)


def _same_start(first: str, words: tuple[str, ...]) -> str:
    rests = (re.escape(word[1:]).replace(r"\ ", r"[\s-]") for word in words)
    return f"{re.escape(first)}(?:{'|'.join(rests)})".replace(r"\*", r"\w*")
