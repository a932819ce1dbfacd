"""The words reviewers use, in the languages they use them in. Data; the mechanism is elsewhere.

Terms are written folded: lower case, Latin letters without accents (`fold`). A term in a script
with word spaces matches whole words; one in Chinese, Japanese or Korean matches anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_ACCENTS = re.compile("[\u0300-\u036f]")
_SPACED = re.compile(r"[a-zа-я0-9]")
WORD_START, WORD_END = r"(?<![\w-])", r"(?![\w-])"


def fold(text: str) -> str:
    """Lower case, without the accents and width variants that the same word is written in."""
    wide = unicodedata.normalize("NFKD", text.casefold())
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", wide))
    return plain.replace("’", "'").replace("‑", "-").replace("–", "-")


def terms(*groups: str) -> re.Pattern[str]:
    """A pattern that finds any of the comma-separated terms in folded text."""
    return re.compile(alternatives(term_list(*groups)))


def term_list(*groups: str) -> tuple[str, ...]:
    """The terms folded; German ones also as they are written without umlauts."""
    words = [term.strip() for group in groups for term in group.split(",")]
    return tuple(fold(form) for word in words for form in {word, word.translate(_UMLAUTS)})


def alternatives(words: Iterable[str]) -> str:
    """The source of a pattern for any of the words; a `*` at the end is any ending."""
    spaced, dense = by_script(words)
    whole = f"{WORD_START}(?:{spaced}){WORD_END}"
    return f"{whole}|{dense}" if dense else whole


def by_script(words: Iterable[str]) -> tuple[str, str]:
    """The sources for the words of scripts with word spaces, bounds aside, and of others."""
    words = tuple(words)
    spaced = _joined(word for word in words if _SPACED.match(word))
    return spaced, _joined(word for word in words if word and not _SPACED.match(word))


def _joined(words: Iterable[str]) -> str:
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    escaped = (re.escape(word).replace(r"\ ", r"[\s-]") for word in longest_first)
    return "|".join(word.replace(r"\*", r"\w*") for word in escaped)


# What a heading or lead-in announces.

FINDING_NOUNS = terms(
    "failures, failing tests, rejected, rechazado, rejeitado, abgelehnt, noch offen, offen",
    "a revoir",
    "blocker, blockers, 블로커, ブロッカー, 阻断项, 阻塞项, 返工, 甘さ, 漏れ, 유의, 주의, 已知边界",
    "缺点, 短板, 弱点, 劣势, 欠点, 단점, 약점, uwagi, bledy, braki, zastrzezenia, wady",
    "what was inefficient, what did not work, what didn't work, what went wrong",
    "what could be better",
    "needs work, cleanups, technical debts, 남아 있는 문제, 남은 문제",
    "critical assessment, critical analysis, kritische einschätzung, kritische bewertung, critique",
    "criticism, criticisms, kritik, критика, remarques, beobachtungen, 观察, 観察, 관찰, 缺口",
    "差距",
    "残余风险, 遗留风险, 技術的負債, 技术债, 기술 부채, deuda tecnica, divida tecnica",
    "things to fix, needs attention, attention points, watch-outs, watch outs, gotchas",
    "missing pieces, missing items, missing tests, missing features, missing requirements",
    "missing steps, missing coverage, missing sections, unaddressed, unverified, contradictions",
    "ambiguities, ambiguity, questionable, over-engineering, overengineering, scope creep",
    "threats, challenges, corrections, required corrections, proposed changes, shortfalls",
    "deficiencies, not implemented, unimplemented, pain points, weak points, problem areas",
    "areas of concern, disagreements, objections, counter-arguments, verified issues",
    "verified findings, confirmed issues, confirmed findings",
    "before merge, before merging, pre-merge, why this will fail, will fail, could break, fails",
    "areas de mejora, puntos debiles, puntos de mejora, pontos de melhoria, pontos fracos",
    "kritische punkte, verbesserungspotenzial, points d'attention, points a ameliorer",
    "points faibles, что улучшить, слабые места, 気になった点, 気になる点, 보완, 아쉬운 점",
    "待改进, 需要修改, 存在的问题, not yet, unresolved, unfinished, still open, open items",
    "outstanding, incomplete, not done, remaining work",
    "left to do, to be done, not complete, pendientes, por hacer, offene punkte, belum selesai",
    "pendentes, 未完成, 待处理, 待解决, 遗留, 残課題, 未対応, 미해결, 미완료, 불일치, 누락",
    "resolved during review, fixed during review, fixed in review, addressed during review",
    "fixed during this review, resolved during this review, resolved in this review",
    "found and fixed, findings, issues, issue list, problems, concerns, bugs, defects, gaps",
    "flaws, blockers, catches, weaknesses, limitations, vulnerabilities, nits, nitpicks, smells",
    "violations, deviations, inconsistencies, conflicts, risks, errors, caveats, shortcomings",
    "drawbacks, mistakes, omissions, required changes, requested changes, changes requested",
    "changes required, must fix, must_fix, should fix, should_fix, could fix, shortcut report",
    "shortcuts, required fixes, missed, what is missing, what's missing, what is wrong",
    "what's wrong, cons, red flags, issue identified, issue found, pitfalls, regressions",
    "residual risk, technical debt, tech debt, needs improvement, areas for improvement",
    "areas of improvement, what needs, must address",
    "active feedback, observations, mismatches, inline comments, line comments",
    "comments to address, discrepancies, review comments",
    "hallazgos, hallazgo, problemas, errores, riesgos, defectos, preocupaciones, debilidades",
    "fallos, fallas, deficiencias, vulnerabilidades, cambios requeridos, cambios necesarios",
    "observaciones, achados, preocupacoes, erros, riscos, falhas, fraquezas, mudancas necessarias",
    "pontos de atencao, alteracoes necessarias, observacoes, inconsistencias, limitaciones",
    "limitacoes, befunde, fehler, probleme, mangel, risiken, schwachen, schwachstellen, bedenken",
    "kritikpunkte, feststellungen, erforderliche anderungen, notwendige anderungen",
    "auffalligkeiten, lucken, constats, problemes, erreurs, risques, defauts, faiblesses",
    "preoccupations, anomalies, lacunes, modifications requises, changements requis, bogues",
    "temuan, masalah, kekurangan, kelemahan, risiko, kerentanan, perubahan wajib, isu",
    "замечания, проблемы, ошибки, риски, недостатки, недочеты, находки, уязвимости, дефекты",
    "баги, обязательные изменения, problemi, rischi, errori, criticita, uwagi, problemy, bledy",
    "问题, 发现, 缺陷, 风险, 隐患, 漏洞, 不足, 必须修改, 必须修复, 需修改, 缺失, 遗漏, 不一致",
    "冲突, 疑点, 問題, 指摘, 課題, 懸念, 欠陥, 不具合, リスク, 脆弱性, 要修正, 必須修正, 修正必須",
    "バグ, 矛盾, 문제, 이슈, 지적, 결함, 위험, 우려, 버그, 취약점, 필수 수정, 수정 필요, 리스크",
    "발견 사항, 발견사항",
)

ADVICE_NOUNS = terms(
    "recommendations, suggestions, suggested, improvements, improvement, action items",
    "action plan, next steps, remediation plan, remediation, follow-ups, follow-up, fixes needed",
    "todo, to do, to-do, polish, recommended, actions, nice to have, enhancements",
    "required actions, fix plan, fix order, remediation steps, action required",
    "improvements to make, recommended changes, recommended fixes, quick wins, future work",
    "opportunities, nice to haves, advice, proximos passos, plano de acao, plan de accion",
    "massnahmenplan, plan d'action, rencana, recomendaciones, sugerencias, mejoras, acciones",
    "proximos pasos, recomendacoes, sugestoes, melhorias, acoes, empfehlungen, vorschlage",
    "verbesserungen, massnahmen, nachste schritte, recommandations, ameliorations",
    "prochaines etapes, rekomendasi, saran, perbaikan, langkah",
    "рекомендации, предложения, улучшения, следующие шаги, рекомендуемые, план действий",
    "建议, 改进, 优化, 后续, 待办, 整改, 下一步, 行动项, 行动计划, 改善, 提案, 推奨, 対応方針",
    "次のステップ, 対応計画, 제안, 개선, 권장, 권고, 다음 단계, 조치",
)

PLAN_NOUNS = terms(
    "action items, action plan, next steps, remediation plan, remediation steps, todo, to do",
    "to-do, required actions, action required, fix plan, fix order, implementation order",
    "checklist, plan de accion, proximos pasos, plano de acao, proximos passos, nachste schritte",
    "massnahmenplan, plan d'action, prochaines etapes, langkah selanjutnya, rencana perbaikan",
    "следующие шаги, план действий, 下一步, 行动项, 行动计划, 整改清单, 整改计划, 次のステップ",
    "対応計画, 다음 단계, 조치 계획",
)
"""Among advice: what repeats the findings as things to do."""

OVER_NOUNS = terms(
    "since last review, since the last review, since round, rejected findings, rejected issues",
    "invalid findings, discarded, limitations of this review",
    "previously, previous, prior, earlier round, earlier rounds, earlier findings, withdrawn",
    "refuted, false positives, false positive, non-issues, not issues, non-findings, not findings",
    "dismissed, already fixed, already resolved, anteriores, anteriormente, falsos positivos",
    "zuruckgezogen, fruhere, precedents, sebelumnya, предыдущие, ранее, 误报, 已排除, 誤検知",
    "오탐",
)

CLOSED_NOUNS = terms(
    "what's good, what is good, what worked, what was built, what went well, was gut ist",
    "해결된, 해결 완료, 완료된, 반영 사항, 補足, 补充说明, 补充, 优势, 強み, mocne strony, zalety",
    "what i like, what i liked, likes, what holds, what held, held up, lo aprobado, no action",
    "excellence, praised, achievements, why, reasons, rationale, reasoning, bug fixes, strengths",
    "positives, positive, good, praise, highlights, what works, works well, went well, well done",
    "done well, done right, pros, benefits, resolved, already fixed, passed, passing, appendix",
    "references, reference, screenshots, changelog, sources, legend, counts, glossary",
    "non-issues, no issues, false positives, refuted, confirmed correct, correct, non-findings",
    "not findings, previous, prior, dismissed, table of contents, severity scale, withdrawn",
    "implemented, completed, fixed in this, what changed",
    "changes made, acceptance criteria, aspectos positivos, fortalezas, positivo, pontos fortes",
    "pontos positivos, implementadas, implementados, corregidos, resueltos, resolvidos",
    "corrigidos, starken, positives, gut gelost, behoben, erledigt, points forts, points positifs",
    "kelebihan, kekuatan, selesai, сильные стороны",
    "достоинства, плюсы, исправлено, решено, 优点, 亮点, 优势, 做得好, 已修复, 已解决, 通过项",
    "参考, 附录, 回滚, 清理, 良い点, 長所, 良かった点",
    "対応済み, 修正済み, 장점, 강점, 좋은 점, 잘된 점, 해결됨, 수정 완료",
)

ASIDE_NOUNS = terms(
    "objective, objectives, goal, goals, request, task, tasks, requirements, prerequisites",
    "verified, verification, validation, validated, tests, test, testing, test coverage",
    "test results, test verification, checks, check list, checklist, method, methodology",
    "approach, scope, summary, overview, background, context, introduction, evidence, files",
    "files reviewed, files changed, coverage, conclusion, metrics, statistics, stats, commands",
    "rollback, versions, environment, trace, results, decision, verdict, outcome, out of scope",
    "compliance, timeline, history, sign-off, sign off",
    "reviewed, executive summary, score, scores, scorecard, rating, ratings, definition of done",
    "verificacion, validacion, pruebas, resumen, conclusion, alcance, metodologia, archivos",
    "verificacao, testes, resumo, conclusao, escopo, prufung, verifikation, zusammenfassung",
    "fazit, umfang, methode, ergebnis, verification, perimetre, synthese, verifikasi, pengujian",
    "ringkasan, kesimpulan, ruang lingkup, metode, status, проверка, проверено, тесты, итоги",
    "резюме, вывод, выводы, методика, область, 验证, 测试, 摘要, 概述, 总结, 结论, 范围, 方法",
    "背景, 证据, 检查清单, 现象, 步骤, 検証, テスト, 要約, 概要, 結論, 範囲, まとめ, 검증, 테스트",
    "요약, 결론, 범위, 개요",
)

DOMAINS = terms(
    "review, code, plan, detailed, details, detail, list, summary",
    "security, performance, quality, architecture, design, logic, ui, ux, api, documentation",
    "docs, correctness, style, implementation, test, tests, testing, coverage, backend, frontend",
    "data, seguridad, rendimiento, seguranca, desempenho, sicherheit, securite, keamanan",
    "безопасность, 安全, 性能, 代码, 质量, 架构, 设计, 逻辑, 文档, 测试, セキュリティ, 性能",
    "コード, 品質, 設計, 보안, 성능, 코드, 품질, 설계",
)

AREAS = terms(
    "ci, cd, build, deployment, infrastructure, observability, error handling, maintainability",
    "developer experience, dx, accessibility, naming, concurrency, configuration, dependencies",
    "safety, reliability, scalability, usability, readability, robustness, types, typing",
)
"""More of what reviews are divided by; unlike of a domain, one may say that there is none."""

GENERIC_NOUNS = terms(
    "comments, feedback, remarks, comentarios, anmerkungen, commentaires, catatan, komentar",
    "комментарии, 评论, 意见, コメント, 코멘트, 의견",
)
"""What a heading may call findings when it says nothing else."""

FILLERS = terms(
    "tier, category, class, group, part, batch, to, type",
    "the, a, an, and, or, of, for, to, in, on, with, by, be, are, is, all, any, other, more",
    "new, open, remaining, outstanding, found, fixed, priority, severity, level, top",
    "key, main, additional, known, before, merge, merging, release, shipping",
    "address, addressed, items, item, points, point, changes, change, required, requested",
    "needed, be, non, noted, not, none, blocks, implementation, identified, from, that, this",
    "red, yellow, orange, green, still, yet, round, pass, impact, potential, general, specific",
    "finding, issue, recommendation, active",
    "feedback, must, should, could, de, la, las, los, el, del, prioridad, severidad, y, e, o, a",
    "prioridade, severidade, das, dos, do, da, und, der, die, das, prioritat, des, les, le, et",
    "priorite, dan, prioritas, tingkat, приоритет, и",
    "actionable, confirmed, codex, claude, gemini, reviewer, auditor, reviewer's, fix, now",
    "later, soon, 级别, 优先级, 的, 与, 和, 项, 清单, 列表, 一覧, 事項, 사항, 목록, 및, の, 点",
    "等级, 程度, 待, 高, 中, 低",
)

# Lines that state no finding.

NOTHING = terms(
    "none, nothing, no, n/a, na, nil, not applicable, zero, without, ninguno, ninguna, ningun",
    "sin, nenhum, nenhuma, sem, keine, kein, keiner, keinerlei, aucun, aucune, neant, tidak ada",
    "нет, отсутствуют, не обнаружено, не найдено, nessuno, nessuna, brak, geen",
    "无, 没有, 未发现, 暂无, 無し, なし, 特になし, ありません, 없음, 없습니다, 해당 없음, 없다",
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
)

PRAISE = terms(
    "good, great, excellent, solid, well, nice, clean, correct, correctly, verified, passed",
    "passes, pass, works, confirmed, ok, okay, fine, looks good, lgtm, clear, strong, sound",
    "appropriate, compliant, bien, correcto, excelente, gut, korrekt, bon, correct, baik, sesuai",
    "хорошо, корректно, верно, 良好, 正确, 通过, 没问题, 优秀, 清晰, 完善, 良い, 正しい, 適切",
    "좋음, 정상, 올바름, 양호, 合格",
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
)
"""Of findings: not settled yet."""

VOID = terms(
    "refuted, withdrawn, retracted, invalid, not a bug, false positive, wontfix, won't fix",
    "不作问题, 不是问题, 非问题, by design, dismissed, obsolete, superseded, duplicate, descartado",
    "verworfen, rejete",
    "отклонено, 误报, 撤回, 誤検知, 取り下げ, 오탐, 철회",
)
"""Of findings: there was nothing."""

SETTLED = terms(
    "fixed, resolved, done, addressed, applied, corregido, resuelto, corrigido, behoben, corrige",
    "verified, verified fixed, closed, cerrado, resolvido, implemented, mitigated, patched",
    "complete, completed",
    "diperbaiki, selesai, исправлено, 已修复, 已解决, 已纠正, 修正済み, 対応済み, 수정됨, 해결됨",
    "수정 완료",
)

PRAISE_MARKS = "✅✔☑👍🎉💯🏆⭐"
