"""The words that approve and reject, and those that turn them. Written as in `vocabulary`."""

from __future__ import annotations

from relay_git.lessons.vocabulary import terms

MODIFIERS = terms(
    "final, overall, the, a, an, this, plan, pr, is, be, to, ready, recommended, recommend, we",
    "i, should, conditional, conditionally, strong, strongly, clear, with, now, still, it, safe",
    "good, fully, verification, review, audit, check, validation, phase, can, must",
    "currently, unconditional, clean, implementation, changes",
    "el, la, es, queda, der, ist, le, est, das, o, os, 有条件, 建议, 条件付き, 조건부, 本次",
    "评审, 审查",
    "my, that, am, are, you, change, pull request, work, den, det, een, de, het, il",
    "lo, un, una, è, bu, bir, це, цей, план",
    "全部, すべて, 全て, 전부",
    "otherwise",
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
    "proceed, avis favorable, можно мержить, freigabe erteilt, apto, apta, approuve",
    "approuvee, accepte, valide, disetujui, diterima, lulus, setuju, одобрено, одобрить",
    "принято, принять, утверждено, одобрен, 通过, 批准, 同意, 接受, 可合并, 可以合并, 已批准",
    "已通过, 有条件通过, 承認, 合格, 可決, 승인, 통과, 합격, 조건부 승인, マージ可",
    "granted, go ahead, passing, approval granted, recommend merging, recommend approval",
    "recommend merge, ready to land, ready for release, ready to release",
    "godkand, godkant, godkanns",
    "godkann, klar for merge, redo att merga, godkjent, godkjennes, godkendt, godkendes",
    "klar til merge, klar til produksjon, klar til produktion, hyvaksytty, valmis, goedgekeurd",
    "akkoord, geslaagd, klaar voor merge, klaar voor productie, zatwierdzone, zatwierdzony",
    "zaakceptowano, zaakceptowane, zaakceptowany, akceptacja, gotowe do merge",
    "gotowe do wdrozenia, schvaleno, schvalene, prijato, akceptovano, pripraveno, onaylandi, onay",
    "onaylanir, kabul edildi, kabul, uygun, birlestirilebilir, yayina hazir, схвалено, прийнято",
    "затверджено, погоджено, готово до злиття, approvato, approvata, accettato, accettata",
    "promosso, promossa, pronto per il merge, pronto per la produzione, via libera, phe duyet",
    "chap thuan, da duyet, dong y, dat, chap nhan, san sang, siap digabung, layak, موافقة, موافق",
    "معتمد, مقبول, تمت الموافقة, جاهز للدمج, جاهز, מאושר, אושר, מוכן למיזוג, स्वीकृत, अनुमोदित",
    "मंज़ूर, 同意合并, 可以上线, 予以通过, 准予合并, マージ可能, 問題なし, 머지 가능, 병합 가능",
    "병합 승인",
    "merge it, merge this, ship this, merge as is, merge now, land it",
    "favorable, favorevole, favoravel",
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
    "merge this, ship this, ship it, land this, approve this, ready to land, ready to be merged",
    "ready to be implemented, ready to go, safe to deploy, safe to release, good to ship",
    "clear to merge, clear to proceed, ready for deployment, ready to proceed",
    "implementation-ready, implementation ready, merge-ready, ship-ready, production-ready",
    "ready for execution, godkand, godkjent, godkendt, goedgekeurd, klaar voor productie",
    "klaar voor merge, zatwierdzone, zaakceptowane, gotowe do wdrozenia, gotowy do wdrozenia",
    "schvaleno, onaylandi, birlestirilebilir, yayina hazir, схвалено, готово до злиття, approvato",
    "pronto per il merge, pronto per la produzione, phe duyet, san sang, 同意合并, 可以发布",
    "병합 가능",
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
    "needs another pass, needs another iteration, needs another revision, needs more work",
    "needs further work, requires another round, requires more work, requires rework",
    "needs significant work, back to the drawing board, go back to the author, return to author",
    "send back, sent back, i reject, i am rejecting, rejecting this, blocking this, i'm blocking",
    "withhold approval, withholding approval, not sound enough, not yet sound, not good enough",
    "not acceptable, cannot be accepted, can't be accepted, cannot be approved, can't be approved",
    "needs to be redone, should be reworked, must be reworked, inte redo, inte klar, ikke klar",
    "niet klaar, nog niet klaar, wymaga poprawek, nie jest gotowe, neni pripraveno, hazir degil",
    "не готово до, non e pronto, chua san sang, غير جاهز, לא מוכן, तैयार नहीं, できません",
    "需要修改, 需修改",
    "再修改, 暂缓, 병합 불가, 수정 후",
    "blockers remain, blockers remaining, blocker remains, blocking issues remain",
    "blocking findings remain",
    "not recommend*, don't recommend, do not recommend, nie rekomenduj*, nie zalecam*",
    "no recomiend*, nao recomend*, nicht empfehl*, nicht zu empfehlen, ne recommand*",
    "не рекоменду*, 不推荐, 不建议, 推奨しません, 권장하지 않*",
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
    "withheld, denied, rework required, rework needed, return to author, returned, send back",
    "sent back, back to author, revise and resubmit, resubmit, no ship, not shippable",
    "approval withheld, not granted, must not merge, should not merge, not to be merged",
    "needs changes before merge, not acceptable",
    "cannot approve, can't approve, no approval, avslagen, avslas, underkand, underkant",
    "ej godkand, inte godkand, kraver andringar, behover andringar, avvisad, inte klar, ej klar",
    "avvist, afvist, underkjent, ikke godkjent, ikke godkendt, krever endringer",
    "kraever aendringer, ikke klar, hylatty, vaatii muutoksia, ei hyvaksytty, afgekeurd",
    "afgewezen, niet goedgekeurd, wijzigingen nodig, wijzigingen vereist, niet klaar",
    "nog niet klaar, niet akkoord, odrzucone, odrzucony, odrzucono, wymaga poprawek, wymaga zmian",
    "do poprawy, niezatwierdzone, nie zatwierdzono, niegotowe, nie gotowe, zamitnuto, zamietnute",
    "neschvaleno, vyzaduje zmeny, vyzaduje upravy, k prepracovani, nepripraveno, reddedildi, ret",
    "onaylanmadi, kabul edilmedi, degisiklik gerekli, duzeltme gerekli, revizyon gerekli",
    "uygun degil, hazir degil, birlestirilemez, відхилено, потребує змін, потребує доопрацювання",
    "потребує виправлень, на доопрацювання, не схвалено, не готово, respinto, respinta, rifiutato",
    "rifiutata, bocciato, bocciata, non approvato, non approvata, richiede modifiche, da rivedere",
    "modifiche richieste, non pronto, tu choi, khong phe duyet, khong dat, can sua lai",
    "can chinh sua, yeu cau chinh sua, yeu cau sua, chua dat, chua san sang, tidak layak",
    "perlu diperbaiki, مرفوض, رفض, غير معتمد, غير مقبول, يحتاج تعديلات, يتطلب تعديلات, غير جاهز",
    "נדחה, לא מאושר, דורש תיקונים, דרושים שינויים, לא מוכן, अस्वीकृत, अस्वीकार, संशोधन आवश्यक",
    "तैयार नहीं, 暂缓合并, 暂缓, 需要返工, 返工, 退修, 重新提交, 要再レビュー, 要再提出",
    "要修正後再レビュー, マージ不可, リジェクト, 병합 불가",
    "머지 불가, 수정 후 재검토, 재작업, 보완 필요, 재검토 필요, 부결",
)

