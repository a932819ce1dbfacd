"""The pure machine: what each event does to a state, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relay_git import canonical
from relay_git.errors import Corrupt, Refused
from relay_git.names import ArtifactName, Word
from relay_git.workflow.machine import (
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
    transition,
)
from relay_git.workflow.model import Role, Stage, Workflow
from relay_git.workflow.state_record import state_from_json, state_to_json

DRAFT, REVIEW, BUILD, DONE = (Word(name) for name in ("draft", "review", "build", "done"))
AUTHOR, CRITIC = Word("author"), Word("critic")
PLAN, VERDICT, CODE = (ArtifactName(name) for name in ("plan.md", "review.md", "code.md"))

WORKFLOW = Workflow(
    name=Word("loop"),
    version=1,
    initial_stage=DRAFT,
    roles={
        "author": Role(AUTHOR, writes=(PLAN, CODE)),
        "critic": Role(CRITIC, writes=(VERDICT,)),
    },
    stages={
        "draft": Stage(DRAFT, AUTHOR, next=REVIEW, max_visits=2, writes=(PLAN,)),
        "review": Stage(REVIEW, CRITIC, branches={"approve": BUILD, "reject": DRAFT}),
        "build": Stage(BUILD, AUTHOR, next=DONE, max_visits=1),
        "done": Stage(DONE, terminal=True),
    },
)

Chain = list[State]
Files = Mapping[str, str]


def extended(chain: Chain, event: Event, files: Files | None = None) -> Chain:
    """The chain with one more state; step numbers are places in it, from 1."""
    earlier: dict[int | str, State] = dict(enumerate(chain, start=1))
    state, actions = transition(WORKFLOW, chain[-1] if chain else None, event, files or {}, earlier)
    assert actions == (("settle",) if state.status in ("done", "abandoned") else ())
    return [*chain, state]


def chain_of(*events: Event) -> Chain:
    chain: Chain = []
    for event in events:
        chain = extended(chain, event)
    return chain


def forward(chain: Chain, branch: str | None = None, *, force: bool = False) -> Chain:
    """The present visit ends."""
    state = chain[-1]
    return extended(chain, Advance(state.stage, state.visit, branch, force))


def halted() -> Chain:
    """The second rejection would be the third draft, of two."""
    chain = forward(forward(chain_of(Start())), "reject")
    return forward(forward(chain), "reject")


# Every transition


def test_a_run_starts_in_the_initial_stage() -> None:
    state = chain_of(Start())[-1]
    assert (state.stage, state.status, state.visits) == ("draft", "open", {"draft": 1})
    assert state.event == Start()
    assert state.entered == {"plan.md": None}


def test_a_linear_stage_leads_to_the_next() -> None:
    state = forward(chain_of(Start()))[-1]
    assert (state.stage, state.visit, state.status) == ("review", 1, "open")
    assert state.event == Advance(DRAFT, 1)


@pytest.mark.parametrize(
    ("branch", "target", "visit"), [("approve", BUILD, 1), ("reject", DRAFT, 2)]
)
def test_a_branching_stage_leads_where_the_branch_says(
    branch: str, target: Word, visit: int
) -> None:
    state = forward(forward(chain_of(Start())), branch)[-1]
    assert (state.stage, state.visit) == (target, visit)
    assert state.event == Advance(REVIEW, 1, branch)


def test_the_terminal_stage_ends_the_run_and_settles_it() -> None:
    state = forward(forward(forward(chain_of(Start())), "approve"))[-1]
    assert (state.stage, state.status, state.finished) == ("done", "done", True)
    assert state.entered == {}


def test_a_stage_remembers_what_its_artifacts_were_when_it_was_entered() -> None:
    files = {"plan.md": "1" * 64, "review.md": "2" * 64, "code.md": "3" * 64}
    chain = extended([], Start(), files)
    assert chain[-1].entered == {"plan.md": "1" * 64}
    chain = extended(chain, Advance(DRAFT, 1), {"plan.md": "4" * 64})
    assert chain[-1].entered == {"review.md": None}
    chain = extended(chain, Advance(REVIEW, 1, "approve"), files)
    assert chain[-1].entered == {"plan.md": "1" * 64, "code.md": "3" * 64}


def test_abandon_ends_the_run_where_it_stands() -> None:
    state = extended(forward(chain_of(Start())), Abandon())[-1]
    assert (state.stage, state.status, state.finished) == ("review", "abandoned", True)


def test_a_halted_run_can_be_abandoned() -> None:
    state = extended(halted(), Abandon())[-1]
    assert (state.status, state.halt) == ("abandoned", None)


@pytest.mark.parametrize("clean", [False, True])
def test_reset_goes_back_to_the_initial_stage_and_counts_anew(clean: bool) -> None:
    state = extended(halted(), Reset(clean))[-1]
    assert (state.stage, state.status, state.visits) == ("draft", "open", {"draft": 1})
    assert (state.halt, state.event) == (None, Reset(clean))


# Limits


def test_a_step_beyond_the_limit_halts_the_run_where_it_is() -> None:
    state = halted()[-1]
    assert (state.stage, state.status) == ("review", "halted")
    assert state.visits == {"draft": 2, "review": 2}
    assert state.halt == Halt(DRAFT, "reject", "draft has had 2 of 2 visits")
    assert not state.finished


def test_a_halted_run_moves_by_force_alone() -> None:
    with pytest.raises(Refused, match="halted: draft has had 2 of 2 visits") as refused:
        forward(halted(), "reject")
    assert refused.value.hint and "--force" in refused.value.hint
    state = forward(halted(), "reject", force=True)[-1]
    assert (state.stage, state.visit, state.status, state.halt) == ("draft", 3, "open", None)


def test_force_takes_a_halted_run_where_it_was_held_back_and_nowhere_else() -> None:
    with pytest.raises(Refused, match="halted on its way to draft by 'reject'"):
        forward(halted(), "approve", force=True)


def test_force_goes_beyond_a_limit_at_once() -> None:
    chain = forward(forward(forward(chain_of(Start())), "reject"))
    state = forward(chain, "reject", force=True)[-1]
    assert (state.stage, state.visit, state.status) == ("draft", 3, "open")
    assert state.event == Advance(REVIEW, 2, "reject", force=True)


def test_another_branch_is_free_when_one_is_at_its_limit() -> None:
    chain = forward(forward(forward(chain_of(Start())), "reject"))
    assert forward(chain, "approve")[-1].stage == "build"


# Rollback


def test_a_rollback_stands_where_that_step_left_the_run() -> None:
    chain = forward(forward(forward(chain_of(Start())), "reject"))
    state = extended(chain, Rollback(2))[-1]
    assert (state.stage, state.status) == (chain[1].stage, "open")
    assert state.visits == chain[1].visits == {"draft": 1, "review": 1}
    assert state.event == Rollback(2)


def test_a_rollback_frees_a_halted_run_and_one_to_the_halt_halts_it_again() -> None:
    chain = extended(halted(), Rollback(1))
    assert (chain[-1].status, chain[-1].halt) == ("open", None)
    again = extended(chain, Rollback(5))[-1]
    assert (again.status, again.halt) == ("halted", halted()[-1].halt)


def test_a_rollback_takes_the_artifacts_as_the_new_step_records_them() -> None:
    chain = extended(forward(chain_of(Start())), Rollback(1), {"plan.md": "5" * 64})
    assert chain[-1].entered == {"plan.md": "5" * 64}


def test_a_rolled_back_rollback_is_a_state_like_any_other() -> None:
    chain = extended(forward(chain_of(Start())), Rollback(1))
    assert extended(chain, Rollback(2))[-1].stage == "review"
    assert extended(chain, Rollback(3))[-1].stage == "draft"


@pytest.mark.parametrize("to", [-1, 0, 3, 99])
def test_there_is_no_rollback_to_a_step_that_never_was(to: int) -> None:
    with pytest.raises(Refused, match=f"the run has no step {to}"):
        extended(forward(chain_of(Start())), Rollback(to))


def test_metadata_stays_through_rollback_and_reset() -> None:
    noted = [chain_of(Start())[0].replace(metadata={"issue": "12"})]
    assert extended(noted, Reset())[-1].metadata == {"issue": "12"}
    later = [*noted, forward(noted)[-1].replace(metadata={"issue": "13"})]
    assert extended(later, Rollback(1))[-1].metadata == {"issue": "13"}


# Rerun


def rerun(chain: Chain, concerns: str = "Too long.", files: Files | None = None) -> Chain:
    state = chain[-1]
    return extended(chain, Rerun(state.stage, state.visit, concerns), files)


def test_a_rerun_is_a_visit_more_to_the_same_stage() -> None:
    chain = rerun(forward(chain_of(Start())), files={"review.md": "4" * 64})
    state = chain[-1]
    assert (state.stage, state.status, state.visit) == ("review", "open", 2)
    assert state.entered == {"review.md": "4" * 64}
    assert state.metadata == {"concerns": "Too long."}
    assert forward(chain, "approve")[-1].visits == {"draft": 1, "review": 2, "build": 1}


@pytest.mark.parametrize("event", [Rollback(1), Reset(), Abandon()])
def test_concerns_go_with_the_visit(event: Event) -> None:
    chain = rerun([chain_of(Start())[0].replace(metadata={"issue": "12"})])
    assert chain[-1].metadata == {"issue": "12", "concerns": "Too long."}
    assert extended(chain, event)[-1].metadata == {"issue": "12"}
    assert forward(chain)[-1].metadata == {"issue": "12"}
    assert extended(chain, Commit("5" * 40))[-1].metadata == chain[-1].metadata


def test_a_rerun_counts_towards_the_limit() -> None:
    chain = rerun(chain_of(Start()))
    with pytest.raises(Refused, match="draft has had 2 of 2 visits"):
        rerun(chain)
    assert forward(forward(chain), "reject")[-1].status == "halted"


def test_a_halted_or_diverged_run_is_not_run_again() -> None:
    with pytest.raises(Refused, match="halted"):
        rerun(halted())
    with pytest.raises(Refused, match="diverged"):
        rerun([chain_of(Start())[-1].replace(status="diverged")])


def test_a_rerun_of_another_visit_is_refused() -> None:
    with pytest.raises(Refused, match=r"the run is at draft \(visit 1\), not at draft \(visit 2\)"):
        extended(chain_of(Start()), Rerun(DRAFT, 2, "x"))


# Refusals


@pytest.mark.parametrize("event", [Advance(DRAFT, 1), Rollback(1), Reset(), Abandon()])
def test_nothing_happens_to_a_run_before_it_starts(event: Event) -> None:
    with pytest.raises(Refused, match="not started"):
        transition(WORKFLOW, None, event, {})


def test_a_run_starts_once() -> None:
    with pytest.raises(Refused, match="started already"):
        chain_of(Start(), Start())


@pytest.mark.parametrize(
    "event",
    [
        *(Start(), Advance(DONE, 1), Advance(DRAFT, 1), Rerun(DONE, 1, "x")),
        *(Rollback(1), Reset(), Abandon()),
    ],
)
@pytest.mark.parametrize("status", ["done", "abandoned"])
def test_a_finished_run_stays_as_it_is(event: Event, status: str) -> None:
    chain = forward(chain_of(Start()))
    ended = (
        extended(chain, Abandon()) if status == "abandoned" else forward(forward(chain, "approve"))
    )
    with pytest.raises(Refused, match=f"the run is {status}"):
        extended(ended, event)


@pytest.mark.parametrize(("stage", "visit"), [(REVIEW, 1), (DRAFT, 2), (DRAFT, 0), (DONE, 0)])
def test_an_advance_given_for_another_stage_or_visit_is_refused(stage: Word, visit: int) -> None:
    with pytest.raises(Refused, match=r"the run is at draft \(visit 1\), not at"):
        extended(chain_of(Start()), Advance(stage, visit))


def test_a_linear_stage_takes_no_verdict() -> None:
    with pytest.raises(Refused, match="draft does not branch"):
        forward(chain_of(Start()), "approve")


@pytest.mark.parametrize(("branch", "what"), [(None, "no verdict"), ("maybe", "no branch 'maybe'")])
def test_a_branching_stage_takes_a_branch_that_it_has(branch: str | None, what: str) -> None:
    with pytest.raises(Refused, match=what) as refused:
        forward(forward(chain_of(Start())), branch)
    assert refused.value.hint == "known: approve, reject"


def test_a_diverged_run_waits_for_a_choice() -> None:
    diverged = [forward(chain_of(Start()))[-1].replace(status="diverged")]
    with pytest.raises(Refused, match="diverged"):
        forward(diverged, "approve")
    assert extended(diverged, Rollback(1))[-1].status == "diverged"
    assert extended(diverged, Reset())[-1].status == "open"
    assert extended(diverged, Abandon())[-1].status == "abandoned"


SIDE = "5" * 64
"""What an event calls the step that it goes back to, where two have its number."""


def resolved(state: State, event: Event, chosen: State) -> State:
    files = {"plan.md": "6" * 64}
    return transition(WORKFLOW, state, event, files, {SIDE: chosen})[0]


def test_a_diverged_run_that_is_resolved_stands_where_the_chosen_step_left_it() -> None:
    chosen = forward(forward(chain_of(Start())), "reject")[-1]
    diverged = forward(chain_of(Start()))[-1].replace(status="diverged", metadata={"issue": "12"})
    state = resolved(diverged, Resolve(SIDE), chosen)
    assert (state.stage, state.visit, state.status) == ("draft", 2, "open")
    assert state.event == Resolve(SIDE)
    assert state.metadata == {"issue": "12"}
    assert state.entered == {"plan.md": "6" * 64}
    assert resolved(diverged, Rollback(SIDE), chosen) == state.replace(event=Rollback(SIDE))


def test_a_finished_side_that_is_chosen_settles_the_run() -> None:
    diverged = forward(chain_of(Start()))[-1].replace(status="diverged")
    chosen = forward(forward(forward(chain_of(Start())), "approve"))[-1]
    assert transition(WORKFLOW, diverged, Resolve(SIDE), {}, {SIDE: chosen})[1] == ("settle",)


def test_a_choice_is_refused_where_there_is_none() -> None:
    state = forward(chain_of(Start()))[-1]
    diverged = state.replace(status="diverged")
    with pytest.raises(Refused, match="the run has not diverged"):
        resolved(state, Resolve(SIDE), state)
    with pytest.raises(Refused, match="when the run had diverged"):
        resolved(diverged, Resolve(SIDE), diverged)
    with pytest.raises(Refused, match="the run has no step 7777"):
        resolved(diverged, Resolve("7" * 64), state)


# The record


RECORDS: dict[str, Callable[[], State]] = {
    "start": lambda: chain_of(Start())[-1],
    "halt": lambda: halted()[-1],
    "force": lambda: forward(halted(), "reject", force=True)[-1],
    "rollback": lambda: extended(halted(), Rollback(2))[-1],
    "digest": lambda: halted()[-1].replace(event=Rollback("5" * 64)),
    "resolve": lambda: halted()[-1].replace(event=Resolve("5" * 64)),
    "reset": lambda: extended(halted(), Reset(clean=True))[-1],
    "abandon": lambda: extended(halted(), Abandon())[-1],
    "rerun": lambda: rerun(forward(chain_of(Start())))[-1],
    "lessons": lambda: chain_of(Start())[-1].replace(
        event=Advance(DRAFT, 1, shown=("3f9a1b2c", "0a1b2c3d")), metadata={"issue": "12"}
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_state_survives_its_record(name: str) -> None:
    state = RECORDS[name]()
    record = canonical.loads(canonical.dumps(state_to_json(state)), "step.json")
    again = state_from_json(record, "step.json")
    assert again == state
    assert isinstance(again.stage, Word)
    assert type(again.event) is type(state.event)


@pytest.mark.parametrize(
    "changes",
    [
        {"stage": None},
        {"stage": "../up"},
        {"stage": 3},
        {"status": "ready"},
        {"visits": [1]},
        {"visits": {"draft": "many"}},
        {"visits": {"draft": 1.5}},
        {"visits": {"draft": True}},
        {"event": {"kind": "jump"}},
        {"event": {"kind": "advance", "stage": "draft"}},
        {"event": {"kind": "rollback", "to": "one"}},
        {"event": {"kind": "rollback", "to": "5" * 63}},
        {"event": {"kind": "resolve", "to": 5}},
        {"event": {"kind": "resolve", "to": "5" * 65}},
        {"event": {"kind": "abandon", "why": "x"}},
        {"event": {"kind": "rerun", "stage": "draft", "visit": 1}},
        {"event": {"kind": "rerun", "stage": "draft", "visit": 1, "concerns": 7}},
        {"event": {"kind": "advance", "stage": "draft", "visit": 1, "branch": 7}},
        {"event": {"kind": "advance", "stage": "draft", "visit": "1"}},
        {"event": {"kind": "advance", "stage": "draft", "visit": 1, "force": "yes"}},
        {"event": "start"},
        {"event": None},
        {"entered": 7},
        {"entered": {"plan.md": 7}},
        {"halt": {"target": "draft"}},
        {"halt": {"target": "draft", "branch": 7, "reason": "x"}},
        {"metadata": [1]},
        {"metadata": {"issue": 12}},
    ],
    ids=str,
)
def test_what_is_no_state_is_named_and_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Corrupt, match="not the state of a run") as corrupt:
        state_from_json({**state_to_json(halted()[-1]), **changes}, "1234:step.json")
    assert corrupt.value.where == "1234:step.json"


def test_a_field_that_is_missing_from_a_state_is_named() -> None:
    for name in state_to_json(halted()[-1]):
        record = state_to_json(halted()[-1])
        del record[name]
        with pytest.raises(Corrupt, match=name):
            state_from_json(record, "1234:step.json")


# Any sequence of events


_STAGES = st.sampled_from([DRAFT, REVIEW, BUILD, DONE])
_BRANCHES = st.sampled_from([None, "approve", "reject", "maybe"])
_FILES = st.dictionaries(
    st.sampled_from(["plan.md", "review.md", "code.md", "stray.md"]), st.sampled_from("abc")
)
Wish = tuple[str, Any, Files]


def _wishes(force: bool) -> st.SearchStrategy[list[Wish]]:
    """Events; `here` is an advance of the visit that the run stands at."""
    events = st.one_of(
        st.tuples(
            st.just("here"), st.tuples(_BRANCHES, st.booleans() if force else st.just(False))
        ),
        st.tuples(st.just("here"), st.just((None, False))),
        st.tuples(st.just("event"), st.builds(Advance, _STAGES, st.integers(0, 3), _BRANCHES)),
        st.tuples(st.just("event"), st.builds(Rerun, _STAGES, st.integers(0, 3), st.just("x"))),
        st.tuples(st.just("event"), st.builds(Rollback, st.integers(-1, 12))),
        st.tuples(st.just("event"), st.builds(Reset, st.booleans())),
        st.tuples(st.just("event"), st.sampled_from([Start(), Abandon()])),
    )
    wish = st.tuples(events, _FILES).map(lambda pair: (*pair[0], pair[1]))
    return st.lists(wish, max_size=30)


def _played(wishes: Sequence[Wish]) -> tuple[Chain, list[Files]]:
    """The states of the events that were not refused, and the files at each."""
    chain = chain_of(Start())
    files: list[Files] = [{}]
    for kind, wish, at in wishes:
        state = chain[-1]
        event = Advance(state.stage, state.visit, *wish) if kind == "here" else wish
        try:
            chain = extended(chain, event, at)
        except Refused:
            continue
        files.append(dict(at))
    return chain, files


@given(_wishes(force=True))
@settings(max_examples=150, deadline=None)
def test_events_fold_to_the_same_states_after_any_history(wishes: list[Wish]) -> None:
    chain, files = _played(wishes)
    records = [canonical.dumps(state_to_json(state)) for state in chain]
    said = [state_from_json(canonical.loads(data, "step"), "step") for data in records]
    folded: Chain = []
    for state, at in zip(said, files, strict=True):
        folded = extended(folded, state.event, at)
    assert folded == chain == said


@given(_wishes(force=False))
@settings(max_examples=150, deadline=None)
def test_without_force_no_limit_is_ever_exceeded(wishes: list[Wish]) -> None:
    for state in _played(wishes)[0]:
        for name, visits in state.visits.items():
            most = WORKFLOW.stages[name].max_visits
            assert most is None or visits <= most
        assert (state.status == "halted") == (state.halt is not None)
        assert state.finished == (state.status in ("done", "abandoned"))
        assert (state.stage == "done") == (state.status == "done")
