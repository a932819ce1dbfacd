"""The words by which a statement blames, wants, denies or praises. Written as in `vocabulary`.

A `*` stands for any ending.
"""

from __future__ import annotations

from relay_git.lessons.vocabulary import term_list, terms

WRONG = term_list(
    "missing, lack*, absent, absence, omit*, omission*, broken, bug*, buggy, wrong*, incorrect*",
    "inaccura*, inconsisten*, mismatch*, mismatched, unclear, ambigu*, vague*, unspecified",
    "undocumented, untested, unused, unreachable, unnecessar*, unneeded, unbounded, unsafe*",
    "insecure*, unvalidated, unhandled, unescaped, unsanitized, unprotected, unauthenticated",
    "unresolved, unverified, unproven, unrealistic, unsound, uncaught, untyped, unreliable",
    "unstable, unguarded, unimplemented, unowned, uncovered, unchecked, unconditional*",
    "undefined, unaddressed, unexplained, unjustified, untracked, unenforced, unusable",
    "inaccessible, incompatible, invalid*, impossible, stale, outdated, obsolete, out of date",
    "hardcod*, hard-cod*, leak*, crash*, race, races, racy, deadlock*, overflow*, vulnerab*",
    "swallow*, silent*, ignor*, bypass*, overwrit*, corrupt*, lose, loses, lost, slow*, slower",
    "ineffic*, inefficient*, excessive*, overly, insufficient*, inadequate*, incomplete*",
    "mislead*, misnamed, misuse*, misplaced, misaligned, mismatches, misses, confus*",
    "difficult*, hard to, fragile, brittle, flaky, danger*, problematic, error-prone, violat*",
    "contradict*, conflict*, gap, gaps, weak*, thin, poor*, questionable, overstat*, overclaim*",
    "underspecified, under-specified, under-covered, todo, fixme, deprecated, regress*, fails",
    "fail, failed, failing, flaw*, defect*, duplicat*, redundan*, dead code, magic number*",
    "nothing, nowhere, nobody, concerning, invisible, fake, phantom, ghost, injection, traversal",
    "exploit*, attacker*",
    "n+1, stuck, hang, hangs, typo*, no longer, unlimited, naive*, footgun*, inverted, hole",
    "holes, tautolog*, vacuous*, bottleneck*, bloat*, smell*, unreadable, premature*",
    "over-engineer*, overengineer*, overkill, drift*, diverge*, wasted, wasteful, wastes",
    "orphan*, dangling, shadows, false-positive, too, unable",
    "hides, hidden, breaks, skips, drops, blocks",
    "falta, faltan, faltante*, ausente*, ausencia, inconsistente*, incorrect*, erroneo*",
    "erronea*, roto, rota, rotos, obsolet*, duplicad*, insuficiente*, incomplet*, rechazad*",
    "desactualizad*, expuest*, inseguro, insegura, vulnerable*, falla, fallan, carece*",
    "imposible, impossivel, impossible, unmoglich*, contradic*, sobrecarg*, confuso, confusa",
    "ambigu*, sigue, siguen, todavia, tampoco",
    "anti-pattern*, antipattern*, anti-padron, zly, zle, bledn*, nieprawidlow*, niebezpieczn*",
    "ausencia, desatualizad*, quebrad*, inadequad*, ainda, faltam, faltando, ausentes",
    "fehlt, fehlen, fehlend*, falsch*, fehlerhaft*, veraltet*, unklar*, doppelt*, ungenutzt*",
    "unvollstandig*, inkonsistent*, unsicher*, mehrdeutig*, widerspr*, redundant*, verstreut*",
    "unbenutzt*, ungepruft*, unnotig*, kompliziert*, fuhrt zu, verletzt, verteilt",
    "manque*, absent*, incoheren*, inutile*, obsolete*, dupliqu*, casse*, incomplet*, illimite*",
    "errone*, ambigu*, contredit, insuffisant*, fragile*, insecurise*, sans limite",
    "отсутств*, неверн*, некоррект*, неправильн*, ошибочн*, устарел*, дублир*, неясн*",
    "недостаточ*, уязвим*, сломан*, утечк*, противореч*, избыточн*, небезопасн*, нарушен*",
    "kurang, hilang, salah, rusak, belum, duplikat, usang, tidak konsisten, rentan",
    "brak, braku, brakuje, niespojn*, nie ma, blad, bledu, przestarzal*, duplik*, nadal, wyciek",
    "niespojn*, bledn*, manca, mancano, mancante*, errat*",
    "缺少, 缺失, 缺乏, 缺, 不足, 不一致, 错误, 失败, 失效, 遗漏, 漏掉, 硬编码, 重复, 冗余, 过于",
    "过长, 过大, 过多, 过度, 泄漏, 泄露, 崩溃, 竞态, 死锁, 溢出, 注入, 越权, 漏洞, 隐患, 混乱",
    "模糊",
    "不清晰, 不明确, 不合理, 不完整, 不规范, 不准确, 过时, 未使用, 未处理, 未校验, 未验证, 未定义",
    "未实现, 尚未, 无法, 不能, 不应, 不支持, 没有, 违反, 矛盾, 冲突, 误导, 低效, 脆弱, 耦合, 缺口",
    "不足, 欠如, 欠けて, 欠落, 抜けて, 漏れ, 誤り, 誤って, 間違, 矛盾, 不整合, 不一致, 重複, 冗長",
    "ハードコード, マジックナンバー, 違反, 曖昧, 困難, 脆弱, 未実装, 未対応, 未検証, 未使用",
    "不適切",
    "不十分, 不明, 競合, リーク, クラッシュ, バグ, 混在, 肥大化, 古い, できない, できません",
    "されていません",
    "されていない, ていません, ていない, ありません, しません, 過剰, 低いです, 責務を超え",
    "누락, 부족, 불일치, 중복, 하드코딩, 잘못, 오류, 실패, 위반, 모호, 미구현, 미사용, 미검증",
    "불명확",
    "취약, 누수, 충돌, 유실, 깨짐, 깨진, 않는다, 않습니다, 않음, 않아, 없다, 없음, 없습니다, 없이",
    "못한다, 못함, 못하, 불가, 과도, 혼재, 누적",
)
"""Something is amiss."""

