from __future__ import annotations

import pytest

from relay_git.lessons import severity
from relay_git.lessons.model import Severity


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("High priority", "error"),
        ("P1", "error"),
        ("non-blocking", "info"),
        ("not blocking", "info"),
        ("MUST_FIX", "error"),
        ("Should fix", "warn"),
        ("高优先级", "error"),
        ("中", "warn"),
        ("Crítico", "error"),
        ("Mittel", "warn"),
        ("Незначительно", "info"),
        ("High load on the server", None),
        ("Highlights", None),
        ("Blocked", None),
    ],
)
def test_a_label_states_a_severity_or_something_else(label: str, expected: Severity | None) -> None:
    assert severity.stated(label) == expected


def test_the_first_word_wins_over_emoji() -> None:
    assert severity.mentioned("🟡 Problemas menores") == "info"
    assert severity.mentioned("🟡 Problemas") == "warn"
    assert severity.mentioned("Confirmed defects, most severe first") is None


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Token in URL (Critical)", "error"),
        ("Missing file (Important → Resolved)", "warn"),
        ("Slow start — LOW", "info"),
        ("命名不统一（轻微）", "info"),
        ("Read the (high) bits", None),
        ("Use rate (requests per second)", None),
    ],
)
def test_a_title_may_end_in_one(title: str, expected: Severity | None) -> None:
    assert severity.trailing(title) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("High/Certain", "error"), ("**Low** (cosmetic)", "info"), ("中", "warn"), ("tbd", None)],
)
def test_the_value_of_a_field(value: str, expected: Severity | None) -> None:
    assert severity.field_value(value) == expected


def test_worst() -> None:
    assert severity.worst("info", "error") == "error"
    assert severity.worst("warn", "info") == "warn"
