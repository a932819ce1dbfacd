"""The quick way to read the front matter that we write says what the YAML library says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_git.errors import RelayError
from relay_git.lessons import front, page
from relay_git.lessons.keep import render_lesson
from relay_git.lessons.model import SEVERITIES, Evidence, Lesson
from relay_git.names import ArtifactName, RunId

PATH = ".relay/lessons/planner/x-00000000.md"
TEXT = st.text(min_size=1, max_size=30)


def front_of(text: str) -> str:
    return page.split(text, PATH)["front"]


def by_yaml(text: str) -> front.Front | None:
    try:
        return front._read_yaml(text, PATH, "planner")
    except RelayError:
        return None


OURS = front_of(
    render_lesson(
        Lesson(
            role="planner",
            claim="Close the store before forking.",
            severity="warn",
            run=RunId("20260428-0930-fix-bug-3f9a"),
            excerpt="Close it.",
            evidence=Evidence(ArtifactName("plan_review.md"), "0" * 40, 4, 12),
            observed_at="2026-04-28T09:30:00Z",
            tags=("src/store.py", "Store.close"),
            finding="Close it.",
        )
    )
)


def test_what_we_write_is_read_the_quick_way() -> None:
    quick = front._read_own_form(OURS, "planner")
    assert quick and quick == by_yaml(OURS)
    assert quick.evidence and quick.evidence.line == 12


@given(
    tags=st.lists(TEXT, max_size=3),
    finding=TEXT,
    severity=st.sampled_from(SEVERITIES),
    step=st.integers(0, 2**40),
)
def test_both_ways_agree_on_every_lesson(
    tags: list[str], finding: str, severity: str, step: int
) -> None:
    lesson = Lesson(
        role="planner",
        claim="A claim.",
        severity=severity,  # type: ignore[arg-type]
        run=RunId("20260428-0930-fix-bug-3f9a"),
        excerpt="",
        evidence=Evidence(ArtifactName("plan_review.md"), "0" * 40, step, 1),
        observed_at="2026-04-28T09:30:00Z",
        tags=tuple(tags),
        finding=finding,
    )
    text = front_of(render_lesson(lesson))
    quick = front._read_own_form(text, "planner")
    assert quick is None or quick == by_yaml(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"warn"', "warn"),
        ('"warn"', '"warn" # a remark'),
        ('"warn"', '"worse"'),
        ("version: 1\n", "version: 1.0\n"),
        ("version: 1\n", "version: 01\n"),
        ("version: 1\n", "version: 0x1\n"),
        ("version: 1\n", "version: true\n"),
        ("version: 1\n", "version: NaN\n"),
        ("version: 1\n", "# a remark\nversion: 1\n"),
        ("version: 1\n", "version: 1\nversion: 1\n"),
        ("version: 1\n", "version: 1\r\n"),
        ("version: 1\n", 'version: 1\nmine: "own"\n'),
        ("version: 1\n", "version: 1\nmine: [1, 2e3, null]\n"),
        ("version: 1\n", '"version": 1\n'),
        ("version: 1\n", "version:  1\n"),
        ("version: 1\n", "version:\t1\n"),
        ("version: 1\n", " version: 1\n"),
        ("version: 1\n", "version: 1\n\n"),
        ("version: 1\n", ""),
        ('role: "planner"', 'role: "critic"'),
        ('"step": 4', '"step": 4, "step": 5'),
        ('"step": 4', '"step": 4.0'),
        ('"step": 4', '"step":4'),
        ('"Store.close"', '"\\u0041"'),
        ('"Store.close"', '"\\ud83d\\ude00"'),
        ('"Store.close"', '"\\x41"'),
        ('"Store.close"', '"\\/"'),
        ('"Store.close"', '"a\\nb"'),
        ('"Store.close"', '"tab\there"'),
        ('"Store.close"', '"\xa0"'),
        ('"Store.close"', '"\x85"'),
        ('"Store.close"', '"<<<<<<< "'),
        ('["src/store.py", "Store.close"]', "[]"),
        ('["src/store.py", "Store.close"]', '\n  - "src/store.py"'),
        ('run: "20260428', 'run: "20269928'),
        ("---\n", ""),
        ("---\n", "--- \n"),
        ("---\n", "\ufeff---\n"),
    ],
)
def test_neither_way_reads_what_the_other_would_not(old: str, new: str) -> None:
    assert old in OURS
    text = OURS.replace(old, new, 1)
    quick = front._read_own_form(text, "planner")
    assert quick is None or quick == by_yaml(text)
