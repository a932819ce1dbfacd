"""Whether a workflow makes sense, as far as `workflow.yml` tells: every problem, with its line."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from relay_git import suggest
from relay_git.errors import InvalidName, RelayError
from relay_git.names import ArtifactName, Word
from relay_git.workflow import limits
from relay_git.workflow.schema import StageEntry, WorkflowFile
from relay_git.workflow.verdict import decide, read_verdicts
from relay_git.yamlio import Document, Path

_FRESH = "a stage is finished when an artifact of its role has changed: name one in `writes`"


@dataclass(frozen=True, slots=True)
class Draft:
    """What is checked: the file, where its parts stand, and the names of the seeds."""

    file: WorkflowFile
    document: Document
    seeds: frozenset[str]


def check(draft: Draft) -> Iterator[RelayError]:
    for part in (_names, _twins, _numbers, _roles, _stages, _initial, _reachable, _ending):
        yield from part(draft)


# Names and numbers


def _names(draft: Draft) -> Iterator[RelayError]:
    file = draft.file
    yield from _named(draft, Word, ("name",), file.name)
    for role, entry in file.roles.items():
        yield from _named(draft, Word, ("roles", role), role)
        for key, paths in (("reads", entry.reads), ("writes", entry.writes)):
            for at, path in enumerate(paths):
                if "*" not in path:
                    yield from _named(draft, ArtifactName, ("roles", role, key, at), path)
    for stage, step in file.stages.items():
        yield from _named(draft, Word, ("stages", stage), stage)
        for branch in step.branches:
            yield from _branch(draft, ("stages", stage, "next", branch), branch, step)


def _named(
    draft: Draft, kind: Callable[[str], object], path: Path, name: str
) -> Iterator[RelayError]:
    try:
        kind(name)
    except InvalidName as error:
        yield draft.document.problem(path, error.what, error.hint)


def _branch(draft: Draft, path: Path, branch: str, stage: StageEntry) -> Iterator[RelayError]:
    """A branch must be a name, and one that a reviewer's verdict can say."""
    wrong = list(_named(draft, Word, path, branch))
    yield from wrong
    said = decide(read_verdicts(f"Verdict: {branch}\n", list(stage.branches)))
    if not wrong and said != (branch,):
        what = f"a verdict that says {branch!r} does not choose this branch"
        yield draft.document.problem(path, what, "give it one plain word of its own")


def _twins(draft: Draft) -> Iterator[RelayError]:
    """Names that are one name on a file system that ignores case, or how accents are coded."""
    written: dict[str, Path] = {name: ("roles", name) for name in draft.file.roles}
    yield from _alike(draft, written)
    written = {}
    for role, entry in draft.file.roles.items():
        for key, paths in (("reads", entry.reads), ("writes", entry.writes)):
            for at, path in enumerate(paths):
                written.setdefault(path, ("roles", role, key, at))
    yield from _alike(draft, written)


def _alike(draft: Draft, written: Mapping[str, Path]) -> Iterator[RelayError]:
    first: dict[str, str] = {}
    for name, path in written.items():
        other = first.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
        if other != name:
            alike = name.casefold() == other.casefold()
            how = "case" if alike else "how accents are coded"
            what = f"{name!r} and {other!r} differ only in {how}"
            yield draft.document.problem(path, what, "write them alike, or rename one")


def _numbers(draft: Draft) -> Iterator[RelayError]:
    file = draft.file
    numbers: dict[Path, int | None] = {("version",): file.version}
    numbers |= {("stages", name, "max_visits"): s.max_visits for name, s in file.stages.items()}
    numbers |= {("limits", key): most for key, most in file.limits.items()}
    for path, number in numbers.items():
        if number is not None and number < 1:
            yield draft.document.problem(path, f"`{path[-1]}` is {number}", "write 1 or more")
    for key in file.limits:
        if not limits.limited(key, file.acting()):
            hint = f"name the stage: {', '.join(file.acting())}"
            yield draft.document.problem(("limits", key), f"no stage is called {key!r}", hint)


# Roles and stages


def _roles(draft: Draft) -> Iterator[RelayError]:
    roles = draft.file.roles
    written = {name for entry in roles.values() for name in entry.artifacts_written()}
    for role, entry in roles.items():
        for at, name in enumerate(entry.reads):
            if "*" not in name and name not in written | draft.seeds:
                what = f"no role writes {name!r} and no seed is called so"
                hint = suggest.hint(name, sorted(written | draft.seeds))
                yield draft.document.problem(("roles", role, "reads", at), what, hint)
        if entry.lessons_for is not None:
            yield from _known(draft, ("roles", role, "lessons_for"), "role", entry.lessons_for)


