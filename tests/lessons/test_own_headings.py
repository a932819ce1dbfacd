"""Under the headings that our own roles ask for, every item is a finding, however it is worded."""

from __future__ import annotations

import pytest

from relay_git.lessons.document import read_document

HEADINGS = {
    "Required Changes": "warn",
    "Concerns": "warn",
    "Catches": "error",
    "Suggestions": "info",
}
ITEMS = [
    "Let the test kill one of the eight processes at a random moment, so that it covers that too.",
    "`ensure` may claim the first line between `rotate`'s read and its replacement.",
    "Name the file that holds the old rows.",
    "Two workers write `jobs.state` by id alone.",
    "After a restart the cache is read before the migration has run.",
    "**Step 4 waits for a lock that step 2 holds.** Release it first.",
    "The happy path works; the timeout path has no test.",
    "Consider one helper for the three statements.",
    "`Worker.finish` returns `True` for an attempt that lost.",
    "A user with two sessions sees the other one's draft.",
    "Whoever calls `close` twice gets an exception from the second call.",
    "Why is the timeout 30 s when the job takes 60?",
    "Rename `tmp2` to what it holds.",
    "Let the test kill one of them at random, so that it covers guarantee 3 as well.",
    "`ensure` may claim the line while the store is new: `rotate` then drops the claimed line.",
    "Everything is in place except the index, which is missing and was verified to be slow.",
    "It is fixed in `v1` only; `v2` still has the old loop.",
    "Old clients send no header and are counted as new ones.",
]


@pytest.mark.parametrize("mark", ["- ", "* ", "1. "])
@pytest.mark.parametrize(("heading", "severity"), HEADINGS.items())
@pytest.mark.parametrize("item", ITEMS)
def test_an_item_is_a_finding(heading: str, severity: str, item: str, mark: str) -> None:
    text = f"# Review\n\nI read the plan.\n\n## {heading}\n\n{mark}{item}\n\n## Verdict: reject\n"
    (finding,) = read_document(text).findings
    assert (finding.line, finding.severity) == (7, severity)


@pytest.mark.parametrize(("heading", "severity"), HEADINGS.items())
def test_several_items_are_several_findings(heading: str, severity: str) -> None:
    items = "\n".join(f"- {item}" for item in ITEMS)
    found = read_document(f"# Review\n\n## {heading}\n\n{items}\n\n## Verdict: approve\n").findings
    assert [finding.line for finding in found] == list(range(5, 5 + len(ITEMS)))
    assert {finding.severity for finding in found} == {severity}


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("nothing", ["None.", "- None", "- none found", "Nothing.", "- N/A", "-"])
def test_nothing_is_no_finding(heading: str, nothing: str) -> None:
    assert read_document(f"# Review\n\n## {heading}\n\n{nothing}\n").findings == ()


@pytest.mark.parametrize("mark", ["[error]", "[ERROR]", "**[error]**", "[blocking]", "(error)"])
def test_an_item_s_own_mark_beats_its_heading(mark: str) -> None:
    text = f"## Suggestions\n\n- {mark} The retry never waits.\n"
    (finding,) = read_document(text).findings
    assert (finding.severity, finding.claim) == ("error", "The retry never waits.")