WANTED = term_list(
    "should, shouldn't, must, need, needs, needed, require, requires, required, could, would, may",
    "might, consider, recommend*, suggest*, ought, better, worth, still, only, merely, just",
    "instead, rather than, even though, risk*, issue, issues, problem, problems, error, errors",
    "failure, failures, fault*, concern, concerns, assum*, complex*, possibl*, potential*, likely",
    "probably, limitation*, expos*, partial*, partially, blocking, blocker*, debt, hack*",
    "workaround*, coupl*, manual*, drop, dropped, truncat*, unlike, although, expensive, costly",
    "deberia*, debe, deben, debiera, conviene, necesita*, requiere*, podria*, puede, riesgo*",
    "problema*, deve, devem, deveria*, precisa*, poderia*, pode, risco*, solo, apenas",
    "sollte*, muss, mussen, konnte*, riskant, risiko, nur, besser, notig, braucht, problem*",
    "devrait, devraient, doit, doivent, faut, faudrait, pourrait, pouvait, risque*, seulement",
    "следует, нужно, необходимо, стоит, желательно, может, риск*, проблем*, лишь, только",
    "harus, perlu, sebaiknya, seharusnya, bisa, risiko, masalah, hanya",
    "应, 需, 建议, 必须, 可能, 风险, 问题, 仍, 仅, 只, 容易, 最好, 考虑, 依赖",
    "べき, ください, しましょう, 検討, 必要, 可能性, リスク, 問題, 課題, 懸念, おそれ, 恐れ, 推奨",
    "のみ, だけ, 可読性, 改善",
    "해야, 필요, 권장, 가능성, 수 있, 위험, 문제, 우려, 검토, 개선, 바람직, 만 ",
)
"""It could be otherwise: weaker than blame."""

DENIED = term_list(
    "is not, are not, was not, were not, has not, have not, had not, does not, do not, did not",
    "isn't",
    "aren't, wasn't, weren't, hasn't, haven't, doesn't, don't, didn't, cannot, can't, could not",
    "won't, will not, wouldn't, never, no se, no esta, no estan, no es, no son, no queda",
    "no quedan",
    "no hay, no existe, no existen, nao e, nao esta, nao estao, nao ha, nao existe, nao existem",
    "ist nicht, sind nicht, wird nicht, werden nicht, wurde nicht, wurden nicht, kann nicht",
    "n'est pas, ne sont pas, n'a pas, n'existe pas, ne peut pas, nie jest, nie są, nie ma",
)
"""A verb denied: something does not happen that might be expected to."""

