"""The words that deny findings, and that say what became of them. Written as in `vocabulary`."""

from __future__ import annotations

from relay_git.lessons.vocabulary import terms

NOTHING = terms(
    "none, nothing, no, n/a, na, nil, not applicable, zero, without, ninguno, ninguna, ningun",
    "sin, nenhum, nenhuma, sem, keine, kein, keiner, keinerlei, aucun, aucune, neant, tidak ada",
    "нет, отсутствуют, не обнаружено, не найдено, nessuno, nessuna, brak, geen",
    "无, 没有, 未发现, 暂无, 無し, なし, 特になし, ありません, 없음, 없습니다, 해당 없음, 없다",
    "inga, inget, ingen, ingenting, ei mitaan, niets, nic, zadne, zadny, hicbir, yok, bulunmuyor",
    "немає, відсутні, не виявлено, nessun, niente, khong co, khong, khong phat hien",
    "tidak ditemukan, لا يوجد, لا شيء, لا توجد, אין, לא נמצאו, कोई नहीं, ei loytynyt, rien, nada",
    "nichts, ничего, нету",
)

NOTHING_REST = terms(
    "from my side, from me, found, identified, detected, remaining, remain, left, pending",
    "at this time, this round, were, was, have, has, been, further, new, additional, required",
    "needed, necessary, raised, observed, so far, action, actions, changes, change, problem",
    "problems, blocker, violation, violations, there, i, we, see",
    "encontrado, encontrados, encontrada, encontradas, pendiente, pendientes, pendente",
    "pendentes, gefunden, festgestellt, offen, offene, trouve, identifie, ditemukan, обнаружено",
    "найдено, замечаний, проблем, ошибок, 发现, 任何, 任何问题, 新, 特に, 発見, 발견, 되지 않음",
    "し, 事項, 该轮, 本轮, 处",
    "hittades, funnet, fundet, loytyi, gevonden, geconstateerd, znaleziono, wykryto, stwierdzono",
    "nalezeno, zjisteno, bulundu, tespit edilmedi, bulunamadi, виявлено, знайдено, trovato",
    "trovati, rilevato, rilevati, phat hien, duoc, موجود, نמצאו, kritiska, kritiske, kritisch",
    "a signaler, a signalar, signale, detecte, detectados, detectado, zu beanstanden",
    "worth noting, to report, to note, to flag, of note, to add, else, at all, whatsoever",
    "outstanding, open, blocking",
)

PRAISE = terms(
    "good, great, excellent, solid, well, nice, clean, correct, correctly, verified, passed",
    "passes, pass, works, confirmed, ok, okay, fine, looks good, lgtm, clear, strong, sound",
    "appropriate, compliant, bien, correcto, excelente, gut, korrekt, bon, correct, baik, sesuai",
    "хорошо, корректно, верно, 良好, 正确, 通过, 没问题, 优秀, 清晰, 完善, 良い, 正しい, 適切",
    "좋음, 정상, 올바름, 양호, 合格",
    "bra, god, godt, hyva, goed, prima, dobrze, dobry, dobre, dobra, poprawne, iyi, dogru",
    "basarili, gecti, добре, коректно, правильно, buono, bene, corretto, ottimo, bagus",
    "tepat, جيد, صحيح, ممتاز, טוב, תקין, נכון, अच्छा, सही, felicitaciones, parabens",
)

AGAIN = terms(
    "post-fix, postfix, after fixes, re-review, rereview, re-audit, recheck, re-check",
    "second review",
    "follow-up review, follow up review, fix verification, verification of fixes, resolution of",
    "status of, disposition of, round 2, round 3, round 4, second pass, third pass, review 2",
    "review 3, r2, r3, delta review, estado de, segunda revision, segunda ronda",
    "segunda revisao, nachprufung, zweite runde, seconde revue, deuxieme revue, повторная",
    "повторный, tinjauan ulang, 复审, 复核, 复查, 第二轮, 第三轮, 再レビュー, 再審査, 재검토",
    "재리뷰, 2차",
    "historical findings, resolution status, past findings, earlier findings, status of findings",
    "status of earlier, previously raised, verification of earlier, finding status, follow-up on",
    "omgranskning, ny gjennomgang, anden gennemgang, tweede ronde, herbeoordeling, hercontrole",
    "ponowna recenzja, druga runda, ponowny przeglad, druhe kolo, ikinci tur, yeniden inceleme",
    "повторний, повторна перевірка, другий раунд, seconda revisione, nuova revisione, vong 2",
    "lan 2, danh gia lai, مراجعة ثانية, סבב שני, दूसरा दौर, contre-audit, suivi des",
    "seguimiento de, acompanhamento de, nachverfolgung, 再审, 二审, 2回目, 再確認",
)
"""Titles of what goes over the findings of an earlier round."""

