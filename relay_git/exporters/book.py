"""What every tool is told, before it takes the tool's form: the roles, the commands, the rules."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Mapping
from typing import Any

from relay_git import names
from relay_git.errors import RelayError
from relay_git.record import Record
from relay_git.workflow.definition import Definition, load_workflow
from relay_git.workflow.find import find_workflow
from relay_git.workflow.model import Role, Rules, Stage
from relay_git.workflow.rendering import render
from relay_git.workflow.working_set import path_of
from relay_git.workspace import Workspace

_SHELF = "export"
RULE = "git-relay"
"""What the file with the rules for everybody is called, where it has a file of its own."""
_SUMMARIES = {
    "next": "Play the role that acts now in the git-relay run of this worktree",
    "advance": "Record what the role wrote and move the git-relay run to its next stage",
    "status": "Say where the git-relay run of this worktree stands",
}
_LINE = re.compile(r"^(?=[^\n])", re.MULTILINE)
_REFERENCE = re.compile(r"(?<!\S)@")
"""What several tools take for a file to read in."""


class Sheet(Record):
    """A role. `agent` is its name as every tool takes it, `page` its system prompt and more.

    `summary` is the role's description in one line, `description` the same with when to call it.
    """

    name: str
    agent: str
    summary: str
    description: str
    page: str
    tools: tuple[str, ...]
    backend: str | None
    model: str | None

    def model_of(self, *backends: str) -> str | None:
        """The model, unless the role wants it of a backend that is none of these."""
        return self.model if self.backend in (None, *backends) else None


class Command(Record):
    """`name` is the `git relay` command that it is about."""

    name: str
    summary: str
    text: str


class Book(Record):
    """`source` is the directory that it is made from, below the top of the work tree."""

    workflow: str
    source: str
    roles: tuple[Sheet, ...]
    commands: tuple[Command, ...]
    rules: str


def read_book(ws: Workspace, workflow: str | None) -> Book:
    """Of the workflow of that name, else of the default. Raises `RelayError`."""
    relay_dir = os.path.join(ws.worktree, names.RELAY_DIR)
    directory = find_workflow(relay_dir, workflow, ws.settings.default_workflow)
    definition = load_workflow(directory)
    source = f"{names.WORKFLOWS}/{os.path.basename(directory)}"
    agents = _agents(definition, source)
    roles = tuple(_sheet(ws, definition, name, agent) for name, agent in agents.items())
    values = {"workflow": definition.workflow.name, "roles": _listed(definition)}
    return Book(
        workflow=definition.workflow.name,
        source=source,
        roles=roles,
        commands=tuple(_command(ws, name) for name in _SUMMARIES),
        rules=_rendered(ws, "rules.md.j2", values),
    )


def one_line(text: str) -> str:
    return " ".join(text.split())


def _agents(definition: Definition, source: str) -> dict[str, str]:
    """The name of each role's agent: lower-case letters, digits and `-`, no two alike."""
    agents: dict[str, str] = {}
    taken = {RULE: "git-relay's own rules"}
    for role in definition.workflow.roles:
        agent = agents[role] = re.sub(r"[^a-z0-9]+", "-", role.lower())
        if agent in taken:
            what = f"{taken[agent]} and the role {role} would both be called {agent}"
            raise RelayError(what, where=f"{source}/workflow.yml", hint="rename the role")
        taken[agent] = f"the role {role}"
    return agents


def _sheet(ws: Workspace, definition: Definition, name: str, agent: str) -> Sheet:
    role, rules = definition.workflow.roles[name], definition.rules[name]
    stages = [stage for stage in definition.workflow.stages.values() if stage.role == name]
    summary = one_line(role.description)
    return Sheet(
        name=name,
        agent=agent,
        summary=summary,
        description=_description(summary, stages, definition.workflow.name),
        page=_rendered(ws, "role.md.j2", _role_values(definition, role, rules, stages)),
        tools=rules.tools,
        backend=rules.backend,
        model=rules.model,
    )


def _description(summary: str, stages: list[Stage], workflow: str) -> str:
    where = " or ".join(stage.name for stage in stages) or "no stage yet"
    when = f"Use when a git-relay run of {workflow} stands in {where}."
    if not summary:
        return when
    return f"{summary} {when}" if summary[-1] in ".!?…" else f"{summary}. {when}"


def _role_values(
    definition: Definition, role: Role, rules: Rules, stages: list[Stage]
) -> dict[str, Any]:
    return {
        "role": str(role.name),
        "workflow": str(definition.workflow.name),
        "system_prompt": _lines(rules.system_prompt),
        "output_format": _LINE.sub("    ", _lines(rules.output_format)),
        "tools": list(rules.tools),
        "reads": [path_of(name) for name in role.reads],
        "stages": [
            {
                "name": str(stage.name),
                "writes": [path_of(name) for name in definition.workflow.writes_of(stage.name)],
                "branches": {branch: str(to) for branch, to in stage.branches.items()},
            }
            for stage in stages
        ],
    }


def _listed(definition: Definition) -> list[dict[str, Any]]:
    """The roles as a shared file lists them, whose text no other tool may act on."""
    return [
        {
            "name": str(role.name),
            "summary": _inert(one_line(role.description)),
            "reads": list(role.reads),
            "writes": list(role.writes),
        }
        for role in definition.workflow.roles.values()
    ]


def _inert(text: str) -> str:
    """Without comments, which could end our block, and without references to files."""
    text = html.escape(text, quote=False) if re.search(r"<!--|-->|&[#A-Za-z]", text) else text
    return _REFERENCE.sub("&#64;", text)


def _command(ws: Workspace, name: str) -> Command:
    return Command(name, _SUMMARIES[name], _rendered(ws, f"{name}.md.j2", {}))


def _rendered(ws: Workspace, template: str, values: Mapping[str, Any]) -> str:
    return render(ws, template, values, _SHELF).strip("\n") + "\n"


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").strip("\n").rstrip()
