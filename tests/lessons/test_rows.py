"""Tables whose rows are findings, and those whose rows are none."""

from __future__ import annotations

import pytest
from support import marked_review

from relay_git.lessons.document import read_document
from relay_git.lessons.markdown import parse
from relay_git.lessons.tables import columns

TABLES = {
    "a column of nothing but severities needs no known name": """
          ## What we looked at

          | Nr | Kind | Remark | Klass |
          |---|---|---|---|
        E | 1 | code | The token is printed by the login handler | critical |
        I | 2 | docs | A word is misspelt in the introduction | low |
    """,
    "risk grades the rows where nothing else does": """
          # Review

          | Vulnerability | Risk | Where |
          |---|---|---|
        E | Token in log | High | a.py |
        I | Weak hash | Low | b.py |
    """,
    "effort and likelihood grade nothing": """
          ## Findings

          | Problem | Effort | Likelihood |
          |---|---|---|
        W | The token is printed | High | Low |
        W | The hash is weak | Low | High |
    """,
    "a header that names faults announces them": """
          # The branch

          | Site | Main gaps |
          |---|---|
        W | `a.py` | nothing waits between two tries |
        W | `b.py` | the handle stays open |
    """,
    "a header that names faults may count them": """
          # The branch

          | Module | Issues |
          |---|---|
          | a | 3 |
          | b | 0 |
    """,
    "comments on files that blame": """
          ## The branch

          | Datei | Anmerkung |
          |---|---|
        W | a.py | Der Timeout wird ignoriert und fehlt in b |
        W | b.py | Das Handle ist nicht geschlossen |
    """,
    "files and what was changed in them": """
          ## The branch

          | File | Change |
          |---|---|
          | a.py | Handle the missing timeout |
          | b.py | Close the leaked handle |
    """,
    "rows of labels and values": """
          ## 2. Payments

          | Field | Value |
          |---|---|
          | Owner | the billing team and its deputy |
        W | Missing | a route that exposes the invoices |
        E | Critical problem | no payment flow works from end to end |
          | Problem | — |
    """,
    "the statement is no path and no fix": """
          ## Findings

          | # | Path | Seen | Recommendation |
          |---|---|---|---|
        W | 1 | src/net/a.py | the client never waits | Back off between two tries, up to a limit |
        W | 2 | src/net/b.py | the handle leaks here | Close it in a finally block, always |
    """,
    "files to write are no findings": """
          ## Files

          | # | File Path | Priority | Status |
          |---|---|---|---|
          | 1 | `src/a.py` (extend) | HIGH | ⬜ |
          | 2 | `src/b.py` | LOW | ⬜ |
    """,
    "scores: less than half is amiss": """
          ## Assessment

          | Area | Score | Comment |
          |---|---|---|
          | Names | 9/10 | short and telling |
        W | Safety | 3/10 | anyone may read the log |
    """,
    "what is fixed counts in its own review": """
          ## Findings

          | # | Severity | Finding | Status |
          |---|---|---|---|
        E | 1 | High | The token is logged | ✅ Fixed — masked now |
        W | 2 | Medium | The lock leaks | ❌ Open |
    """,
    "and not where a later one goes over it": """
          # Follow-up review

          | # | Severity | Finding | Status |
          |---|---|---|---|
          | 1 | High | The token is logged | ✅ Fixed — masked now |
        W | 2 | Medium | The lock leaks | ❌ Not fixed |
    """,
    "a group of rows below a severity": """
          ## Confirmed, by severity

          ### Major — engine / events

          | Site | Finding |
          |---|---|
        W | `a.py` | the cap counts the wrong side |
        W | `b.py` | the reset drops the card |
    """,
    "an empty remark leaves the name of the check": """
          ## Coverage

          | Check | Status | Remark |
          |---|---|---|
          | Login by password | ✅ | form and cookie |
        W | Logout is missing | ❌ | |
    """,
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read(name: str) -> None:
    text, expected = marked_review(TABLES[name])
    found = read_document(text).findings
    assert [(finding.line, finding.severity) for finding in found] == expected


def test_the_statement_is_what_the_row_says() -> None:
    text, _ = marked_review(TABLES["rows of labels and values"])
    claims = [finding.claim for finding in read_document(text).findings]
    assert claims[0] == "a route that exposes the invoices"


def test_a_fix_is_not_taken_for_the_statement() -> None:
    text, _ = marked_review(TABLES["the statement is no path and no fix"])
    claims = [finding.claim for finding in read_document(text).findings]
    assert claims == ["the client never waits", "the handle leaks here"]


def test_a_table_without_rows_or_text_has_no_statement() -> None:
    for text in ("| a | b |\n|---|---|\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"):
        (table,) = parse(text).root.blocks
        assert columns(table).text is None  # type: ignore[arg-type]
