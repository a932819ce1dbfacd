"""What agents of forks said while the store could not take it, for the next attempt to join it."""

from __future__ import annotations

from collections.abc import Iterable

from relay_git.names import Oid
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.stepstore import NewStep


class Unkept:
    """Of one pipeline, as long as it is open, and of the forks of one step, the last to fail."""

    def __init__(self) -> None:
        self._base: Oid | None = None
        self._said: dict[tuple[str | None, str | None], NewStep] = {}

    def hold(self, base: Snapshot, said: Iterable[NewStep]) -> None:
        if self._base != base.id:
            self._base, self._said = base.id, {}
        self._said |= {(one.event.fork, one.event.manifest): one for one in said}

    def of(self, base: Snapshot, fork: str, manifest: Manifest) -> NewStep | None:
        return self._said.get((fork, manifest.digest)) if self._base == base.id else None
