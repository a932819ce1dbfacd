"""Who is told what happens to a pipeline. No lock of ours is held while somebody is told, and
nothing that comes of it can fail a step."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from relay_git import clock
from relay_git.pipeline import audit
from relay_git.pipeline.codes import PipelineError, told
from relay_git.pipeline.notice import Moment, Notice, Observer
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.telling import UNTRUSTED, failure
from relay_git.pipeline.turns import StepTurn
from relay_git.redact import redact

_LOG = logging.getLogger("relay.observers")
_FREE = ("agent", "fork", "reason", "sections")
"""Fields whose words somebody else may have chosen."""


class Watch:
    """Tells observers of one pipeline, as long as it is open. The log `relay.audit` is always one
    of them; while nobody listens, nothing is made up."""

    def __init__(
        self, pipeline: str, literals: Callable[[], Sequence[str]], observers: Sequence[Observer]
    ) -> None:
        """`literals` are secrets of the project's own."""
        self._pipeline, self._literals, self._observers = pipeline, literals, tuple(observers)
        self._id = clock.unique()
        self._reported: set[int] = set()

    def tell(self, event: Moment, **known: Any) -> None:
        """What is `known` are fields of a `Notice`, with any secrets that are in them."""
        if observers := self.listening():
            notice = self._notice(event, known)
            for observer in observers:
                self._call(observer, notice)

    def listening(self) -> tuple[Observer, ...]:
        return (*self._observers, audit.audit) if audit.listening() else self._observers

    def stands(self, event: Moment, head: Snapshot, **more: Any) -> None:
        """Tell what left the pipeline at this head."""
        self.tell(event, run=head.run, step=head.step, **more)

    def step(self, agent: str | None = None) -> StepTurn:
        """None: several do it."""
        return StepTurn(self, {"within": self._id, "agent": agent})

    @contextmanager
    def told(self) -> Iterator[None]:
        """As `codes.told`, and observers hear of a history that is not to be trusted."""
        try:
            with told():
                yield
        except PipelineError as error:
            if error.code in UNTRUSTED:
                self.tell(Moment.HISTORY_REFUSED, **failure(error))
            raise

    def _notice(self, event: Moment, known: Mapping[str, Any]) -> Notice:
        fields = {"id": self._id, **known, **self._masked(known)}
        return Notice(event, self._pipeline, clock.isoformat(clock.now()), **fields)

    def _masked(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Left out where it cannot be known what is secret."""
        try:
            literals = self._literals()
        except Exception:
            return dict.fromkeys(_FREE)
        return {name: _clean(known[name], literals) for name in _FREE if known.get(name)}

    def _call(self, observer: Observer, notice: Notice) -> None:
        try:
            observer(notice)
        except Exception as error:
            self._report(observer, error)

    def _report(self, observer: Observer, error: Exception) -> None:
        """Once for each."""
        if id(observer) in self._reported:
            return
        self._reported.add(id(observer))
        name = getattr(observer, "__qualname__", type(observer).__name__)
        with suppress(Exception):
            what = "an observer of the pipeline %s failed, and is ignored when it does: %s"
            _LOG.warning(what, self._pipeline, name, exc_info=error)


def _clean(said: str | Sequence[str], literals: Sequence[str]) -> str | tuple[str, ...]:
    if isinstance(said, str):
        return redact(said, literals)[0]
    return tuple(redact(one, literals)[0] for one in said)
