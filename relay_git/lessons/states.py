"""What became of a finding: the marks of those who keep track of them."""

from __future__ import annotations

import re
from typing import Literal

from relay_git.lessons.state_words import OPEN, SETTLED, VOID
from relay_git.lessons.vocabulary import fold

State = Literal["open", "settled", "void"]

_TAIL = 40
_AROUND = " *_`~[](){}✅☑✔❌⏳⚠️🔄🟢🟡🔴.:：!"
_PARENTHESIS = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_ENDING = re.compile(r"(?:\s[—–·|-]{1,2}\s+|\s→\s*|\s[\[(（【])([^—–·|\[(（【]{2,30})$")


def state_of(label: str) -> State | None:
    """The state of a label that says nothing else: `FIXED`, `still open`, `fixed (docs)`."""
    words = fold(_PARENTHESIS.sub("", label)).strip(_AROUND)
    if OPEN.fullmatch(words):
        return "open"
    if VOID.fullmatch(words):
        return "void"
    return "settled" if SETTLED.fullmatch(words) else None


def ending_state(text: str) -> State | None:
    """The state in brackets or after a dash at the end of the first line."""
    found = _ENDING.search(text.split("\n", 1)[0][-_TAIL:].rstrip(" *_~])）】"))
    return state_of(found[1]) if found else None
