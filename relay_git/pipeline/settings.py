"""What a pipeline is opened with, and whether that is what it should be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from relay_git.pipeline.codes import Code, PipelineError
from relay_git.record import Record

T = TypeVar("T")

DEFAULT_BUDGET = 8_000


class Policy(Record):
    """What follows a rejected output: an agent is asked `tries` times in all, 1 or more."""

    tries: int

    def __post_init__(self) -> None:
        if not isinstance(self.tries, int) or isinstance(self.tries, bool) or self.tries < 1:
            raise _invalid(f"an agent is asked {self.tries!r} times")


SURFACE = Policy(1)
"""The caller is told, and decides."""


def retry(times: int) -> Policy:
    """Ask the agent again, at most that often. Raises `PipelineError` (INVALID_SETTING)."""
    if not isinstance(times, int) or isinstance(times, bool):
        raise _invalid(f"an agent is asked again {times!r} times")
    return Policy(times + 1)


def tries_of(policy: Policy) -> int:
    if not isinstance(policy, Policy):
        raise _invalid(f"{type(policy).__name__} is no Policy")
    return policy.tries


def having(method: str, given: T, what: str) -> T:
    if not callable(getattr(given, method, None)):
        raise _invalid(f"{type(given).__name__} is no {what}: it has no method {method}")
    return given


def callables(given: Iterable[T], what: str) -> tuple[T, ...]:
    try:
        found = tuple(given)
    except TypeError:
        raise _invalid(f"{type(given).__name__} is no list of {what}s") from None
    if wrong := [one for one in found if not callable(one)]:
        raise _invalid(f"{type(wrong[0]).__name__} is no {what}: not callable")
    return found


def _invalid(what: str) -> PipelineError:
    return PipelineError(Code.INVALID_SETTING, what)
