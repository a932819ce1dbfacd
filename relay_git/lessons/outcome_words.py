"""The words that state the outcome of a review, in many languages. Written as in `vocabulary`."""

from __future__ import annotations

from relay_git.lessons.vocabulary import terms

OUTCOME_LABELS = terms(
    "go/no-go, go / no-go, go or no-go, summary verdict, final result, overall conclusion",
    "verdict, final verdict, overall verdict, decision, overall, overall grade, grade",
    "overall status, final status, review status, overall assessment, final decision, approval",
    "review result, review outcome, merge recommendation, sign-off, final recommendation",
    "overall recommendation, review decision, review verdict, gate, disposition, bottom line",
    "merge status, final assessment, judgment, judgement, ruling, determination, overall result",
    "overall verdict, approval status, audit result, audit verdict, verdict (final)",
    "reviewer verdict, phase status, merge readiness",
    "veredicto, veredicto final, decision final, veredito, veredito final, decisao",
    "decisao final, parecer, urteil, entscheidung, gesamturteil, verdict final, avis",
    "decision finale, putusan, keputusan, вердикт, решение, итоговое решение, заключение",
    "评审结论, 审查结论, 裁决, 判定, 审核结果, 评审结果, 总体结论, 结论建议, 最终结论",
    "审查结果, 结论, 総合判定, レビュー結果, 最終判定, 判定, 結論, 판정, 최종 판정, 최종 결론",
    "결론",
)

WEAK_OUTCOME_LABELS = terms(
    "status, result, outcome, conclusion, recommendation, assessment, estado, resultado",
    "conclusion, recomendacion, conclusao, recomendacao, ergebnis, fazit, empfehlung, statut",
    "resultat, hasil, state, kesimpulan, recommandation, результат, статус, итог, вывод, 结果",
    "状态, 結果, ステータス, 결과, 상태",
)

READY_LABELS = terms(
    "ready to merge, ready for merge, ready to ship, ready for production, production ready",
    "merge, ship, go, can merge, can ship, should merge, should we merge, approved, approve",
    "mergeable, safe to merge, good to merge, ready for implementation",
    "ready to implement, ready, can be merged, ready to proceed, lista para produccion",
    "listo para produccion, aprobado, aprovado, freigegeben, approuve, siap produksi, disetujui",
    "готово к слиянию, одобрено, 可合并, 是否可合并, 是否通过, 可以合并, マージ可能, 承認",
    "머지 가능, 승인",
)

YES = terms("yes, true, si, sim, ja, oui, ya, да, 是, 可以, はい, 可, 예, 네")

NO = terms(
    "no, false, not yet, with fixes, after fixes, with changes, nein, non, nao, tidak, belum",
    "нет, 否, 不, 未, いいえ, 不可, 아니오, 아니요",
)

CLOSING_NOUNS = terms(
    "verdict, decision, conclusion, summary, outcome, recommendation, approval, sign-off",
    "sign off, overall, assessment, bottom line, final, status, result, veredicto, conclusion",
    "resumen, decision, recomendacion, conclusao, resumo, veredito, decisao, fazit, urteil",
    "zusammenfassung, ergebnis, entscheidung, synthese, resume, kesimpulan, putusan, keputusan",
    "ringkasan, вывод, вердикт, итог, заключение, 结论, 总结, 判定, 裁决, 結論, 総括, まとめ",
    "判定, 결론, 판정, 요약",
)

LATER = terms(
    "final, round 2, round 3, round 4, round 5, re-review, rereview, second review",
    "follow-up review, follow up review, updated, re-audit, r2, r3, r4, v2, v3, post-fix",
    "after fixes, resolution, now, endgultig, zweite runde, segunda ronda, segunda revision",
    "revision 2, 复审, 复核, 第二轮, 第三轮, 最终, 再レビュー, 最終, 第2回, 재검토, 최종, 2차",
    "повторная, итоговый, finale, kedua, akhir",
)

MODIFIERS = terms(
    "final, overall, the, a, an, this, plan, pr, is, be, to, ready, recommended, recommend, we",
    "i, should, conditional, conditionally, strong, strongly, clear, with, now, still, it, safe",
    "good, fully, partially, verification, review, audit, check, validation, phase, can, must",
    "currently, unconditional, clean, implementation, changes",
    "el, la, es, queda, der, ist, le, est, das, o, os, 有条件, 建议, 条件付き, 조건부, 本次",
    "评审, 审查",
)

APPROVE = terms(
    "approval, aprobacion, aprovacao, approbation, genehmigung, ship with, passes review",
    "clean, approve, approved, approves, accept, accepted, accepts, pass, passed, passes, lgtm",
    "merge, mergeable, ship, ship it, ship ready, ready to merge, ready to ship, ready for merge",
    "ready for production, green, production ready, production-ready, go, sign off, signed off",
    "clear to merge, safe to merge, good to go, good to merge, conditional approve",
    "conditional approval, conditionally approved, phase_approved",
    "phase approved, approved_with_comments, approved_with_changes, ready for implementation",
    "implementation ready, aprobado, aprobada, aprobar, aceptado, aceptada, aprovado, aprovada",
    "aprovar, aceito, aceita, genehmigt, angenommen, freigegeben, akzeptiert, bestanden, freigabe",
    "proceed, proceed to, avis favorable, можно мержить, freigabe erteilt, apto, apta, approuve",
    "approuvee, accepte, valide, disetujui, diterima, lulus, setuju, одобрено, одобрить",
    "принято, принять, утверждено, одобрен, 通过, 批准, 同意, 接受, 可合并, 可以合并, 已批准",
    "已通过, 有条件通过, 承認, 合格, 可決, 승인, 통과, 합격, 조건부 승인, マージ可",
)

