"""The labels of a finding's parts, of findings themselves, and of table columns.

Written as in `vocabulary`.
"""

from __future__ import annotations

import re

from relay_git.lessons.model import Kind
from relay_git.lessons.vocabulary import terms

PRIMARY_LABELS = terms(
    "issue, problem, finding, bug, defect, concern, what is wrong, what's wrong, observation",
    "problema, hallazgo, achado, fehler, befund, was falsch ist, probleme, constat, masalah",
    "problem, blad, observacion, remarque, beobachtung, 課題, 缺点, 注意点",
    "temuan, проблема, замечание, 问题, 問題, 발견, 문제, 이슈, 指摘, 缺陷, 现象, 症状",
)

FIX_LABELS = terms(
    "fix, recommendation, recommended fix, suggested fix, suggestion, solution, remedy",
    "mitigation, proposed fix, required fix, recommended, remediation, resolution, action",
    "proposal, to do, suggested, required, correction, solucion, solucao, correcao, correccion",
    "recomendacion, recomendacao, sugerencia, sugestao, zu tun, losung, empfehlung, behebung",
    "vorschlag, correctif, recommandation, solusi, rekomendasi, saran, perbaikan, исправление",
    "решение, рекомендация, предложение, 修复, 建议, 解决, 解决方案, 修复建议, 改进建议, 修改建议",
    "处理, 修正, 対応, 対策, 推奨, 修正案, 提案, 수정, 해결, 제안, 권장, 조치, 개선, 对策, 方案",
    "修改",
)

OTHER_LABELS = terms(
    "location, locations, where, file, files, code, line, lines, impact, evidence, root cause",
    "cause, why, why it matters, risk, status, severity, priority, category, expected, actual",
    "steps, repro, reproduction, verification, rationale, note, notes, reference, references",
    "effort, owner, confidence, test, tests, example, examples, before, after, current, proposed",
    "source, reason, reasoning, description, details, detail, type, area, component, context",
    "consequence, result, scenario, failure scenario, trigger, plan, implementation",
    "implementation notes, id, affected, affected files, date, author, reviewer, scope, method",
    "commit, branch, route to, acceptable, regression coverage",
    "consider, think about, reflect, how, what, when, who, cost, benefit, pros, cons, score",
    "estimate, verified, decision, verdict, updated, related, related changelog, workaround",
    "suggested test, probability, likelihood, how to fix, expected behavior, actual behavior",
    "proof, background, additional context, response",
    "ubicacion, impacto, archivo, archivos, estado, causa, evidencia, riesgo, severidad",
    "prioridad, localizacao, arquivo, arquivos, risco, evidencia, linha, ort, datei, auswirkung",
    "ursache, risiko, wann es auffallt, beleg, schweregrad, emplacement, fichier, impact, preuve",
    "cause, risque, gravite, lokasi, dampak, bukti, penyebab, berkas, keparahan, prioritas, файл",
    "место, влияние, причина",
    "серьезность, риск, статус, доказательство, последствия"
    "位置, 文件, 影响, 证据, 原因, 根因, 风险, 状态, 严重度, 严重程度, 优先级, 级别, 说明",
    "备注, 验证, 场景, 后果, 代码, 分类, 場所, ファイル, 影響, 根拠, 理由, 原因, 重要度, 優先度",
    "状態, 詳細, 該当箇所, 위치, 파일, 영향, 근거, 원인, 심각도, 우선순위, 상태, 이유, 설명",
)

SEVERITY_LABELS = terms(
    "severity level, violation severity, issue severity, risk severity, impact level",
    "overall severity",
    "severity, priority, risk level, level, criticality, sev, sev/prob, importance, prio",
    "urgency, severidad, prioridad, gravedad, criticidad, severidade, prioridade, gravidade",
    "criticidade, schweregrad, prioritat, gravite, priorite, severite, criticite, keparahan",
    "tingkat, prioritas, серьезность, приоритет, критичность, уровень",
    "严重度, 严重程度, 严重性, 优先级, 级别, 等级, 重要度, 優先度, 深刻度, 심각도, 우선순위",
    "중요도, 等級",
)

