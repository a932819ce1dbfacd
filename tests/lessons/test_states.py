"""The marks of those who keep track of findings."""

from __future__ import annotations

import pytest

from relay_git.lessons.lead import read_lead
from relay_git.lessons.states import State, ending_state, state_of


@pytest.mark.parametrize(
    ("label", "state"),
    [
        ("FIXED", "settled"),
        ("✅ Resolved", "settled"),
        ("fixed (docs)", "settled"),
        ("RESUELTO", "settled"),
        ("已修复", "settled"),
        ("OPEN", "open"),
        ("No resuelto", "open"),
        ("not fixed", "open"),
        ("REFUTED", "void"),
        ("Fixed the parser", None),
        ("Security", None),
        ("", None),
    ],
)
def test_a_label_that_is_a_state(label: str, state: State | None) -> None:
    assert state_of(label) == state


@pytest.mark.parametrize(
    ("title", "state"),
    [
        ("Redundant quit chain [FIXED]", "settled"),
        ("`db` is left out · RESUELTO", "settled"),
        ("The editor does not open — NOT FIXED", "open"),
        ("Race in the cache (open)", "open"),
        ("The parser is open", None),
        ("Open the file twice", None),
    ],
)
def test_a_state_at_the_end_of_a_title(title: str, state: State | None) -> None:
    assert ending_state(title) == state


@pytest.mark.parametrize(
    ("text", "state", "rest"),
    [
        ("[OPEN] the lock leaks", "open", "the lock leaks"),
        ("3. FIXED — the lock leaks", "settled", "the lock leaks"),
        ("✅ Verified - RF1 the lock leaks", "settled", "the lock leaks"),
    ],
)
def test_a_state_before_a_statement_is_taken_off(text: str, state: State, rest: str) -> None:
    lead = read_lead(text)
    assert (lead.state, lead.rest) == (state, rest)
