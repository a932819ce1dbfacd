"""A lesson file gives back what was written to it, and names the line of what is wrong in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from relay_git.errors import Invalid, InvalidName, NewerFormat, RelayError
from relay_git.lessons.keep import (
    is_retired,
    lesson_path,
    manual_draft,
    read_lesson,
    render_lesson,
    retired_path,
    retired_text,
)
from relay_git.lessons.model import SEVERITIES, Evidence, Lesson, claim_hash, normalise
from relay_git.names import ArtifactName, RunId

RUN = RunId("20260428-0930-fix-bug-3f9a")
PATH = ".relay/lessons/planner/x-00000000.md"


def lesson(claim: str = "Close the store before forking.", **values: Any) -> Lesson:
    given_values = {
        "role": "planner",
        "severity": "warn",
        "run": RUN,
        "excerpt": "1. Close the store\n   before forking.",
        "evidence": Evidence(ArtifactName("plan_review.md"), "0" * 40, 4, 12),
        "observed_at": "2026-04-28T09:30:00Z",
        "tags": ("src/store.py", "Store.close"),
        **values,
    }
    return Lesson(claim=claim, **given_values)


def test_the_file_is_the_same_bytes_for_the_same_lesson() -> None:
    assert render_lesson(lesson()) == (
        "---\n"
        "version: 1\n"
        f'id: "{lesson().id}"\n'
        'role: "planner"\n'
        'severity: "warn"\n'
        'kind: "pitfall"\n'
        'tags: ["src/store.py", "Store.close"]\n'
        'run: "20260428-0930-fix-bug-3f9a"\n'
        'observed_at: "2026-04-28T09:30:00Z"\n'
        'evidence: {"artifact": "plan_review.md", "step": 4, "line": 12}\n'
        "---\n"
        "\n"
        "Close the store before forking.\n"
        "\n"
        "> 1. Close the store\n"
        ">    before forking.\n"
    )


def test_the_path_tells_role_claim_and_id() -> None:
    one = lesson()
    assert lesson_path(one) == (
        f".relay/lessons/planner/close-the-store-before-forking-{one.id[:8]}.md"
    )
    chinese = lesson("先关闭存储")
    assert lesson_path(chinese) == f".relay/lessons/planner/{chinese.id[:8]}.md"


@pytest.mark.parametrize("role", ["../planner", "a/b", "", ".git", "plan ner"])
def test_a_role_that_is_no_name_makes_no_path(role: str) -> None:
    with pytest.raises(InvalidName):
        lesson_path(lesson(role=role))


@settings(deadline=None)
@given(
    claim=st.text(),
    excerpt=st.text(),
    tags=st.lists(st.text(min_size=1)),
    severity=st.sampled_from(SEVERITIES),
)
def test_any_text_survives_the_file(
    claim: str, excerpt: str, tags: list[str], severity: str
) -> None:
    assume(normalise(claim))
    one = lesson(claim, excerpt=excerpt, tags=tuple(tags), severity=severity)
    kept = read_lesson(render_lesson(one), PATH)
    assert (kept.id, kept.claim_hash) == (one.id, one.claim_hash)
    assert kept.claim == " ".join(_plain(claim).split())
    assert kept.excerpt == _plain(excerpt)
    assert kept.tags == tuple(map(_plain, tags))
    assert (kept.severity, kept.run, kept.extra) == (severity, RUN, "")


@settings(deadline=None)
@given(st.text(alphabet="\\<>#-+*_`~.)1[]: \n|=ab", max_size=30))
def test_markup_survives_the_file(text: str) -> None:
    one = lesson(f"{text}a", excerpt=text)
    kept = read_lesson(render_lesson(one).replace("\n", "\r\n"), PATH)
    assert kept.claim == " ".join(f"{text}a".split())
    assert kept.excerpt == text


def _plain(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join("\ufffd" if _is_control(char) else char for char in lines)


def _is_control(char: str) -> bool:
    return char not in "\t\n" and (ord(char) < 32 or 127 <= ord(char) < 160)


@pytest.mark.parametrize(
    "claim",
    [
        "# Heading",
        "> quoted",
        "- [ ] item",
        "* item",
        "12. numbered",
        "3) numbered",
        "---",
        "* * * a",
        "```python is a fence",
        "~~~ a fence",
        "<script>alert(1)</script>",
        "Never <!-- hidden --> that",
        "[ref]: http://example.com is a definition",
        "`List<int>` and List<int> differ",
        r"\# and \< and \\< stay",
        "**Bold** claim, `code` and a -> b",
    ],
)
def test_a_claim_is_one_visible_paragraph_without_tags(claim: str) -> None:
    text = render_lesson(lesson(f"{claim} x", excerpt=""))
    body = text.split("---\n", 2)[2]
    tokens = MarkdownIt().parse(body)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    inline = tokens[1].children or []
    assert not [token for token in inline if token.type == "html_inline"]
    assert read_lesson(text, PATH).claim == f"{claim} x"


def test_an_excerpt_with_fences_and_rules_ends_with_its_quote() -> None:
    excerpt = "```\n---\nunclosed\n\n> nested\n\n<!-- x\n"
    text = render_lesson(lesson(excerpt=excerpt)) + "\nSeen again in May.\n\n> by Bob\n"
    kept = read_lesson(text, PATH)
    assert kept.excerpt == excerpt
    assert kept.extra == "Seen again in May.\n\n> by Bob"
    assert [token.type for token in MarkdownIt().parse(text)].count("blockquote_open") == 2


def test_hand_edits_are_read_as_they_are() -> None:
    text = (
        "\ufeff---\r\n"
        "id: '0123456789ab'  # keep\r\n"
        "version: 1\r\n"
        "owner: Bob\r\n"
        "role: planner\r\n"
        "severity: error\r\n"
        "tags:\r\n"
        "- a.py\r\n"
        "---\r\n"
        "\r\n"
        "Two lines\r\n"
        "of claim.\r\n"
        "\r\n"
        "No quote here.\r\n"
    )
    kept = read_lesson(text, PATH)
    assert (kept.id, kept.claim, kept.tags) == ("0123456789ab", "Two lines of claim.", ("a.py",))
    assert (kept.run, kept.observed_at, kept.kind) == (None, None, "pitfall")
    assert (kept.excerpt, kept.extra) == ("", "No quote here.")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("version: 1\n", "", ":2: `version` is missing"),
        ('severity: "warn"', "severity: bad", ":5: `severity` must be"),
        ('tags: ["src/store.py", ', "tags: [1, ", ":7: item 1 of `tags` must be text"),
        (f'id: "{lesson().id}"', 'id: "xyz"', ":3: `id` must be 12 hex digits"),
        ('role: "planner"', "role: auditor", ":4: `role` is 'auditor', but the file lies in"),
        (f'run: "{RUN}"', "run: abc", ":8: 'abc' is not a run id"),
        ("2026-04-28T09:30:00Z", "2026-13-28", ":9: `observed_at` is '2026-13-28'"),
        ("2026-04-28T09:30:00Z", "yesterday", ":9: `observed_at` is 'yesterday'"),
        ("Close the store before forking.\n", "", ":12: no claim"),
        ("---\n\n", "\n\n", ":1: no front matter"),
        ("---\nversion", "version", ":1: no front matter"),
        ("kind:", "<<<<<<< HEAD\nkind:", ":6: a merge conflict"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, expected: str) -> None:
    text = render_lesson(lesson())
    assert old in text
    with pytest.raises(RelayError) as caught:
        read_lesson(text.replace(old, new, 1), PATH)
    assert str(caught.value).startswith(PATH + expected)


def test_a_directory_that_is_no_role_holds_no_lessons() -> None:
    text = render_lesson(lesson()).replace('"planner"', '"plan ner"')
    with pytest.raises(RelayError, match="'plan ner' is not a role"):
        read_lesson(text, PATH.replace("planner", "plan ner"))


def test_every_problem_is_named_at_once() -> None:
    text = render_lesson(lesson()).replace("warn", "bad").replace("version: 1\n", "")
    with pytest.raises(Invalid) as caught:
        read_lesson(text, PATH)
    assert len(caught.value.problems) == 2


def test_retiring_adds_the_reason_and_changes_nothing_else() -> None:
    text = render_lesson(lesson()).replace("kind:", "# why\nkind:").replace("\n", "\r\n")
    after = retired_text(text, PATH, "no longer: the store\n\tis gone", "2026-05-01T00:00:00Z")
    line = 'retired: {"reason": "no longer: the store is gone", "at": "2026-05-01T00:00:00Z"}\r\n'
    assert line in after
    assert after.replace(line, "") == text
    assert read_lesson(after, retired_path(PATH)).retired


def test_a_newer_file_is_read_and_never_rewritten() -> None:
    newer = render_lesson(lesson()).replace("version: 1", "version: 2\nmood: good")
    assert read_lesson(newer, PATH).claim == lesson().claim
    with pytest.raises(NewerFormat):
        retired_text(newer, PATH, "old", "2026-05-01T00:00:00Z")


def test_a_manual_lesson_depends_on_role_and_claim_alone() -> None:
    one = manual_draft("planner", "Ask  first!")
    assert one.id == manual_draft("planner", "ask first").id
    assert one.id != manual_draft("auditor", "ask first").id
    kept = read_lesson(one.text, one.path())
    assert (kept.claim, kept.severity, kept.run) == ("Ask first!", "warn", None)
    assert kept.claim_hash == claim_hash("planner", "ask first")


def test_retired_is_told_by_depth() -> None:
    assert not is_retired(".relay/lessons/retired/x.md")
    assert is_retired(".relay/lessons/retired/planner/x.md")
    assert is_retired(retired_path(".relay/lessons/retired/x.md"))
