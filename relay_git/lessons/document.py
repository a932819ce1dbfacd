"""A review document read: the outcome that it states and its findings."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from relay_git.lessons.claims import headline
from relay_git.lessons.findings import read_findings
from relay_git.lessons.markdown import Tree, parse
from relay_git.lessons.model import Finding, normalise
from relay_git.lessons.outcome import read_outcome


@dataclass(frozen=True, slots=True)
class Document:
    """`verdict` is `approve`, `reject`, another branch word, or none; lines are 1-based."""

    verdict: str | None
    verdict_line: int | None
    findings: tuple[Finding, ...]


def read_document(text: str, *, ours: Collection[str] = ()) -> Document:
    """Read any text. `ours` are lines or blocks that git-relay wrote: never findings.

    An outcome inside a finding is none of the document's, unless the finding is a row or prose.
    """
    tree = parse(text)
    findings = _findings(tree, ours)
    parts = [f for f in findings if not (f.excerpt[:1] == "|" or f.excerpt[:1].isalpha())]
    inside = [range(f.line, f.line + f.excerpt.count("\n") + 1) for f in parts]
    verdict, line = read_outcome(tree, inside)
    return Document(verdict, line, findings)


def findings_of(text: str, *, ours: Collection[str] = ()) -> tuple[Finding, ...]:
    """What `read_document` finds, without the outcome: that costs as much again."""
    return _findings(parse(text), ours)


def _findings(tree: Tree, ours: Collection[str]) -> tuple[Finding, ...]:
    known = _normalised_lines(frozenset(ours))
    return tuple(f for f in read_findings(tree) if not _is_ours(f, known))


@lru_cache(maxsize=64)
def _normalised_lines(blocks: frozenset[str]) -> frozenset[str]:
    """Thousands of runs have the same words of ours."""
    lines = (normalise(line) for block in blocks for line in re.split(r"[\r\n]+", block))
    return frozenset(line for line in lines if line)


def _is_ours(finding: Finding, known: frozenset[str]) -> bool:
    """Compared by its first line, with and without list mark, and by its claim."""
    first = finding.excerpt.split("\n", 1)[0]
    said = (normalise(text) for text in (first, finding.claim, headline(finding)))
    return bool(known) and not known.isdisjoint(said)
