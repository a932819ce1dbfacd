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


SAID = [
    ("## Verdict\n\nI would not merge this as is.", "reject"),
    ("## Summary\n\nI would not merge this as is.", "reject"),
    ("Overall this needs another pass before it can land.", "reject"),
    ("## Conclusion\n\nReady to merge once the two blockers are fixed.", "reject"),
    ("## Conclusion\n\nThis is not ready to ship.", "reject"),
    ("**Recommendation:** NO-GO", "reject"),
    ("**Recommendation:** Ship it.", "approve"),
    ("**Verdict:** Ship it!", "approve"),
    ("Verdict: LGTM", "approve"),
    ("## Verdict\n\nShip it 🚀", "approve"),
    ("## Verdict\n\nNo-go.", "reject"),
    ("## Verdict: NO GO", "reject"),
    ("## Verdict: GO", "approve"),
    ("## Verdict\n\nDon't ship this.", "reject"),
    ("## Verdict\n\nPlease do not merge before F1 is fixed.", "reject"),
    ("## Final verdict\n\nNot yet. Fix the three blockers first.", "reject"),
    ("**Ready to merge:** Not yet", "reject"),
    ("**Merge readiness:** Not ready", "reject"),
    ("**Merge readiness:** Ready", "approve"),
    ("**Overall:** Needs work", "reject"),
    ("**Overall verdict: FAIL**", "reject"),
    ("**Overall verdict: PASS**", "approve"),
    ("**Status:** BLOCKED", "reject"),
    ("**Status:** ❌ Not approved", "reject"),
    ("**Status:** ✅ Approved", "approve"),
    ("## Decision\n\nRequest changes", "reject"),
    ("## Decision\n\n🔴 Request changes", "reject"),
    ("**Decision:** 🔁 Changes requested", "reject"),
    ("**Outcome:** Rework required", "reject"),
    ("**Outcome:** Return to author", "reject"),
    ("**Outcome:** Send back for revision", "reject"),
    ("**Outcome:** Accepted with minor revisions", "approve"),
    ("**Recommendation:** Major revisions", "reject"),
    ("**Recommendation:** Revise and resubmit", "reject"),
    ("**Recommendation:** Do not proceed to implementation", "reject"),
    ("**Recommendation:** Proceed to implementation", "approve"),
    ("## Recommendation\n\nDo not proceed until the schema question is answered.", "reject"),
    ("## Bottom line\n\nI can't sign off on this yet.", "reject"),
    ("## Bottom line\n\nGood to go.", "approve"),
    ("## Bottom line\n\nThis is good to merge.", "approve"),
    ("## Bottom line\n\nNo blockers. Safe to merge.", "approve"),
    ("## Bottom line\n\nTwo blockers. Not safe to merge.", "reject"),
    ("I approve this plan.", "approve"),
    ("I am rejecting this plan.", "reject"),
    ("I cannot approve this change in its current form.", "reject"),
    ("## Verdict\n\nNothing blocks merging.", "approve"),
    ("## Verdict\n\nBlocked on the migration.", "reject"),
    ("## Verdict\n\nThe plan should go back to the drawing board.", "reject"),
    ("## Verdict\n\nRevise before implementing.", "reject"),
    ("## Assessment\n\n**Ready to merge: No**", "reject"),
    ("## Assessment\n\n**Ready to merge: Yes, with minor follow-ups**", "approve"),
    ("**Approval:** Withheld", "reject"),
    ("**Approval:** Granted", "approve"),
    ("**Approval status:** Denied", "reject"),
    ("Result: FAILED (3 of 12 checks)", "reject"),
    ("Result: PASSED (12 of 12 checks)", "approve"),
    ("**Beslut:** Avslagen", "reject"),
    ("**Beslut:** Godkänd", "approve"),
    ("**Oordeel:** Afgekeurd", "reject"),
    ("**Oordeel:** Goedgekeurd", "approve"),
    ("**Conclusie:** Niet klaar voor merge", "reject"),
    ("**Werdykt:** Odrzucone", "reject"),
    ("**Werdykt:** Zatwierdzone", "approve"),
    ("**Verdict:** Zaakceptowano", "approve"),
    ("**Wniosek:** wymaga poprawek", "reject"),
    ("**Verdikt:** Zamítnuto", "reject"),
    ("**Verdikt:** Schváleno", "approve"),
    ("**Karar:** Reddedildi", "reject"),
    ("**Karar:** Onaylandı", "approve"),
    ("**Sonuç:** Değişiklik gerekli", "reject"),
    ("**Вердикт:** Відхилено", "reject"),
    ("**Висновок:** Схвалено", "approve"),
    ("**Висновок:** потребує доопрацювання", "reject"),
    ("**Esito:** Respinto", "reject"),
    ("**Esito:** Approvato", "approve"),
    ("**Verdetto:** Non approvato", "reject"),
    ("**Kết luận:** Từ chối", "reject"),
    ("**Kết luận:** Phê duyệt", "approve"),
    ("**Kết luận:** Cần sửa lại", "reject"),
    ("**القرار:** موافقة", "approve"),
    ("**القرار:** مرفوض", "reject"),
    ("**החלטה:** מאושר", "approve"),
    ("**החלטה:** נדחה", "reject"),
    ("**निर्णय:** स्वीकृत", "approve"),
    ("**निर्णय:** अस्वीकृत", "reject"),
    ("**Konklusjon:** Godkjent", "approve"),
    ("**Konklusjon:** Ikke godkjent", "reject"),
    ("**Konklusion:** Godkendt", "approve"),
    ("**Konklusion:** Afvist", "reject"),
    ("**Päätös:** Hyväksytty", "approve"),
    ("**Päätös:** Hylätty", "reject"),
    ("**結論:** 要修正", "reject"),
    ("**結論:** マージ不可", "reject"),
    ("**結論:** マージ可", "approve"),
    ("**総合評価:** 承認", "approve"),
    ("**結論**: このままではマージできません", "reject"),
    ("**结论**：需要修改后再审", "reject"),
    ("**结论**：可以合并", "approve"),
    ("**结论**：同意合并", "approve"),
    ("**结论**：暂缓合并", "reject"),
    ("**결론:** 수정 후 재검토", "reject"),
    ("**결론:** 승인", "approve"),
    ("**결론:** 병합 불가", "reject"),
    ("**Итог:** не готово к слиянию", "reject"),
    ("**Итог:** можно сливать", "approve"),
    ("**Вердикт:** на доработку", "reject"),
    ("## Verdict\n\nApprove only after the P0s are resolved.", "reject"),
    ("## Verdict\n\nApprove. The P2s can follow.", "approve"),
    ("**Verdict: Approve with nits**", "approve"),
    ("**Verdict:** ⚠️ Conditional — fix H1 before merge", "reject"),
    ("**Verdict:** ✅ Ready for production", "approve"),
    ("**Verdict:** ⚠️ Not production-ready", "reject"),
    ("**Production ready:** ❌ No", "reject"),
    ("**Production ready:** ✅ Yes", "approve"),
    ("Overall verdict — **REJECT**", "reject"),
    ("> ❌ **REJECTED**", "reject"),
    ("> ✅ **APPROVED**", "approve"),
    ("VERDICT: REVISE", "reject"),
    ("VERDICT=REJECT", "reject"),
    ("[REJECT]", "reject"),
    ("Final call: no ship.", "reject"),
    ("## Should this merge?\n\nNo.", "reject"),
    ("## Should this merge?\n\nYes.", "approve"),
    ("## Is it ready?\n\nNot yet.", "reject"),
    ("The plan is sound and ready for implementation.", "approve"),
    ("The plan is not sound enough to implement.", "reject"),
]
"""In whole sentences, in answers to questions, and in more languages."""

