"""The form of `workflow.yml` and `roles/*.yml`: keys and their types. `checks` has the sense."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from relay_git.yamlio import Path
from relay_git.yamlmodel import FileModel


def _form_of_next(value: Any) -> str:
    return "<branches>" if isinstance(value, dict) else "<stage>"


Next = Annotated[
    Annotated[str, Tag("<stage>")] | Annotated[dict[str, str], Tag("<branches>")],
    Discriminator(_form_of_next),
]


class RoleEntry(FileModel):
    """A role in `workflow.yml`."""

    description: str = ""
    rules: str | None = None
    reads: list[str] = Field(default_factory=list)
    writes: list[str] = Field(default_factory=list)
    lessons_for: str | None = None

    def artifacts_read(self) -> list[str]:
        return _artifacts(self.reads)

    def artifacts_written(self) -> list[str]:
        return _artifacts(self.writes)


class StageEntry(FileModel):
    """A stage in `workflow.yml`. `agent` is an older word for `role`.

    `writes` picks those of the role's artifacts that this stage is for; left out, all of them.
    """

    role: str | None = None
    agent: str | None = None
    next: Next | None = None
    writes: list[str] = Field(default_factory=list)
    max_visits: int | None = None
    terminal: bool = False

    @property
    def actor(self) -> str | None:
        return self.role or self.agent

    @property
    def branches(self) -> dict[str, str]:
        return self.next if isinstance(self.next, dict) else {}

    def targets(self) -> list[tuple[Path, str]]:
        """Each with its path below the stage."""
        if isinstance(self.next, str):
            return [(("next",), self.next)]
        return [(("next", branch), stage) for branch, stage in self.branches.items()]


class WorkflowFile(FileModel):
    name: str
    version: int = 1
    initial_stage: str
    roles: dict[str, RoleEntry]
    stages: dict[str, StageEntry]
    limits: dict[str, int] = Field(default_factory=dict)

    def acting(self) -> dict[str, StageEntry]:
        """The stages in which somebody acts."""
        return {name: stage for name, stage in self.stages.items() if not stage.terminal}


class RoleFile(FileModel):
    """`roles/<role>.yml`. The last three keys are an older form of `verdict_labels`."""

    name: str
    system_prompt: str
    output_format: str = ""
    inject_lessons: bool = False
    backend: str | None = None
    model: str | None = None
    tools: list[str] = Field(default_factory=list)
    verdict_labels: list[str] = Field(default_factory=list)
    verdict_field: str | None = None
    approve_value: str | None = None
    reject_value: str | None = None


def _artifacts(paths: list[str]) -> list[str]:
    """Without the globs, which name code and not artifacts."""
    return [path for path in paths if "*" not in path]
