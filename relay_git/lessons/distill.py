"""Lessons from the review artifacts of one run: pure, the same text gives the same lessons."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from relay_git.lessons.claims import is_path
from relay_git.lessons.document import findings_of
from relay_git.lessons.model import Evidence, Finding, Lesson, normalise
from relay_git.lessons.severity import worst
from relay_git.names import ArtifactName, RunId

DISTILLER = 1
"""Rises when the same text would give other lessons; every settled note says which it was."""


@dataclass(frozen=True, slots=True)
class Version:
    """One recorded text of a review-like artifact.

    `step` recorded it at `recorded_at` (ISO 8601 UTC); `role` is whom its findings are for.
    """

    artifact: ArtifactName
    text: str
    blob: str
    step: int
    recorded_at: str
    role: str


def distil(
    run: RunId,
    versions: Sequence[Version],
    *,
    touched: Sequence[str] = (),
    ours: Collection[str] = (),
) -> tuple[Lesson, ...]:
    """The run's lessons, by step, artifact and line.

    The same claim to the same role is one lesson: its evidence is the version that raised it
    first, its severity the worst it was ever given. A finding that names no path is tagged with
    the paths in `touched`. `ours` is text of git-relay's own, which teaches nothing.
    """
    lessons: dict[tuple[str, str], Lesson] = {}
    for version, finding in _findings(versions, ours):
        key = (version.role, normalise(finding.claim))
        known = lessons.get(key)
        if known is None:
            lessons[key] = _lesson(run, version, finding, touched)
        else:
            lessons[key] = known.replace(severity=worst(known.severity, finding.severity))
    return tuple(lessons.values())


def _findings(
    versions: Sequence[Version], ours: Collection[str]
) -> Iterator[tuple[Version, Finding]]:
    """In order, so that the first to raise a claim comes first whatever order was given."""
    for version in sorted(versions, key=lambda version: (version.step, version.artifact)):
        found = findings_of(version.text, ours=ours)
        for finding in sorted(found, key=lambda finding: finding.line):
            yield version, finding


def _lesson(run: RunId, version: Version, finding: Finding, touched: Sequence[str]) -> Lesson:
    tags = finding.tags
    if not any(is_path(tag) for tag in tags):
        tags = tuple(sorted({*tags, *touched}))
    return Lesson(
        role=version.role,
        claim=finding.claim,
        severity=finding.severity,
        run=run,
        excerpt=finding.excerpt,
        evidence=Evidence(version.artifact, version.blob, version.step, finding.line),
        observed_at=version.recorded_at,
        kind=finding.kind,
        tags=tags,
    )