def _stages(draft: Draft) -> Iterator[RelayError]:
    for name, stage in draft.file.stages.items():
        path: Path = ("stages", name)
        yield from _terminal(draft, path, stage) if stage.terminal else _acting(draft, path, stage)
        if stage.role is not None and stage.agent is not None:
            what = "`role` and `agent` are two words for one thing"
            yield draft.document.problem((*path, "agent"), what, "keep `role`")
        if stage.actor:
            yield from _known(draft, (*path, "role", "agent"), "role", stage.actor)
        for below, target in stage.targets():
            yield from _known(draft, (*path, *below), "stage", target)


def _terminal(draft: Draft, path: Path, stage: StageEntry) -> Iterator[RelayError]:
    empty = {"role": stage.role, "agent": stage.agent, "next": stage.next, "writes": stage.writes}
    for key, value in empty.items():
        if value:
            what = f"the terminal stage {path[-1]!r} has `{key}`"
            yield draft.document.problem((*path, key), what, f"drop `{key}` or `terminal`")


def _acting(draft: Draft, path: Path, stage: StageEntry) -> Iterator[RelayError]:
    for key, value in (("role", stage.actor), ("next", stage.next)):
        if not value:
            what = f"the stage {path[-1]!r} has no `{key}`"
            yield draft.document.problem((*path, key), what, "add it, or `terminal: true`")
    role = draft.file.roles.get(stage.actor or "")
    written = role.artifacts_written() if role else []
    for at, name in enumerate(stage.writes if role else []):
        if name not in written:
            what = f"its role {stage.actor!r} does not write {name!r}"
            yield draft.document.problem((*path, "writes", at), what, suggest.hint(name, written))
    if role and not written:
        what = f"its role {stage.actor!r} writes no artifact"
        hint = "the verdict is read from one: name it in `writes`" if stage.branches else _FRESH
        yield draft.document.problem((*path, "role", "agent"), what, hint)


def _known(draft: Draft, path: Path, kind: str, name: str) -> Iterator[RelayError]:
    names = draft.file.roles if kind == "role" else draft.file.stages
    if name not in names:
        what = f"there is no {kind} {name!r}"
        yield draft.document.problem(path, what, suggest.hint(name, names))


# The graph


def _initial(draft: Draft) -> Iterator[RelayError]:
    path, name = ("initial_stage",), draft.file.initial_stage
    yield from _known(draft, path, "stage", name)
    if name in draft.file.stages and draft.file.stages[name].terminal:
        yield draft.document.problem(path, f"{name!r} is terminal", "begin where somebody acts")


def _reachable(draft: Draft) -> Iterator[RelayError]:
    stages = draft.file.stages
    if draft.file.initial_stage not in stages:
        return
    reached = _closure([draft.file.initial_stage], _edges(draft))
    for name in stages:
        if name not in reached:
            what = f"the stage {name!r} is never reached from {draft.file.initial_stage!r}"
            yield draft.document.problem(("stages", name), what, "lead to it, or delete it")


def _ending(draft: Draft) -> Iterator[RelayError]:
    stages = draft.file.stages
    terminal = [name for name, stage in stages.items() if stage.terminal]
    if not terminal:
        yield draft.document.problem(("stages",), "no stage is terminal", "add `terminal: true`")
        return
    behind: dict[str, list[str]] = {}
    for name, targets in _edges(draft).items():
        for target in targets:
            behind.setdefault(target, []).append(name)
    ending = _closure(terminal, behind)
    for name in stages:
        if name not in ending:
            what = f"no way leads from the stage {name!r} to a terminal stage"
            yield draft.document.problem(("stages", name), what, f"lead to {terminal[0]!r}")


def _edges(draft: Draft) -> dict[str, list[str]]:
    """Where each stage leads. A misspelled target counts as the one meant: it is told already."""
    stages = draft.file.stages
    edges: dict[str, list[str]] = {name: [] for name in stages}
    for name, stage in stages.items():
        for _, target in stage.targets():
            meant = target if target in stages else suggest.nearest(target, stages)
            edges[name] += [meant] if meant else []
    return edges


def _closure(start: Iterable[str], edges: Mapping[str, list[str]]) -> set[str]:
    reached = set(start)
    waiting = list(reached)
    while waiting:
        for name in edges.get(waiting.pop(), []):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached
