"""Where steps are kept: what the library asks of a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from relay_git.names import Oid, RunId, Word
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import Event
from relay_git.record import Record


class NewStep(Record):
    """What a step is to hold. `changes` are sections by name, None takes one out.

    `used` and `total` are the budget after it. `rejected` is an output that it keeps, and `joins`
    are outputs of forks that it does.
    """

    event: Event
    changes: Mapping[str, bytes | None]
    used: int
    total: int
    rejected: NewStep | None = None
    joins: tuple[Snapshot, ...] = ()


class StepStore(Protocol):
    """Keeps the steps of pipelines by name. Whatever is read was verified, or `RelayError`."""

    @property
    def on_server(self) -> bool:
        """Whether anything here may have to wait for another machine. Then no event loop waits with
        it: whoever awaits a step of a pipeline has the store called in a thread."""
        ...

    @property
    def literals(self) -> Sequence[str]:
        """Secrets of the project's own, which never reach the store."""
        ...

    def head(self, name: Word) -> Snapshot | None:
        """The last step; None where no open pipeline has that name."""
        ...

    def append(self, name: Word, head: Snapshot | None, new: NewStep) -> Snapshot:
        """Make a step, its payload and its envelope visible at once, if `head` is still the head
        (None: if there is none). Else raises `Conflict`, and nothing is visible."""
        ...

    def beside(self, name: Word, base: Snapshot, output: NewStep) -> Snapshot:
        """Make an output of a fork that started from `base`. It is visible once a step joins it, or
        once it is kept."""
        ...

    def keep(self, name: Word, base: Snapshot, outputs: Sequence[Snapshot]) -> None:
        """Make outputs of forks visible in `kept`, until a step joins them; but for those of forks
        that have one there already, and of a run that has ended."""
        ...

    def kept(self, name: Word, base: Snapshot) -> list[Snapshot]:
        """The outputs of forks that started from a step and that no step joins, but for those of
        which something was purged."""
        ...

    def waiting(self, name: Word, run: RunId) -> list[Snapshot]:
        """Whatever is kept of forks of that run, but for what cannot be read."""
        ...

    def load(self, name: Word, oid: Oid) -> Snapshot:
        """A step of that pipeline, or an output that one of its steps keeps."""
        ...

    def list(self, name: Word) -> Iterator[Snapshot]:
        """From the last step to the first."""
        ...

    def delete(self, name: Word) -> None:
        """Forget the name, so that another pipeline can have it. The steps stay."""
        ...

    def settle(self, name: Word, last: Snapshot) -> None:
        """Put the run away that ended with this step, and forget the name if it is the run's."""
        ...

    def adopt(self, name: Word, run: RunId) -> None:
        """Let the name stand for an open run, whoever began it."""
        ...

    def rotate_key(self) -> str:
        """Sign with a new key from now on; its fingerprint. What was signed stays verifiable."""
        ...

    def close(self) -> None: ...
