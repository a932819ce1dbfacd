"""Forks that start from one step, and what each way of joining them leaves."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from flow import done
from pipelining import Place, saying

from relay_git import names
from relay_git.chain.chain import Draft, write
from relay_git.chain.verify import Past
from relay_git.pipeline import (
    Code,
    Failure,
    Fork,
    JoinStrategy,
    Manifest,
    Pipeline,
    PipelineError,
    RolledBack,
    Slice,
    Success,
    pinned,
    retry,
)
from relay_git.pipeline.consistency import rule

UNION, VOTE = JoinStrategy.UNION, JoinStrategy.VOTE
MAJORITY, FIRST_WINS = JoinStrategy.MAJORITY, JoinStrategy.FIRST_WINS


@pytest.fixture
def pipeline(here: Place) -> Pipeline:
    payload = {"FACTS": ["a"], "PLAN": "p"}
    return Pipeline.open(here.steps, "demo", payload=payload, rules=[pinned("FACTS")])


def fork(name: str, agent: Any = None, **changes: Any) -> Fork:
    writes = list(changes) or ["FACTS", "PLAN"]
    return Fork(name, Manifest(name, reads=["FACTS"], writes=writes), agent or saying(**changes))


def failing(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
    raise ValueError("no answer")


def unjoined(here: Place) -> list[str]:
    return list(here.port.refs(names.FORKS))


def test_a_union_is_one_commit_with_the_step_before_and_the_forks_as_parents(
    pipeline: Pipeline, here: Place
) -> None:
    before = pipeline.head
    head = pipeline.fork_sync([fork("f", PLAN="q"), fork("g", NOTES="n")]).unwrap()
    assert head.payload == {"FACTS": ["a"], "NOTES": "n", "PLAN": "q"}
    assert (head.step, head.event.kind) == (2, "join")
    outputs = pipeline.forks_at(2)
    assert head.record.commit.parents == (before.id, outputs["f"].id, outputs["g"].id)
    assert outputs["g"].payload == {"FACTS": ["a"], "NOTES": "n", "PLAN": "p"}
    assert head.event.join and head.event.join.chosen == ("f", "g")
    cost = sum(one.slice_tokens + one.output_tokens for one in head.event.join.forks)
    assert head.budget_used == cost > 0
    assert unjoined(here) == []
    assert Pipeline.open(here.again(), "demo").head == head


def test_every_fork_sees_the_step_that_they_start_from(pipeline: Pipeline) -> None:
    seen = []

    def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        seen.append((given.step, given.sections))
        return {manifest.agent_id.upper(): 1}

    forks = [Fork(name, Manifest(name, ["FACTS"], [name.upper()]), agent) for name in "xyz"]
    pipeline.fork_sync(forks).unwrap()
    assert seen == [(1, {"FACTS": ["a"]})] * 3


def test_forks_run_at_the_same_time(pipeline: Pipeline) -> None:
    gate = threading.Barrier(3, timeout=20)

    def waits(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        gate.wait()
        return {"PLAN": "q"}

    async def later(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        arrived.append(manifest.agent_id)
        while len(arrived) < 3:
            await asyncio.sleep(0.001)
        return {"PLAN": "r"}

    arrived: list[str] = []
    assert pipeline.fork_sync([fork(name, waits) for name in "xyz"]).unwrap()
    assert asyncio.run(pipeline.fork([fork(name, later) for name in "uvw"])).unwrap()
    assert pipeline.head.payload["PLAN"] == "r"


def test_a_union_of_different_values_is_a_conflict_and_all_outputs_are_kept(
    pipeline: Pipeline, here: Place
) -> None:
    before = pipeline.head
    result = pipeline.fork_sync([fork("f", PLAN="q"), fork("g", PLAN="r"), fork("h", NOTES="n")])
    assert isinstance(result, RolledBack)
    assert (result.code, result.report.findings[0].section) == (Code.MERGE_CONFLICT, "PLAN")
    assert pipeline.head.payload == before.payload
    assert pipeline.head.budget_used == before.budget_used
    kept = Pipeline.open(here.again(), "demo").forks_at(2)
    assert {name: one.payload["PLAN"] for name, one in kept.items()} == {
        "f": "q",
        "g": "r",
        "h": "p",
    }
    assert result.rejected == kept["f"]
    assert unjoined(here) == []


def test_one_rejected_fork_rolls_a_union_back_and_its_finding_names_it(pipeline: Pipeline) -> None:
    result = pipeline.fork_sync([fork("f", PLAN="q"), fork("g", FACTS=[])])
    assert isinstance(result, RolledBack) and result.code == Code.PIN_DROPPED
    assert "fork g" in result.reason
    assert result.rejected.payload["FACTS"] == []
    assert [one.outcome for one in pipeline.head.event.join.forks] == ["accepted", "rejected"]  # type: ignore[union-attr]


def test_a_fork_that_fails_fails_a_union_and_the_others_are_not_asked_again(
    pipeline: Pipeline, here: Place
) -> None:
    asked = []

    def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        asked.append(manifest.agent_id)
        return {"PLAN": "q"}

    before = pipeline.head
    result = pipeline.fork_sync([fork("f", agent), fork("g", failing)])
    assert isinstance(result, Failure) and result.code == Code.AGENT_FAILED
    assert "fork g" in result.reason and "no answer" in result.reason
    assert pipeline.head == before and len(unjoined(here)) == 1
    again = Pipeline.open(here.again(), "demo")
    head = again.fork_sync([fork("f", agent), Fork("g", fork("g").manifest, saying(NOTES=1))])
    assert isinstance(head, RolledBack), "NOTES is not declared"
    head = again.fork_sync([fork("f", agent), fork("g", NOTES="n")])
    assert head.unwrap().payload["NOTES"] == "n"
    assert asked == ["f", "f"], "once, and once more from the step that the rollback made"


def test_a_reply_that_says_nothing_loses_a_vote(pipeline: Pipeline) -> None:
    junk = fork("junk", PLAN="p")
    empty = fork("empty", saying())
    result = pipeline.fork_sync([empty, junk, fork("good", PLAN="a real plan")], VOTE)
    head = result.unwrap()
    assert head.payload["PLAN"] == "a real plan"
    assert head.event.join and head.event.join.chosen == ("good",)
    assert [one.confidence for one in head.event.join.forks][:2] == [0, 0]


def test_a_vote_leaves_out_what_fails_and_what_is_rejected(pipeline: Pipeline) -> None:
    forks = [fork("bad", failing), fork("wrong", FACTS=[]), fork("right", FACTS=["a", "b"])]
    head = pipeline.fork_sync(forks, VOTE).unwrap()
    assert head.payload["FACTS"] == ["a", "b"]
    receipts = head.event.join.forks if head.event.join else ()
    assert [(one.outcome, one.code) for one in receipts] == [
        ("failed", Code.AGENT_FAILED),
        ("rejected", Code.PIN_DROPPED),
        ("accepted", None),
    ]
    assert head.budget_used == receipts[2].slice_tokens + receipts[2].output_tokens
    assert set(pipeline.forks_at(2)) == {"wrong", "right"}


def test_a_vote_leaves_out_an_output_that_the_payload_cannot_hold(pipeline: Pipeline) -> None:
    forks = [fork("f", Facts=["a"]), fork("g", PLAN="q")]
    head = pipeline.fork_sync(forks, join=VOTE).unwrap()
    assert head.payload == {"FACTS": ["a"], "PLAN": "q"}
    assert head.event.join
    told, _ = head.event.join.forks
    assert (told.fork, told.outcome, told.code) == ("f", "failed", Code.INVALID_OUTPUT)
    assert "only case tells them apart" in told.reason


def test_where_no_fork_is_accepted_there_is_no_join(pipeline: Pipeline, here: Place) -> None:
    for strategy in (VOTE, MAJORITY, FIRST_WINS):
        result = pipeline.fork_sync([fork("f", FACTS=[]), fork("g", failing)], strategy)
        assert isinstance(result, RolledBack) and result.code == Code.ALL_FORKS_FAILED
        assert result.rejected.payload["FACTS"] == []
        failed = pipeline.fork_sync([fork("f", failing), fork("g", failing)], strategy)
        assert isinstance(failed, Failure) and failed.code == Code.ALL_FORKS_FAILED
    assert unjoined(here) == []


def test_a_majority_goes_section_by_section(pipeline: Pipeline) -> None:
    forks = [fork("f", PLAN="q", NOTES="x"), fork("g", PLAN="q"), fork("h", PLAN="r")]
    assert pipeline.fork_sync(forks, MAJORITY).unwrap().payload == {"FACTS": ["a"], "PLAN": "q"}
    split = pipeline.fork_sync([fork("f", PLAN="x"), fork("g", PLAN="y")], MAJORITY)
    assert isinstance(split, RolledBack) and split.code == Code.MERGE_CONFLICT


def test_the_first_accepted_fork_wins_and_the_others_are_cancelled(
    pipeline: Pipeline, here: Place
) -> None:
    cancelled = []

    async def slow(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(manifest.agent_id)
            raise
        return {"PLAN": "late"}

    async def wrong(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        return {"FACTS": []}

    async def right(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        await asyncio.sleep(0.05)
        return {"PLAN": "quick"}

    started = time.monotonic()
    forks = [fork("slow", slow), fork("wrong", wrong), fork("right", right)]

    async def all_of_them() -> Any:
        head = (await pipeline.fork(forks, FIRST_WINS)).unwrap()
        assert cancelled == ["slow"]
        return head

    head = asyncio.run(all_of_them())
    assert head.payload["PLAN"] == "quick"
    assert time.monotonic() - started < 30
    assert head.event.join
    outcomes = [one.outcome for one in head.event.join.forks]
    assert outcomes == ["cancelled", "rejected", "accepted"]
    assert unjoined(here) == []


def test_a_function_that_does_not_answer_holds_up_nobody(pipeline: Pipeline) -> None:
    never = threading.Event()

    def hangs(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        never.wait(60)
        return {}

    started = time.monotonic()
    head = pipeline.fork_sync([fork("f", hangs), fork("g", PLAN="q")], FIRST_WINS).unwrap()
    assert head.payload["PLAN"] == "q" and time.monotonic() - started < 30
    never.set()


def test_forks_over_the_budget_are_not_asked(here: Place) -> None:
    pipeline = Pipeline.open(here.steps, "tight", token_budget=2_500, payload={})
    forks = [fork(name, saying(PLAN="q")) for name in "fg"]
    assert pipeline.fork_sync(forks).unwrap().step == 2
    result = pipeline.fork_sync([fork(name, failing) for name in "fgh"])
    assert isinstance(result, Failure) and result.code == Code.BUDGET_EXCEEDED
    assert "f, g, h" in result.reason


def test_what_forks_are_joined_to_is_validated_as_a_whole(here: Place) -> None:
    def together(before: Any, after: Any, manifest: Manifest) -> Any:
        from relay_git.pipeline import Checked, Finding

        both = {"A", "B"} <= set(after)
        found = (Finding(Code.SCHEMA_VIOLATED, "A", "not with B"),) if both else ()
        return Checked(1, found)

    pipeline = Pipeline.open(here.steps, "demo", rules=[together])
    result = pipeline.fork_sync([fork("f", A=1), fork("g", B=2)])
    assert isinstance(result, RolledBack) and result.code == Code.SCHEMA_VIOLATED
    assert result.rejected.payload == {"A": 1, "B": 2}
    assert set(pipeline.forks_at(2)) == {"f", "g"}
    assert pipeline.rejected_at(2) == Success(result.rejected)


def test_a_join_is_made_after_what_others_did_meanwhile(here: Place) -> None:
    pipeline = Pipeline.open(here.steps, "demo", payload={"PLAN": "p"})
    other = Pipeline.open(here.again(), "demo")

    def overtaken(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        other.step_sync(Manifest("o", writes=["NOTES"]), saying(NOTES="theirs")).unwrap()
        return {"PLAN": "q"}

    head = pipeline.fork_sync([fork("f", overtaken), fork("g", MORE=1)]).unwrap()
    assert head.step == 3
    assert head.payload == {"MORE": 1, "NOTES": "theirs", "PLAN": "q"}

    def lost(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        other.step_sync(Manifest("o", writes=["PLAN"]), saying(PLAN="theirs")).unwrap()
        return {"PLAN": "mine"}

    result = pipeline.fork_sync([fork("f", lost), fork("g", MORE=2)])
    assert isinstance(result, RolledBack) and result.code == Code.MERGE_CONFLICT
    assert pipeline.head.payload["PLAN"] == "theirs"


def test_a_step_that_would_overwrite_what_its_agent_has_not_seen_is_rolled_back(
    here: Place,
) -> None:
    pipeline = Pipeline.open(here.steps, "demo", payload={"PLAN": "p"})
    other = Pipeline.open(here.again(), "demo")

    def overtaken(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        other.step_sync(manifest, saying(PLAN="theirs")).unwrap()
        return {"PLAN": "mine"}

    result = pipeline.step_sync(Manifest("w", writes=["PLAN"]), overtaken)
    assert isinstance(result, RolledBack) and result.code == Code.MERGE_CONFLICT
    assert "step 1" in result.reason and result.rejected.payload["PLAN"] == "mine"
    assert pipeline.head.payload["PLAN"] == "theirs"


def test_rejected_forks_are_asked_again_as_often_as_the_policy_says(here: Place) -> None:
    pipeline = Pipeline.open(here.steps, "demo", on_reject=retry(1), rules=[])
    answers = iter(["x", "y", "z", "z"])
    lock = threading.Lock()

    def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        with lock:
            return {"PLAN": next(answers)}

    head = pipeline.fork_sync([fork("f", agent), fork("g", agent)]).unwrap()
    assert (head.step, head.payload) == (3, {"PLAN": "z"})


def test_a_secret_in_a_fork_is_stored_nowhere(pipeline: Pipeline) -> None:
    token = "ghp_" + "a1B2" * 9

    def leaks(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        raise ValueError(f"refused: {token}")

    head = pipeline.fork_sync([fork("f", PLAN=f"use {token}"), fork("g", leaks)], VOTE).unwrap()
    assert token not in str(head.payload)
    assert head.event.join and head.event.join.forks[1].reason
    assert token not in str(head.event)


def test_agents_that_end_the_program_end_it(pipeline: Pipeline, here: Place) -> None:
    def ends(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pipeline.fork_sync([fork("f", ends), fork("g", PLAN="q")])
    assert pipeline.head.step == 1


def test_only_a_join_has_forks(pipeline: Pipeline) -> None:
    with pytest.raises(PipelineError) as found:
        pipeline.forks_at(1)
    assert found.value.code == Code.NO_SUCH_STEP


def test_a_join_verifies_and_one_with_other_sections_does_not(
    pipeline: Pipeline, here: Place
) -> None:
    before = pipeline.head.record
    forks = [fork("f", PLAN="q"), fork("g", PLAN="q"), fork("h", PLAN="r")]
    head = pipeline.fork_sync(forks, MAJORITY).unwrap().record
    check = rule(here.port)
    past = Past(before, {before.oid: before}, ())
    assert check(past, head) is None
    section = names.section_path("PLAN")
    draft = Draft(
        run=head.envelope.run,
        role=None,
        state=head.envelope.state,
        files={section: b'"r"\n'},
        message=head.commit.message,
        author=head.commit.author,
        committer=head.commit.committer,
        budget_used=head.envelope.budget_used,
        budget_total=head.envelope.budget_total,
        second_parents=head.commit.parents[1:],
    )
    forged = write(here.port, before, draft, here.keys.signer)
    assert "MAJORITY" in (check(past, forged) or "")
    fewer = draft.replace(files={section: b'"q"\n'}, second_parents=head.commit.parents[2:])
    assert "another output" in (
        check(past, write(here.port, before, fewer, here.keys.signer)) or ""
    )


def test_a_run_that_ends_keeps_what_no_step_joined(repo_path: Path) -> None:
    with Pipeline.open(repo_path, "demo", payload={"PLAN": "p"}) as pipeline:
        run = pipeline.head.run
        pipeline.fork_sync([fork("f", PLAN="never joined"), fork("g", failing)])
        pipeline.step_sync(Manifest("o", writes=["NOTES"]), saying(NOTES=1)).unwrap()
        pipeline.end().unwrap()
    assert "3 of 3 steps ok" in done(repo_path, "verify", run)
    assert "never joined" in done(repo_path, "inspect", run, "--step", "3")


@pytest.mark.parametrize("strategy", JoinStrategy)
def test_commands_read_a_run_with_forks(repo_path: Path, strategy: JoinStrategy) -> None:
    with Pipeline.open(repo_path, "demo", payload={"PLAN": "p"}) as pipeline:
        forks = [fork("f", PLAN="q"), fork("g", PLAN="q"), fork("h", saying())]
        run = pipeline.fork_sync(forks, strategy).unwrap().run
        pipeline.fork_sync([fork("f", PLAN="x"), fork("g", PLAN="y")], UNION)
    assert "tampered" not in done(repo_path, "verify", run)
    assert "join" in done(repo_path, "log", run)
    assert "PLAN" in done(repo_path, "diff", run, "1", "2")


def test_what_was_purged_from_an_output_that_waits_is_not_joined_and_asked_for_again(
    repo_path: Path, tmp_path: Path
) -> None:
    literal = tmp_path / "leaked"
    literal.write_text("hunter2-hunter2\n")
    with Pipeline.open(repo_path, "demo", payload={"PLAN": "p"}) as pipeline:
        pipeline.fork_sync([fork("f", PLAN="is hunter2-hunter2"), fork("g", failing)])
    done(repo_path, "purge", "--literal-file", str(literal), "--yes")
    with Pipeline.open(repo_path, "demo") as pipeline:
        head = pipeline.fork_sync([fork("f", PLAN="clean"), fork("g", NOTES="n")]).unwrap()
        assert head.payload == {"NOTES": "n", "PLAN": "clean"}
