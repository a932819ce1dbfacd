from __future__ import annotations

import pytest

from relay_git.lessons.decisions import decide
from relay_git.lessons.document import read_document

STATED = [
    ("## Verdict: approve", "approve"),
    ("## Verdict: reject", "reject"),
    ("## Verdict\n\nAPPROVE — all good", "approve"),
    ("### Verdict\n\n**Changes requested.** Two blockers remain.", "reject"),
    ("**Verdict:** ✅ Approved", "approve"),
    ("**Decision**： rejected", "reject"),
    ("> **Verdict: CONDITIONAL APPROVE.** The ports/adapters split holds.", "approve"),
    ("| Item | Value |\n|---|---|\n| Verdict | ✅ Approved |", "approve"),
    ("| PR | Verdict |\n|---|---|\n| 1 | merge |\n| 2 | request changes |", "reject"),
    ("---\nverdict: approve\n---\n\ntext", "approve"),
    ("---\nstatus: issues_found\n---\n\ntext", "reject"),
    ('```json\n{"verdict": "reject", "by": "x"}\n```', "reject"),
    ("```yaml\nverdict: APPROVE\n```\n\n# Review", "approve"),
    ("# ✅ APPROVED\n\nNice.", "approve"),
    ("# Review: REJECTED", "reject"),
    ("# Phase 2 review - ACCEPTED", "approve"),
    ("LGTM with comments", "approve"),
    ("### Assessment\n\n**Ready to merge?** With fixes", "reject"),
    ("**Ready to merge:** Yes", "approve"),
    ("**Approved:** ❌", "reject"),
    ("**Verdict:** ✅", "approve"),
    ("## VERIFICATION PASSED", "approve"),
    ("## ISSUES FOUND\n\n1. it leaks", "reject"),
    ("## ISSUES FOUND\n\n1. it leaks\n\n**Verdict:** approve", "approve"),
    ("Changes requested.", "reject"),
    ("PHASE_APPROVED", "approve"),
    ("## Verdict\n\n- [ ] Approve\n- [x] Request changes", "reject"),
    ("## Verdict\n\n- [x] Approve\n- [ ] Request changes", "approve"),
    ("## Verdict: PASS WITH WARNINGS", "approve"),
    ("## Verdict: done", "done"),
    ("Verdict: do not approve yet", "reject"),
    ("## Verdict: disapproved", "reject"),
    ("**Recommendation:** I cannot approve this plan.", "reject"),
    ("## Conclusion\n\nNot ready to merge.", "reject"),
    ("**Overall: Ready to merge after the fixes below**", "reject"),
    ("Status: not complete for release; local work is done", "reject"),
    ("**审查结论**：不通过", "reject"),
    ("## 五、评审结论\n\n不通过，请修改后重新提交。", "reject"),
    ("- 结论：暂不建议合并", "reject"),
    ("## 結論：承認", "approve"),
    ("## 判定\n\n差し戻し", "reject"),
    ("## 판정: 반려", "reject"),
    ("**Veredicto:** No aprobado", "reject"),
    ("**Veredito: Reprovado**", "reject"),
    ("## Urteil\n\nFreigegeben mit Auflagen.", "approve"),
    ("**Décision :** Approuvé", "approve"),
    ("## Вердикт: отклонено", "reject"),
    ("**Keputusan:** Disetujui", "approve"),
    ("**Scope:** 23 files | **Reviewed:** today | **Status: ✅ PASSES REVIEW**", "approve"),
    ("> **VERDICT AS RETURNED: BLOCKING — 1 blocking, 0 medium**", "reject"),
    ("## Summary verdict: REVISE", "reject"),
    ("## Verdict\n\nThe implementation is sound and can be merged as is.", "approve"),
    ("## Verdict\n\nThe direction is good, but this commit is not review-clean.", "reject"),
    ("## Verdict\n\nGood direction.\n\nI would not sign off on this yet.", "reject"),
    ("## Verdict\n\n1 blocker. Reject.", "reject"),
    ("## Verdict\n\n**PASS-WITH-FIXES.**", "approve"),
    ("**Conclusion:** The PR should not be merged until the tests pass.", "reject"),
    ("**Merge?** No — blockers remain", "reject"),
    ("**Go / No-Go:** NO-GO until F1 is fixed", "reject"),
    ("✅ Approved", "approve"),
    ("# Review (APPROVED)", "approve"),
    ("Recommendation: **Do not deploy to production until F1 is fixed**.", "reject"),
    ("Verdict: all four are sound and consistent with the code.", "approve"),
]

SILENT = [
    "| Surface | Verdict |\n|---|---|\n| a | PASS |\n| b | PASS |",
    "## Summary\n\nBefore merging, all added tests must be approved by the owner.",
    "## Verdict: APPROVE | REJECT",
    "Verdict: approve or reject",
    "**Decision:** Pending user approval",
    "## Verdict: pending",
    "---\nverdict: pending\n---\n",
    "Status: Under review",
    "**Verdict:** mixed",
    "Status: Ready for review",
    "Status: all tests passed",
    "**Recommendation:** Pass the token in a header.",
    "### Reject empty input",
    "**Overall rating:** 8/10",
    "| Test | Status |\n|---|---|\n| login | PASS |",
    "<!-- Verdict: approve -->",
    "```\nVerdict: approve\n```",
    "```json\n[1\n```",
    "## Findings\n\n### Status: fixed\n\n**Status:** Approved upstream\n**Fix:** wait",
]


@pytest.mark.parametrize(("text", "verdict"), STATED)
def test_an_outcome_is_read(text: str, verdict: str) -> None:
    assert read_document(text).verdict == verdict


@pytest.mark.parametrize("text", SILENT)
def test_no_outcome_is_guessed(text: str) -> None:
    assert read_document(text).verdict is None


def test_its_line_is_told() -> None:
    assert read_document("# A\n\ntext\n\n## Verdict\n\nreject\n").verdict_line == 7
    assert read_document("---\na: b\nverdict: reject\n---\n").verdict_line == 3
    assert read_document('text\n\n```json\n{\n "verdict": "reject"}\n```\n').verdict_line == 5


@pytest.mark.parametrize("order", [("APPROVE", "REJECT"), ("REJECT", "APPROVE")])
def test_a_contradiction_is_no_approval(order: tuple[str, str]) -> None:
    text = "\n\n".join(f"**Verdict:** {word}" for word in order)
    assert read_document(text).verdict == "reject"


def test_a_later_round_settles_it() -> None:
    text = "## Round 1\n\n**Verdict:** REJECT\n\n## Round 2\n\n**Verdict:** APPROVE\n"
    assert read_document(text).verdict == "approve"


def test_a_verdict_inside_a_finding_is_not_the_documents() -> None:
    text = "## Findings\n\n### [P1] Crash\n\nIt crashes. **Verdict:** x\n\n**Decision:** accepted\n"
    assert read_document(text).verdict is None


@pytest.mark.parametrize(
    ("value", "loose", "strict"),
    [
        ("Reject empty input", "reject", None),
        ("Approved with changes", "approve", "approve"),
        ("Ready for production deployment", "approve", "approve"),
        ("通过缓存提升性能", "approve", None),
        ("Two blockers", None, None),
    ],
)
def test_without_a_label_the_words_have_no_object(
    value: str, loose: str | None, strict: str | None
) -> None:
    assert (decide(value), decide(value, strict=True)) == (loose, strict)
