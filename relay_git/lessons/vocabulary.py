"""The words reviewers use, in the languages they use them in. Data; the mechanism is elsewhere.

Terms are written folded: lower case, Latin letters without accents (`fold`). A term in a script
with word spaces matches whole words; one in Chinese, Japanese or Korean matches anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from relay_git.lessons.model import Kind

_ACCENTS = re.compile("[\u0300-\u036f]")
_SPACED = re.compile(r"[a-zа-я0-9]")


def fold(text: str) -> str:
    """Lower case, without the accents and width variants that the same word is written in."""
    wide = unicodedata.normalize("NFKD", text.casefold())
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", wide))
    return plain.replace("’", "'").replace("‑", "-").replace("–", "-")


def terms(*groups: str) -> re.Pattern[str]:
    """A pattern that finds any of the comma-separated terms in folded text."""
    words = [fold(term).strip() for group in groups for term in group.split(",")]
    spaced = _alternatives(word for word in words if _SPACED.match(word))
    joined = _alternatives(word for word in words if word and not _SPACED.match(word))
    whole = rf"(?<![\w-])(?:{spaced})(?![\w-])"
    return re.compile(f"{whole}|{joined}" if joined else whole)


def _alternatives(words: Iterable[str]) -> str:
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"[\s-]") for word in longest_first)


# What a heading or lead-in announces.

FINDING_NOUNS = terms(
    "not yet, unresolved, unfinished, still open, open items, outstanding, incomplete",
    "not done, remaining work",
    "left to do, to be done, not complete, pendientes, por hacer, offene punkte, belum selesai",
    "pendentes",
    "未完成, 待处理, 待解决, 遗留, 残課題, 未対応, 미해결, 미완료, 불일치, 누락",
    "resolved during review, fixed during review, fixed in review, addressed during review",
    "fixed during this review, resolved during this review, resolved in this review",
    "found and fixed",
    "findings, issues, issue list, problems, concerns, bugs, defects, gaps, flaws, blockers",
    "catches",
    "weaknesses, limitations, vulnerabilities, nits, nitpicks, smells, violations, deviations",
    "inconsistencies, conflicts, risks, errors, caveats, shortcomings, drawbacks, mistakes",
    "omissions",
    "required changes, requested changes, changes requested, changes required, must fix",
    "must_fix",
    "should fix, should_fix, could fix, shortcut report, shortcuts, required fixes, missed",
    "what is missing, what's missing, what is wrong, what's wrong, cons, red flags",
    "issue identified, issue found, pitfalls, regressions, residual risk, technical debt",
    "tech debt",
    "needs improvement, areas for improvement, areas of improvement, what needs, must address",
    "active feedback, observations, mismatches, inline comments, line comments",
    "comments to address, discrepancies, review comments",
    "hallazgos, hallazgo, problemas, errores, riesgos, defectos, preocupaciones, debilidades",
    "fallos",
    "fallas, deficiencias, vulnerabilidades, cambios requeridos, cambios necesarios",
    "observaciones",
    "achados, preocupacoes, erros, riscos, falhas, fraquezas, mudancas necessarias",
    "pontos de atencao",
    "alteracoes necessarias, observacoes, inconsistencias, limitaciones, limitacoes",
    "befunde, fehler, probleme, mangel, risiken, schwachen, schwachstellen, bedenken",
    "kritikpunkte",
    "feststellungen, erforderliche anderungen, notwendige anderungen, auffalligkeiten, lucken",
    "constats, problemes, erreurs, risques, defauts, faiblesses, preoccupations, anomalies",
    "lacunes",
    "modifications requises, changements requis, bogues, temuan, masalah, kekurangan, kelemahan",
    "risiko, kerentanan, perubahan wajib, isu",
    "замечания, проблемы, ошибки, риски, недостатки, недочеты, находки, уязвимости, дефекты",
    "баги",
    "обязательные изменения, problemi, rischi, errori, criticita, uwagi, problemy, bledy",
    "问题, 发现, 缺陷, 风险, 隐患, 漏洞, 不足, 必须修改, 必须修复, 需修改, 缺失, 遗漏, 不一致",
    "冲突, 疑点",
    "問題, 指摘, 課題, 懸念, 欠陥, 不具合, リスク, 脆弱性, 要修正, 必須修正, 修正必須, バグ",
    "矛盾",
    "문제, 이슈, 지적, 결함, 위험, 우려, 버그, 취약점, 필수 수정, 수정 필요, 리스크, 발견 사항",
    "발견사항",
)

ADVICE_NOUNS = terms(
    "recommendations, suggestions, suggested, improvements, improvement, action items",
    "action plan, next steps, remediation plan, remediation, follow-ups, follow-up, fixes needed",
    "todo, to do, to-do, polish, recommended, actions, nice to have, enhancements",
    "required actions",
    "fix plan, fix order, remediation steps, action required, improvements to make",
    "recommended changes, recommended fixes, quick wins, future work",
    "advice, proximos passos, plano de acao, plan de accion, massnahmenplan, plan d'action",
    "rencana",
    "recomendaciones, sugerencias, mejoras, acciones, proximos pasos, recomendacoes, sugestoes",
    "melhorias, acoes, empfehlungen, vorschlage, verbesserungen, massnahmen, nachste schritte",
    "recommandations, ameliorations, prochaines etapes, rekomendasi, saran, perbaikan, langkah",
    "рекомендации, предложения, улучшения, следующие шаги, рекомендуемые, план действий",
    "建议, 改进, 优化, 后续, 待办, 整改, 下一步, 行动项, 行动计划, 改善, 提案, 推奨, 対応方針",
    "次のステップ, 対応計画, 제안, 개선, 권장, 권고, 다음 단계, 조치",
)

PLAN_NOUNS = terms(
    "action items, action plan, next steps, remediation plan, remediation steps, todo, to do",
    "to-do",
    "required actions, action required, fix plan, fix order, implementation order, checklist",
    "plan de accion, proximos pasos, plano de acao, proximos passos, nachste schritte",
    "massnahmenplan, plan d'action, prochaines etapes, langkah selanjutnya, rencana perbaikan",
    "следующие шаги, план действий, 下一步, 行动项, 行动计划, 整改清单, 整改计划, 次のステップ",
    "対応計画",
    "다음 단계, 조치 계획",
)
"""Among advice: what repeats the findings as things to do."""

OVER_NOUNS = terms(
    "previously, previous, prior, earlier round, earlier rounds, earlier findings, withdrawn",
    "refuted",
    "false positives, false positive, non-issues, not issues, non-findings, not findings",
    "dismissed",
    "already fixed, already resolved, anteriores, anteriormente, falsos positivos, zuruckgezogen",
    "fruhere, precedents, sebelumnya, предыдущие, ранее, 误报, 已排除, 誤検知, 오탐",
)

CLOSED_NOUNS = terms(
    "excellence, praised, achievements, why, reasons, rationale, reasoning, bug fixes, strengths",
    "positives, positive, good, praise, highlights, what works, works well, went well, well done",
    "done well, done right, pros, benefits, resolved, already fixed, passed, passing, appendix",
    "references, reference, screenshots, changelog, sources, legend, counts, glossary",
    "non-issues",
    "no issues, false positives, refuted, confirmed correct, correct, non-findings, not findings",
    "previous, prior, dismissed, table of contents, severity scale, withdrawn, implemented",
    "completed",
    "fix applied, fixes applied, fixed in this, what changed, changes made, acceptance criteria",
    "aspectos positivos, fortalezas, positivo, pontos fortes, pontos positivos, implementadas",
    "implementados, corregidos, resueltos, resolvidos, corrigidos, starken, positives",
    "gut gelost",
    "behoben, erledigt, points forts, points positifs, kelebihan, kekuatan, selesai",
    "сильные стороны",
    "достоинства, плюсы, исправлено, решено",
    "优点, 亮点, 优势, 做得好, 已修复, 已解决, 通过项, 参考, 附录, 回滚, 清理, 良い点, 長所",
    "良かった点",
    "対応済み, 修正済み, 장점, 강점, 좋은 점, 잘된 점, 해결됨, 수정 완료",
)

ASIDE_NOUNS = terms(
    "objective, objectives, goal, goals, request, task, tasks, requirements, prerequisites",
    "verified, verification, validation, validated, tests, test, testing, test coverage",
    "test results",
    "test verification, checks, check list, checklist, method, methodology, approach, scope",
    "summary",
    "overview, background, context, introduction, evidence, files, files reviewed, files changed",
    "coverage, conclusion, metrics, statistics, stats, commands, rollback, versions",
    "environment, trace",
    "results, decision, verdict, outcome, out of scope, compliance, timeline, history",
    "sign-off, sign off",
    "reviewed, executive summary, score, scores, scorecard, rating, ratings, definition of done",
    "verificacion, validacion, pruebas, resumen, conclusion, alcance, metodologia, archivos",
    "verificacao, testes, resumo, conclusao, escopo, prufung, verifikation, zusammenfassung",
    "fazit",
    "umfang, methode, ergebnis, verification, perimetre, synthese, verifikasi, pengujian",
    "ringkasan, kesimpulan, ruang lingkup, metode, status, проверка, проверено, тесты, итоги",
    "резюме",
    "вывод, выводы, методика, область",
    "验证, 测试, 摘要, 概述, 总结, 结论, 范围, 方法, 背景, 证据, 检查清单, 现象, 步骤",
    "検証, テスト, 要約, 概要, 結論, 範囲, まとめ, 검증, 테스트, 요약, 결론, 범위, 개요",
)

DOMAINS = terms(
    "security, performance, quality, architecture, design, logic, ui, ux, api, documentation",
    "docs",
    "correctness, style, implementation, test, tests, testing, coverage, backend, frontend, data",
    "seguridad, rendimiento, seguranca, desempenho, sicherheit, securite, keamanan, безопасность",
    "安全, 性能, 代码, 质量, 架构, 设计, 逻辑, 文档, 测试, セキュリティ, 性能, コード, 品質",
    "設計, 보안, 성능, 코드, 품질, 설계",
)

FILLERS = terms(
    "the, a, an, and, or, of, for, to, in, on, with, by, be, are, is, all, any, other, more",
    "new, open",
    "remaining, outstanding, found, fixed, priority, severity, level, review, code, plan, top",
    "key",
    "main, additional, known, detailed, details, list, before, merge, merging, release, shipping",
    "address, addressed, items, item, points, point, changes, change, required, requested",
    "needed, be",
    "non, noted, not, none, blocks, implementation, identified, from, that, this, round, pass",
    "impact",
    "potential, general, specific, finding, issue, recommendation, active, feedback, must",
    "should, could",
    "de, la, las, los, el, del, prioridad, severidad, y, e, o, a, prioridade, severidade, das",
    "dos, do, da",
    "und, der, die, das, prioritat, des, les, le, et, priorite, dan, prioritas, tingkat",
    "приоритет, и",
    "actionable, confirmed, codex, claude, gemini, reviewer, auditor, reviewer's, fix, now",
    "later, soon",
    "级别, 优先级, 的, 与, 和, 项, 清单, 列表, 一覧, 事項, 사항, 목록, 및, の, 点, 等级, 程度",
    "待, 高, 中, 低",
)

# Labels of a finding's parts.

PRIMARY_LABELS = terms(
    "issue, problem, finding, bug, defect, concern, what is wrong, what's wrong, observation",
    "problema, hallazgo, achado, fehler, befund, was falsch ist, probleme, constat, masalah",
    "temuan",
    "проблема, замечание, 问题, 問題, 발견, 문제, 이슈, 指摘, 缺陷, 现象, 症状",
)

FIX_LABELS = terms(
    "fix, recommendation, recommended fix, suggested fix, suggestion, solution, remedy",
    "mitigation",
    "proposed fix, required fix, recommended, remediation, resolution, action, proposal, to do",
    "suggested",
    "required, correction, solucion, solucao, correcao, correccion, recomendacion, recomendacao",
    "sugerencia, sugestao, zu tun, losung, empfehlung, behebung, vorschlag, correctif",
    "recommandation",
    "solusi, rekomendasi, saran, perbaikan, исправление, решение, рекомендация, предложение",
    "修复, 建议, 解决, 解决方案, 修复建议, 改进建议, 修改建议, 处理, 修正, 対応, 対策, 推奨",
    "修正案, 提案",
    "수정, 해결, 제안, 권장, 조치, 개선, 对策, 方案, 修改",
)

OTHER_LABELS = terms(
    "location, locations, where, file, files, code, line, lines, impact, evidence, root cause",
    "cause",
    "why, why it matters, risk, status, severity, priority, category, expected, actual, steps",
    "repro",
    "reproduction, verification, rationale, note, notes, reference, references, effort, owner",
    "confidence, test, tests, example, examples, before, after, current, proposed, source",
    "reason",
    "reasoning, description, details, detail, type, area, component, context, consequence",
    "result",
    "scenario, failure scenario, trigger, plan, implementation, implementation notes, id",
    "affected",
    "affected files, date, author, reviewer, scope, method, commit, branch, route to",
    "acceptable, regression coverage",
    "consider, think about, reflect, how, what, when, who, cost, benefit, pros, cons, score",
    "estimate",
    "verified, decision, verdict, updated, related, related changelog, workaround",
    "suggested test, probability, likelihood",
    "how to fix, expected behavior, actual behavior, proof, background, additional context",
    "response",
    "ubicacion, impacto, archivo, archivos, estado, causa, evidencia, riesgo, severidad",
    "prioridad",
    "localizacao, arquivo, arquivos, risco, evidencia, linha, ort, datei, auswirkung, ursache",
    "risiko",
    "wann es auffallt, beleg, schweregrad, emplacement, fichier, impact, preuve, cause, risque",
    "gravite",
    "lokasi, dampak, bukti, penyebab, berkas, keparahan, prioritas, файл, место, влияние",
    "причина",
    "серьезность, риск, статус, доказательство, последствия"
    "位置, 文件, 影响, 证据, 原因, 根因, 风险, 状态, 严重度, 严重程度, 优先级, 级别, 说明",
    "备注, 验证, 场景, 后果, 代码, 分类",
    "場所, ファイル, 影響, 根拠, 理由, 原因, 重要度, 優先度, 状態, 詳細, 該当箇所, 위치, 파일",
    "영향, 근거, 원인, 심각도, 우선순위, 상태, 이유, 설명",
)

SEVERITY_LABELS = terms(
    "severity, priority, risk level, level, criticality, sev, sev/prob, importance, prio",
    "urgency",
    "severidad, prioridad, gravedad, criticidad, severidade, prioridade, gravidade, criticidade",
    "schweregrad, prioritat, gravite, priorite, severite, criticite, keparahan, tingkat",
    "prioritas",
    "серьезность, приоритет, критичность, уровень",
    "严重度, 严重程度, 严重性, 优先级, 级别, 等级, 重要度, 優先度, 深刻度, 심각도, 우선순위",
    "중요도, 等級",
)

RISK_LABELS = terms("impact, risk, impacto, auswirkung, dampak, влияние, 影响, 影響, 영향")

TEXT_COLUMNS = terms(
    "finding, issue, problem, concern, description, title, summary, defect, bug, gap, what",
    "claim",
    "violation, weakness, risk, details, detail, observation, comment, change, required change",
    "item",
    "action, recommendation, suggestion, task, fix, finding / issue, todo, improvement, topic",
    "name",
    "hallazgo, problema, descripcion, accion, achado, descricao, befund, beschreibung, massnahme",
    "constat, probleme, description, temuan, masalah, deskripsi, tindakan, замечание, проблема",
    "описание",
    "问题, 描述, 发现, 缺陷, 风险, 建议, 内容, 事项, 任务, 问题描述, 指摘, 内容, 問題, 課題",
    "項目, 문제, 내용, 설명, 이슈, 지적",
)

LEGEND_COLUMNS = terms(
    "meaning, definition, criteria, count, counts, total, number, significado, bedeutung, anzahl",
    "cantidad, quantidade, nombre, jumlah, arti, количество, значение, 含义, 数量, 意味, 件数",
    "의미, 개수",
)

# Lines that state no finding.

NOTHING = terms(
    "none, nothing, no, n/a, na, nil, not applicable, zero, without, ninguno, ninguna, ningun",
    "sin",
    "nenhum, nenhuma, sem, keine, kein, keiner, keinerlei, aucun, aucune, neant, tidak ada, нет",
    "отсутствуют, не обнаружено, не найдено, nessuno, nessuna, brak, geen",
    "无, 没有, 未发现, 暂无, 無し, なし, 特になし, ありません, 없음, 없습니다, 해당 없음, 없다",
)

NOTHING_REST = terms(
    "from my side, from me, found, identified, detected, remaining, remain, left, pending",
    "at this time, this round, were",
    "was, have, has, been, further, new, additional, required, needed, necessary, raised",
    "observed, so far",
    "action, actions, changes, change, problem, problems, blocker, violation, violations",
    "there, i, we, see",
    "encontrado, encontrados, encontrada, encontradas, pendiente, pendientes, pendente",
    "pendentes",
    "gefunden, festgestellt, offen, offene, trouve, identifie, ditemukan, обнаружено, найдено",
    "замечаний",
    "проблем, ошибок, 发现, 任何, 任何问题, 新, 特に, 発見, 발견, 되지 않음, し, 事項, 该轮",
    "本轮, 处",
)

PRAISE = terms(
    "good, great, excellent, solid, well, nice, clean, correct, correctly, verified, passed",
    "passes, pass",
    "works, confirmed, ok, okay, fine, looks good, lgtm, clear, strong, sound, appropriate",
    "compliant",
    "bien, correcto, excelente, gut, korrekt, bon, correct, baik, sesuai, хорошо, корректно",
    "верно",
    "良好, 正确, 通过, 没问题, 优秀, 清晰, 完善, 良い, 正しい, 適切, 좋음, 정상, 올바름, 양호",
    "合格",
)

NUMBERED_LABEL = re.compile(
    r"(?:(?P<fault>issue|problem|finding|bug|concern|defect|blocker|nit|problema|hallazgo|achado"
    r"|fehler|befund|mangel|probleme|constat|masalah|temuan|проблема|замечание"
    r"|(?:附带)?(?:问题|缺陷|隐患)|問題|指摘|課題|문제|이슈|지적)"
    r"|risk|gap|point|item|observation|catch|风险|发现)"
    r"\s*(?:#|no\.?\s*)?(?:\d{1,3}|[a-z]|[一二三四五六七八九十]{1,3}|[ivx]{1,4})"
)
"""`Issue 3`; the group `fault` where the noun alone says that something is wrong."""

OPTION = re.compile(
    r"(?:option|alternative|variant|variante|opcion|opcao|pilihan|вариант|方案|选项|案|옵션|대안)"
    r"\s*(?:[a-z]\b|\d|[一二三四五])"
)

SETTLED = terms(
    "fixed, resolved, done, addressed, applied, corregido, resuelto, corrigido, behoben, corrige",
    "diperbaiki, selesai, исправлено, 已修复, 已解决, 修正済み, 対応済み, 수정됨, 해결됨",
    "수정 완료",
)

PRAISE_MARKS = "✅✔☑👍🎉💯🏆⭐"


NAMING_LABEL = re.compile(
    r"(?:.{0,24}[\s-])?(?:nit|gap|bug|concern|blocker|caveat|defect|regression|flaw|limitation|smell|missing)"
    r"(?:\s*\([^()]*\))?(?:\s*#?\d+)?"
)

# Conventional Comments: `issue (blocking): …`, and states that stand like labels.

CONVENTIONAL = re.compile(
    r"(?P<word>praise|nit|nitpick|suggestion|todo|question|thought|chore|typo|polish)"
    r"(?:\s*\((?P<how>[a-z, -]+)\))?|issue\s*\((?P<how2>[a-z, -]+)\)"
)
STATES = re.compile(r"fixed|open|new|resolved|applied|still open|accepted|confirmed|deferred|✅")

# What an item says it is.

KIND_LABELS: dict[Kind, re.Pattern[str]] = {
    "decision": re.compile(r"(?:decision|decided|entscheidung|决定|決定|결정)\s*[:：-]"),
    "convention": re.compile(
        r"(?:convention|rule|konvention|约定|規約|규칙)\s*[:：-]|(?:always|never)\b"
    ),
    "fact": re.compile(r"(?:fact|fyi|note)\s*[:：-]"),
}