RISK_LABELS = terms("impact, risk, impacto, auswirkung, dampak, влияние, 影响, 影響, 영향")

TEXT_COLUMNS = terms(
    "finding, issue, problem, concern, description, title, summary, defect, bug, gap, what",
    "claim, violation, weakness, risk, details, detail, observation, comment, change",
    "required change, item, action, recommendation, suggestion, task, fix, finding / issue, todo",
    "improvement, topic, name, hallazgo, problema, descripcion, accion, achado, descricao, befund",
    "beschreibung, massnahme, constat, probleme, description, temuan, masalah, deskripsi",
    "tindakan, замечание, проблема, описание, 问题, 描述, 发现, 缺陷, 风险, 建议, 内容, 事项",
    "任务, 问题描述, 指摘, 内容, 問題, 課題, 項目, 문제, 내용, 설명, 이슈, 지적",
)

STATUS_COLUMNS = terms(
    "status, state, verdict, result, outcome, assessment, judgement, judgment, rating, compliance",
    "compliant, met, met?, ok, ok?, pass/fail, pass, passed, verified, implemented, present",
    "present?",
    "covered, covered?, exists, exists?, correct, correct?, estado, resultado, veredicto, cumple",
    "situacao, conforme, bewertung, ergebnis, erfullt, statut, resultat, conforme ?, hasil",
    "статус, результат, оценка, 状态, 结果, 判定, 结论, 核查结果, 评估, 是否符合, 状態, 結果, 評価",
    "상태, 결과, 판정, 평가",
)

LEGEND_COLUMNS = terms(
    "meaning, definition, criteria, count, counts, total, number, significado, bedeutung, anzahl",
    "cantidad, quantidade, nombre, jumlah, arti, количество, значение, 含义, 数量, 意味, 件数",
    "의미, 개수",
)

# Labels that are more than one of a list of words.

NUMBERED_LABEL = re.compile(
    r"(?:(?P<fault>issue|problem|finding|bug|concern|defect|blocker|nit|problema|hallazgo|achado"
    r"|fehler|befund|mangel|probleme|constat|masalah|temuan|проблема|замечание"
    r"|(?:附带)?(?:问题|缺陷|隐患)|問題|指摘|課題|문제|이슈|지적)"
    r"|risk|gap|point|item|observation|catch|风险|发现)"
    r"(?:\s*(?:#|no\.?\s*)?(?:\d{1,3}|[一二三四五六七八九十]{1,3})|\s+#?(?:[a-z]|[ivx]{1,4}))"
)
"""`Issue 3`; the group `fault` where the noun alone says that something is wrong."""

NAMING_LABEL = re.compile(
    r"(?:.{0,24}[\s-])?(?:nit|gap|bug|concern|blocker|caveat|uwaga|achtung|cuidado|attention|注意|問題|课题|defect|regression|flaw|limitation|smell|missing)"
    r"(?:\s*\([^()]*\))?(?:\s*#?\d+)?"
)

OPTION = re.compile(
    r"(?:option|alternative|variant|variante|opcion|opcao|pilihan|вариант|方案|选项|案|옵션|대안)"
    r"\s*(?:[a-z]\b|\d|[一二三四五])"
)

CONVENTIONAL = re.compile(
    r"(?P<word>praise|nit|nitpick|suggestion|todo|question|thought|chore|typo|polish)"
    r"(?:\s*\((?P<how>[a-z, -]+)\))?|issue\s*\((?P<how2>[a-z, -]+)\)"
)


# What an item says it is.

KIND_LABELS: dict[Kind, re.Pattern[str]] = {
    "decision": re.compile(r"(?:decision|decided|entscheidung|决定|決定|결정)\s*[:：-]"),
    "convention": re.compile(
        r"(?:convention|rule|konvention|约定|規約|규칙)\s*[:：-]|(?:always|never)\b"
    ),
    "fact": re.compile(r"(?:fact|fyi|note)\s*[:：-]"),
}
