"""Results are values: other processes are handed them, and secrets are in none of their names."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from pipelining import WRITER, forks, saying

from relay_git.errors import Conflict, MissingObject, RelayError
from relay_git.names import Oid
from relay_git.pipeline import (
    AgentOutput,
    Code,
    Failure,
    Fork,
    Manifest,
    Pipeline,
    PipelineError,
    Slice,
    memory_steps,
    pinned,
)
from relay_git.pipeline.memory import MemoryStore

TOKEN = "ghp_" + "aB1c" * 9


def opened(**options: Any) -> Pipeline:
    return Pipeline.open(memory_steps(), "demo", **{"payload": {"FACTS": ["a"]}, **options})


def test_what_comes_back_can_be_copied_and_handed_to_other_processes() -> None:
    pipeline, seen = opened(rules=[pinned("FACTS")]), []

    def agent(given: Slice, manifest: Manifest) -> AgentOutput:
        seen.append(given)
        return AgentOutput("mine", text="b", structured={"FACTS": ["a", "b"]})

    results = [
        pipeline.step_sync(WRITER, agent),
        pipeline.step_sync(WRITER, saying(FACTS=[])),
        pipeline.step_sync(WRITER, saying(FACTS=object())),
        pipeline.fork_sync(forks(f=saying(F=1), g=saying(G=2))),
        pipeline.fork_sync([Fork(n, WRITER, saying(FACTS=["a", "b", n])) for n in "fg"]),
    ]
    for value in (*results, seen[0], AgentOutput("mine", text="b"), pipeline.head, WRITER):
        for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
            assert again == value and type(again) is type(value)
    assert [type(one).__name__ for one in results] == [
        *("Success", "RolledBack", "Failure"),
        *("Success", "RolledBack"),
    ]


@pytest.mark.parametrize(
    "error",
    [
        PipelineError(Code.TAMPERED, "other bytes", where="somewhere"),
        RelayError("wrong", where="here", hint="do it right"),
        Conflict("refs/relay/x", None, "1" * 40),
        MissingObject(Oid("2" * 40), "here"),
    ],
)
def test_errors_can_too(error: RelayError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)
    assert again.__dict__ == error.__dict__


def test_a_secret_is_no_name_of_anything() -> None:
    pipeline = opened()
    secret = Manifest(TOKEN, writes=["FACTS"])
    results = [
        pipeline.step_sync(secret, saying(FACTS=["b"])),
        pipeline.step_sync(Manifest("w", writes=[TOKEN]), saying(**{TOKEN: 1})),
        pipeline.fork_sync([Fork(TOKEN, WRITER, saying(FACTS=["b"]))]),
        pipeline.fork_sync([Fork("f", secret, saying(FACTS=["b"]))]),
    ]
    assert [result.code for result in results if isinstance(result, Failure)] == [
        *(Code.INVALID_MANIFEST, Code.INVALID_OUTPUT),
        *(Code.INVALID_FORK, Code.INVALID_MANIFEST),
    ]
    calls: list[Callable[[], object]] = [
        lambda: opened(payload={TOKEN: 1}),
        lambda: Pipeline.open(memory_steps(), TOKEN),
    ]
    for call in calls:
        with pytest.raises(PipelineError) as refused:
            call()
        results.append(Failure(refused.value.code, str(refused.value)))
    assert TOKEN not in repr(results)
    port = pipeline._store._store  # type: ignore[attr-defined]
    assert isinstance(port, MemoryStore)
    assert not any(TOKEN.encode() in raw for raw in port.objects.values())
    assert TOKEN not in repr(port.tips)
