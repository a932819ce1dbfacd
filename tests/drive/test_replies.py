from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_git.drive.replies import MOST, Advice, Opinion, line, read_advice, read_opinion


def test_values_are_read_by_their_keys() -> None:
    reply = "PROCEED: yes\nENRICHMENT: Mind the clock,\n  and the pool.\n\nREASONING: Late.\n"
    assert read_advice(reply) == Advice(True, "Mind the clock, and the pool.", "Late.")
    reply = "ALIGNED: no\nRERUN: Yes.\nCONCERNS: A thread.\nSUMMARY: It plans.\nREASONING: Big.\n"
    assert read_opinion(reply) == Opinion(True, "A thread.", "It plans.", "Big.", False)


@pytest.mark.parametrize(
    "reply",
    [
        "**PROCEED:** no\n**REASONING:** done",
        "**PROCEED**: No, not now\n- REASONING: done",
        "> PROCEED： NO\n# REASONING: done",
        "```\nPROCEED: false\nREASONING: done\n```",
    ],
)
def test_decoration_does_no_harm(reply: str) -> None:
    found = read_advice(reply)
    assert not found.proceed
    assert found.reasoning.startswith("done")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no",
        "I would not PROCEED: no",
        "PROCEED: never",
        "PROCEED:\nENRICHMENT: no",
        "PROCEED: no\nPROCEED: yes",
        "proceed: no",
        "PROCEED: yes or no",
    ],
)
def test_what_is_not_said_clearly_is_yes(reply: str) -> None:
    assert read_advice(reply).proceed


@pytest.mark.parametrize(
    "reply", ["", "RERUN: perhaps", "RERUN: yes", "RERUN: yes\nCONCERNS: None."]
)
def test_what_is_not_said_clearly_is_no_rerun(reply: str) -> None:
    assert not read_opinion(reply).rerun


def test_a_reply_of_another_form_is_kept_whole() -> None:
    assert read_advice("Looks\ngood to me.").reasoning == "Looks good to me."
    assert read_opinion("Looks\ngood to me.").reasoning == "Looks good to me."


@given(st.text())
def test_every_reply_is_read_and_every_value_is_one_line(reply: str) -> None:
    advice, opinion = read_advice(reply), read_opinion(reply)
    values = (advice.enrichment, advice.reasoning, opinion.concerns, opinion.summary)
    for value in (*values, opinion.reasoning):
        assert value == line(value)
        assert len(value) <= MOST + 1
        assert "\n" not in value and "\0" not in value and "\x1b" not in value
