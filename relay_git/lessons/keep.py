"""One lesson, one file: how it is named, written and read, and how one is marked as withdrawn.

Reading one costs a YAML library and pydantic, so readers go through the shelf and its cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from relay_git.errors import NewerFormat, RelayError
from relay_git.lessons import page
from relay_git.lessons.model import Kind, Lesson, Severity, claim_hash, normalise
from relay_git.names import LESSONS, Word, slug
from relay_git.record import Record

FORMAT = 1
RETIRED = f"{LESSONS}/retired"


class KeptLesson(Record):
    """A lesson as its file has it now, hand edits included.

    `retired`: the file lies among the withdrawn ones. `run` is None for a lesson that a person
    wrote, `observed_at` (ISO 8601, UTC) is None where nobody knows. `extra` is what people added
    below the excerpt. `finding` is the reviewer's words where a model has worded the claim.
    """

    path: str
    id: str
    role: str
    claim: str
    severity: Severity
    kind: Kind
    tags: tuple[str, ...]
    run: str | None
    observed_at: str | None
    excerpt: str
    retired: bool
    extra: str
    finding: str = ""

    @cached_property
    def claim_hash(self) -> str:
        return claim_hash(self.role, self.finding or self.claim)


class Draft(Record):
    """A lesson file that may be written: what decides whether it is new, and what it will say.

    `claim` is the finding's own words, whoever worded the claim that the page has.
    """

    id: str
    role: str
    claim: str
    front: Mapping[str, Any]
    worded: str
    excerpt: str = ""

    @cached_property
    def text(self) -> str:
        from relay_git import yamlio

        return page.compose(yamlio.dump_mapping(self.front.items()), self.worded, self.excerpt)

    @cached_property
    def claim_hash(self) -> str:
        return claim_hash(self.role, self.claim)

    def path(self, digits: int = 8) -> str:
        """More digits of the id set apart two lessons that would have one name."""
        name = "-".join(filter(None, (slug(self.claim), self.id[:digits])))
        return f"{LESSONS}/{Word(self.role)}/{name}.md"


def draft(lesson: Lesson) -> Draft:
    found = lesson.evidence
    front = {
        **_front(lesson.id, lesson.role, lesson.severity, lesson.kind, lesson.tags),
        "run": lesson.run,
        "observed_at": lesson.observed_at,
        "evidence": {"artifact": found.artifact, "step": found.step, "line": found.line},
    }
    if lesson.finding:
        front["finding"] = page.one_line(lesson.finding)
    known = lesson.id, lesson.role, lesson.finding or lesson.claim
    return Draft(*known, front, lesson.claim, lesson.excerpt)


def manual_draft(
    role: str,
    claim: str,
    severity: Severity = "warn",
    *,
    kind: Kind = "pitfall",
    tags: Sequence[str] = (),
    observed_at: str | None = None,
) -> Draft:
    """A person's own lesson. The date is part of its name: two branches never write one file."""
    key = "\0".join((role, normalise(claim), "manual", *filter(None, (observed_at,))))
    id = hashlib.sha256(key.encode()).hexdigest()[:12]
    front = _front(id, role, severity, kind, tags)
    if observed_at:
        front["observed_at"] = observed_at
    return Draft(id, role, claim, front, claim)


def render_lesson(lesson: Lesson) -> str:
    """The lesson's file, the same bytes for the same lesson."""
    return draft(lesson).text


def lesson_path(lesson: Lesson) -> str:
    """`.relay/lessons/<role>/<slug>-<id8>.md`; a claim without Latin letters has no slug."""
    return draft(lesson).path()


def _front(
    id: str, role: str, severity: Severity, kind: Kind, tags: Sequence[str]
) -> dict[str, Any]:
    return {
        "version": FORMAT,
        "id": id,
        "role": Word(role),
        "severity": severity,
        "kind": kind,
        "tags": [page.plain_text(tag) for tag in tags],
    }


def is_retired(path: str) -> bool:
    """By depth, so that a role may be called `retired`."""
    return path.startswith(f"{RETIRED}/") and path.count("/") == RETIRED.count("/") + 2


def retired_path(path: str) -> str:
    return RETIRED + path.removeprefix(LESSONS)


def retired_text(text: str, path: str, reason: str, at: str) -> str:
    """The same page with the reason and the time of its withdrawal; nothing else changes."""
    from relay_git import yamlio

    found = page.split(text, path)
    version = yamlio.load(found["front"], path).value.get("version")
    if isinstance(version, int) and version > FORMAT:
        hint = "upgrade git-relay, or move the file by hand"
        raise NewerFormat(f"format {version} is newer than {FORMAT}", where=path, hint=hint)
    why = {"retired": {"reason": page.one_line(reason), "at": at}}
    front = yamlio.edit_mapping(found["front"], why, path)
    return text[: found.start("front")] + front + text[found.end("front") :]


def read_lesson(text: str, path: str) -> KeptLesson:
    """The file at `path`, below the work tree; an error names its line."""
    from relay_git.lessons.front import read_front

    found = page.split(text, path)
    front = read_front(found["front"], path, role=path.split("/")[-2])
    body = page.parse_body(found["body"])
    if not normalise(body.claim):
        where = f"{path}:{found['front'].count(chr(10)) + 2}"
        raise RelayError("no claim", where=where, hint="say it in one sentence")
    return KeptLesson(
        path=path,
        id=front.id,
        role=front.role,
        claim=body.claim,
        severity=front.severity,
        kind=front.kind,
        tags=tuple(map(page.plain_text, front.tags)),
        run=front.run,
        observed_at=front.observed_at,
        excerpt=body.excerpt,
        retired=is_retired(path),
        extra=body.extra,
        finding=front.finding or "",
    )
