"""The closed grammar, clause by clause; then what no document may do to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from relay_git.workflow.verdict import Reading, decide, read_verdicts

BRANCHES = ("approve", "reject")
A = ("approve",)
R = ("reject",)
NONE: tuple[str, ...] = ()
BOTH_A_FIRST = ("approve", "reject")
CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"


def said(text: str, *labels: str, branches: tuple[str, ...] = BRANCHES) -> tuple[str, ...]:
    return decide(read_verdicts(text, branches, labels))


PLACES = [
    ("---\nverdict: approve\n---\n", A),
    ("---\nauthor: x\nVerdict: 'REJECT' # or approve\n...\nbody\n", R),
    ('---\nauthor: x\n"verdict": "approve"\n---\n', A),
    ("---\nauthor: x\n# verdict: approve\n---\n", NONE),
    ("---\nauthor: x\nverdict: # approve\n---\n", NONE),
    ("---\nnested:\n  verdict: approve\n---\n", NONE),
    ("---\nsummary: |\n  Verdict: approve\n---\n", NONE),
    ("---\nverdict: approve | reject\n---\n", NONE),
    ("---\nverdict: [approve, reject]\n---\n", NONE),
    ("text\n---\nverdict: approve\n---\n", A),  # no front matter, and a line all the same
    ("---\n\n## Verdict\n\nREJECT\n\n---\n", R),  # two rules are not front matter
    ("---\nauthor: x\n\n## Verdict\n\nREJECT\n\n---\n", R),
    ("---\nauthor: x\nverdict: approve\n", A),
    ("# Verdict: approve\n", A),
    ("###### Verdict: REJECT ######\n", R),
    ("## 7. Verdict: approve\n", A),
    ("##   verdict :  Approve\n", A),
    ("## Verdict： approve\n", A),
    ("## ✅ Verdict ✅: approve\n", A),
    ("## **Verdict:** approve\n", A),
    ("Verdict: approve\n======\n", A),
    ("####### Verdict: approve\n", NONE),
    ("##Verdict: approve\n", NONE),
    ("## Final verdict: approve\n", NONE),
    ("## Verdicts: approve\n", NONE),
    ("## Reviewer Verdict — approve\n", NONE),
    ("## Verdict\nREJECT\n", R),
    ("## Verdict\n\n\n**APPROVE** — fine\n", A),
    ("## Verdict:\n\nAPPROVE\n", A),
    ("## 3. Verdict ##\n\nAPPROVE\n", A),
    ("Verdict\n-------\n\nAPPROVE\n", A),
    ("Verdict\n===\nREJECT\n", R),
    ("intro\nVerdict\n---\nAPPROVE\n", NONE),  # the heading is `intro Verdict`
    ("## Verdict\n\nAPPROVE\n---\nmore\n", A),
    ("## Verdict\n\n<!-- approve or reject -->\nREJECT\n", R),
    ("## Verdict\n\n- approve\n- reject\n", NONE),
    ("## Verdict\n\n### Approve\n", NONE),
    ("## Verdict\n\n> APPROVE\n\nAPPROVE\n", NONE),
    ("## Verdict\n\n```\nx\n```\nAPPROVE\n", NONE),
    ("## Verdict\n\n    APPROVE\n\nREJECT\n", NONE),
    ("## Verdict\n\nIt is sound.\n\nAPPROVE\n", NONE),
    ("## Verdict\n\n**Verdict:** REJECT\n", R),
    ("Verdict: approve\n", A),
    ("  verdict: approve\n", A),
    ("**Verdict:** approve\n", A),
    ("**Verdict**: approve\n", A),
    ("__Verdict:__ approve\n", A),
    ("***Verdict***: *approve*\n", A),
    ("`verdict`: approve\n", A),
    ("**Verdict: APPROVE**\n", A),
    ("**Verdict：** ✅ APPROVE\n", A),
    ("🟢 **Verdict:** approve\n", A),
    ("- **Verdict:** approve\n", A),
    ("3. Verdict: approve\n", A),
    ("* Verdict: approve\n", A),
    ("- step\n\n  Verdict: approve\n", A),
    ("text before\nVerdict: approve\ntext after\n", A),
    ("- finding\n  - Verdict: approve\n", NONE),
    ("`Verdict: approve` is the line to write\n", NONE),
    ('"Verdict: approve" is the line to write\n', NONE),
    ("~~Verdict: approve~~\n", NONE),
    ("My verdict: approve\n", NONE),
    ("Verdict approve\n", NONE),
    ("Verdict - approve\n", NONE),
    ("**Verdict:**\n\nAPPROVE\n", NONE),
    ("| Item | Value |\n|---|---|\n| Verdict | approve |\n", A),
    ("| **Verdict** | ✅ **PASS** | all good |\n", A),
    ("| Verdict: | REJECT |\n", R),
    ("Item | Value\n---|---\nVerdict | REJECT\n", R),
    ("| Verdict | approve | reject |\n", NONE),
    ("| Verdict | | approve |\n", NONE),
    ("| PR | Verdict |\n|---|---|\n| Verdict of others | approve |\n", NONE),
    ("```yaml\nverdict: approve\n```\n", A),
    ("~~~yml\nx: 1\nverdict: reject\n~~~\n", R),
    ("````YAML title\nverdict: approve\n````\n", A),
    ('```json\n{"x": {"verdict": "approve"}, "verdict": "reject"}\n```\n', R),
    ('```json\n{\n  "a": "}\\"",\n  "verdict" : "approve",\n}\n```\n', A),
    ('```json\n[{"verdict": "approve"}]\n```\n', NONE),
    ('```json\n{"verdict": "approve"\n', NONE),
    ("```yaml\nverdict: approve\n", NONE),
    ("```yaml\nx:\n  verdict: approve\n```\n", NONE),
    ('```yaml\nverdict: approve\n```\n```json\n{"verdict": "reject"}\n```\n', BOTH_A_FIRST),
    ("```yaml\nverdict: approve\n```\n\n## Verdict\n\nREJECT\n", R),
    ("```yaml\nverdict: approve\n```\n\nVerdict: approve | reject\n", A),
    ("```\nverdict: approve\n```\n", NONE),
    ("```text\n## Verdict: approve\n```\n## Verdict: reject\n", R),
    ("~~~\nVerdict: approve\n```\nVerdict: approve\n~~~\n", NONE),
    ("````\n```\nVerdict: approve\n```\n````\nVerdict: reject\n", R),
    ("```\nVerdict: approve\n``` not closing\nVerdict: approve\n", NONE),
    ("```\nVerdict: approve\n", NONE),
    ("- ```python\n  # Verdict: approve\n  ```\n", NONE),
    ("- step\n\n  ```\n  Verdict: approve\n\n  ```\n\nVerdict: reject\n", R),
    ("- ```\n  left open\nVerdict: reject\n", R),  # the fence ends with its item
    ("> Verdict: approve\n", NONE),
    ("> quoted\nVerdict: approve\n", NONE),  # CommonMark's lazy continuation
    ("> quoted\n\nVerdict: reject\n", R),
    ("> ```\n> x\n> ```\nVerdict: reject\n", R),
    ("> quoted\n## Verdict: reject\n", R),
    ("- > quoted\n  Verdict: approve\n", NONE),
    ("<blockquote>\n\nVerdict: approve\n\n</blockquote>\n", NONE),
    ("<pre>\nVerdict: approve\n</PRE>\nVerdict: reject\n", R),
    ("- item\n\n<pre>\nx\n</pre>\n    Verdict: approve\n", NONE),
    ("<!-- Verdict: approve -->\n", NONE),
    ("<!--\nVerdict: approve\n\n## Verdict: approve\n-->\nVerdict: reject\n", R),
    ("text <!--\n\nVerdict: approve\n\n-->\n", NONE),
    ("<!--\nVerdict: approve\n", NONE),
    ("<!-->\nVerdict: reject\n", R),
    ("the mark `<!--` opens a comment\nVerdict: reject\n-->\n", R),
    ("a stray <!-- opens nothing\nVerdict: reject\n", R),
    ("Verdict: <!-- reject or --> approve <!-- x -->\n", A),
    ("<!--\n```\n-->\nVerdict: reject\n", R),
    ("text\n\n    Verdict: approve\n", NONE),
    ("\tVerdict: approve\n", NONE),
    ("## Verdict:\tapprove\n", A),
    ("\ufeff## Verdict: approve\n", A),
    ("\ufeff---\r\nverdict: approve\r\n---\r\n", A),
    ("## Verdict\r\n\r\nREJECT\r\n", R),
    ("text\rVerdict: reject\rtext", R),
    ("> quoted\u2028Verdict: approve\n", NONE),
    ("text\u2028Verdict: approve\n", NONE),
    ("text\x0bVerdict: approve\x85Verdict: approve\n", NONE),
    ("Verdict: approve\n\nVerdict: reject\n", BOTH_A_FIRST),
    ("Verdict: approve\n\n## Verdict\n\nLGTM\n", A),
    ("", NONE),
]

WORDS = [
    *(
        (word, A)
        for word in ("approve", "Approved", "ACCEPT", "accepted", "pass", "PASSED", "lgtm")
    ),
    *((word, R) for word in ("reject", "Rejected", "BLOCK", "blocked", "fail", "Failed")),
    ("request changes", R),
    ("REQUEST_CHANGES", R),
    ("Requested changes to two files", R),
    ("changes-requested", R),
    ("CHANGES REQUESTED", R),
    ("needs changes", R),
    ("**APPROVE**", A),
    ("`approve`", A),
    ("_approve_.", A),
    ("✅ Approve ✅", A),
    ("❌ REJECT", R),
    ("[APPROVE]", A),
    ('"approve"', A),
    ("“reject”", R),
    ("<approve>", A),
    ("ＡＰＰＲＯＶＥ", A),
    ("approve!", A),
    ("approve, no changes needed", A),
    ("Approve with changes", A),
    ("approved, pending X", A),
    ("PASS for planning readiness", A),
    ("approve — 3 nits", A),
    ("approve (not blocking: two nits)", A),
    ("approve | minor nits follow", A),
    ("approve or else we miss the window", A),
    ("reject - pass 2 shows a regression", R),
    ("reject: fails on Windows or pass rates drop", NONE),
    ("fail: retries fail or block the queue", R),
    ("not approved", R),
    ("Not approved – request_changes", R),
    ("DO NOT APPROVE", R),
    ("don't approve", R),
    ("don’t accept this", R),
    ("we cannot approve", R),
    ("can't be accepted", R),
    ("not yet ready to be approved", R),
    ("does not pass", R),
    ("never approve", R),
    ("disapprove", R),
    ("disapproved", R),
    ("dis-approved", R),
    ("I disapprove", R),
    ("not LGTM", R),
    ("not rejected", NONE),
    ("don't not approve", NONE),
    ("not bad, approve", NONE),
    ("do not merge", NONE),
    ("Approval withheld", NONE),
    ("approve withheld until the tests pass", NONE),
    ("approved? no", NONE),
    ("approve?", NONE),
    ("pass: false", NONE),
    ("approve: NO", NONE),
    ("approve — not!", NONE),
    ("unapproved", NONE),
    ("un-approved", NONE),
    ("non-approved", NONE),
    ("approver: somebody", NONE),
    ("approving", NONE),
    ("approvedish", NONE),
    ("passing", NONE),
    ("bypass", NONE),
    ("conditional approve", NONE),
    ("failsafe", NONE),
    ("0/5 pass", NONE),
    ("the plan: approve", NONE),
    ("❌ approve", NONE),
    ("🚫 Approved", NONE),
    ("!approve", NONE),
    ("☐ approve", NONE),
    ("[ ] approve", NONE),
    ("[x] approve [ ] reject", NONE),
    ("~~approve~~ reject", R),
    ("~~approve~~", NONE),
    ("<del>approve</del> reject", R),
    ("~~approve " + "x" * 300 + "~~ reject", NONE),
    ("ap\u200bprove", NONE),
    ("APPROVE | REJECT", NONE),
    ("approve/reject", NONE),
    ("APPROVE ／ REJECT", NONE),
    ("approve \\| reject", NONE),
    ("approve or reject", NONE),
    ("`approve` or `reject`", NONE),
    ("<approve|request_changes>", NONE),
    ("APPROVE (no changes) | REQUEST CHANGES (say which)", NONE),
    ("approve | approved with nits", NONE),
    ("approve | do not approve", NONE),
    ("pass or approve with nits", NONE),
    ("approve, reject", NONE),
    ("APPROVE REJECT", NONE),
    ("approve -> reject", NONE),
    ("approve |", NONE),
    ("approve or", NONE),
    ("pass/fail", NONE),
    ("✅", NONE),
    ("", NONE),
]


@pytest.mark.parametrize(("text", "branches"), PLACES)
def test_where_a_verdict_may_stand(text: str, branches: tuple[str, ...]) -> None:
    assert said(text) == branches


@pytest.mark.parametrize(("words", "branches"), WORDS)
@pytest.mark.parametrize("place", ["Verdict: {}\n", "## Verdict\n\n{}\n", "- **Verdict:** {}\n"])
def test_which_words_are_a_verdict(place: str, words: str, branches: tuple[str, ...]) -> None:
    assert said(place.format(words)) == branches


OWN_BRANCHES = [
    (("approve", "done", "reject"), "done", ("done",)),
    (("approve", "done", "reject"), "DONE — verified", ("done",)),
    (("approve", "done", "reject"), "not done", NONE),
    (("approve", "done", "reject"), "approve | done", NONE),
    (("approve", "done", "reject"), "approve, reject, or done", NONE),
    (("needs_info", "reject"), "Needs info", ("needs_info",)),
    (("needs_info", "reject"), "needs-info: which database?", ("needs_info",)),
    (("needs", "reject"), "needs changes", R),
    (("needs", "reject"), "needs work", ("needs",)),
    (("approve", "approve-with-nits"), "Approve with nits", ("approve-with-nits",)),
    (("approve", "pass", "reject"), "pass", ("pass",)),
    (("approve", "pass", "reject"), "passed", A),
    (("approve", "pass", "reject"), "not pass", R),
    (("pass", "fail"), "PASS", ("pass",)),
    (("pass", "fail"), "failed", NONE),
    (("pass", "fail"), "approve", NONE),
    (("pass", "fail"), "not pass", NONE),
    (("Approve", "Reject"), "lgtm", ("Approve",)),
    (("approve", "done"), "not approved", NONE),
    (("approve", "done"), "rejected", NONE),
    (("完了", "reject"), "完了", ("完了",)),
    ((), "approve", NONE),
]


@pytest.mark.parametrize(("branches", "words", "expected"), OWN_BRANCHES)
def test_branches_of_the_stage(
    branches: tuple[str, ...], words: str, expected: tuple[str, ...]
) -> None:
    assert said(f"Verdict: {words}\n", branches=branches) == expected


def test_other_labels_count_only_when_given() -> None:
    text = "**Decision:** approve\n\n| Sign off | reject |\n"
    assert said(text) == NONE
    assert said(text, "Decision") == A
    assert said(text, "decision", "sign off") == BOTH_A_FIRST
    assert said("Verdict: reject\n", "Decision") == R
    assert said("## 结论：reject\n", "结论") == R


def test_reading_names_the_lines_as_written() -> None:
    text = "# Review\r\n\r\n- **Verdict:** ✅ Approve  \r\n\r\n## Verdict\r\n\r\nREJECT - no\r\n"
    found = read_verdicts(text, BRANCHES).found
    assert [(f.branch, f.line, f.text) for f in found] == [
        ("approve", 3, "- **Verdict:** ✅ Approve  "),
        ("reject", 7, "REJECT - no"),
    ]


def test_lines_are_counted_in_front_matter_and_in_fences() -> None:
    front = read_verdicts("---\na: 1\nverdict: approve\n---\n\nVerdict: reject\n", BRANCHES)
    assert [f.line for f in front.found] == [3, 6]
    fenced = '\n```json\n{"a": 1,\n\n "verdict":\n "approve", "verdict": "reject"}\n```\n'
    assert [f.line for f in read_verdicts(fenced, BRANCHES).found] == [5, 6]


def test_reading_tells_unknown_words_and_templates_apart() -> None:
    text = (
        "Verdict: approve | reject\n\nVerdict: 🚧 **Revise and resubmit** (soon)\n\nVerdict:\n\n"
        "## Verdict\n\nLooks fine, mostly.\n\n```yaml\nverdict: approve or reject\n```\n"
    )
    reading = read_verdicts(text, BRANCHES)
    assert reading.found == ()
    assert [(u.branch, u.line) for u in reading.unknown] == [
        ("Revise and resubmit", 3),
        ("Looks fine", 9),
    ]
    assert reading.template == (1, 12)


MARKS = st.sampled_from(
    [
        "Verdict:",
        "##",
        "**",
        "`",
        "```",
        "~~~",
        ">",
        "|",
        "<!--",
        "-->",
        "---",
        "===",
        "\\",
        "<pre>",
        "approve",
        "reject",
        "not",
        "or",
        "yaml",
        "json",
        "{",
        '"',
        "verdict:",
        "✅",
        "：",
        "~~",
        "[ ]",
        "#",
        "-",
        "1.",
        "*",
        "\n",
        "\n",
        "\n\n",
        "\r",
        "\t",
        " ",
        "    ",
        "\u2028",
        "�",
        "Verdict: approve\n",
        "\nVerdict\n",
        "\n- ",
        "\n  ",
        "\n> ",
        "\n```\n",
        "\n```yaml\n",
    ]
)
DOCUMENTS = st.lists(st.one_of(MARKS, MARKS, st.text(max_size=3)), max_size=40).map("".join)
LINES = st.sampled_from(
    [
        "Verdict: approve\n",
        "  Verdict: approve\n",
        "    Verdict: approve\n",
        "\tVerdict: approve\n",
        "> Verdict: approve\n",
        "> text\n",
        ">\n",
        "> ```\n",
        "> # heading\n",
        "> - item\n",
        "> ---\n",
        "- item\n\n",
        "1. item\n\n",
        "- Verdict: approve\n\n",
        "- > quoted\n",
        "- ```\n",
        "  ```\n",
        "1. - ~~~\n",
        "```\n",
        "~~~\n",
        "````\n",
        "``` text\n",
        "\n",
        "text\n",
        "# heading\n",
        "---\n",
        "===\n",
        "<!--\n",
        "-->\n",
        "`<!--`\n",
        "<pre>\nVerdict: approve\n\n</pre>\n",
    ]
)


@given(DOCUMENTS)
def test_never_raises_and_names_lines_that_exist(text: str) -> None:
    reading: Reading = read_verdicts(text, ("approve", "reject", "done"), ("Status",))
    lines = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for place in (*reading.found, *reading.unknown):
        assert 1 <= place.line <= lines
        assert place.text in text
    assert all(1 <= line <= lines for line in reading.template)


@given(
    DOCUMENTS,
    st.sampled_from(["```", "~~~", "`````", "~~~~text"]),
)
def test_text_inside_a_fence_never_counts(text: str, fence: str) -> None:
    mark = fence.rstrip("tex")
    inside = "\n".join(
        line for line in text.replace("\r", "\n").split("\n") if not line.lstrip().startswith(mark)
    )
    document = f"{fence}\n{inside}\n{mark}\n\nVerdict: reject\n"
    assert read_verdicts(document, BRANCHES) == read_verdicts(
        "\n" * (document.count("\n") - 1) + "Verdict: reject\n", BRANCHES
    )


@given(DOCUMENTS)
def test_text_inside_a_quote_or_comment_never_counts(text: str) -> None:
    lines = text.replace("\r", "\n").split("\n")
    quoted = "".join(f"> {line}\n" for line in lines)
    assert read_verdicts(quoted, BRANCHES) == Reading((), (), ())
    commented = "<!--\n" + text.replace("--", "") + "\n-->\n"
    assert read_verdicts(commented, BRANCHES) == Reading((), (), ())


@given(st.lists(LINES, max_size=12).map("".join))
def test_no_verdict_where_commonmark_sees_code_quotes_or_comments(text: str) -> None:
    """markdown-it is the judge: the line scanner may hide more than it does, never less."""
    document = "\n" + text
    ranges = [
        range(*token.map)
        for token in MarkdownIt("commonmark").parse(document)
        if token.map
        and (
            token.type in ("fence", "code_block", "blockquote_open")
            or (token.type == "html_block" and token.content.lstrip().startswith(("<!--", "<pre")))
        )
    ]
    for found in read_verdicts(document, BRANCHES).found:
        assert not any(found.line - 1 in lines for lines in ranges)


HOSTILE = ["- ", "> ", "`", "```\n", "<!--", "`<!-- -->", "*", "\t", "#", "_ ", "✅", "~~", "[ ] "]


@pytest.mark.parametrize("unit", [*HOSTILE, '"verdict":"approve",', '\\"', "not ", "approve or "])
def test_a_megabyte_of_one_mark_is_read_at_once(unit: str) -> None:
    """A quadratic scan of these takes minutes; a linear one well under a second."""
    body = unit * (1_000_000 // len(unit))
    for text in (body, "Verdict: " + body, "```json\n{" + body + "\n```\n"):
        assert "done" not in decide(read_verdicts(text, BRANCHES))


def test_real_reviews_that_reject_are_never_read_as_approving() -> None:
    labels = CORPUS / "dev" / "labels.jsonl"
    if not labels.exists():
        pytest.skip(f"the corpus of real reviews is not beside this repository ({labels})")
    agreed = 0
    for label in map(json.loads, labels.read_text(encoding="utf-8").splitlines()):
        text = (CORPUS / label["file"]).read_bytes().decode()
        for extra in ((), ("Decision", "Status", "Outcome", "Recommendation")):
            verdict = decide(read_verdicts(text, BRANCHES, extra))
            assert verdict in (NONE, (label["verdict"],)), label["file"]
            agreed += bool(verdict)
    assert agreed >= 19