OPEN = terms(
    "open, still open, pending, unresolved, not fixed, not resolved, not addressed, not done",
    "unfixed, unaddressed, partial, partially fixed, partially resolved, partially addressed",
    "confirmed, deferred, accepted, acknowledged, wip, in progress, to do, todo, regressed",
    "abierto, pendiente, no resuelto, parcial, aberto, pendente, nao resolvido, offen, teilweise",
    "nicht behoben, ouvert, non resolu, partiel, terbuka, belum selesai, открыто, не исправлено",
    "не решено, частично, 未修复, 未解决, 待修复, 待处理, 部分修复, 未修正, 未対応, 対応中, 미해결",
    "미수정",
    "진행 중, 보류",
    "oppen, ej atgardad, apen, ikke fikset, aben, ikke rettet, avoin, niet opgelost, openstaand",
    "otwarte, otwarty, nierozwiazane, nienaprawione, otevreno, neopraveno, acik, cozulmedi",
    "duzeltilmedi, відкрито, не виправлено, aperto, non risolto, parziale, chua sua",
    "chua giai quyet, belum diperbaiki, مفتوح, لم يتم الإصلاح, פתוח, לא תוקן, खुला",
    "not started, missing, still broken, not implemented, needs work, blocked, remaining",
    "otvorene, otevrene, neopravene, stale otvorene, problemove",
)
"""Of findings: not settled yet."""

VOID = terms(
    "refuted, withdrawn, retracted, invalid, not a bug, false positive, wontfix, won't fix",
    "不作问题, 不是问题, 非问题, by design, dismissed, obsolete, superseded, duplicate, descartado",
    "verworfen, rejete",
    "отклонено, 误报, 撤回, 誤検知, 取り下げ, 오탐, 철회",
    "avvisad, avvist, verworpen, odrzucono, zamitnuto, gecersiz, yanlis alarm, відхилено",
    "хибне спрацювання, falso positivo, khong hop le, غير صالح, לא תקף, not an issue, no issue",
    "non-issue, not reproducible, cannot reproduce, rejected, n/a, not applicable, faux positif",
    "ложное срабатывание, fehlalarm, 不成立",
)
"""Of findings: there was nothing."""

SETTLED = terms(
    "fixed, resolved, done, addressed, applied, corregido, resuelto, corrigido, behoben, corrige",
    "verified, verified fixed, closed, cerrado, resolvido, implemented, mitigated, patched",
    "complete, completed",
    "diperbaiki, selesai, исправлено, 已修复, 已解决, 已纠正, 修正済み, 対応済み, 수정됨, 해결됨",
    "수정 완료",
    "atgardat, atgardad, fixad, utbedret, fikset, rettet, korjattu, opgelost, verholpen",
    "gecorrigeerd, naprawione, naprawiony, rozwiazane, poprawione, opraveno, vyreseno, duzeltildi",
    "cozuldu, giderildi, виправлено, вирішено, risolto, corretto, da sua, da giai quyet",
    "da khac phuc, sudah diperbaiki, teratasi, تم الإصلاح, تم الحل, محلول, תוקן, נפתר",
    "ठीक किया गया, हल, fixed in this pr, fixed in pr, fixed now, now fixed, already fixed, merged",
    "landed, shipped, erledigt, gefixt, gelost, resolu, solucionado, arreglado, устранено",
    "закрыто, решено, 修正完了, 完了, 已完成, 已处理, 완료, 조치 완료",
    "removed, deleted, reverted, handled, eliminated, eliminado, eliminada, removido, entfernt",
    "удалено, 已移除, 削除済み",
)