DOUBTFUL = [
    "## Verdict\n\nThe plan should go back to the author.",
    "## Summary\n\nThe code is production ready? Not quite.",
    "## Summary\n\nIt isn't ready to merge.",
    "## Summary\n\nThis is nearly ready to merge.",
    "## Summary\n\nAlmost ready to ship; two fixes left.",
    "## Conclusion\n\nOnce the tests pass it is ready to merge.",
    "## Conclusion\n\nThe change is far from production ready.",
    "## Conclusion\n\nHardly ready for production.",
    "## Conclusion\n\nThis would be good to merge if H1 were fixed.",
    "## Conclusion\n\nI'd be happy to approve after the fixes.",
    "## Conclusion\n\nThe author claims it is ready to merge.",
    "## Verdict\n\nClaimed ready to merge; it is not.",
    "**Verdict:** ~~Approve~~ Reject",
    "**Verdict:** Approve with blocking comments",
    "**Verdict:** Approved? No.",
    "**Verdict:** Not approved",
    "**Verdict:** Unapproved",
    "**Verdict:** Can't recommend approval",
    "**Verdict:** 0 of 3 reviewers approve",
    "**Verdict:** partially approved",
    "**Verdict:** Approve (blocked by CI)",
    "**Verdict:** fails to pass",
    "## Verdict\n\nNearly there. Not ready to merge.",
    "## Verdict\n\nApprove is not possible yet",
    "## Verdict\n\nWould approve, but H1 blocks it.",
    "## Verdict\n\nLGTM except for the data loss bug, which must be fixed first.",
    "## Verdict\n\nGood work overall, but request changes.",
    "## Verdict\n\nPass on the backend, fail on the frontend.",
    "## Verdict\n\nAccepting this as is would be a mistake.",
    "## Verdict\n\nApproval is withheld.",
    "## Verdict\n\nApproved in principle only; do not merge.",
    "**Recommendation:** merge is premature",
    "**Status:** ready for review",
    "**Verdict:** ready for rework",
    "**Verdict:** Go back to design",
    "**Verdict:** pass 3 of 12",
    "**Verdict:** green light denied",
    "**Verdict:** 不建议合并",
    "**Verdict:** 未通过",
    "**결론:** 승인 불가",
    "**結論:** 承認できない",
    "**結論:** 合格ではない",
    "**Вердикт:** не одобрено",
    "**Вердикт:** одобрить нельзя",
    "**Urteil:** nicht freigegeben",
    "**Urteil:** Freigabe verweigert",
    "**Veredicto:** aprobado no",
    "**Verdict:** pas approuvé",
    "**Decyzja:** nie zatwierdzono",
    "**Karar:** onay verilmedi",
    "**Karar:** Onaylanmadı",
    "**Kết luận:** không đạt",
    "**Esito:** non approvabile",
    "**Beslut:** inte godkänd",
    "**Päätös:** ei hyväksytty",
    "**Oordeel:** niet akkoord",
    "**החלטה:** לא מאושר",
    "**القرار:** غير مقبول",
    "**निर्णय:** स्वीकृत नहीं",
]
"""What holds words of approval and is none."""


