from __future__ import annotations

import pytest

from relay_git.lessons import claims
from relay_git.lessons.lead import read_lead
from relay_git.lessons.model import Finding


def _claim(text: str, body: str = "") -> str:
    return claims.claim(read_lead(text), body)


def test_a_claim_is_the_first_sentence_without_marks() -> None:
    assert _claim("1. **[P1] The lock is never released.** Two threads wait.") == (
        "The lock is never released."
    )
    assert _claim("Set a limit, e.g. 10. Then test.") == "Set a limit, e.g. 10."
    assert _claim("**No streaming**\n   All is held in memory.") == (
        "No streaming: All is held in memory."
    )
    assert _claim("缺少超时处理。会卡住。") == "缺少超时处理。"


def test_a_bare_title_takes_a_sentence_of_its_body() -> None:
    assert _claim("**Stale docs**", "They describe v1. And more.") == (
        "Stale docs: They describe v1."
    )


def test_a_claim_has_an_end() -> None:
    long = _claim("word " * 200)
    assert len(long) <= 301
    assert long.endswith("word…")


def test_tags_are_paths_names_and_symbols() -> None:
    text = "`net/retry.py:88` calls `Retry.sleep()` as docs/plan.md and README.md say; see `a b`."
    assert claims.tags(text) == ("README.md", "Retry.sleep()", "docs/plan.md", "net/retry.py")


def test_prose_is_no_path() -> None:
    assert claims.tags("Use it, e.g. with and/or without v2.0 or 3.5 ms.") == ()


@pytest.mark.parametrize(
    ("tag", "expected"),
    [("a/b", True), ("a.py", True), ("name", False), ("a.b()", False), ("Makefile", False)],
)
def test_is_path(tag: str, expected: bool) -> None:
    assert claims.is_path(tag) is expected


def test_kinds() -> None:
    assert claims.kind("Convention: names are plural") == "convention"
    assert claims.kind("Never call it twice") == "convention"
    assert claims.kind("**Decision:** we keep it") == "decision"
    assert claims.kind("Note: the job runs at 2") == "fact"
    assert claims.kind("It leaks") == "pitfall"


@pytest.mark.parametrize(
    ("excerpt", "expected"),
    [
        ("  2. [ ] **Bold** start\n   more", "Bold start"),
        ("### 1. A `b`\n\ntext", "1. A `b`"),
        ("| x | the claim | y |", "claim"),
        (" ".join("abcdefghijklmnop"), "a b c d e f g h i j k l"),
    ],
)
def test_the_headline(excerpt: str, expected: str) -> None:
    assert claims.headline(Finding(1, "claim", excerpt, "warn")) == expected
