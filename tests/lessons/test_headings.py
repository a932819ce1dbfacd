from __future__ import annotations

import pytest

from relay_git.lessons.headings import Announces, only_group_words, read_heading, says_nothing
from relay_git.lessons.model import Severity

OUTSIDE: list[tuple[str, Announces, Severity | None]] = [
    ("Required Changes", "findings", "warn"),
    ("High Priority Issues (3)", "findings", "error"),
    ("Tier 1 — Critical", "findings", "error"),
    ("🟡 Problemas menores", "findings", "info"),
    ("High Priority (should address)", "findings", "warn"),
    ("Top 5 findings that would break production", "findings", None),
    ("優先度：高", "findings", "error"),
    ("Что улучшить", "findings", None),
    ("Recommendations", "advice", None),
    ("Suggested improvements", "advice", None),
    ("Next steps", "plan", None),
    ("下一步", "plan", None),
    ("Strengths", "closed", None),
    ("Resolved issues", "closed", None),
    ("Limitations of this review", "closed", None),
    ("Medium issues: none found", "closed", None),
    ("Verification", "aside", None),
    ("Impact", "aside", None),
    ("Ready to merge", "aside", None),
    ("Critical: token in URL", "finding", "error"),
    ("Token in URL (high)", "finding", "error"),
    ("Issue 3: token in URL", "finding", None),
    ("Coverage reporting (optional)", "aside", None),
    ("Error handling", "topic", None),
    ("High-level design", "topic", None),
    ("Low-level details", "topic", None),
]

BELOW: list[tuple[str, Announces]] = [
    ("1. Token in URL", "finding"),
    ("B2 — Token in URL", "finding"),
    ("Token in URL", "topic"),
    ("Medium", "findings"),
    ("What works well", "closed"),
    ("4. Calibration and scorecard integration", "finding"),
    ("Option B: split it", "aside"),
]


@pytest.mark.parametrize(("title", "announces", "severity"), OUTSIDE, ids=lambda value: str(value))
def test_a_title_by_itself(title: str, announces: Announces, severity: Severity | None) -> None:
    heading = read_heading(title, among_findings=False)
    assert heading.announces == announces
    assert severity is None or heading.severity == severity


@pytest.mark.parametrize(("title", "announces"), BELOW)
def test_a_title_below_findings(title: str, announces: Announces) -> None:
    assert read_heading(title, among_findings=True).announces == announces


@pytest.mark.parametrize(
    "words",
    [
        "none",
        "n/a",
        "no blocking issues found",
        "i have no concerns",
        "无",
        "特になし",
        "keine",
    ],
)
def test_denials(words: str) -> None:
    assert says_nothing(words)


@pytest.mark.parametrize(
    "words", ["no timeout on the upload", "nothing says who owns it", "无条件写入", "нет обработки"]
)
def test_missing_things_are_no_denials(words: str) -> None:
    assert not says_nothing(words)


def test_a_group_has_no_words_of_its_own() -> None:
    assert only_group_words("Critical security issues")
    assert not only_group_words("Critical path is slow")
