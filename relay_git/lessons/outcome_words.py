"""The words that state the outcome of a review, in many languages. Written as in `vocabulary`."""

from __future__ import annotations

from relay_git.lessons.vocabulary import names, terms

OUTCOME_LABELS = names(
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
    "final call, my call, my verdict, my vote, vote, signoff, approval decision, gate decision",
    "gate status, review conclusion, ship decision, merge decision, merge verdict",
    "release decision, overall judgement, overall judgment, reviewer decision, plan verdict",
    "quality gate, go no go, ship it, outcome of the review, result of the review, beslut",
    "utlatande, omdome, avgjorelse, afgorelse, beslutning, konklusjon, konklusion, paatos",
    "oordeel, besluit, eindoordeel, beslissing, werdykt, decyzja, verdikt, rozhodnuti",
    "rozhodnutie, karar, nihai karar, hukum, рішення, фінальне рішення, esito, verdetto, giudizio",
    "decisione, quyet dinh, phan quyet, القرار, الحكم, قرار المراجعة, החלטה, פסק דין, निर्णय",
    "अंतिम निर्णय, 総合評価, 総評, 最終判断, 判断, 总评, 总体评价, 评审意见, 最终决定, 결정",
    "최종 결정, 总体判定",
    "ket luan",
)

WEAK_OUTCOME_LABELS = names(
    "status, result, outcome, conclusion, recommendation, assessment, estado, resultado",
    "conclusion, recomendacion, conclusao, recomendacao, ergebnis, fazit, empfehlung, statut",
    "resultat, hasil, state, kesimpulan, recommandation, результат, статус, итог, вывод, 结果",
    "状态, 結果, ステータス, 결과, 상태",
    "slutsats, vurdering, anbefaling, bedomning, rekommendation, johtopaatos, suositus, conclusie",
    "aanbeveling, resultaat, eindconclusie, ocena, wniosek, wnioski, rekomendacja, wynik, zaver",
    "vysledek, doporuceni, sonuc, oneri, degerlendirme, durum, висновок, підсумок, рекомендація",
    "conclusione, raccomandazione, risultato, stato, de xuat, trang thai, النتيجة",
    "الخلاصة, التوصية, מסקנה, סיכום, המלצה, סטטוס, निष्कर्ष, सिफारिश, 総括, 评价",
)

READY_LABELS = names(
    "ready to merge, ready for merge, ready to ship, ready for production, production ready",
    "merge, ship, go, can merge, can ship, should merge, should we merge, approved, approve",
    "mergeable, safe to merge, good to merge, ready for implementation",
    "ready to implement, ready, can be merged, ready to proceed, lista para produccion",
    "listo para produccion, aprobado, aprovado, freigegeben, approuve, siap produksi, disetujui",
    "готово к слиянию, одобрено, 可合并, 是否可合并, 是否通过, 可以合并, マージ可能, 承認",
    "머지 가능, 승인",
    "should this merge, should it merge, should this be merged, should we ship, should this ship",
    "can this merge, can this be merged, can it ship, is it ready, is this ready",
    "is it ready to merge, is this ready to merge, is it production ready, ready to land",
    "merge now, approve this, approved for production, klar for merge, klar til merge",
    "redo att merga, godkand, godkjent, godkendt, klaar voor merge, klaar voor productie",
    "goedgekeurd, gotowe do merge, gotowe do wdrozenia, birlestirilebilir mi, onaylandi mi",
    "готово до злиття, pronto per il merge, pronto per la produzione, san sang merge, جاهز للدمج",
    "מוכן למיזוג",
)

YES = terms(
    "yes, true, si, sim, ja, oui, ya, да, 是, 可以, はい, 可, 예, 네",
    "kylla, tak, ano, evet, так, co, نعم, כן, हां, हाँ, yep, yeah, absolutely, certainly",
)

