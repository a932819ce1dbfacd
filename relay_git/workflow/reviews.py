"""What a run teaches: every version of its reviews, for whom they are, and the lessons in them.

Its chain is read first (`outline`), the texts that it names afterwards (`lessons_of`). So whoever
reads thousands of runs can fetch what the one will read, and then what the other will.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from relay_git import canonical
from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.errors import Corrupt
from relay_git.git.store import Store
from relay_git.git.trees import read_path
from relay_git.lessons.distill import Version, distil
from relay_git.lessons.model import Lesson
from relay_git.names import (
    WORKFLOW_RECORD,
    ArtifactName,
    Oid,
    RunId,
    Word,
    artifact_path,
    role_path,
)
from relay_git.record import Record
from relay_git.workflow import runs
from relay_git.workflow.machine import Advance, Commit, Event
from relay_git.workflow.model import Workflow, rules_from_json, workflow_from_json

_MOST_TAGS = 20
"""Of a finding that names no path: more of the commits' paths would say nothing."""


class Passage(Record):
    """A text that an `advance` recorded of an artifact with a verdict.

    `step` recorded it at `recorded_at` (ISO 8601 UTC); `role` is whom its findings are for.
    """

    artifact: ArtifactName
    blob: Oid
    step: int
    recorded_at: str
    role: str


class Outline(Record):
    """All that decides about a run's lessons, but for the texts: those are object ids.

    `touched` are the paths of its code commits, sorted. `roles` and `seeds` hold words of its own.
    """

    run: RunId
    artifacts: frozenset[str]
    passages: tuple[Passage, ...]
    touched: tuple[str, ...]
    roles: tuple[Oid, ...]
    seeds: tuple[Oid, ...]

    @property
    def texts(self) -> Iterator[Oid]:
        """What `lessons_of` will read."""
        yield from self.roles
        yield from self.seeds
        yield from (passage.blob for passage in self.passages)


def outline(store: Store, tip: Oid) -> Outline:
    """Of the run that ends there. A pipeline's run has none."""
    last = chain.read_step(store, tip)
    if not runs.is_workflow(last):
        return Outline(last.envelope.run, frozenset(), (), (), (), ())
    steps = list(chain.walk(store, tip))[::-1]
    workflow = _workflow(store, last)
    events = [(step, runs.state_of(step).event) for step in steps if not step.envelope.heads]
    return Outline(
        run=last.envelope.run,
        artifacts=frozenset(workflow.artifacts()),
        passages=tuple(_passages(store, workflow, events)),
        touched=touched(event for _, event in events),
        roles=tuple(_blob(store, last, role_path(name)) for name in workflow.roles),
        seeds=_seeds(store, steps[0], workflow),
    )


def lessons_of(store: Store, run: Outline) -> tuple[Lesson, ...]:
    """The run's own artifacts are no tags: every run has files of these names."""
    found = distil(
        run.run,
        [_version(store, passage) for passage in run.passages],
        touched=run.touched[:_MOST_TAGS],
        ours=_templates(tuple(map(store.blob, run.roles)), tuple(map(store.blob, run.seeds))),
    )
    return tuple(
        lesson.replace(tags=tuple(tag for tag in lesson.tags if tag not in run.artifacts))
        for lesson in found
    )


def touched(events: Iterable[Event]) -> tuple[str, ...]:
    """The paths that code commits touched, sorted."""
    found = {path for event in events if isinstance(event, Commit) for path in event.paths}
    return tuple(sorted(found))


def lessons_for(workflow: Workflow, stage: str) -> Word | None:
    """Whose work a stage reviews: as its role says, else the role whose stage leads to it."""
    role = workflow.role_of(stage)
    if role is None or role.lessons_for:
        return role.lessons_for if role else None
    leading = [s.role for s in workflow.stages.values() if stage in s.targets()]
    others = [name for name in leading if name and name != role.name]
    return others[0] if others else role.name


def _passages(
    store: Store, workflow: Workflow, events: Sequence[tuple[Step, Event]]
) -> Iterator[Passage]:
    """In the chain's order. What a step left as its parent has it was read there."""
    known = {step.digest: step.envelope.files for step, _ in events}
    for step, event in events:
        if isinstance(event, Advance) and workflow.stages[event.stage].branches:
            before = known.get(step.envelope.parent or "", {})
            yield from _passages_of(store, workflow, step, event.stage, before)


def _passages_of(
    store: Store, workflow: Workflow, step: Step, stage: Word, before: Mapping[str, str]
) -> Iterator[Passage]:
    reader = lessons_for(workflow, stage)
    for name in workflow.writes_of(stage) if reader else ():
        path = artifact_path(name)
        if step.envelope.files.get(path) not in (None, before.get(path)):
            number, at = step.envelope.step, step.envelope.timestamp
            yield Passage(name, _blob(store, step, path), number, at, str(reader))


def _version(store: Store, passage: Passage) -> Version:
    text = _text(store.blob(passage.blob))
    where = passage.blob, passage.step, passage.recorded_at
    return Version(passage.artifact, text, *where, passage.role)


def _workflow(store: Store, step: Step) -> Workflow:
    entry = read_path(store, step.commit.tree, WORKFLOW_RECORD)
    if entry is None:
        raise Corrupt(f"not a workflow's run: it has no {WORKFLOW_RECORD}", where=step.oid)
    return _parsed(store.blob(entry.oid))


@lru_cache(maxsize=64)
def _parsed(record: bytes) -> Workflow:
    """Thousands of runs have the same workflow."""
    return workflow_from_json(canonical.loads(record, WORKFLOW_RECORD), WORKFLOW_RECORD)


def _blob(store: Store, step: Step, path: str) -> Oid:
    entry = read_path(store, step.commit.tree, path)
    if entry is None or entry.is_tree:
        raise Corrupt("recorded, but not there", where=path)
    return entry.oid


def _seeds(store: Store, first: Step, workflow: Workflow) -> tuple[Oid, ...]:
    """As the run started with them; one may be missing."""
    paths = [artifact_path(name) for name in workflow.seeds]
    entries = [read_path(store, first.commit.tree, path) for path in paths]
    return tuple(entry.oid for entry in entries if entry)


@lru_cache(maxsize=64)
def _templates(roles: tuple[bytes, ...], seeds: tuple[bytes, ...]) -> frozenset[str]:
    """The run's own words: seeds and output formats, which are nobody's findings."""
    records = [canonical.loads(data, "roles") for data in roles]
    texts = [rules_from_json(record, "roles").output_format for record in records]
    texts += map(_text, seeds)
    return frozenset(line for text in texts for line in text.splitlines() if line.strip())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
