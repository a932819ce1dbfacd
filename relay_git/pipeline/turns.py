"""One step or fork, from its start to its end, as observers are told of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from relay_git import clock
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.notice import Moment
from relay_git.pipeline.results import RolledBack, Success
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import Event
from relay_git.pipeline.telling import failure, outcome, output, rejection
from relay_git.pipeline.validator import Report

if TYPE_CHECKING:
    from relay_git.pipeline.watch import Watch

R = TypeVar("R", Success, RolledBack, Success | RolledBack)
A = TypeVar("A", bound=Callable[..., Any])


class Turn:
    def __init__(self, watch: Watch, known: dict[str, Any]) -> None:
        """`known` are fields of all that is told of it."""
        self._watch, self._known = watch, known | {"id": clock.unique()}

    def asking(self, agent: A) -> A:
        """The same agent; observers are told where and when it runs."""
        return _observed(agent, self._tell) if self._watch.listening() else agent

    def _tell(self, event: Moment, **more: Any) -> None:
        self._watch.tell(event, **self._known | more)


class StepTurn(Turn):
    """What is raised inside it is told as the failure of the step."""

    def __enter__(self) -> StepTurn:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        fields = failure(error)
        if fields["code"] is Code.BUDGET_EXCEEDED:
            self._tell(Moment.BUDGET_REFUSED, **fields)
        self._tell(Moment.STEP_FAILED, **fields)

    def started(self, head: Snapshot) -> None:
        self._known |= {"run": head.run, "step": head.step + 1}
        self._tell(Moment.STEP_STARTED)

    def ended(self, result: R) -> R:
        if self._watch.listening():
            self._end(result)
        return result

    def _end(self, result: Success | RolledBack) -> None:
        if isinstance(result, RolledBack):
            back = {**rejection(result.report), "rolled_back_to": result.value.event.to}
            self._tell(Moment.STEP_REJECTED, **outcome(result), **back)
        else:
            event = Moment.JOINED if result.value.event.join else Moment.STEP_ACCEPTED
            self._tell(event, **outcome(result))

    def fork(self, name: str, agent: str) -> ForkTurn:
        within = {"within": self._known["id"], "fork": name, "agent": agent}
        return ForkTurn(self._watch, self._known | within)


class ForkTurn(Turn):
    _over = False

    def started(self) -> None:
        self._tell(Moment.FORK_STARTED)

    def finished(self, event: Event, report: Report) -> None:
        """With an output; the join has the last word on it."""
        self._end(**output(event, report), **rejection(report))

    def failed(self, error: PipelineError) -> None:
        self._end(**failure(error))

    def left(self) -> None:
        """Nobody waits for it any more."""
        if not self._over:
            self._end(reason="it was left alone")

    def _end(self, **more: Any) -> None:
        self._over = True
        self._tell(Moment.FORK_FINISHED, **more)


@contextmanager
def running(forks: Sequence[ForkTurn]) -> Iterator[None]:
    """Tell that they start, and in the end which of them never finished."""
    for fork in forks:
        fork.started()
    try:
        yield
    finally:
        for fork in forks:
            fork.left()


def _observed(agent: Any, tell: Callable[[Moment], None]) -> Any:
    async def waited(answer: Any) -> Any:
        with _running(tell):
            return await answer

    async def coroutine(*given: Any) -> Any:
        with _running(tell):
            return await agent(*given)

    def function(*given: Any) -> Any:
        with _running(tell):
            answer = agent(*given)
        return waited(answer) if inspect.isawaitable(answer) else answer

    return coroutine if inspect.iscoroutinefunction(agent) else function


@contextmanager
def _running(tell: Callable[[Moment], None]) -> Iterator[None]:
    tell(Moment.AGENT_CALLED)
    try:
        yield
    finally:
        tell(Moment.AGENT_ANSWERED)
