"""Whatever is handed to the public interface, what comes back is a code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pipelining import WRITER, saying

from relay_git.pipeline import (
    Code,
    Failure,
    Fork,
    JoinStrategy,
    Manifest,
    Pipeline,
    PipelineError,
    git_steps,
    memory_steps,
    retry,
    schemas,
)
from relay_git.pipeline.tokens import MOST

WRONG: list[Any] = [7, 0.5, "word", b"bytes", [], {}, (1,), ..., True]


def opened(**options: Any) -> Pipeline:
    return Pipeline.open(memory_steps(), "demo", **{"payload": {"FACTS": ["a"]}, **options})


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        *(("rules", wrong) for wrong in (7, 0.5, object(), [7], "rule")),
        *(("observers", wrong) for wrong in (7, 0.5, object(), [7], None)),
        *(("on_reject", wrong) for wrong in (*WRONG, None)),
        *(("packer", wrong) for wrong in (7, object(), "pack", (1,))),
        *(("counter", wrong) for wrong in (7, object(), len)),
    ],
)
def test_an_option_of_another_kind_is_refused(option: str, wrong: Any) -> None:
    with pytest.raises(PipelineError) as refused:
        opened(**{option: wrong})
    assert refused.value.code == Code.INVALID_SETTING


@pytest.mark.parametrize("budget", [-1, True, 0.5, "8000", MOST + 1, 10**30])
def test_a_budget_is_a_number_that_a_record_can_hold(budget: Any) -> None:
    with pytest.raises(PipelineError) as refused:
        opened(token_budget=budget)
    assert refused.value.code == Code.INVALID_SETTING


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_what_is_no_store_no_schema_and_no_number_of_times_is_refused(wrong: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: schemas({"FACTS": {"$schema": wrong, "type": "no"}})
    ]
    calls += [] if isinstance(wrong, str) else [lambda: Pipeline.open(wrong, "demo")]
    calls += [] if isinstance(wrong, str) else [lambda: git_steps(wrong)]
    calls += [] if isinstance(wrong, dict) else [lambda: schemas(wrong)]
    calls += [] if wrong == 7 else [lambda: retry(wrong)]
    for call in calls:
        with pytest.raises(PipelineError) as refused:
            call()
        assert refused.value.code == Code.INVALID_SETTING


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_a_step_of_what_is_no_manifest_no_agent_and_no_fork_is_a_failure(wrong: Any) -> None:
    pipeline = opened()
    good = saying(FACTS=["b"])
    results = {
        Code.INVALID_MANIFEST: [
            pipeline.step_sync(wrong, good),
            pipeline.fork_sync([Fork("f", wrong, good)]),
        ],
        Code.AGENT_FAILED: [
            pipeline.step_sync(WRITER, wrong),
            pipeline.fork_sync([Fork("f", WRITER, wrong)]),
        ],
        Code.INVALID_FORK: [
            pipeline.fork_sync(wrong),
            pipeline.fork_sync([wrong]),
            pipeline.fork_sync([Fork("f", WRITER, good)], wrong),
        ],
        Code.NO_SUCH_STEP: [pipeline.rollback(wrong), pipeline.snapshot_at(wrong)],
    }
    for code, every in results.items():
        for result in every:
            assert isinstance(result, Failure) and result.code == code, result
    assert pipeline.head.step == 1
    assert pipeline.fork_sync([Fork("f", WRITER, good)], JoinStrategy.VOTE).unwrap().step == 2


@pytest.mark.parametrize("field", ["max_tokens", "max_output"])
@pytest.mark.parametrize("limit", [MOST + 1, 10**30, False, 0.5])
def test_a_limit_is_a_number_that_a_record_can_hold(field: str, limit: Any) -> None:
    with pytest.raises(PipelineError) as refused:
        Manifest("writer", **{field: limit})
    assert refused.value.code == Code.INVALID_MANIFEST


def test_a_task_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(PipelineError) as refused:
        Manifest("writer", task="\ud800")
    assert refused.value.code == Code.INVALID_MANIFEST
