"""What a step does, in which order, and what it leaves when something is wrong with it."""

from __future__ import annotations

import asyncio
import heapq
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pipelining import WRITER, Place, saying
from support import git

from relay_git import names
from relay_git.git.store import Move
from relay_git.names import Word
from relay_git.pipeline import (
    Code,
    Failure,
    Fork,
    Manifest,
    Pipeline,
    PipelineError,
    RolledBack,
    Slice,
    Snapshot,
    Success,
    pinned,
    retry,
)

TICKETS = [{"id": 1, "text": "The timer fires twice."}, {"id": 2, "text": "No retry at all."}]
EXTRACTOR = Manifest("extractor", reads=["TICKETS"], writes=["FACTS"])
THREE = ["red", "green", "blue"]


@pytest.fixture
def pipeline(here: Place) -> Pipeline:
    return Pipeline.open(here.steps, "demo", payload={"TICKETS": TICKETS}, rules=[pinned("FACTS")])


def test_a_step_that_adds_three_short_texts_passes(pipeline: Pipeline) -> None:
    result = pipeline.step_sync(EXTRACTOR, saying(FACTS=THREE))
    assert isinstance(result, Success) and result.report
    assert result.report.diff.added == ("FACTS",)
    assert pipeline.head == result.value
    assert pipeline.head.payload == {"FACTS": THREE, "TICKETS": TICKETS}


def test_a_step_that_drops_a_pinned_fact_is_rolled_back_and_its_output_kept(
    pipeline: Pipeline, here: Place
) -> None:
    before = pipeline.step_sync(EXTRACTOR, saying(FACTS=THREE)).unwrap()
    result = pipeline.step_sync(EXTRACTOR, saying(FACTS=THREE[1:]))
    assert isinstance(result, RolledBack)
    assert (result.code, result.value.step) == (Code.PIN_DROPPED, 3)
    assert result.rejected.payload == {"FACTS": THREE[1:], "TICKETS": TICKETS}
    assert pipeline.head.payload == before.payload
    assert pipeline.head.budget_used == before.budget_used
    again = Pipeline.open(here.again(), "demo")
    assert again.rejected_at(3) == Success(result.rejected)
    assert again.head.event.findings == result.report.findings
    with pytest.raises(PipelineError, match="pinned") as found:
        result.unwrap()
    assert found.value.code == Code.PIN_DROPPED


def test_an_output_that_says_nothing_scores_nothing(pipeline: Pipeline) -> None:
    pipeline.step_sync(EXTRACTOR, saying(FACTS=THREE)).unwrap()
    for nothing in ({}, {"FACTS": THREE}, {"FACTS": [*THREE, "", " \n", {}, []]}):
        result = pipeline.step_sync(EXTRACTOR, saying(**nothing))
        told = isinstance(result, Success) and result.report and result.report.confidence
        assert told == (0.0 if nothing != {"FACTS": [*THREE, "", " \n", {}, []]} else 1.0)
    blank = pipeline.step_sync(Manifest("a", writes=["NOTES"]), saying(NOTES=["", {"a": None}]))
    assert isinstance(blank, Success) and blank.report and blank.report.confidence == 0.0


