"""One step of a pipeline as it was stored and verified: what `Success` and `RolledBack` hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relay_git.chain.chain import Step
from relay_git.names import Oid, RunId, section_name
from relay_git.pipeline.sections import values
from relay_git.pipeline.state import Event, PipelineState
from relay_git.record import Record


class Snapshot(Record):
    """A step as it is stored, verified when it was read.

    `payload` is what most need of it. `contents` are the bytes of its sections by name, `record` is
    the commit and the signed envelope, `state` what the envelope says of the pipeline.
    """

    record: Step
    state: PipelineState
    contents: Mapping[str, bytes]

    def __repr__(self) -> str:
        return f"Snapshot({self.run}, step {self.step}, {self.event.kind})"

    @property
    def payload(self) -> dict[str, Any]:
        """JSON by the names of its sections; a copy each time, which may be changed."""
        return values(self.contents)

    @property
    def purged(self) -> frozenset[str]:
        """Sections that its record names and that were purged since."""
        named = map(section_name, self.record.envelope.files)
        return frozenset(name for name in named if name and name not in self.contents)

    @property
    def id(self) -> Oid:
        """Its commit's object id."""
        return self.record.oid

    @property
    def run(self) -> RunId:
        """As `git relay log` names it."""
        return self.record.envelope.run

    @property
    def step(self) -> int:
        """From 1. A rejected output has the number that it would have got."""
        return self.record.envelope.step

    @property
    def nonce(self) -> int:
        """Greater than that of the step before."""
        return self.record.envelope.nonce

    @property
    def timestamp(self) -> str:
        """`2026-04-28T09:30:00Z`."""
        return self.record.envelope.timestamp

    @property
    def key(self) -> str:
        """Fingerprint of the key that signed it."""
        return self.record.envelope.key

    @property
    def event(self) -> Event:
        """What made it: which agent, from which slice, with which confidence."""
        return self.state.event

    @property
    def budget_used(self) -> int:
        """Tokens of all accepted steps so far, slices and outputs."""
        return self.record.envelope.budget_used

    @property
    def budget_total(self) -> int:
        """In tokens, for the life of the pipeline."""
        return self.record.envelope.budget_total or 0
