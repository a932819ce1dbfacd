from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_git.lessons.keep import draft, read_lesson
from relay_git.lessons.model import Evidence, Finding, Lesson
from relay_git.lessons.reword import (
    BadReply,
    Candidate,
    Reply,
    Wording,
    read_reply,
    reworded,
    reworded_finding,
)
from relay_git.names import ArtifactName, RunId

RUN = RunId("20260428-0930-fix-bug-3f9a")


def candidate(excerpt: str, *paths: str) -> Candidate:
    return Candidate("planner", "Say less", "warn", excerpt, ("git/store.py",), paths)


def reply(excerpt: str, *paths: str, **fields: Any) -> Reply:
    """What is read of an answer that names the only candidate."""
    entry = {"candidate": 1, "claim": "Say more.", **fields}
    return read_reply(json.dumps([entry]), [candidate(excerpt, *paths)])


def is_taken(claim: str, excerpt: str, *paths: str) -> bool:
    return bool(reply(excerpt, *paths, claim=claim).wordings)


@pytest.mark.parametrize(
    "claim",
    [
        "Close `store.py` early.",
        "Close `git/store.py` early.",
        "Close git/store.py early.",
        "Call `close()` early.",
        "Call `close` early.",
        "Call `Store.close` early.",
        "Set `--jobs 4` early.",
        "See https://example.com/a?b=1.",
        "Do it early, e.g. before lunch.",
        "何も閉じない。",
        "Keep it at 3.5 and/or lower.",
    ],
)
def test_what_the_evidence_names_may_be_named(claim: str) -> None:
    excerpt = "`Store.close()` is called\n  late with `--jobs\n4`, see https://example.com/a?b=1"
    assert is_taken(claim, excerpt)


@pytest.mark.parametrize(
    "claim",
    [
        "Close `tore.py` early.",
        "Close `store` early in `store.pyx`.",
        "Close `hub/git/store.py` early.",
        "Close lib/store.py early.",
        "Close cli.py early.",
        "Call `Store.closed` early.",
        "Call `lose` early.",
        "Call ``open`` early.",
        "Set `--jobs 5` early.",
        "See https://example.com/a?b=12.",
        "See ftp://example.com early.",
    ],
)
def test_what_it_does_not_name_is_invented(claim: str) -> None:
    excerpt = "`Store.close()` is called\n  late with `--jobs\n4`, see https://example.com/a?b=1"
    assert not is_taken(claim, excerpt)


def test_paths_that_the_run_touched_may_be_named() -> None:
    assert is_taken("Close `cli.py` early.", "Late.", "src/app/cli.py")
    assert is_taken("Close `src/app/cli.py` early.", "Late.", "src/app/cli.py")
    assert not is_taken("Close `lib/cli.py` early.", "Late.", "src/app/cli.py")


def test_the_candidates_own_tags_stay() -> None:
    (wording,) = reply("`a.py` is late", tags=["a.py", "late"]).wordings.values()
    assert wording == Wording("Say more.", "warn", ("a.py", "git/store.py", "late"))


def test_one_candidates_evidence_is_not_anothers() -> None:
    entries = [{"candidate": 2, "claim": "Close `a.py`."}, {"candidate": 1, "claim": "Read `b.py`"}]
    found = read_reply(json.dumps(entries), [candidate("`a.py`"), candidate("`b.py`")])
    assert found.wordings == {}
    assert found.refused == (
        "candidate 2 names `a.py`, which its evidence does not",
        "candidate 1 names `b.py`, which its evidence does not",
    )


def test_what_was_not_asked_for_is_passed_over() -> None:
    assert reply("Late.", reason="It reads better.", id="0" * 12).wordings


def test_two_blocks_are_no_answer() -> None:
    block = "```\n[]\n```\n"
    assert read_reply(block, []) == Reply({}, ())
    with pytest.raises(BadReply):
        read_reply(block * 2, [])


_LIKELY = st.sampled_from(
    ["[", "]", "{", "}", ":", ",", '"candidate"', '"claim"', '"a"', "1", "```", "\n"]
)


@given(st.text() | st.lists(_LIKELY).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read_reply(text, [candidate("Late.")])
    except BadReply:
        return
    assert found.wordings.keys() <= {0}


# The lesson


def lesson() -> Lesson:
    return Lesson(
        role="planner",
        claim="The store is closed late",
        severity="warn",
        run=RUN,
        excerpt="- the store is closed late",
        evidence=Evidence(ArtifactName("review.md"), "0" * 40, 3, 7),
        observed_at="2026-04-28T09:30:00Z",
        tags=("store.py",),
    )


def test_a_reworded_lesson_is_the_same_lesson_in_the_same_file() -> None:
    before = lesson()
    after = reworded(before, Wording("Close the store first.", "error", ("store.py", "close")))
    assert (after.claim, after.severity) == ("Close the store first.", "error")
    assert after.finding == "The store is closed late"
    assert (after.id, after.claim_hash) == (before.id, before.claim_hash)
    assert draft(after).path() == draft(before).path()


def test_the_finding_can_be_read_from_the_file() -> None:
    before = lesson()
    after = reworded(before, Wording("Close the store first.", "error", ()))
    kept = read_lesson(draft(after).text, draft(after).path())
    assert kept.claim == "Close the store first."
    assert kept.finding == "The store is closed late"
    assert kept.claim_hash == before.claim_hash
    assert "finding" not in draft(before).text


def test_the_same_words_are_no_other_claim() -> None:
    after = reworded(lesson(), Wording("The store is closed late.", "warn", ("store.py",)))
    assert after == lesson().replace(claim="The store is closed late.")


def test_a_finding_keeps_its_place() -> None:
    before = Finding(7, "Late", "- late", "warn", "fact", ("a.py",))
    after = reworded_finding(before, Wording("Close first.", "info", ("a.py", "b.py")))
    assert after == Finding(7, "Close first.", "- late", "info", "fact", ("a.py", "b.py"))
