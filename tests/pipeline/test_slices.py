"""What packers choose: never more than fits, never what was not declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relay_git.pipeline import (
    Code,
    HeuristicCounter,
    Manifest,
    Packer,
    PipelineError,
    Recency,
    Relevance,
    Slice,
    Structural,
)
from relay_git.pipeline.packing import tokens_of
from relay_git.pipeline.relevance import TfIdf, cosine

COUNTER = HeuristicCounter()
MESSAGES = [f"message {number} with some words" for number in range(30)]


def packed(packer: Packer, sections: dict[str, Any], tokens: int, task: str = "") -> dict[str, Any]:
    manifest = Manifest("a", reads=list(sections), max_tokens=tokens, task=task)
    found = dict(packer.pack(sections, manifest, COUNTER))
    assert tokens_of(found, COUNTER) <= tokens
    return found


def test_a_slice_says_what_it_holds() -> None:
    slice = Slice("a run", 1, "reader", {"FACTS": ["a"], "PLAN": "b"}, 7)
    assert "FACTS" in slice and "TICKETS" not in slice
    assert list(slice) == ["FACTS", "PLAN"] == [*slice.sections]
    with pytest.raises(KeyError, match="no section TICKETS, it holds FACTS, PLAN"):
        slice["TICKETS"]
    with pytest.raises(KeyError, match="it holds nothing"):
        slice.replace(sections={})["FACTS"]


@pytest.mark.parametrize("packer", [Recency(), Relevance(), Structural()])
def test_what_fits_is_not_cut(packer: Packer) -> None:
    sections = {"LIST": MESSAGES, "TEXT": "plain\n[FACTS]\nfact\n", "MAP": {"a": [1]}, "NO": []}
    assert packed(packer, sections, 10_000, "message") == sections


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([Recency(), Relevance(), Structural()]),
    st.dictionaries(
        st.sampled_from("ABCD"),
        st.lists(st.text(max_size=30), max_size=8)
        | st.text(st.sampled_from("[FACTS]\nab\u4e16"), max_size=60)
        | st.integers(),
        max_size=4,
    ),
    st.integers(0, 60),
)
def test_a_slice_is_within_its_limit_and_part_of_what_was_there(
    packer: Packer, sections: dict[str, Any], tokens: int
) -> None:
    for name, value in packed(packer, sections, tokens, "ab").items():
        whole = sections[name]
        if isinstance(value, list):
            assert [item for item in value if item not in whole] == []
        elif isinstance(value, str):
            assert len(value) <= len(whole)
        else:
            assert value == whole


def test_recency_takes_the_last_items_that_fit_in_the_order_of_reads() -> None:
    found = packed(Recency(), {"SMALL": "first", "LIST": MESSAGES, "TEXT": "x" * 500}, 100)
    assert found["SMALL"] == "first"
    assert found["LIST"] == MESSAGES[-len(found["LIST"]) :]
    assert 3 < len(found["LIST"]) < 30
    assert "TEXT" not in found


def test_recency_never_jumps_over_an_item_that_does_not_fit() -> None:
    found = packed(Recency(), {"LIST": ["old", "x" * 900, "new"]}, 40)
    assert found == {"LIST": ["new"]}


def test_relevance_takes_what_is_near_the_task_and_keeps_its_order() -> None:
    sections = {
        "LOG": ["the timer fires twice", "lunch at noon", "a retry of the timer", "nice weather"],
        "HELP": "how to bake bread",
    }
    found = packed(Relevance(), sections, 25, "why does the timer retry")
    assert found == {"LOG": ["the timer fires twice", "a retry of the timer"]}


class Planted:
    """Vectors by a word of the text."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float("cat" in text), float("dog" in text)] for text in texts]


class Uneven:
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] * number for number, _ in enumerate(texts, 1)]


def test_an_embedder_of_ones_own_decides() -> None:
    sections = {"LOG": ["a dog barks", "a cat sleeps", "a dog eats"]}
    assert packed(Relevance(Planted()), sections, 12, "my cat") == {"LOG": ["a cat sleeps"]}
    with pytest.raises(PipelineError, match="3 vectors") as found:
        packed(Relevance(Uneven()), {"LOG": ["a", "b"]}, 12, "my cat")
    assert found.value.code == Code.INVALID_SLICE


def test_nearness_is_by_shared_words_and_more_by_the_rare_ones() -> None:
    task, rare, common, none = TfIdf().embed(["the timer", "a timer", "the end", "no way"])
    assert cosine(task, task) == pytest.approx(1)
    assert cosine(task, rare) == pytest.approx(cosine(task, common))
    assert cosine(task, none) == cosine(task, [0.0] * len(task)) == 0
    task, rare, common, _ = TfIdf().embed(["the timer", "a timer", "the end", "the way"])
    assert cosine(task, rare) > cosine(task, common)


def test_structure_keeps_facts_before_decisions_before_the_scratchpad() -> None:
    text = f"intro\n[SCRATCHPAD]\n{'s' * 60}\n[FACTS]\nf1\n[DECISIONS]\nd1\n[FACTS]\nf2\n"
    assert packed(Structural(), {"NOTES": text}, 30)["NOTES"] == (
        "intro\n[FACTS]\nf1\n[DECISIONS]\nd1\n[FACTS]\nf2\n"
    )
    assert packed(Structural(), {"NOTES": text}, 12)["NOTES"] == "[FACTS]\nf1\n[FACTS]\nf2\n"


def test_a_mark_inside_a_line_is_no_mark() -> None:
    text = f"see [FACTS] below {'x' * 60}\n[FACTS]\nf\n"
    assert packed(Structural(), {"NOTES": text}, 12)["NOTES"] == "[FACTS]\nf\n"


def test_the_heuristic_counts_three_letters_or_one_sign_a_token() -> None:
    counted = [COUNTER.count(text) for text in ("", "a", "abc", "abcd", "世界", "世a")]
    assert counted == [0, 1, 1, 2, 2, 2]
