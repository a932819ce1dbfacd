"""A workflow as the program holds it: checked, frozen, and read from the record of a run.

`definition` makes these from the files that people write; a run carries them as canonical
JSON (`workflow.json`, `roles/<role>.json`), so an edit of the files never changes an open run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relay_git.errors import Corrupt, InvalidName, NewerFormat
from relay_git.names import ArtifactName, Word
from relay_git.record import EMPTY, Record

FORMAT = 1


class Role(Record):
    """Who acts in a stage, as far as the machine needs to know it."""

    name: Word
    description: str = ""
    reads: tuple[ArtifactName, ...] = ()
    writes: tuple[ArtifactName, ...] = ()
    verdict_labels: tuple[str, ...] = ()
    """Labels beside `Verdict` that introduce this role's verdict."""
    lessons_for: Word | None = None
    """Whose lessons this role's findings become; None leaves it to the stages' order."""


class Rules(Record):
    """How a role is told to work, and what with: no stage depends on it."""

    system_prompt: str
    output_format: str = ""
    inject_lessons: bool = False
    backend: Word | None = None
    model: str | None = None
    tools: tuple[str, ...] = ()


class Stage(Record):
    """A node of the state machine: terminal, linear (`next`) or branching (`branches`)."""

    name: Word
    role: Word | None = None
    next: Word | None = None
    branches: Mapping[str, Word] = EMPTY
    max_visits: int | None = None
    terminal: bool = False
    writes: tuple[ArtifactName, ...] = ()
    """Which of the role's artifacts this stage is for; none named means all of them."""

    def targets(self) -> tuple[Word, ...]:
        return (self.next,) if self.next else tuple(self.branches.values())


class Workflow(Record):
    """Stages in the order in which they were written, the roles that act in them, the seeds."""

    name: Word
    version: int
    initial_stage: Word
    roles: Mapping[str, Role]
    stages: Mapping[str, Stage]
    seeds: tuple[ArtifactName, ...] = ()

    def role_of(self, stage: str) -> Role | None:
        name = self.stages[stage].role
        return self.roles[name] if name else None

    def writes_of(self, stage: str) -> tuple[ArtifactName, ...]:
        """The artifacts that must be written before the stage can be left."""
        role = self.role_of(stage)
        return self.stages[stage].writes or (role.writes if role else ())

    def artifacts(self) -> tuple[ArtifactName, ...]:
        """Every artifact that a role reads or writes or that a run starts with, sorted."""
        named = {name for role in self.roles.values() for name in (*role.reads, *role.writes)}
        return tuple(sorted(named.union(self.seeds)))


def workflow_to_json(workflow: Workflow) -> dict[str, Any]:
    """Stages keep their order in a list, since canonical JSON sorts the keys of objects."""
    return {
        "format": FORMAT,
        "name": workflow.name,
        "version": workflow.version,
        "initial_stage": workflow.initial_stage,
        "roles": {name: _role_to_json(role) for name, role in workflow.roles.items()},
        "stages": [_stage_to_json(stage) for stage in workflow.stages.values()],
        "seeds": list(workflow.seeds),
    }


def workflow_from_json(data: Mapping[str, Any], where: str) -> Workflow:
    check_format(data, where)
    try:
        stages = [_stage_from_json(item) for item in data["stages"]]
        return Workflow(
            name=Word(data["name"]),
            version=int(data["version"]),
            initial_stage=Word(data["initial_stage"]),
            roles={name: _role_from_json(name, item) for name, item in data["roles"].items()},
            stages={stage.name: stage for stage in stages},
            seeds=tuple(ArtifactName(name) for name in data["seeds"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Corrupt(f"not a workflow record: {error!r}", where=where) from None


def rules_to_json(rules: Rules) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "system_prompt": rules.system_prompt,
        "output_format": rules.output_format,
        "inject_lessons": rules.inject_lessons,
        "backend": rules.backend,
        "model": rules.model,
        "tools": list(rules.tools),
    }


def rules_from_json(data: Mapping[str, Any], where: str) -> Rules:
    check_format(data, where)
    try:
        return Rules(
            system_prompt=data["system_prompt"],
            output_format=data["output_format"],
            inject_lessons=data["inject_lessons"],
            backend=Word(data["backend"]) if data.get("backend") else None,
            model=data["model"],
            tools=tuple(data["tools"]),
        )
    except (KeyError, TypeError, InvalidName) as error:
        raise Corrupt(f"not a role record: {error!r}", where=where) from None


def check_format(data: Mapping[str, Any], where: str) -> None:
    """Refuse what a newer git-relay wrote, and what none wrote."""
    found = data.get("format")
    if isinstance(found, int) and found > FORMAT:
        raise NewerFormat(
            f"format {found} is newer than this git-relay reads ({FORMAT})",
            where=where,
            hint="upgrade git-relay",
        )
    if found != FORMAT:
        raise Corrupt("no format version", where=where)


def _role_to_json(role: Role) -> dict[str, Any]:
    return {
        "description": role.description,
        "reads": list(role.reads),
        "writes": list(role.writes),
        "verdict_labels": list(role.verdict_labels),
        "lessons_for": role.lessons_for,
    }


def _role_from_json(name: str, data: Mapping[str, Any]) -> Role:
    return Role(
        name=Word(name),
        description=data["description"],
        reads=tuple(ArtifactName(item) for item in data["reads"]),
        writes=tuple(ArtifactName(item) for item in data["writes"]),
        verdict_labels=tuple(data["verdict_labels"]),
        lessons_for=Word(data["lessons_for"]) if data["lessons_for"] else None,
    )


def _stage_to_json(stage: Stage) -> dict[str, Any]:
    return {
        "name": stage.name,
        "role": stage.role,
        "next": stage.next,
        "branches": [[branch, target] for branch, target in stage.branches.items()],
        "max_visits": stage.max_visits,
        "terminal": stage.terminal,
        "writes": list(stage.writes),
    }


def _stage_from_json(data: Mapping[str, Any]) -> Stage:
    return Stage(
        name=Word(data["name"]),
        role=Word(data["role"]) if data["role"] else None,
        next=Word(data["next"]) if data["next"] else None,
        branches={branch: Word(target) for branch, target in data["branches"]},
        max_visits=data["max_visits"],
        terminal=data["terminal"],
        writes=tuple(ArtifactName(item) for item in data["writes"]),
    )