@pytest.mark.parametrize(("text", "verdict"), STATED)
def test_an_outcome_is_read(text: str, verdict: str) -> None:
    assert read_document(text).verdict == verdict


@pytest.mark.parametrize(("text", "verdict"), SAID)
def test_an_outcome_is_read_from_sentences(text: str, verdict: str) -> None:
    assert read_document(text).verdict == verdict


@pytest.mark.parametrize("text", DOUBTFUL)
def test_a_doubt_is_no_approval(text: str) -> None:
    assert read_document(text).verdict != "approve"


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


def test_praise_of_one_part_does_not_approve_the_whole() -> None:
    text = (
        "# Review\n\n## Design\n\n### Adapters\n\n**Verdict:** clean, no hard dependencies\n\n"
        "### Errors\n\nThey are swallowed.\n"
    )
    assert read_document(text).verdict is None


def test_a_ticked_task_is_no_choice() -> None:
    text = "# Notes\n\n- [x] Extract the shared reader, so it is ready to go\n- [ ] Docs\n"
    assert read_document(text).verdict is None


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("# Notes\n\n## Scope\n\nAll.\n\n**Accessibility audit status:** FAILED\n", "reject"),
        ("# Notes\n\n## Release gate decision\n\n✅ **GO** - the list is done\n", "approve"),
        ("# Notes\n\n### Plan Review Result\n\nIt can be merged as is.\n", "approve"),
        ("# Notes\n\n## In short\n\nFine idea, but I would not call it merge-ready.\n", "reject"),
        ("# Notes\n\n**Audit status board:** passed on to the team\n", None),
    ],
)
def test_what_names_a_kind_of_review_and_its_outcome_announces_one(
    text: str, verdict: str | None
) -> None:
    assert read_document(text).verdict == verdict
