"""A finding before its words are trimmed, and the trimming."""

from __future__ import annotations

import re
from dataclasses import dataclass

from relay_git.lessons import claims
from relay_git.lessons.lead import Lead
from relay_git.lessons.markdown import Tree
from relay_git.lessons.model import Finding, Severity

_LONGEST_EXCERPT = 2000


@dataclass(frozen=True, slots=True)
class Draft:
    """`body` is what follows the lead; `repeats` in a list of things to do; `row` of a table;
    `graded` when it says itself how bad it is.
    """

    line: int
    end: int
    lead: Lead
    severity: Severity
    body: str = ""
    repeats: bool = False
    row: bool = False
    graded: bool = False


def finish(draft: Draft, tree: Tree) -> Finding | None:
    """None where no word is left."""
    claim = claims.claim(draft.lead, draft.body)
    if not re.search(r"[^\W_]", claim):
        return None
    source = tree.source(draft.line, draft.end).rstrip()
    excerpt = _excerpt(source)
    kind = claims.kind(draft.lead.rest)
    return Finding(draft.line, claim, excerpt, draft.severity, kind, claims.tags(excerpt))


def _excerpt(source: str) -> str:
    if len(source) <= _LONGEST_EXCERPT:
        return source
    cut = source[:_LONGEST_EXCERPT].rpartition("\n")[0]
    return f"{cut or source[:_LONGEST_EXCERPT]}\n…"
