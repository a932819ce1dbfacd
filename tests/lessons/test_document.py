from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relay_git.lessons.document import read_document

_STRUCTURE = [
    "# ",
    "## ",
    "- ",
    "1. ",
    "* ",
    "> ",
    "```",
    "~~~",
    "    ",
    "\t",
    "|---|",
    "| ",
    "---",
]
_INLINE = ["**", "__", "`", "<!--", "-->", "[ ] ", "[x] ", "(", ")", "[", "]", ":", "：", "—", "|"]
_ENDS = ["\n", "\n\n", "\r", "\r\n", "\u2028", "\ufeff", "\x00", "\ud800"]
_WORDS = ["High", "P1", "nit", "Verdict: ", "approve", "Findings", "Required Changes", "None", "🔴"]
_MORE = ["✅", "问题", "指摘", "a/b.py:3", "Severity: ", "Fix: ", "word "]
_PIECES = st.sampled_from(_STRUCTURE + _INLINE + _ENDS + _WORDS + _MORE)
_ANY = st.text() | st.lists(_PIECES, max_size=60).map("".join)


@settings(max_examples=400, deadline=None)
@given(_ANY)
def test_any_text_is_read(text: str) -> None:
    document = read_document(text)
    last = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    lines = [finding.line for finding in document.findings]
    assert all(1 <= line <= last for line in lines)
    assert len(set(lines)) == len(lines)
    assert all(finding.claim and finding.excerpt for finding in document.findings)
    assert (document.verdict is None) == (document.verdict_line is None)
    assert document.verdict_line is None or 1 <= document.verdict_line <= last


@settings(max_examples=100, deadline=None)
@given(_ANY)
def test_reading_twice_gives_the_same(text: str) -> None:
    assert read_document(text) == read_document(text)


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_change_nothing(newline: str) -> None:
    text = "# A\n\n## Findings\n\n- High: it leaks\n  badly\n\nVerdict: reject\n"
    assert read_document(text.replace("\n", newline)) == read_document(text)


def test_a_byte_order_mark_changes_nothing() -> None:
    text = "## Catches\n\n- it leaks\n"
    assert read_document("\ufeff" + text) == read_document(text)


def test_the_excerpt_is_the_item_as_written() -> None:
    item = "- **Leak** in `a.py`\n  over two lines\n\n  - Fix: close it"
    first, _ = read_document(f"## Findings\n\n{item}\n\n- Other thing\n").findings
    assert first.excerpt == item
    assert first.claim == "Leak in `a.py` over two lines"
    assert first.tags == ("a.py",)


def test_a_very_long_excerpt_is_cut() -> None:
    text = "### P1: it leaks\n\n" + "one line of detail\n\n" * 1000
    (finding,) = read_document(text).findings
    assert len(finding.excerpt) <= 2002
    assert finding.excerpt.endswith("\n…")


OURS = [
    "## Required Changes\n\n- Say what must change, one item each.\n",
    "- The retry loop never sleeps. (run 20260101-0000-x-0000)",
]


def test_our_own_text_is_never_a_finding() -> None:
    text = OURS[0] + "* the retry LOOP never sleeps (run 20260101-0000-x-0000)\n- A real one.\n"
    assert [f.claim for f in read_document(text, ours=OURS).findings] == ["A real one."]
    assert len(read_document(text).findings) == 3


def test_our_own_words_inside_a_finding_do_not_hide_it() -> None:
    text = "## Concerns\n\n- The retry loop never sleeps, and so the queue stalls.\n"
    assert len(read_document(text, ours=OURS).findings) == 1


def _deep_list(depth: int) -> str:
    return "".join(f"{'  ' * level}- High: problem number {level}\n" for level in range(depth))


@pytest.mark.parametrize(
    "text",
    [
        ">" * 5000 + " a",
        _deep_list(300),
        "[" * 100_000,
        "## Findings\n\n- " + "(" * 100_000,
        "## Findings\n\n- " + "*a " * 50_000,
        "## Findings\n\n- " + "a/" * 100_000,
        "## Findings\n\n- " + "🔴" * 50_000,
        "Verdict: " * 50_000,
        "```json\n" + '{"a":' * 50_000,
        "<!-- " * 100_000,
    ],
    ids=lambda text: ascii(text[:16]),
)
def test_hostile_text_takes_no_time(text: str) -> None:
    """A pattern that backtracks would take minutes here, not a second."""
    read_document(text)


def test_a_megabyte_of_review_is_read() -> None:
    part = "## Findings\n\n" + "- **High: it leaks** in `a/b.py:3`.\n  More about it.\n\n" * 20
    part += "Plain prose that says nothing in particular, line after line.\n" * 200
    text = part * (1_000_000 // len(part))
    assert len(read_document(text).findings) == 20 * text.count("## Findings")
