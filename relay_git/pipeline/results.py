"""What every operation of a pipeline returns; none raises for what can go wrong in operation."""

from __future__ import annotations

from typing import NoReturn, TypeAlias

from relay_git.pipeline.agents import AgentOutput
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.validator import Report
from relay_git.record import Record


class Success(Record):
    """`value` is where the pipeline stands, or the step asked for. A new step has a `report`, and
    `said` is all that a runner told, which nothing stores."""

    value: Snapshot
    report: Report | None = None
    said: AgentOutput | None = None

    def unwrap(self) -> Snapshot:
        return self.value


class RolledBack(Record):
    """An output was rejected, so the pipeline stands where it did: `value`, a step of its own.

    `rejected` is the output as it would have been, to inspect; `report` says why; `said` is as in
    `Success`.
    """

    value: Snapshot
    rejected: Snapshot
    report: Report
    said: AgentOutput | None = None

    @property
    def code(self) -> Code:
        """Of the first finding."""
        return self.report.findings[0].code

    @property
    def reason(self) -> str:
        return self.report.reason

    def unwrap(self) -> NoReturn:
        """Raises `PipelineError`."""
        raise PipelineError(self.code, self.reason)


class Failure(Record):
    """Nothing was changed. `reason` names the section, agent, step or limit that is at fault."""

    code: Code
    reason: str

    def unwrap(self) -> NoReturn:
        """Raises `PipelineError`."""
        raise PipelineError(self.code, self.reason)


Result: TypeAlias = Success | RolledBack | Failure
