"""The join as a pure function: what each strategy takes, and of what order it depends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from relay_git.pipeline.join import Candidate, JoinStrategy, changed, decide

BASE = {"A": "a", "B": "b"}
SECTIONS = st.dictionaries(st.sampled_from("ABCD"), st.sampled_from("abxyz"))
CANDIDATES = st.lists(st.tuples(SECTIONS, st.integers(0, 1_000)), min_size=1, max_size=6).map(
    lambda found: [Candidate(f"f{n}", *one) for n, one in enumerate(found)]
)


def candidate(fork: str, confidence: int = 0, **changes: str | None) -> Candidate:
    after = {name: value for name, value in {**BASE, **changes}.items() if value is not None}
    return Candidate(fork, after, confidence)


def test_a_union_takes_what_each_changed() -> None:
    forks = [candidate("f", A="x"), candidate("g", B=None, C="c"), candidate("h")]
    decision = decide(JoinStrategy.UNION, BASE, forks)
    assert decision.changes == {"A": "x", "B": None, "C": "c"}
    assert (decision.chosen, decision.conflicts) == (("f", "g", "h"), ())


def test_a_union_of_different_values_conflicts_and_of_equal_ones_does_not() -> None:
    forks = [candidate("f", A="x", B="y"), candidate("g", A=None, B="y"), candidate("h", C="c")]
    decision = decide(JoinStrategy.UNION, BASE, forks)
    assert decision.conflicts == ("A",)


def test_a_vote_takes_the_highest_confidence_then_agreement_then_the_first() -> None:
    forks = [candidate("f", 5, A="x"), candidate("g", 9, A="y"), candidate("h", 9, A="z")]
    assert decide(JoinStrategy.VOTE, BASE, forks).chosen == ("g",)
    agreed = [*forks, candidate("i", 3, A="z")]
    assert decide(JoinStrategy.VOTE, BASE, agreed).chosen == ("h",)


def test_a_majority_is_more_than_half_of_those_that_were_accepted_for_each_section() -> None:
    forks = [candidate("f", A="x", B="y"), candidate("g", A="x"), candidate("h", A="z", C="c")]
    decision = decide(JoinStrategy.MAJORITY, BASE, forks)
    assert decision.changes == {"A": "x"}
    assert (decision.chosen, decision.conflicts) == (("f", "g"), ())
    split = decide(JoinStrategy.MAJORITY, BASE, [candidate("f", A="x"), candidate("g", A="y")])
    assert split.conflicts == ("A",)


@given(SECTIONS, SECTIONS)
def test_changes_lead_from_one_payload_to_the_other(base: Any, after: Any) -> None:
    applied = {**base, **changed(base, after)}
    assert {name: value for name, value in applied.items() if value is not None} == after


@given(CANDIDATES)
def test_union_and_majority_do_not_depend_on_order(candidates: list[Candidate]) -> None:
    for strategy in (JoinStrategy.UNION, JoinStrategy.MAJORITY):
        one = decide(strategy, BASE, candidates)
        other = decide(strategy, BASE, candidates[::-1])
        assert one.conflicts == other.conflicts
        assert sorted(one.chosen) == sorted(other.chosen) or one.conflicts
        for name in one.changes.keys() | other.changes.keys():
            if name not in one.conflicts:
                assert one.changes.get(name) == other.changes.get(name)


@given(st.sampled_from(JoinStrategy), CANDIDATES)
def test_a_join_has_no_value_that_no_fork_has(
    strategy: JoinStrategy, candidates: list[Candidate]
) -> None:
    decision = decide(strategy, BASE, candidates)
    for name, value in decision.changes.items():
        assert any(_value(one.sections, name) == value for one in candidates)


def _value(sections: Mapping[str, Any], name: str) -> Any:
    return sections.get(name)
