"""The log `relay.audit`: a line of JSON for everything that happens, and no content in any."""

from __future__ import annotations

import json
import logging
import logging.handlers
import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pipelining import WRITER, place, saying

from relay_git import names
from relay_git.pipeline import (
    Checked,
    Code,
    Failure,
    Finding,
    Moment,
    Pipeline,
    PipelineError,
    RolledBack,
    Success,
    memory_steps,
    pinned,
    retry,
)
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.memory import MemoryKeys, MemoryStore
from relay_git.pipeline.watch import Watch

AUDIT = logging.getLogger("relay.audit")
TOKEN = "ghp_" + "a1B2" * 9
CONTENT = "ivory-lighthouse"
ENDS = ("step_accepted", "step_rejected", "step_failed")
Lines = Callable[[], list[dict[str, Any]]]


class Keeping(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture
def attached() -> Iterator[Callable[[logging.Handler], None]]:
    """Attach a handler for the time of the test."""
    handlers: list[logging.Handler] = []

    def attach(handler: logging.Handler) -> None:
        handlers.append(handler)
        AUDIT.addHandler(handler)
        AUDIT.setLevel(logging.INFO)

    yield attach
    AUDIT.setLevel(logging.NOTSET)
    for handler in handlers:
        AUDIT.removeHandler(handler)


@pytest.fixture
def lines(attached: Callable[[logging.Handler], None]) -> Lines:
    """What was logged so far, read back."""
    keeping = Keeping()
    attached(keeping)
    return lambda: [json.loads(line) for line in keeping.lines]


def opened(**options: Any) -> Pipeline:
    options = {"payload": {"FACTS": ["a"]}, "rules": [pinned("FACTS")], **options}
    return Pipeline.open(memory_steps(), "demo", **options)


def events(lines: Lines) -> list[str]:
    return [line["event"] for line in lines()]


def test_an_accepted_step_is_told_from_start_to_end(
    lines: Lines, at: Callable[[int], None]
) -> None:
    at(1_777_368_600)
    with opened() as pipeline:
        head = pipeline.step_sync(WRITER, saying(FACTS=["a", "b"])).unwrap()
    common = {"pipeline": "demo", "ts": "2026-04-28T09:30:00Z"}
    opening, *step, closing = lines()
    id, within = step[0]["id"], opening["id"]
    inside = {**common, "id": id, "within": within, "agent": "writer", "run": head.run, "step": 2}
    tokens = head.event.slice_tokens + head.event.output_tokens
    done = {"sections": ["FACTS"], "tokens": tokens, "confidence": 1.0}
    assert id != within
    assert opening == {
        **common,
        "event": "pipeline_opened",
        "id": within,
        "run": head.run,
        "step": 1,
    }
    assert step == [
        {**inside, "event": "step_started"},
        {**inside, "event": "agent_called"},
        {**inside, "event": "agent_answered"},
        {**inside, "event": "step_accepted", **done},
    ]
    assert closing == {**common, "event": "pipeline_closed", "id": within}


def test_a_rejected_step_tells_what_was_found_and_where_it_went_back_to(lines: Lines) -> None:
    result = opened().step_sync(WRITER, saying(FACTS=[], PLAN="x"))
    assert isinstance(result, RolledBack)
    last = lines()[-1]
    assert (last["event"], last["code"]) == ("step_rejected", "UNDECLARED_WRITE")
    assert last["reason"] == "UNDECLARED_WRITE in PLAN; PIN_DROPPED in FACTS"
    assert (last["step"], last["rolled_back_to"]) == (2, 1)
    assert last["sections"] == ["FACTS", "PLAN"]
    assert last["tokens"] > 0 and 0 <= last["confidence"] < 1


def test_every_try_of_a_retried_step_is_told_apart(lines: Lines) -> None:
    answers: Iterator[dict[str, Any]] = iter([{"PLAN": 1}, {"FACTS": ["a", "b"]}])
    opened(on_reject=retry(1)).step_sync(WRITER, lambda given, manifest: next(answers)).unwrap()
    told = [(line["event"], line["step"]) for line in lines() if line["event"] in ENDS]
    assert told == [("step_rejected", 2), ("step_accepted", 3)]
    assert len({line["id"] for line in lines()}) == 3


def test_an_over_budget_step_is_refused_and_fails_without_an_agent(lines: Lines) -> None:
    opened(token_budget=10).step_sync(WRITER, saying(FACTS=1))
    assert events(lines)[1:] == ["step_started", "budget_refused", "step_failed"]
    *_, refused, failed = lines()
    assert refused["code"] == failed["code"] == "BUDGET_EXCEEDED"
    assert "over the limit of 10" in refused["reason"]


def test_all_else_that_a_pipeline_does_is_told(lines: Lines) -> None:
    steps = memory_steps()
    pipeline = Pipeline.open(steps, "demo", payload={"FACTS": 1})
    pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap()
    Pipeline.open(steps, "demo").rotate_key()
    pipeline.rollback(1).unwrap()
    pipeline.end().unwrap()
    inside = ("step_", "agent_")
    told = [line for line in lines() if not line["event"].startswith(inside)]
    assert [(line["event"], line.get("step"), line.get("rolled_back_to")) for line in told] == [
        ("pipeline_opened", 1, None),
        ("pipeline_resumed", 2, None),
        ("key_rotated", None, None),
        ("rolled_back", 3, 1),
        ("pipeline_ended", 4, None),
    ]


def test_a_history_that_is_not_to_be_trusted_is_told_whoever_looks(lines: Lines) -> None:
    port = MemoryStore()
    keys = MemoryKeys()
    pipeline = Pipeline.open(ChainSteps(port, keys, tuple), "demo", payload={"FACTS": 1})
    first = pipeline.head
    pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap()
    port.tips[names.run_ref(first.run)] = first.id
    assert isinstance(pipeline.step_sync(WRITER, saying(FACTS=3)), Failure)
    assert events(lines)[-2:] == ["step_failed", "history_refused"]
    with pytest.raises(PipelineError):
        assert pipeline.head
    port.objects[first.id] = b"commit 0"
    with pytest.raises(PipelineError):
        Pipeline.open(ChainSteps(port, keys, tuple), "demo")
    refused = [line["code"] for line in lines() if line["event"] == "history_refused"]
    assert refused == ["STALE_NONCE", "STALE_NONCE", "TAMPERED"]


def _raising(error: Exception) -> Any:
    def agent(*given: object) -> Any:
        raise error

    return agent


def _quoting(*given: object) -> Checked:
    return Checked(1, (Finding(Code.PIN_DROPPED, "FACTS", f"{CONTENT} {TOKEN} is gone"),))


LEAKING: list[tuple[str, Any, dict[str, Any]]] = [
    ("accepted", saying(FACTS=[CONTENT, "more", TOKEN]), {}),
    ("rejected", saying(FACTS=TOKEN), {"rules": [pinned("FACTS")]}),
    ("a finding", saying(FACTS=[TOKEN]), {"rules": [_quoting]}),
    ("an agent", _raising(ValueError(f"{CONTENT} {TOKEN}")), {}),
    ("an agent without a file", _raising(FileNotFoundError(2, "no file", CONTENT)), {}),
    ("a rule", saying(FACTS=1), {"rules": [_raising(KeyError(f"{CONTENT} {TOKEN}"))]}),
    ("a name", lambda given, manifest: {f"{CONTENT} {TOKEN}": 1}, {}),
    ("a key", lambda given, manifest: {"FACTS": {(CONTENT, TOKEN): 1}}, {}),
    ("a secret name", lambda given, manifest: {TOKEN: 1}, {}),
]


@pytest.mark.parametrize(
    ("agent", "options"), [case[1:] for case in LEAKING], ids=[case[0] for case in LEAKING]
)
def test_neither_content_nor_secrets_are_ever_told(
    agent: Any, options: dict[str, Any], attached: Callable[[logging.Handler], None]
) -> None:
    keeping = Keeping()
    attached(keeping)
    pipeline = opened(**{"payload": {"FACTS": [CONTENT]}, "rules": [], **options})
    pipeline.step_sync(WRITER, agent)
    told = "\n".join(keeping.lines)
    assert any(f'"{event}"' in told for event in ENDS)
    assert CONTENT not in told and TOKEN not in told


def test_of_a_foreign_error_its_type_is_told(lines: Lines) -> None:
    opened().step_sync(WRITER, _raising(ValueError(CONTENT)))
    last = lines()[-1]
    assert (last["code"], last["reason"]) == ("AGENT_FAILED", "ValueError")


def test_nothing_is_put_together_while_nobody_listens(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[str] = []

    def secrets() -> tuple[str, ...]:
        asked.append("what is secret here")
        return ()

    def step() -> None:
        with watch.step("writer") as turn:
            turn.started(made.value)
            turn.ended(made)

    done = opened().step_sync(WRITER, saying(FACTS=["a", "b"]))
    assert isinstance(done, Success)
    made: Success = done
    watch = Watch("demo", secrets, ())
    step()
    assert not asked
    with caplog.at_level(logging.INFO, logger="relay.audit"):
        step()
    assert len(asked) == len(caplog.messages) == 2
    step()
    assert len(asked) == 2


class Raising(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise OSError("the disk is full")


class Unprintable(logging.Handler):
    """As handlers do, what goes wrong is left to `handleError`, which is broken too."""

    def emit(self, record: logging.LogRecord) -> None:
        self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        raise RuntimeError("nowhere to say so")


@pytest.mark.parametrize("kind", ["git", "memory"])
@pytest.mark.parametrize("sink", [Raising, Unprintable])
def test_a_sink_that_raises_fails_no_step_and_is_reported_once(
    sink: type[logging.Handler],
    kind: str,
    repo_path: Path,
    attached: Callable[[logging.Handler], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    attached(sink())
    here = place(kind, repo_path)
    with Pipeline.open(here.steps, "demo", payload={"FACTS": 1}) as pipeline:
        for number in (2, 3):
            assert pipeline.step_sync(WRITER, saying(FACTS=number)).unwrap().step == number
        assert isinstance(pipeline.step_sync(WRITER, _raising(ValueError("no"))), Failure)
        assert pipeline.rollback(1).unwrap().payload == {"FACTS": 1}
    reports = [record for record in caplog.records if record.name == "relay.observers"]
    assert [record.levelname for record in reports] == ["WARNING"]
    assert "audit" in reports[0].getMessage()


def test_any_sink_of_logging_can_be_attached(
    attached: Callable[[logging.Handler], None], tmp_path: Path
) -> None:
    waiting: queue.Queue[logging.LogRecord] = queue.Queue()
    attached(logging.handlers.QueueHandler(waiting))
    attached(file := logging.FileHandler(tmp_path / "audit.jsonl"))
    opened().step_sync(WRITER, saying(FACTS=["a", "é\n"])).unwrap()
    file.close()
    written = (tmp_path / "audit.jsonl").read_text().splitlines()
    queued = [waiting.get_nowait().getMessage() for _ in range(waiting.qsize())]
    assert written == queued
    assert json.loads(written[-1])["event"] == Moment.STEP_ACCEPTED