NOT = term_list(
    "not, no, none, without, zero, nor, neither",
    "avoid*, prevent*, eliminat*, free of, non, rather than, nothing",
    "no, sin, ningun*, nunca, nao, sem, nenhum*, nicht, kein*, ohne, nie, aucun*, sans, jamais",
    "pas, ne, не, нет, без, ни, tidak, tanpa, bukan, nie, bez, non, senza",
    "不, 无, 未, 没, なし, ない, ません, ず, 않, 못, 없, 미",
)
"""Turns what follows into its opposite; in scripts without spaces it blames by itself."""

WELL = term_list(
    "worked, built, solidn*, poprawn*, dobr*, naprawion*, zgodn*, like, liked, love",
    "good, great, excellent*, solid*, well structured, well-structured, well written, nice*, clean",
    "cleanly, correct, correctly, consistent",
    "consistently, proper*, robust*, appropriate*, reasonabl*, fine, ok, okay, passes, passed",
    "passing, verified, confirmed, works, working, succeed*, success*, matches, matched",
    "covered, complete, completely, thorough*, strong*, clear, clearly, safe, safely",
    "secure, securely, valid, resolved, fixed, done, implemented, addressed, approved, satisf*",
    "meets, met, compliant, comprehensive*, intact, unchanged, as expected, ensures, elegant*",
    "impressive, thoughtful*, sound, accurate*, achieved, added, updated, removed, renamed",
    "replaced, introduced, extracted, refactored, green, closed, completed, healthy, sensible",
    "correcto, correcta, correctos, correctas, bien, aprobad*, resuelt*, cubierto, corregid*",
    "consistente*, compativel, valido, valida, verde, verdes, limpio, solido, solida, adecuad*",
    "aprovad*, resolvid*, corrigid*, bom, boa, gut, korrekt*, sauber*, behoben, erledigt, solide",
    "entfernt, eingefuhrt, eingefuehrt, umgesetzt, vereinheitlicht, bestanden, corrige, correct*",
    "conforme*, propre*, sain, sains, corrigee, resolu, resolue, ajoute, verts",
    "корректн*, правильн*, хорош*, исправлен*, решен*, верно, успешн*, добавлен*",
    "baik, benar, sesuai, lengkap, selesai, aman, berhasil",
    "良好, 正确, 合理, 清晰, 完善, 通过, 已修复, 已解决, 已实现, 已完成, 已移除, 一致性好, 没问题",
    "无问题",
    "没有问题, 未发现, 无误, 满足, 符合, 合格, 优秀, 正常, 无冲突, 无影响, 无副作用, 无改动, 成立",
    "零改动",
    "適切, 良好, 正しい, 正しく, 問題ありません, 問題ない, 問題なし, 評価でき, 高いです, 優れ",
    "満たし",
    "対応済み, 修正済み, 解決済み, 追加しました, 修正しました, 良い",
    "적절, 양호, 올바, 좋, 문제없, 문제 없, 정상, 해결, 완료, 추가했다, 제거했다, 변경했다, 했다",
    "통과",
    "수정했다, 처리했다",
)
"""All is well, or has been made so."""

NEUTRAL = term_list(
    "not only, not just, not merely, no solo, nao so, nicht nur, non seulement, не только",
    "error handling, error recovery, error reporting, error boundary, error boundaries",
    "error message",
    "error messages, error path, error paths, error code, error codes, error state, error states",
    "failure mode, failure modes, conflict resolution, crash recovery, crash reporting",
    "risk analysis",
    "leak detection, issue template, issue tracker, manejo de errores, tratamento de erros",
    "fehlerbehandlung, gestion des erreurs, обработка ошибок, 错误处理, 异常处理, 错误信息",
    "エラー処理",
    "エラーハンドリング, エラーメッセージ, 에러 처리, 오류 처리, 예외 처리",
)
"""Things that are named after what they deal with; a review may praise or miss them."""

CONTRAST = term_list(
    "but, however, yet, although, pero, sin embargo, aunque, mas, porem, aber, jedoch, allerdings",
    "mais, cependant, toutefois, но, однако, tapi, tetapi, namun, 但, 但是, 然而, ですが, しかし",
    "ただし",
    "지만, 하지만, 그러나, 다만",
)
"""What comes after it is what is meant."""

STATING = terms(
    "is, are, was, were, has, have, all, every, everything, both, none, remains, remain, looks",
    "works, pass, passes, passed, achieved, es, son, esta, estan, queda, quedan, fue, todos, todas",
    "e, sao, foi, est, sont, tous, toutes, ist, sind, wurde, wurden, alle, все, был, была, были",
    "semua, sudah, telah, jest, sa, wszystkie",
)
"""Words of a sentence that states how something is, rather than asks for it."""
