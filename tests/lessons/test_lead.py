from __future__ import annotations

import pytest

from relay_git.lessons.lead import plain, read_lead, size
from relay_git.lessons.model import Severity


@pytest.mark.parametrize(
    ("text", "severity", "rest"),
    [
        ("**Critical — the label is lost.**", "error", "the label is lost.**"),
        ("High: the plan", "error", "the plan"),
        ("**MED ✅ 启动**", "warn", "启动**"),
        ("**LOW fixed: two buttons", "info", "two buttons"),
        ("[BLOCKING] broken", "error", "broken"),
        ("`[P2]` (confidence 8/10) — **leak", "warn", "leak"),
        ("🔴 token", "error", "token"),
        ("🟡 Low: token", "info", "token"),
        ("【高】缺少", "error", "缺少"),
        ("3.1) P0 - x", "error", "x"),
        ("CR-01 (HIGH): x", "error", "x"),
        ("non-blocking: x", "info", "x"),
        ("Must fix: x", "error", "x"),
        ("High-level design: ok", None, "High-level design: ok"),
        ("Security risk in `web`: x", None, "Security risk in `web`: x"),
        ("B1 — x", None, "x"),
        ("Issue 3: x", None, "x"),
    ],
)
def test_marks_are_taken_off(text: str, severity: Severity | None, rest: str) -> None:
    lead = read_lead(text)
    assert (lead.severity, lead.rest) == (severity, rest)


def test_a_label_is_kept() -> None:
    lead = read_lead("1. **Fix:** do it")
    assert (lead.numbered, lead.label, lead.value) == (True, "fix", "do it")


@pytest.mark.parametrize(
    "text", ["B1 — x", "F-001: x", "PLAN_REVIEW-12: x", "[H-01] x", "问题 1：x"]
)
def test_ids_are_known(text: str) -> None:
    assert read_lead(text).ident


def test_a_tick_after_a_severity_is_no_praise() -> None:
    assert read_lead("✅ done").praised
    assert not read_lead("**LOW ✅ done**").praised


@pytest.mark.parametrize("text", ["`a/b.py:12`: x", "src/db.ts:3 — x", "**Line 14**: x"])
def test_places_are_known(text: str) -> None:
    assert read_lead(text).placed


@pytest.mark.parametrize("text", ["", "***", "—", "1.", "[]", "🔴", "#", "a" * 5000, "(" * 5000])
def test_nothing_breaks_it(text: str) -> None:
    read_lead(text)


def test_plain_text_keeps_names_with_underscores() -> None:
    assert plain("**a** _b_ `snake_case_name`\n[c](http://d)") == "a b `snake_case_name` c"


def test_size_counts_dense_scripts_too() -> None:
    assert size("three plain words") == 3
    assert size("缺少超时处理") == 3


def test_underscores_in_code_are_no_emphasis() -> None:
    text = "**`Worker._finish`** drops _nothing_ that `__init__` set"
    assert plain(text) == "`Worker._finish` drops nothing that `__init__` set"
