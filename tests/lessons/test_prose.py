"""Reviews that are prose alone."""

from __future__ import annotations

from support import marked_review

from relay_git.lessons.document import read_document

CRITIQUE = """
          # On the plan

        W I read the plan twice. The direction is right. However, the migration in step 3 has no
          down path, so a failed deploy leaves the schema half changed.

        W The retry policy is missing as well.

          The names are good, and the steps are small.

          I would not approve this yet.
"""


def test_a_paragraph_that_blames_is_a_finding() -> None:
    text, expected = marked_review(CRITIQUE)
    document = read_document(text)
    assert [(finding.line, finding.severity) for finding in document.findings] == expected
    assert document.verdict == "reject"


def test_its_claim_is_the_sentence_that_blames() -> None:
    text, _ = marked_review(CRITIQUE)
    assert read_document(text).findings[0].claim.startswith("However, the migration in step 3")


def test_prose_beside_a_list_of_findings_is_none() -> None:
    text = "# Review\n\nThe retry is broken.\n\n## Findings\n\n- The retry never waits.\n"
    assert [finding.line for finding in read_document(text).findings] == [7]


def test_praise_denials_answers_and_outcomes_are_none() -> None:
    for text in (
        "# Review\n\nThe parser is robust and well tested.\n",
        "# Review\n\nNo problems were found.\n",
        "## Strengths\n\nThe error path is no longer broken.\n",
        "### Is the retry broken?\n\nIt is not, but the docs are missing a word.\n",
        "## Verdict\n\nRejected: nothing works.\n",
    ):
        assert read_document(text).findings == ()