def test_over_budget_the_agent_is_not_asked_and_to_reach_it_is_allowed(here: Place) -> None:
    def asked(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        calls.append(given.tokens)
        return {"FACTS": "abc"}

    calls: list[int] = []
    manifest = EXTRACTOR.replace(max_output=20)
    tight = Pipeline.open(here.steps, "tight", token_budget=20, payload={})
    assert isinstance(tight.step_sync(manifest, asked), Success)
    assert calls == [0]
    result = tight.step_sync(manifest, asked)
    assert isinstance(result, Failure) and result.code == Code.BUDGET_EXCEEDED
    assert len(calls) == 1 and tight.head.step == 2


def test_usage_grows_by_slice_and_output_and_only_when_accepted(pipeline: Pipeline) -> None:
    taken: list[int] = []

    def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        taken.append(given.tokens)
        return {"FACTS": THREE}

    head = pipeline.step_sync(EXTRACTOR, agent).unwrap()
    assert taken[0] > 0
    assert head.budget_used == taken[0] + head.event.output_tokens
    assert head.event.output_tokens > 0
    for bad in (saying(PLAN=1), saying(FACTS=[]), saying(FACTS=object())):
        assert not isinstance(pipeline.step_sync(EXTRACTOR, bad), Success)
    assert pipeline.head.budget_used == head.budget_used
    back = pipeline.rollback(1).unwrap()
    assert back.budget_used == head.budget_used


def test_a_step_changes_only_what_it_writes_and_none_takes_out(pipeline: Pipeline) -> None:
    manifest = Manifest("tidy", writes=["TICKETS", "NOTES"])
    head = pipeline.step_sync(manifest, saying(TICKETS=None, NOTES="done")).unwrap()
    assert head.payload == {"NOTES": "done"}
    assert pipeline.rollback(1).unwrap().payload == {"TICKETS": TICKETS}


def test_an_agent_sees_what_it_declares_read_only_and_nothing_else(pipeline: Pipeline) -> None:
    seen: list[Slice] = []

    def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        seen.append(given)
        with pytest.raises(TypeError):
            given["TICKETS"][0]["text"] = "mine"
        with pytest.raises(TypeError):
            given.sections["TICKETS"].append(1)
        assert json.loads(json.dumps(given.sections)) == {"TICKETS": TICKETS}
        return {"FACTS": "x"}

    manifest = EXTRACTOR.replace(reads=["TICKETS", "ABSENT"])
    pipeline.step_sync(Manifest("a", writes=["SECRET"]), saying(SECRET="s")).unwrap()
    pipeline.step_sync(manifest, agent).unwrap()
    assert (seen[0].step, seen[0].agent_id, seen[0].run) == (2, "extractor", pipeline.head.run)


def test_what_an_agent_does_to_its_slice_behind_our_back_reaches_nobody(
    pipeline: Pipeline,
) -> None:
    """Code in C, such as heapq's, changes lists that refuse it."""

    def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        heapq.heappush(given["FACTS"], "a")
        dict.clear(given["TICKETS"][0])
        return {"NOTES": "x"}

    pipeline.step_sync(EXTRACTOR, saying(FACTS=["b"])).unwrap()
    manifest = Manifest("a", reads=["FACTS", "TICKETS"], writes=["NOTES"])
    for _ in range(2):
        head = pipeline.step_sync(manifest, agent).unwrap()
    assert head.payload == {"FACTS": ["b"], "NOTES": "x", "TICKETS": TICKETS}
    result = pipeline.step_sync(EXTRACTOR, saying(FACTS=["b", "c"]))
    assert isinstance(result, Success) and result.report
    assert [change.path for change in result.report.diff.changes] == ["FACTS/1"]


def test_a_payload_that_is_changed_changes_nothing_else(pipeline: Pipeline) -> None:
    pipeline.head.payload["TICKETS"].clear()
    assert pipeline.head.payload == {"TICKETS": TICKETS}


def test_coroutines_and_functions_work_awaited_or_not(pipeline: Pipeline) -> None:
    async def coroutine(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        return {"NOTES": given.step}

    def lazy(given: Slice, manifest: Manifest) -> Any:
        return coroutine(given, manifest)

    async def many() -> list[int]:
        return [(await pipeline.step(manifest, agent)).unwrap().step for agent in agents]

    agents: list[Any] = [coroutine, lazy, saying(NOTES="plain")]
    manifest = Manifest("a", writes=["NOTES"])
    assert [pipeline.step_sync(manifest, agent).unwrap().step for agent in agents] == [2, 3, 4]
    assert asyncio.run(many()) == [5, 6, 7]
    assert pipeline.head.payload["NOTES"] == "plain"


def test_a_loop_that_runs_is_no_place_to_wait_for_a_coroutine(pipeline: Pipeline) -> None:
    async def coroutine(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        return {"FACTS": THREE}

    async def inside() -> object:
        return pipeline.step_sync(EXTRACTOR, coroutine)

    result = asyncio.run(inside())
    assert isinstance(result, Failure) and "await pipeline.step" in result.reason


def test_other_steps_go_on_while_one_agent_thinks(pipeline: Pipeline) -> None:
    async def both() -> tuple[object, object]:
        gate = asyncio.Event()

        async def slow(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
            await gate.wait()
            return {"NOTES": given.step}

        async def quick(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
            return {"FACTS": THREE}

        waiting = asyncio.create_task(pipeline.step(Manifest("slow", writes=["NOTES"]), slow))
        await asyncio.sleep(0)
        done = await pipeline.step(EXTRACTOR, quick)
        gate.set()
        return done, await waiting

    first, second = asyncio.run(both())
    assert isinstance(first, Success) and isinstance(second, Success)
    assert (first.value.step, second.value.step) == (2, 3)
    assert (second.value.event.sliced_at, second.value.record.commit.parents) == (
        1,
        (first.value.id,),
    )
    assert second.value.payload == {"FACTS": THREE, "NOTES": 1, "TICKETS": TICKETS}


def test_an_output_is_validated_again_on_a_head_that_moved(here: Place) -> None:
    rules = [pinned("FACTS")]
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": ["a"]}, rules=rules)
    other = Pipeline.open(here.again(), "demo", rules=rules)

    def overtaken(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        other.step_sync(WRITER, saying(FACTS=["a", "theirs"])).unwrap()
        return {"FACTS": ["a", "mine"]}

    result = pipeline.step_sync(WRITER, overtaken)
    assert isinstance(result, RolledBack) and result.code == Code.PIN_DROPPED
    assert pipeline.head.payload == {"FACTS": ["a", "theirs"]}


def test_a_rejected_agent_is_asked_again_as_often_as_the_policy_says(here: Place) -> None:
    answers: Iterator[dict[str, Any]]
    answers = iter([{"PLAN": 1}, {"PLAN": 2}, {"FACTS": "at last"}])
    steps = Pipeline.open(here.steps, "demo", on_reject=retry(2))
    assert steps.step_sync(EXTRACTOR, lambda g, m: next(answers)).unwrap().step == 4
    answers = iter([{"PLAN": 1}, {"PLAN": 2}, {"PLAN": 3}, {"FACTS": "too late"}])
    assert isinstance(steps.step_sync(EXTRACTOR, lambda g, m: next(answers)), RolledBack)
    assert next(answers) == {"FACTS": "too late"}


def test_an_open_pipeline_resumes_with_what_was_there(here: Place) -> None:
    first = Pipeline.open(here.steps, "demo", token_budget=500, payload={"A": 1})
    head = first.step_sync(Manifest("a", writes=["B"], max_output=100), saying(B=2)).unwrap()
    again = Pipeline.open(here.again(), "demo", token_budget=500, payload={"A": "not looked at"})
    assert again.head == head
    manifest = Manifest("a", writes=["B"], max_output=9)
    assert again.step_sync(manifest, saying(B=3)).unwrap().step == 3


def test_secrets_are_masked_before_anything_is_stored(here: Place) -> None:
    pipeline = Pipeline.open(here.steps, "demo")
    token = "ghp_" + "a1B2" * 9
    secrets = {
        "NOTES": {"log": [f"used {token} today"], "password": "hunter2hunter2", token: token}
    }
    manifest = Manifest("a", writes=["NOTES"])
    head = pipeline.step_sync(manifest, saying(**secrets)).unwrap()
    assert token not in json.dumps(head.payload)
    assert "hunter2" not in json.dumps(head.payload)
    assert head.event.masked == ("NOTES",)


def test_a_pipeline_looks_back_and_lists_its_steps(pipeline: Pipeline) -> None:
    pipeline.step_sync(EXTRACTOR, saying(FACTS=THREE)).unwrap()
    pipeline.step_sync(EXTRACTOR, saying(PLAN=1))
    assert [(s.step, s.event.kind) for s in pipeline.history()] == [
        (3, "rollback"),
        (2, "step"),
        (1, "start"),
    ]
    assert pipeline.snapshot_at(1).unwrap().payload == {"TICKETS": TICKETS}
    missing = pipeline.rejected_at(2)
    assert isinstance(missing, Failure) and missing.code == Code.NO_SUCH_STEP


def test_a_rejected_output_that_was_exchanged_is_refused(here: Place) -> None:
    pipeline = Pipeline.open(here.steps, "demo", payload={"TICKETS": TICKETS})
    one = pipeline.step_sync(EXTRACTOR, saying(PLAN=1))
    two = pipeline.step_sync(EXTRACTOR, saying(PLAN=2))
    assert isinstance(one, RolledBack) and isinstance(two, RolledBack)
    commit = two.value.record.commit
    forged = commit.replace(parents=(commit.parents[0], one.rejected.id))
    step = here.steps.load(two.value.state.pipeline, here.port.put_commit(forged))
    from relay_git.pipeline.kept import rejected_of

    with pytest.raises(PipelineError) as found:
        rejected_of(here.steps, step)
    assert found.value.code == Code.TAMPERED


PROCESS = """
import sys
from relay_git.pipeline import Manifest, Pipeline, pinned
me, path = sys.argv[1:]
pipeline = Pipeline.open(path, "shared", token_budget=10**6, rules=[pinned("FACTS")])
manifest = Manifest(me, reads=["FACTS"], writes=["FACTS"])
print("ready", flush=True)
sys.stdin.readline()
for number in range(8):
    def agent(given, manifest):
        return {"FACTS": [*given.sections.get("FACTS", []), f"{me}{number}"]}
    print(type(pipeline.step_sync(manifest, agent)).__name__, flush=True)
"""


def test_two_processes_on_one_pipeline_never_commit_what_its_parent_forbids(
    repo_path: Path,
) -> None:
    command = [sys.executable, "-P", "-c", PROCESS]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([*command, me, str(repo_path)], **pipe) for me in "ab"]  # type: ignore[call-overload]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    results = [process.communicate(timeout=120)[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    accepted = [result for some in results for result in some]
    assert len(accepted) == 16 and set(accepted) <= {"Success", "RolledBack"}
    with Pipeline.open(repo_path, "shared") as pipeline:
        steps = pipeline.history()[::-1]
    assert len(steps) == 17
    facts = [step.payload.get("FACTS", []) for step in steps]
    for before, after in pairwise(facts):
        assert isinstance(before, list) and isinstance(after, list)
        assert after[: len(before)] == before, "a step was committed that drops a pinned fact"
    assert isinstance(facts[-1], list)
    assert len(facts[-1]) == accepted.count("Success")
    assert git(repo_path, "fsck", "--strict", "--no-dangling") == ""


def test_many_threads_may_use_one_pipeline(here: Place) -> None:
    """Each writes a section of its own; what one reads may be older than what another wrote."""
    pipeline = Pipeline.open(here.steps, "demo", token_budget=10**6)
    results = []

    def work(name: str) -> None:
        def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
            return {name: [*given.sections.get(name, []), given.step]}

        for _ in range(6):
            results.append(pipeline.step_sync(Manifest("w", [name], [name]), agent))

    threads = [threading.Thread(target=work, args=(name,)) for name in "ABCDE"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result for result in results if not isinstance(result, Success)] == []
    assert {name: len(value) for name, value in pipeline.head.payload.items()} == dict.fromkeys(
        "ABCDE", 6
    )


def test_a_head_that_another_thread_passed_meanwhile_has_not_gone_back(
    here: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = Pipeline.open(here.steps, "demo")
    read = here.steps.head

    def overtaken(name: Word) -> Snapshot | None:
        head = read(name)
        monkeypatch.setattr(here.steps, "head", read)
        pipeline.step_sync(EXTRACTOR, saying(FACTS=THREE)).unwrap()
        return head

    monkeypatch.setattr(here.steps, "head", overtaken)
    assert pipeline.step_sync(Manifest("a", writes=["NOTES"]), saying(NOTES=1)).unwrap().step == 3


def test_of_several_that_create_at_once_one_does_and_all_use_it(repo_path: Path) -> None:
    gate, opened = threading.Barrier(4), []

    def create() -> None:
        gate.wait()
        opened.append(Pipeline.open(repo_path, "demo"))

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 4
    assert len({pipeline.head.run for pipeline in opened}) == 1
    assert len(git(repo_path, "for-each-ref", "refs/relay/runs").splitlines()) == 1
    for pipeline in opened:
        pipeline.close()


@pytest.mark.parametrize("forked", [False, True])
def test_what_was_made_for_a_run_that_ended_is_written_into_no_other(
    here: Place, forked: bool
) -> None:
    def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        Pipeline.open(beside, "demo").end().unwrap()
        Pipeline.open(beside, "demo", payload={"FACTS": ["new"]})
        return {"PLAN": "for the old one"}

    beside, planner = here.again(), Manifest("planner", ["FACTS"], ["PLAN"])
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": ["old"]})
    if forked:
        result = pipeline.fork_sync([Fork("f", planner, agent)])
    else:
        result = pipeline.step_sync(planner, agent)
    assert isinstance(result, Failure) and result.code == Code.NO_SUCH_STEP
    assert "has ended" in result.reason
    assert (pipeline.head.step, pipeline.head.payload) == (1, {"FACTS": ["new"]})
    assert here.port.refs(names.FORKS) == {}


def test_an_old_head_that_somebody_put_back_is_refused_in_every_store(here: Place) -> None:
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": ["a"]})
    first = pipeline.head
    head = pipeline.step_sync(WRITER, saying(FACTS=["b"])).unwrap()
    here.port_again().move(Move(names.run_ref(head.run), head.id, first.id))
    for result in (
        pipeline.step_sync(WRITER, saying(FACTS=["c"])),
        pipeline.fork_sync([Fork("f", WRITER, saying(FACTS=["c"]))]),
        pipeline.rollback(1),
        pipeline.end(),
    ):
        assert isinstance(result, Failure) and result.code == Code.STALE_NONCE
    assert here.port.ref(names.run_ref(head.run)) == first.id
