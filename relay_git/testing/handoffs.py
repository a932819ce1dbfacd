"""Assertions about steps, whose failures show what was found and what would have changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from relay_git.pipeline import (
    Change,
    Code,
    Failure,
    Pipeline,
    Result,
    RolledBack,
    Snapshot,
    Success,
)
from relay_git.pipeline.diff import diff
from relay_git.pipeline.frozen import Json
from relay_git.pipeline.sections import json_of

_MOST_CHANGES = 20
_MOST_TEXT = 80

Step: TypeAlias = int | Result


class CleanHandoff(Protocol):
    def __call__(self, step: Step) -> Snapshot: ...


class RollBack(Protocol):
    def __call__(self, step: Step, code: Code | None = None) -> Snapshot: ...


class SnapshotAt(Protocol):
    def __call__(self, step: int) -> Snapshot: ...


class Handoffs:
    """The steps of one pipeline, and results of any. All raise `AssertionError`."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    def snapshot_at(self, step: int) -> Snapshot:
        __tracebackhide__ = True
        found = self._pipeline.snapshot_at(step)
        if isinstance(found, Failure):
            raise AssertionError(f"{found.code}: {found.reason}")
        return found.value

    def assert_clean(self, step: Step) -> Snapshot:
        __tracebackhide__ = True
        at = self._stands(step)
        if at.event.kind not in ("step", "join"):
            raise AssertionError(self._story(step, at))
        return at

    def assert_rolled_back(self, step: Step, code: Code | None = None) -> Snapshot:
        __tracebackhide__ = True
        at = self._stands(step)
        if at.event.kind != "rollback":
            raise AssertionError(self._story(step, at))
        if code and code not in (finding.code for finding in at.event.findings):
            raise AssertionError(f"{code} was not found: {self._story(step, at)}")
        return at

    def _stands(self, step: Step) -> Snapshot:
        __tracebackhide__ = True
        if isinstance(step, int):
            return self.snapshot_at(step)
        if isinstance(step, Failure):
            raise AssertionError(f"there is no step: {step.code}: {step.reason}")
        return step.value

    def _story(self, step: Step, at: Snapshot) -> str:
        """What became of a step: why, and what it changed or would have changed."""
        changes = self._changes(step, at)
        rejected = at.event.kind == "rollback" and at.event.findings
        header = ["it would have changed:" if rejected else "it changed:"] if changes else []
        return "\n".join([_became(at), *_findings(at), *header, *_lines(changes)])

    def _changes(self, step: Step, at: Snapshot) -> Sequence[Change]:
        if isinstance(step, Success | RolledBack):
            return step.report.diff.changes if step.report else ()
        kept, before = self._pipeline.rejected_at(at.step), self._payload(at.step - 1)
        after = kept.value.payload if isinstance(kept, Success) else at.payload
        return diff(before, after).changes

    def _payload(self, step: int) -> dict[str, Any]:
        found = self._pipeline.snapshot_at(step)
        return found.value.payload if isinstance(found, Success) else {}


def _became(at: Snapshot) -> str:
    event, who = at.event, f" by {at.event.agent}" if at.event.agent else ""
    match event.kind:
        case "rollback" if event.findings:
            return f"step {at.step}{who} was rejected, and rolled back to step {event.to}"
        case "rollback":
            return f"step {at.step} is a rollback by hand to step {event.to}"
        case "step" | "join":
            return f"step {at.step}{who} was accepted"
    return f"step {at.step} is no handoff but {event.kind}"


def _findings(at: Snapshot) -> Iterator[str]:
    for found in at.event.findings:
        yield f"  {found.code} in {found.section or 'the output'}: {found.reason}"


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes[:_MOST_CHANGES]:
        match change.kind:
            case "added":
                yield f"  + {change.path}: {_shown(change.after)}"
            case "removed":
                yield f"  - {change.path}: {_shown(change.before)}"
            case "modified":
                both = f"{_shown(change.before)} -> {_shown(change.after)}"
                yield f"  ~ {change.path}: {both}"
    if len(changes) > _MOST_CHANGES:
        yield f"  … and {len(changes) - _MOST_CHANGES} more"


def _shown(value: Json) -> str:
    text = json_of(value)
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"
