"""What sections, lists and lead-in lines say about each other."""

from __future__ import annotations

import pytest
from support import marked_review

from relay_git.lessons.document import read_document

SHAPES = {
    "a severity that leads in a list": """
          # Review

          Critical:
        E - The cache key ignores the tenant
        E - Two writers race

          Non-blocking:

        I 1. Typo
    """,
    "advice that leads in a list": """
          ## Backend

          The handlers are small.

          Suggestion:
        I - Pin the version
    """,
    "what an earlier round found leads in a list": """
          # Round 2

          All findings of round 1 are resolved:

          - [x] The token is logged

          ## New

        W - The index on the tenant is missing
    """,
    "good, bad and ugly": """
          Good:

          - small steps

          Bad:

        W - the window is full

          Ugly:

        W - step 5 guesses the path
    """,
    "places that head what is wrong in them": """
          ## Findings

          - In `src/a.py`:
        W   - The timeout is ignored
        W   - The handle leaks
          - `src/b.py:12`
        W   - Missing null check
            - Fix: add one
        W - `src/c.py`
            - Problem: the lock leaks
            - Fix: release it
    """,
    "a bare severity before the finding": """
          ## Findings

        E - **High**
            The token is logged.
        I - **Low**
            A typo.
    """,
    "several problems in one item": """
          ## Quality by layer

          - Gateway
        W   - Issue: both clients repeat the retry
        W   - Issue: the tests share a config
            - Recommendation: one client
        W - Core
            - Issue: the module has no boundary
            - Recommendation: split it
    """,
    "sections beside findings are findings": """
          ## Important

        W ### The lock is never released

          The worker hangs.

        W ### The retry never waits

          The server is hammered.

        W ### Bookmarks at the edges

          - **Nested scopes**: both stay active
          - **Links**: they leave the scope

          ### Backend

        W - The pool is unbounded
    """,
    "numbered sections beside graded ones": """
          # Plan review

        E ## 1. The plugins run in the same process — **High** ✅

          They may read everything.

        W ## 2. The key is embedded by path — **Med-High** 📝

          No version is pinned.

        W ## 3. The free core may become a shell — **Principle** ✅

          Nothing keeps it whole.
    """,
    "labelled bullets that tell the harm": """
          # Audit

        W ## 4. Keys on Windows

          - **Image:** it is like a note on the screen
          - **Mechanics:** the keys are in a text file
          - **Impact:** every program of the user can read them
    """,
    "the value of a field above a list": """
          ## Findings

        E ### 1. Two owners of the journal

          Severity:

          - high

          Problem:

          - both write it
    """,
    "a field under any name": """
          ## Findings

        E ### AUD-01 — Open API

          1. **Place:** `server.js:10`
          2. **Stufe:** **Kritisch**.
    """,
    "an impact that is no grade": """
          ## Findings

        W - **Strings are everywhere**
            - Impact: High risk of typos
            - Action: use enums
    """,
    "an area with a severity heads its list": """
          ## Known and not fixed

          ### Code quality (minor)

        I - three casts
        I - a dead branch
    """,
    "a scale explains and finds nothing": """
          ## Severity convention

          - `blocking`: breaks production
          - `high`: a serious fault
          - `medium`: a fault
          - `polish`: a refinement

          ## How we grade

          - Critical: breaks production
          - Medium: confuses people
          - Low: is ugly
    """,
    "counts by severity": """
          ## Summary

          - 🔴 **2 CRITICAL**: the audit chain, the seed
          - 3 High: a, b and c
    """,
    "a label and a denial": """
          ## Findings

          - **Issues Found:** None critical
        E - HIGH: no tests
        W - No docs
          - No security issues
    """,
    "a failed check among those that passed": """
          ## Checklist

          - [x] Goal stated
          - [ ] Rollback described — nothing says how to undo step 3
          - [ ] Docs updated
    """.replace("          - [ ] Rollback", "        W - [ ] Rollback"),
    "ticks at the end of a heading": """
          # Review

          ## Motion preferences ✅

          - Respects the setting of the system
          - No content plays by itself
    """,
    "an order of steps repeats": """
          ## Findings

        W - The sandbox comes too late

          ## Recommended order

          1. Skeleton
          2. Sandbox
    """,
    "marks written as words between colons": """
          # Review

        E :red_circle: **Token logged** in `a.py`

        W :warning: **No tests** for the retry

          :white_check_mark: Names are fine
    """,
    "what was fixed in the same review": """
          ## Fixes applied during this review

        W ### 4.1 The id could be empty

          It had no check.
    """,
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_read(name: str) -> None:
    text, expected = marked_review(SHAPES[name])
    found = read_document(text).findings
    assert [(finding.line, finding.severity) for finding in found] == expected


def test_a_claim_says_what_is_wrong_and_not_only_where() -> None:
    text, _ = marked_review(SHAPES["places that head what is wrong in them"])
    assert [finding.claim for finding in read_document(text).findings] == [
        "The timeout is ignored",
        "The handle leaks",
        "Missing null check",
        "`src/c.py`: the lock leaks",
    ]


def test_a_claim_skips_the_fields_in_the_same_paragraph() -> None:
    text = "# Review\n\n## 1. Handle leak\n\nSeverity: Medium. The file is never closed.\n"
    (finding,) = read_document(text).findings
    assert finding.claim == "Handle leak: The file is never closed."
