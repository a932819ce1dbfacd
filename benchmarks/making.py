"""Whole runs, made without a work tree: the objects that `advance` would have written."""

from __future__ import annotations

import calendar
import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import texts
from importing import Stream

from relay_git import canonical, clock, names
from relay_git.chain.envelope import Envelope, Signer, commit_digest, sha256
from relay_git.git import codec
from relay_git.git.store import Ident
from relay_git.lessons.model import Evidence, Lesson
from relay_git.names import STEP_NAMESPACE, ArtifactName, RunId, Word
from relay_git.workflow import story
from relay_git.workflow.definition import Definition
from relay_git.workflow.machine import Advance, Event, Start, State, transition
from relay_git.workflow.model import Workflow, rules_to_json, workflow_to_json
from relay_git.workflow.state_record import state_to_json

WHO = "Ada", "ada@example.com"


class Run(NamedTuple):
    """A run that has been written: the mark of its tip, and what its note will say."""

    id: RunId
    who: Ident
    tip: int
    lessons: tuple[Lesson, ...]


class Maker:
    """Makes whole runs of one workflow."""

    def __init__(self, stream: Stream, definition: Definition, signer: Signer) -> None:
        self._stream = stream
        self._definition = definition
        self._signer = signer

    def make(self, run: RunId, ref: str, number: int, rejections: int) -> Run:
        chain = _Chain(self._stream, self._definition.workflow, self._signer, ref, run)
        for event, files in _events(self._definition, number, rejections):
            chain.add(event, files)
        return Run(run, chain.who, chain.tip, _lessons(run, number, rejections))


class _Chain:
    """The steps of one run, as `chain.append` would make them."""

    def __init__(
        self, stream: Stream, workflow: Workflow, signer: Signer, ref: str, run: RunId
    ) -> None:
        self._stream = stream
        self._workflow = workflow
        self._signer = signer
        self._ref = ref
        self._run = run
        self._files: dict[str, str] = {}
        self._state: State | None = None
        self._first: str | None = None
        self._parent: str | None = None
        self._steps = 0
        self._start = calendar.timegm(
            (int(run[:4]), int(run[4:6]), int(run[6:8]), int(run[9:11]), int(run[11:13]), 0)
        )
        self.tip = 0

    @property
    def who(self) -> Ident:
        return Ident(*WHO, self._start + 60 * self._steps)

    def add(self, event: Event, files: Mapping[str, bytes]) -> None:
        self._steps += 1
        self._files |= {path: sha256(data) for path, data in files.items()}
        known = {p.removeprefix("artifacts/"): digest for p, digest in self._files.items()}
        before = self._state
        self._state, _ = transition(self._workflow, before, event, known)
        role = self._workflow.role_of(before.stage) if before else None
        message = self._message(event, before, self._state, role.name if role else None)
        record = self._record(role.name if role else None, self._state, message)
        changes = [self._change(path, data) for path, data in files.items()]
        changes.append(f"M 100644 :{self._stream.blob(record)} {names.STEP_RECORD}")
        parents = [self.tip] if self.tip else []
        self.tip = self._stream.commit(self._ref, self.who, message, parents, changes)
        self._parent = sha256(record)
        self._first = self._first or self._parent

    def _change(self, path: str, data: bytes) -> str:
        mark = self._stream.blob(data) if self._parent else self._stream.constant(data)
        return f"M 100644 :{mark} {path}"

    def _message(self, event: Event, before: State | None, after: State, role: str | None) -> str:
        subject = story.subject(self._workflow, before, after)
        return story.message(subject, None, self._run, self._steps, event, after, role, None)

    def _record(self, role: str | None, state: State, message: str) -> bytes:
        envelope = Envelope(
            run=self._run,
            first=self._first,
            parent=self._parent,
            step=self._steps,
            nonce=self._steps,
            timestamp=clock.isoformat(self.who.time),
            role=role,
            state=state_to_json(state),
            files=self._files,
            commit=commit_digest(self.who, self.who, message),
            key=self._signer.fingerprint,
        )
        record = envelope.to_json()
        return _dumps({**record, "signature": self._signer.sign(_dumps(record), STEP_NAMESPACE)})


def _dumps(record: object) -> bytes:
    """Canonical JSON, as all keys here are ASCII."""
    text = json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def _events(
    definition: Definition, number: int, rejections: int
) -> Iterator[tuple[Event, dict[str, bytes]]]:
    """A plan, rejected as often as that, then approved, carried out and audited."""
    yield Start(), _first_files(definition)
    for visit in range(1, rejections + 2):
        approved = visit > rejections
        review = texts.approval(number) if approved else texts.rejection(number)
        yield _advance("plan_draft", visit), _artifact("plan.md", texts.plan(number, visit))
        verdict = "approve" if approved else "reject"
        yield _advance("plan_review", visit, verdict), _artifact("plan_review.md", review)
    yield _advance("implement", 1), _artifact("build_log.md", texts.build_log(number))
    yield _advance("audit", 1, "approve"), _artifact("audit.md", texts.audit(number))


def _first_files(definition: Definition) -> dict[str, bytes]:
    files = {names.artifact_path(name): data for name, data in definition.seeds.items()}
    files[names.WORKFLOW_RECORD] = canonical.dumps(workflow_to_json(definition.workflow))
    for role, rules in definition.rules.items():
        files[names.role_path(role)] = canonical.dumps(rules_to_json(rules))
    return files


def _advance(stage: str, visit: int, branch: str | None = None) -> Advance:
    return Advance(Word(stage), visit, branch)


def _artifact(name: str, text: str) -> dict[str, bytes]:
    return {names.artifact_path(name): text.encode()}


def _lessons(run: RunId, number: int, rejections: int) -> tuple[Lesson, ...]:
    """What its reviews taught, as the note of the run names it."""
    last = 5 + 2 * rejections
    found = [_lesson(run, "implementer", texts.hint(number), "audit.md", texts.audit(number), last)]
    review = texts.rejection(number)
    for claim in (texts.fault(number), texts.fault(number + 1)) if rejections else ():
        found.append(_lesson(run, "planner", claim, "plan_review.md", review, 3))
    return tuple(found)


def _lesson(run: RunId, role: str, claim: str, artifact: str, text: str, step: int) -> Lesson:
    blob = codec.object_id("blob", text.encode(), "sha1")
    line = next(n for n, said in enumerate(text.splitlines(), 1) if claim[:20] in said)
    found = Evidence(ArtifactName(artifact), blob, step, line)
    return Lesson(role, claim, "info", run, claim, found, "")
