"""What a visit must show before it ends: its artifacts, written anew, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relay_git.chain.envelope import sha256
from relay_git.errors import Refused
from relay_git.names import ArtifactName
from relay_git.record import Record
from relay_git.workflow.machine import target_of
from relay_git.workflow.model import Role, Stage
from relay_git.workflow.runs import Run
from relay_git.workflow.working_set import path_of

if TYPE_CHECKING:
    from relay_git.workflow.verdict import Found


class Wish(Record):
    """What `advance` is asked for beyond the artifacts themselves. `tokens` are those that the
    visit took, where they were counted."""

    verdict: str | None = None
    message: str | None = None
    force: bool = False
    allow_unchanged: bool = False
    tokens: int = 0


def finish(run: Run, contents: Mapping[ArtifactName, bytes], wish: Wish) -> str | None:
    """The branch that the visit chose, None in a stage that does not branch.

    Refused, in this order: 1. an artifact is missing  2. none was written anew
    3. a verdict where there is no choice, or none, or two where there is  4. an unknown branch.
    """
    role = run.role
    if role is None:
        return None
    fresh = _fresh(run, role, contents, wish)
    stage = run.workflow.stages[run.state.stage]
    branch = wish.verdict
    if branch is None and stage.branches:
        branch = _read(stage, role, {name: contents[name] for name in fresh})
    target_of(stage, branch)
    return branch


def _fresh(
    run: Run, role: Role, contents: Mapping[ArtifactName, bytes], wish: Wish
) -> list[ArtifactName]:
    """The stage's artifacts that changed since the stage was entered, or all if that may be."""
    missing = [name for name in run.writes if name not in contents]
    if missing:
        raise Refused(
            "not written yet",
            where=path_of(missing[0]),
            hint=f"{role.name} writes it; `git relay next` says how",
        )
    if wish.allow_unchanged:
        return list(run.writes)
    before = run.state.entered
    fresh = [name for name in run.writes if sha256(contents[name]) != before.get(name)]
    if not fresh:
        raise Refused(
            f"unchanged since {run.state.stage} was entered",
            where=path_of(run.writes[0]),
            hint=f"let {role.name} write it anew, or pass --allow-unchanged",
        )
    return fresh


def _read(stage: Stage, role: Role, contents: Mapping[ArtifactName, bytes]) -> str:
    """The one branch that the fresh artifacts name."""
    from relay_git.workflow.verdict import read_verdicts

    found: list[tuple[ArtifactName, Found]] = []
    unknown: list[tuple[ArtifactName, Found]] = []
    for name, data in contents.items():
        text = data.decode("utf-8")
        reading = read_verdicts(text, list(stage.branches), role.verdict_labels)
        found += [(name, item) for item in reading.found]
        unknown += [(name, item) for item in reading.unknown]
    chosen = {item.branch for _, item in found}
    known = ", ".join(stage.branches)
    if len(chosen) == 1:
        return chosen.pop()
    if chosen:
        raise Refused(
            f"verdicts disagree: {_shown(found)}", hint=f"decide with --verdict ({known})"
        )
    if unknown:
        raise Refused(
            f"unknown verdict: {_shown(unknown)}", hint=f"use one of {known}, or pass --verdict"
        )
    raise Refused(
        "no verdict",
        where=path_of(next(iter(contents))),
        hint=f"write a line `## Verdict: {next(iter(stage.branches))}` (one of {known}), "
        "or pass --verdict",
    )


def _shown(items: Sequence[tuple[ArtifactName, Found]]) -> str:
    return "; ".join(f"{path_of(name)}:{item.line}: {item.text.strip()}" for name, item in items)