CONDITIONS = terms(
    "after, once, if, as soon as, provided, despues de, tras, apos, nach, sobald, apres",
    "setelah, после, 之后, 修复后, 修改后, 修正後, 対応後, 이후, 수정 후",
    "when, unless, until, only if, pending, subject to, efter, etter, jalkeen",
    "zodra, mits, pod warunkiem, jakmile, sonra, halinde, після, якщо, dopo, purche",
    "sau khi, بعد, אחרי, के बाद, 前提",
)

AFTERWARDS = terms(
    "with, as, after, once, until, pending, but, and, if, now, subject, for, by, on, due",
    "because, before, in, all, to, without, pr, deployment, release, phase, the pr, this pr",
    "to phase, to production, the plan, this plan, the change, the changes, this change, con, com",
    "mit, avec, dengan, с",
    "评审, 审查, 验收, です, 합니다",
    "immediately, away, right away, straight away, ahead, when, again, so, though",
    "provided, med, etter, efter, met, onder, po, pod, ile, sonra, з, після, dopo",
    "sau, مع, بعد, עם, के साथ, minor, please",
)
"""What may follow an outcome; anything else is its object, as in `Reject empty input`."""

VERBS = terms("go, merge, ship, pass, passes, hold, block, blocks, fail, fails, clean, green, red")
"""Outcomes that even after a label are something else when an object follows: `Go back`."""

ACTS = terms(
    "merge, ship, land, approve, accept, sign off, endorse, recommend, support, release, deploy",
    "proceed, implement, start implementation, begin implementation, go ahead",
)
"""What a reviewer may refuse to do: `I would not merge this as is`."""

NEGATIONS = terms(
    "not, don't, dont, do not, cannot, can't, never, no, isn't, won't",
    "nao, nicht, ne pas, non, tidak, belum, не, ne, 不, 未, 没有, 別, ない, 않, 못, 미",
    "wouldn't, shouldn't, couldn't, inte, ej, icke, ikke, niet, geen, nie, neni, degil, khong",
    "chua, لا, لم, غير, לא, אין, नहीं",
    "nobody, no one, none of, 0 of, zero of, neither, nearly, almost, far from, hardly, barely",
    "short of, partially, partly, close to, fast, nahezu, beinahe, casi, quase, presque, почти",
    "hampir, kaum",
    "pas, нельзя",
)

REVOKED = terms(
    "withheld, denied, refused, revoked, withdrawn, impossible, not given, verweigert, versagt",
    "entzogen, refuse, negada, negado, denegada, denegado, нельзя, невозможно, verilmedi, degil",
    "नहीं, 불가, 않, 못, 없, 보류, 취소, できない, できません, ではない, しない, 不可, 不能, 撤回",
)
"""What takes an approval back right behind it."""
