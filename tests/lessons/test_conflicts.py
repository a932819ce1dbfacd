"""Which claims look as if they contradicted each other."""

from __future__ import annotations

import pytest

from relay_git.lessons.conflicts import conflicts
from relay_git.lessons.keep import Draft, KeptLesson, manual_draft, read_lesson
from relay_git.lessons.shelf import Shelf


def shelf(*claims: str, role: str = "planner") -> Shelf:
    return Shelf(tuple(kept(manual_draft(role, claim)) for claim in claims), [])


def kept(draft: Draft) -> KeptLesson:
    return read_lesson(draft.text, draft.path())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Close the store before forking", "Do not close the store before forking"),
        ("Always mock git in tests", "Never mock git in tests"),
        ("Retry on conflict in the writer", "Don’t retry on conflict in the writer"),
        ("Pin the versions of all actions", "Avoid: pin the versions of actions"),
    ],
)
def test_a_claim_and_its_negation_are_a_group(one: str, other: str) -> None:
    for order in ((one, other), (other, one)):
        groups = conflicts(shelf(*order, "Something else"))
        assert [[lesson.claim for lesson in group] for group in groups] == [[one, other]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Close the store before forking", "Close the store before forking it"),
        ("Never close the store", "Do not close the store"),
        ("Close the store before forking", "Do not open the index after writing"),
        ("Yes", "No"),
        ("Close the store before you fork", "Never close the index before you fork it"),
    ],
)
def test_other_claims_are_not(one: str, other: str) -> None:
    assert conflicts(shelf(one, other)) == []


def test_roles_do_not_contradict_each_other() -> None:
    planner, auditor = shelf("Mock git in tests"), shelf("Never mock git in tests", role="auditor")
    assert conflicts(Shelf(planner.lessons + auditor.lessons, [])) == []
