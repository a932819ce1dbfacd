"""What the distiller reads of a run: every version of its reviews, and for whom they are."""

from __future__ import annotations

from collections.abc import Iterator

from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.errors import Corrupt
from relay_git.git.store import Store
from relay_git.git.trees import read_path
from relay_git.lessons.distill import Version
from relay_git.names import ArtifactName, Oid, Word, artifact_path
from relay_git.workflow import runs
from relay_git.workflow.machine import Advance, Commit
from relay_git.workflow.model import Workflow


def versions(store: Store, tip: Oid) -> list[Version]:
    """Each text that an `advance` recorded of an artifact with a verdict, in the chain's order."""
    workflow = runs.load(store, tip).workflow
    steps = list(chain.walk(store, tip))[::-1]
    before: Step | None = None
    found: list[Version] = []
    for step in steps:
        found += _versions_of(store, workflow, step, before)
        before = step
    return found


def touched(store: Store, tip: Oid) -> list[str]:
    """The paths that code commits touched during the run, sorted."""
    events = [runs.state_of(step).event for step in chain.walk(store, tip)]
    return sorted({path for event in events if isinstance(event, Commit) for path in event.paths})


def templates(store: Store, tip: Oid) -> set[str]:
    """The run's own words: seeds and output formats, which are nobody's findings."""
    run = runs.load(store, tip)
    texts = [
        runs.rules(store, run, role.name).output_format for role in run.workflow.roles.values()
    ]
    first = list(chain.walk(store, tip))[-1]
    for name in run.workflow.seeds:
        texts.append(_text(store, first, name) or "")
    return {line for text in texts for line in text.splitlines() if line.strip()}


def lessons_for(workflow: Workflow, stage: str) -> Word | None:
    """Whose work a stage reviews: as its role says, else the role whose stage leads to it."""
    role = workflow.role_of(stage)
    if role is None or role.lessons_for:
        return role.lessons_for if role else None
    leading = [s.role for s in workflow.stages.values() if stage in s.targets()]
    others = [name for name in leading if name and name != role.name]
    return others[0] if others else role.name


def _versions_of(
    store: Store, workflow: Workflow, step: Step, before: Step | None
) -> Iterator[Version]:
    event = runs.state_of(step).event
    if not isinstance(event, Advance) or not workflow.stages[event.stage].branches:
        return
    reader = lessons_for(workflow, event.stage)
    known = before.envelope.files if before else {}
    for name in workflow.writes_of(event.stage) if reader else ():
        path = artifact_path(name)
        if step.envelope.files.get(path) in (None, known.get(path)):
            continue
        entry = read_path(store, step.commit.tree, path)
        text = _text(store, step, name)
        if entry is None or text is None:
            raise Corrupt("recorded, but not there", where=path)
        number, at = step.envelope.step, step.envelope.timestamp
        yield Version(name, text, entry.oid, number, at, str(reader))


def _text(store: Store, step: Step, name: ArtifactName) -> str | None:
    entry = read_path(store, step.commit.tree, artifact_path(name))
    return store.blob(entry.oid).decode("utf-8", "replace") if entry else None
