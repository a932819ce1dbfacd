"""What a lesson is, and the pure rules for its identity."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cached_property
from typing import Literal

from relay_git.names import ArtifactName, RunId
from relay_git.record import Record

Severity = Literal["error", "warn", "info"]
Kind = Literal["pitfall", "fact", "convention", "decision"]

SEVERITIES: tuple[Severity, ...] = ("error", "warn", "info")
"""Worst first."""


class Finding(Record):
    """One actionable finding of a reviewer, as one document states it.

    `line` is 1-based and names the item's first line; `claim` is one sentence in the finding's
    own words; `excerpt` is the item as written; `tags` are the paths, file names and symbols
    that the finding names, sorted.
    """

    line: int
    claim: str
    excerpt: str
    severity: Severity
    kind: Kind = "pitfall"
    tags: tuple[str, ...] = ()


class Evidence(Record):
    """Where a lesson was read: the artifact's version, the step that recorded it, the line."""

    artifact: ArtifactName
    blob: str
    step: int
    line: int


class Lesson(Record):
    """One claim learnt from a run. `observed_at` is that step's time, in ISO 8601 UTC.

    `finding` is the reviewer's own words, and empty unless a model has worded the claim. They
    decide which lesson it is, so that it is the same one whatever a model says.
    """

    role: str
    claim: str
    severity: Severity
    run: RunId
    excerpt: str
    evidence: Evidence
    observed_at: str
    kind: Kind = "pitfall"
    tags: tuple[str, ...] = ()
    finding: str = ""

    @cached_property
    def id(self) -> str:
        """The same run, role and finding are the same lesson, wherever it is distilled."""
        key = "\0".join((self.role, normalise(self.finding or self.claim), self.run))
        return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @cached_property
    def claim_hash(self) -> str:
        return claim_hash(self.role, self.finding or self.claim)


def claim_hash(role: str, claim: str) -> str:
    """Equal for the same claim to the same role in any run; occurrences are counted by it."""
    return hashlib.sha256(
        f"{role}\0{normalise(claim)}".encode("utf-8", "surrogatepass")
    ).hexdigest()


def normalise(claim: str) -> str:
    """Case, punctuation and spacing aside, so that a reworded bullet mark is no new claim."""
    folded = unicodedata.normalize("NFKC", claim).casefold()
    return " ".join(re.findall(r"[^\W_]+", folded))