NO = terms(
    "no, false, not yet, with fixes, after fixes, with changes, nein, non, nao, tidak, belum",
    "нет, 否, 不, 未, いいえ, 不可, 아니오, 아니요",
    "nej, nei, ei, nee, nie, ne, hayir, henuz degil, ні, ще ні, khong, chua, لا, ليس بعد, לא",
    "עדיין לא, नहीं, nope, not quite, not as is, not as it stands, not in its current form",
    "nog niet, inte an, ikke enda, ikke endnu, jeszcze nie, non ancora, noch nicht, pas encore",
    "todavia no, aun no, ainda nao, пока нет, ещё нет, 还不行, 尚未, まだ, 아직",
)

CLOSING_NOUNS = terms(
    "verdict, decision, conclusion, summary, outcome, recommendation, approval, sign-off",
    "sign off, overall, assessment, bottom line, final, status, result, veredicto, conclusion",
    "resumen, decision, recomendacion, conclusao, resumo, veredito, decisao, fazit, urteil",
    "zusammenfassung, ergebnis, entscheidung, synthese, resume, kesimpulan, putusan, keputusan",
    "ringkasan, вывод, вердикт, итог, заключение, 结论, 总结, 判定, 裁决, 結論, 総括, まとめ",
    "判定, 결론, 판정, 요약",
    "beslut, slutsats, sammanfattning, konklusjon, konklusion, sammendrag, oppsummering",
    "vurdering, yhteenveto, johtopaatos, oordeel, conclusie, samenvatting, besluit, werdykt",
    "wnioski, podsumowanie, ocena, zaver, shrnuti, verdikt, karar, sonuc, ozet, висновок",
    "висновки, підсумок, рішення, esito, verdetto, conclusione, conclusioni, riepilogo, sintesi",
    "ket luan, tong ket, tom tat, الخلاصة, القرار, النتيجة, ملخص, מסקנה, סיכום, החלטה, निष्कर्ष",
    "सारांश, निर्णय, closing, wrap-up, tl;dr, tldr, takeaway, merge, ship, readiness",
    "go/no-go, short version, in short",
)

LATER = terms(
    "final, round 2, round 3, round 4, round 5, re-review, rereview, second review",
    "follow-up review, follow up review, updated, re-audit, r2, r3, r4, v2, v3, post-fix",
    "after fixes, resolution, now, endgultig, zweite runde, segunda ronda, segunda revision",
    "revision 2, 复审, 复核, 第二轮, 第三轮, 最终, 再レビュー, 最終, 第2回, 재검토, 최종, 2차",
    "повторная, итоговый, finale, kedua, akhir",
)

UNDECIDED = terms(
    "pending, awaiting, under review, ready for review, in review, in progress, draft, tbd",
    "to be determined, waiting, await, todo, not started, ready for user review, pendiente",
    "pendente, ausstehend, en attente, menunggu, ожидает, 待定, 待审批, 待审, 待评审, 评审中",
    "审查中, 进行中, 保留, 審査中, レビュー中, 대기, 검토 중, 보류, 進行中",
    "vantar, avventer, afventer, odottaa, in afwachting, w toku, oczekuje, ceka, beklemede",
    "bekliyor, incelemede, очікує, на розгляді, in attesa, dang cho, cho duyet, قيد المراجعة",
    "ממתין, लंबित",
)

QUIET_OUTCOMES = terms(
    "lgtm, approved, rejected, changes requested, request changes, needs changes, not approved",
    "needs revision, aprobado, rechazado, aprovado, reprovado, genehmigt, abgelehnt, approuve",
    "refuse, disetujui, ditolak, одобрено, отклонено, 批准, 驳回, 通过, 不通过, 承認, 差し戻し",
    "승인, 반려",
    "godkand, avslagen, godkjent, godkendt, avvist, afvist, goedgekeurd, afgekeurd, zatwierdzone",
    "odrzucone, schvaleno, zamitnuto, onaylandi, reddedildi, схвалено, відхилено, approvato",
    "respinto, مرفوض, مقبول, מאושר, נדחה, स्वीकृत, अस्वीकृत, ship it, do not merge, not ready",
    "ready to merge, no-go",
)
