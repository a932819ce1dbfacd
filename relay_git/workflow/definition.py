"""From the files that people write to the workflow that the program holds, checked whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from relay_git import yamlio, yamlmodel
from relay_git.errors import InvalidName, RelayError
from relay_git.names import ArtifactName, Word
from relay_git.workflow import limits
from relay_git.workflow.checks import Draft, check
from relay_git.workflow.model import Role, Rules, Stage, Workflow
from relay_git.workflow.rolefile import labels, read_role
from relay_git.workflow.schema import RoleFile, StageEntry, WorkflowFile
from relay_git.workflow.source import DirectorySource, Source
from relay_git.yamlio import Document

WORKFLOW_FILE = "workflow.yml"
SEEDS = "seeds"


@dataclass(frozen=True, slots=True)
class Definition:
    """All that a run freezes when it starts."""

    workflow: Workflow
    rules: Mapping[str, Rules]
    seeds: Mapping[ArtifactName, bytes]


def load_workflow(directory: str) -> Definition:
    return load_definition(DirectorySource(directory), directory)


def load_definition(source: Source, where: str) -> Definition:
    """`where` is what errors call the directory. Raises `Invalid` with every problem found."""
    problems: list[RelayError] = []
    document = _read_workflow(source, where)
    seeds = _read_seeds(source, where, problems)
    file = yamlmodel.read(WorkflowFile, document, problems)
    if file is None:
        raise yamlmodel.invalid(problems)
    draft = Draft(file, document, frozenset(seeds))
    problems += check(draft)
    roles = {name: read_role(source, where, draft, name, problems) for name in file.roles}
    if problems:
        raise yamlmodel.invalid(problems)
    readable = {name: role for name, role in roles.items() if role}
    rules = {name: _rules(role) for name, role in readable.items()}
    return Definition(_workflow(draft, readable), rules, seeds)


def _read_workflow(source: Source, where: str) -> Document:
    path = f"{where}/{WORKFLOW_FILE}"
    data = source.read(WORKFLOW_FILE)
    if data is None:
        hint = "a workflow is a directory with this file in it"
        raise RelayError("there is no such file", where=path, hint=hint)
    return yamlio.load(data, path)


def _read_seeds(
    source: Source, where: str, problems: list[RelayError]
) -> dict[ArtifactName, bytes]:
    """Hidden files, such as `.gitkeep`, are no seeds."""
    seeds: dict[ArtifactName, bytes] = {}
    for name in source.list(SEEDS):
        if name.startswith("."):
            continue
        try:
            seeds[ArtifactName(name)] = source.read(f"{SEEDS}/{name}") or b""
        except InvalidName as error:
            place = f"{where}/{SEEDS}/{name}"
            problems.append(InvalidName(error.what, where=place, hint=error.hint))
    return seeds


def _workflow(draft: Draft, roles: Mapping[str, RoleFile]) -> Workflow:
    file = draft.file
    return Workflow(
        name=Word(file.name),
        version=file.version,
        initial_stage=Word(file.initial_stage),
        roles={name: _role(file, name, role) for name, role in roles.items()},
        stages={name: _stage(file, name, stage) for name, stage in file.stages.items()},
        seeds=tuple(ArtifactName(name) for name in sorted(draft.seeds)),
    )


def _role(file: WorkflowFile, name: str, role: RoleFile) -> Role:
    entry = file.roles[name]
    return Role(
        name=Word(name),
        description=entry.description,
        reads=_artifacts(entry.artifacts_read()),
        writes=_artifacts(entry.artifacts_written()),
        verdict_labels=labels(role),
        lessons_for=Word(entry.lessons_for) if entry.lessons_for else None,
    )


def _stage(file: WorkflowFile, name: str, stage: StageEntry) -> Stage:
    most = stage.max_visits or limits.limit_of(name, file.limits, file.acting())
    return Stage(
        name=Word(name),
        role=Word(stage.actor) if stage.actor else None,
        next=Word(stage.next) if isinstance(stage.next, str) else None,
        branches={branch: Word(target) for branch, target in stage.branches.items()},
        max_visits=None if stage.terminal else most,
        terminal=stage.terminal,
        writes=_artifacts(stage.writes),
    )


def _artifacts(names: list[str]) -> tuple[ArtifactName, ...]:
    return tuple(ArtifactName(name) for name in dict.fromkeys(names))


def _rules(role: RoleFile) -> Rules:
    return Rules(
        system_prompt=role.system_prompt,
        output_format=role.output_format,
        inject_lessons=role.inject_lessons,
        backend=Word(role.backend) if role.backend is not None else None,
        model=role.model,
        tools=tuple(role.tools),
    )
