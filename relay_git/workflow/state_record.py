"""A state as a step's record holds it: canonical JSON, read strictly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from relay_git.canonical import integer, text, text_or_none
from relay_git.errors import Corrupt, InvalidName
from relay_git.names import Word
from relay_git.record import as_dict
from relay_git.workflow.machine import (
    STATUSES,
    Abandon,
    Advance,
    Commit,
    Event,
    Halt,
    Rerun,
    Reset,
    Resolve,
    Rollback,
    Start,
    State,
)

_SHA256 = re.compile(r"[0-9a-f]{64}")

_EVENTS: dict[str, Callable[..., Event]] = {
    "start": Start,
    "advance": Advance,
    "rerun": Rerun,
    "rollback": Rollback,
    "resolve": Resolve,
    "reset": Reset,
    "abandon": Abandon,
    "commit": Commit,
}


def event_name(event: Event) -> str:
    return type(event).__name__.lower()


def state_to_json(state: State) -> dict[str, Any]:
    halt = state.halt
    return {
        "stage": state.stage,
        "status": state.status,
        "visits": dict(state.visits),
        "event": {"kind": event_name(state.event), **as_dict(state.event)},
        "entered": dict(state.entered),
        "halt": halt and {"target": halt.target, "branch": halt.branch, "reason": halt.reason},
        "metadata": dict(state.metadata),
    }


def state_from_json(data: Mapping[str, Any], where: str) -> State:
    try:
        halt = data["halt"]
        if data["status"] not in STATUSES:
            raise ValueError(f"unknown status {data['status']!r}")
        return State(
            stage=Word(text(data["stage"])),
            status=data["status"],
            visits={stage: integer(count) for stage, count in data["visits"].items()},
            event=_event_from_json(data["event"]),
            entered={name: text_or_none(digest) for name, digest in data["entered"].items()},
            halt=_halt_from_json(halt) if halt else None,
            metadata={key: text(value) for key, value in data["metadata"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError, InvalidName) as error:
        raise Corrupt(f"not the state of a run: {error!r}", where=where) from None


def _event_from_json(data: Mapping[str, Any]) -> Event:
    """Every field of the event, each of its type, and no other."""
    fields = dict(data)
    kind = _EVENTS[text(fields.pop("kind"))]
    return kind(**{name: _READERS[name](value) for name, value in fields.items()})


def _halt_from_json(data: Mapping[str, Any]) -> Halt:
    return Halt(Word(text(data["target"])), text_or_none(data["branch"]), text(data["reason"]))


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def _digest(value: str) -> str:
    if not _SHA256.fullmatch(value):
        raise ValueError(f"{value!r} is no digest")
    return value


_READERS: dict[str, Callable[[Any], Any]] = {
    "stage": lambda value: Word(text(value)),
    "visit": integer,
    "branch": text_or_none,
    "force": _flag,
    "shown": lambda value: tuple(text(lesson) for lesson in value),
    "concerns": text,
    "to": lambda value: _digest(value) if isinstance(value, str) else integer(value),
    "clean": _flag,
    "code": text,
    "paths": lambda value: tuple(text(path) for path in value),
    "left_out": integer,
}
