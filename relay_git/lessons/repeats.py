"""The same finding in a table that sums up and in the part that explains it: one lesson."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from relay_git.lessons.drafts import Draft
from relay_git.lessons.lead import is_dense, plain
from relay_git.lessons.vocabulary import fold

_LONGEST = 300
_FEWEST = 3
_ALIKE = 0.6
_WORDS = re.compile(r"[^\W_]+")


def without_repeats(drafts: Sequence[Draft]) -> list[Draft]:
    """Without the rows that only repeat what has a part of its own, where most of them do."""
    told = [_words(draft) for draft in drafts if draft.graded and draft.end > draft.line]
    rows = [draft for draft in drafts if draft.row]
    repeated = {draft.line for draft in rows if told and _is_told(_words(draft), told)}
    if 2 * len(repeated) <= len(rows):
        return list(drafts)
    return [draft for draft in drafts if draft.line not in repeated]


def _words(draft: Draft) -> frozenset[str]:
    said = fold(plain(draft.lead.rest[:_LONGEST]))
    if is_dense(said):
        return frozenset(pair for pair in map("".join, pairwise(said)) if pair.isalnum())
    return frozenset(_WORDS.findall(said))


def _is_told(words: frozenset[str], told: Sequence[frozenset[str]]) -> bool:
    """Whether one of the others says all of a few words, or most of more."""
    enough = max(min(len(words), _FEWEST), _ALIKE * len(words))
    return any(len(words & other) >= enough for other in told)
