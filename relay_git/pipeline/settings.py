"""What a pipeline is opened with, and whether that is what it should be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from relay_git.pipeline.codes import Code, PipelineError, quoted, words
from relay_git.record import Record

T = TypeVar("T")

DEFAULT_BUDGET = 8_000
_A_YEAR = 366 * 24 * 60 * 60
"""In seconds. What is much more, no clock of the system takes."""


class Policy(Record):
    """What follows a rejected output: an agent is asked `tries` times in all, 1 or more."""

    tries: int

    def __post_init__(self) -> None:
        if not isinstance(self.tries, int) or isinstance(self.tries, bool) or self.tries < 1:
            raise _invalid(f"an agent is asked {quoted(self.tries)} times")


SURFACE = Policy(1)
"""The caller is told, and decides."""


def retry(times: int) -> Policy:
    """Ask the agent again, at most that often. Raises `PipelineError` (INVALID_SETTING)."""
    if not isinstance(times, int) or isinstance(times, bool):
        raise _invalid(f"an agent is asked again {quoted(times)} times")
    return Policy(times + 1)


def tries_of(policy: Policy) -> int:
    if not isinstance(policy, Policy):
        what = f"{type(policy).__name__} is no Policy: give `SURFACE`, or `retry` with a number"
        raise _invalid(what)
    return policy.tries


def having(method: str, given: T, what: str) -> T:
    """What has that method. Raises `PipelineError` (INVALID_SETTING), also for a class of such."""
    if isinstance(given, type):
        raise _invalid(f"{given.__name__} is no {what} but a class; give an instance")
    try:
        has_it = callable(getattr(given, method, None))
    except Exception as error:
        raise _invalid(f"{type(given).__name__} is no {what}: {words(error)}") from error
    if not has_it:
        raise _invalid(f"{type(given).__name__} is no {what}: it has no method {method}")
    return given


def seconds(timeout: float) -> float:
    number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if not number or not 0 < timeout <= _A_YEAR:
        raise _invalid(f"a timeout of {quoted(timeout)} seconds")
    return timeout


def text_of(given: str, what: str) -> str:
    if not isinstance(given, str):
        raise _invalid(f"{what} is {quoted(given)}, not text")
    return given


def callables(given: Iterable[T], what: str) -> tuple[T, ...]:
    try:
        found = tuple(given)
    except Exception as error:
        what = f"{type(given).__name__} is no list of {what}s: {words(error)}"
        raise _invalid(what) from error
    if wrong := [one for one in found if not callable(one)]:
        raise _invalid(f"{type(wrong[0]).__name__} is no {what}: not callable")
    return found


def _invalid(what: str) -> PipelineError:
    return PipelineError(Code.INVALID_SETTING, what)
