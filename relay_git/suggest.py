"""What somebody may have meant by a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    import difflib

    close = difflib.get_close_matches(word, list(known), 1)
    return close[0] if close else None


def hint(word: str, known: Iterable[str]) -> str:
    """The nearest of the known words, if one is near, and all of them."""
    words = list(known)
    close = nearest(word, words)
    meant = f"did you mean {close!r}? " if close else ""
    return f"{meant}known: {', '.join(words) or 'none'}"