SPOKEN = terms(
    "approve, approved, approving, be merged, merging, mergeable, be shipped, signed off, sign off",
    "ready to merge, ready for merge, ready to ship, ready for production, ready for release",
    "ready to implement, ready for implementation, production ready, safe to merge, good to merge",
    "good to go, safe to ship, fit for production, release ready, aprobar, aprobado, mergear",
    "listo para produccion, lista para produccion, apto, apta, aprovado, pronto para producao",
    "freigegeben, freigabe, produktionsreif, approuve, pret pour la production, disetujui",
    "siap produksi, можно мержить, можно сливать, готов к слиянию, готово к слиянию, 可以合并",
    "可合并, 可以上线, 予以通过, マージ可能, 承認, 머지 가능, 승인",
)
"""What decides even in the middle of a sentence."""

REFUSALS = terms(
    "not review-clean, not ready, not production ready, not production-ready, not mergeable",
    "do not merge, do not ship, do not deploy, do not release, don't merge, needs another round",
    "another revision, needs revision, needs rework, request changes, requesting changes",
    "changes are required, changes required before, must be fixed before, no apto, 不能合并",
    "不可合并",
    "不建议合并, 需要返工, マージ不可, 머지 불가, nicht freigegeben, nicht bereit, не готов",
    "не готово",
    "pas pret, nao esta pronto, no esta listo, belum siap",
)
"""What refuses even in the middle of a sentence."""

REJECT = terms(
    "reject, rejected, rejects, request changes, request_changes, requested changes",
    "changes requested, changes_requested, changes required, changes_required, needs changes",
    "need changes, needs_changes, needs revision, needs_revision, revision required",
    "revision_required, needs work, needs_work, block, blocking, blocks, rejection, rechazo",
    "blocked, fail, failed, fails, do not merge, don't merge, not ready, no-go, no go, nack",
    "hold, not approved, disapprove, disapproved, decline, declined, unacceptable, red, revise",
    "rework, needs rework, needs fixes, needs_fixes, issues_found, issues found, not accepted",
    "cannot merge, requires changes, requires revision, major revision, major revisions",
    "do not deploy, do not release, not review-clean, do not proceed, needs revisions",
    "not mergeable, not production ready, incomplete",
    "not production-ready, do not approve, requires fixes",
    "ready after fixes, merge after fixes, fix before merge, merge blocked, unsafe to merge",
    "needs_attention, ready after minor fixes, fixes required, needs another round, not_ready",
    "not clean, not signed off, another revision, needs another revision, no apto, nao apto",
    "требуется доработка, требует исправлений, avis defavorable, ungeeignet, nicht bereit",
    "not passed, does not pass, not complete, not yet complete, not yet ready, not yet approved",
    "unfit, not sufficient, insufficient, no merge",
    "rechazado, rechazada, rechazar, requiere cambios, no aprobado, rejeitado, rejeitada",
    "reprovado, reprovada, requer mudancas, nao aprovado, necessita alteracoes, abgelehnt",
    "zuruckgewiesen, nicht genehmigt, nicht freigegeben, anderungen erforderlich, uberarbeitung",
    "nicht bestanden, refuse, refusee, rejete, rejetee, changements requis, a revoir, ditolak",
    "tidak disetujui, perlu perbaikan, perlu revisi",
    "отклонено, отклонить, отклонен, требуются изменения, не одобрено, требует доработки",
    "на доработку, 不建议合并, 暂不建议, 不建议, 不可合并, 不能合并, 不应合并, 不得合并, 不可发布",
    "不同意, 不通过, 未通过, 拒绝, 驳回, 需修改, 需要修改, 退回, 打回, 不予通过, 不批准, 需返工",
    "暂不通过, 修改后, 修订后, 否決, 差し戻し, 却下, 不承認, 要修正, 不合格, 修正が必要, 반려",
    "거부, 거절, 수정 필요, 불합격, 미승인, 변경 요청",
)

UNDECIDED = terms(
    "pending, awaiting, under review, ready for review, in review, in progress, draft, tbd",
    "to be determined, waiting, await, todo, not started, ready for user review, pendiente",
    "pendente, ausstehend, en attente, menunggu, ожидает, 待定, 待审批, 待审, 待评审, 评审中",
    "审查中, 进行中, 保留, 審査中, レビュー中, 대기, 검토 중, 보류, 進行中",
)

QUIET_OUTCOMES = terms(
    "lgtm, approved, rejected, changes requested, request changes, needs changes, not approved",
    "needs revision, aprobado, rechazado, aprovado, reprovado, genehmigt, abgelehnt, approuve",
    "refuse, disetujui, ditolak, одобрено, отклонено, 批准, 驳回, 通过, 不通过, 承認, 差し戻し",
    "승인, 반려",
)

CONDITIONS = terms(
    "after, once, if, as soon as, provided, despues de, tras, apos, nach, sobald, apres",
    "setelah, после, 之后, 修复后, 修改后, 修正後, 対応後, 이후, 수정 후",
)

AFTERWARDS = terms(
    "with, as, after, once, until, pending, but, and, if, now, subject, for, by, on, due",
    "because, before, in, all, to, without, pr, deployment, release, phase, the pr, this pr",
    "to phase, to production, the plan, this plan, the change, the changes, this change, con, com",
    "mit, avec, dengan, с",
    "评审, 审查, 验收, です, 합니다",
)
"""What may follow an outcome; anything else is its object, as in `Reject empty input`."""

NEGATIONS = terms(
    "not, don't, dont, do not, cannot, can't, never, no, isn't, won't",
    "nao, nicht, ne pas, non, tidak, belum, не, ne, 不, 未, 没有, 別, ない, 않, 못, 미",
)
