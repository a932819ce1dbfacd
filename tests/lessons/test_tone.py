"""What the words of a statement say, in several languages."""

from __future__ import annotations

import pytest

from relay_git.lessons.tone import reassures, tone

BLAMES = [
    "The cache key is missing the tenant.",
    "No tests cover the parser.",
    "The token is never rotated.",
    "The lock is not released after a timeout.",
    "Locking is solid, but the error path leaks the handle.",
    "Los territorios no se validan y falta el manifiesto.",
    "Es gab doppelte Logik, die Typen sind veraltet.",
    "Ошибка не обрабатывается, данные устарели.",
    "缺少输入校验，可能导致崩溃。",
    "例外処理が不足しています。",
    "예외 처리가 누락되었고 테스트가 부족하다.",
    "Brak testów, błędny adres.",
]

PRAISES = [
    "The parser is well structured and robust.",
    "No leaks, no broken links.",
    "The plan avoids deadlocks.",
    "El diseño es correcto y consistente.",
    "结构清晰，实现正确。",
    "全体的に良好です。",
]

NEUTRAL = [
    "The service has three endpoints.",
    "Rows are written in batches of 500.",
    "",
    "`missing` is a keyword.",
]


@pytest.mark.parametrize("text", BLAMES)
def test_blame_weighs_more_than_nothing(text: str) -> None:
    assert tone(text) >= 2
    assert not reassures(text)


@pytest.mark.parametrize("text", PRAISES)
def test_praise_weighs_less_than_nothing(text: str) -> None:
    assert tone(text) <= -2


@pytest.mark.parametrize("text", NEUTRAL)
def test_other_words_say_neither(text: str) -> None:
    assert abs(tone(text)) < 2


def test_what_comes_after_but_is_what_is_meant() -> None:
    assert tone("Good names, good tests, but the retry never waits.") >= 2


def test_a_denial_turns_only_the_word_close_to_it() -> None:
    assert tone("It has no leaks") < 0 < tone("It has no owner, and it leaks")


def test_things_named_after_trouble_are_no_trouble() -> None:
    assert tone("Error handling is in `a.py`") == 0
    assert not reassures("No error handling in `a.py`.")


@pytest.mark.parametrize(
    "text",
    [
        "All paths are covered.",
        "None are missing.",
        "The lock is correct, and it is safe.",
        "Every entry has a file, so there are no missing ones.",
    ],
)
def test_a_statement_that_all_is_well_reassures(text: str) -> None:
    assert reassures(text)


@pytest.mark.parametrize(
    "text",
    [
        "Keep the names consistent.",
        "Return early with a clear message.",
        "The happy path works; the timeout path has no test.",
        "Kill it within a part as well, not only between two.",
        "It should be complete.",
        "It has three endpoints.",
    ],
)
def test_an_order_or_a_doubt_reassures_nobody(text: str) -> None:
    assert not reassures(text)


def test_nothing_breaks_it() -> None:
    for text in ("not " * 5000, "\udc80 missing", "(" * 5000, "不" * 5000):
        assert isinstance(tone(text), int)
        assert reassures(text) in (True, False)
