"""The labels of a finding's parts, of findings themselves, and of table columns.

Written as in `vocabulary`.
"""

from __future__ import annotations

import re

from relay_git.lessons.model import Kind
from relay_git.lessons.vocabulary import names

PRIMARY_LABELS = names(
    "issue, problem, finding, bug, defect, concern, what is wrong, what's wrong, observation",
    "problema, hallazgo, achado, fehler, befund, was falsch ist, probleme, constat, masalah",
    "problem, blad, observacion, remarque, beobachtung, 課題, 缺点, 注意点",
    "temuan, проблема, замечание, 问题, 問題, 발견, 문제, 이슈, 指摘, 缺陷, 现象, 症状",
    "fynd, brist, fel, funn, mangel, feil, fejl, havainto, ongelma, bevinding, probleem",
    "gebrek, fout, znalezisko, zjisteni, zistenie, chyba, nalez, bulgu, sorun, hata",
    "зауваження, знахідка, помилка, problema rilevato, rilievo, difetto, criticita",
    "المشكلة, مشكلة, ملاحظة, בעיה, ממצא, समस्या, मुद्दा, ошибка, недостаток, находка, weakness",
    "flaw, error, defekt, schwache, defaut, anomalie, defecto, fallo, falha, erro, blunder",
    "complaint, violation, catch, 漏洞, 不足, 不具合, 懸念, 課題点, 결함, 지적",
    "vulnerability, gap, blocker, deviation, anomaly, discrepancy, regression, deficiency",
    "inconsistency, threat, hole, smell, limitation, shortcoming, attack, vulnerabilidad",
    "vulnerabilidade, brecha, riesgo identificado, schwachstelle, lucke, vulnerabilite, faille",
    "уязвимость, дефект, риск, kerentanan, 漏洞点, 隐患, 脆弱性, 취약점, 결함 내용, sarbarhet",
    "svaghet",
    "zranitelnost, podatnosc, zafiyet, вразливість, vulnerabilita, lo hong, ثغرة, חולשה",
)

FIX_LABELS = names(
    "fix, recommendation, recommended fix, suggested fix, suggestion, solution, remedy",
    "mitigation, proposed fix, required fix, recommended, remediation, resolution, action",
    "proposal, to do, suggested, required, correction, solucion, solucao, correcao, correccion",
    "recomendacion, recomendacao, sugerencia, sugestao, zu tun, losung, empfehlung, behebung",
    "vorschlag, correctif, recommandation, solusi, rekomendasi, saran, perbaikan, исправление",
    "решение, рекомендация, предложение, 修复, 建议, 解决, 解决方案, 修复建议, 改进建议, 修改建议",
    "处理, 修正, 対応, 対策, 推奨, 修正案, 提案, 수정, 해결, 제안, 권장, 조치, 개선, 对策, 方案",
    "修改",
    "atgard, rekommendation, forslag, losning, anbefaling, tiltak, fiks, suositus, korjaus",
    "ratkaisu, aanbeveling, oplossing, voorstel, advies, rekomendacja, rozwiazanie, zalecenie",
    "poprawka, sugestia, naprawa, doporuceni, reseni, navrh, oprava, oneri, cozum, duzeltme",
    "tavsiye, рекомендація, рішення, виправлення, пропозиція, raccomandazione, soluzione",
    "correzione, suggerimento, khuyen nghi, giai phap, de xuat, cach sua, goi y, usulan, tindakan",
    "aksi, rekomendasi perbaikan, الحل, التوصية, الإصلاح, الاقتراح, פתרון, המלצה, תיקון, समाधान",
    "सुझाव, सिफारिश, sugerencia de mejora, mejora, melhoria, recommended action, required action",
    "suggested change, proposed change, required change, action required, action item",
    "fix suggestion, possible fix, next step, ask, request, guidance, what to do, how to resolve",
    "改善案, 修正方針, 対応案, 修正方法, 修复方案, 改法, 整改, 整改建议, 优化建议, 修正提案, 권고",
    "수정 방안, 해결 방안, 개선안, 조치 사항",
)

OTHER_LABELS = names(
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
    "plats, fil, konsekvens, paverkan, orsak, allvarlighetsgrad, lokasjon, arsak, alvorlighet",
    "pavirkning, placering, arsag, tiedosto, sijainti, vaikutus, syy, vakavuus, locatie, bestand",
    "gevolg, oorzaak, ernst, prioriteit, toelichting, lokalizacja, plik, wplyw, przyczyna",
    "priorytet, dowody, skutek, umisteni, soubor, dopad, pricina, zavaznost, konum, dosya, etki",
    "neden, onem, oncelik, kanit, розташування, вплив, серйозність, доказ, наслідки, posizione",
    "impatto, gravita, priorita, prova, evidenza, vi tri, tep, anh huong, nguyen nhan, muc do",
    "uu tien, bang chung, alasan, الموقع, الملف, التأثير, السبب, الخطورة, الدليل, מיקום, קובץ",
    "השפעה, סיבה, חומרה, स्थान, फ़ाइल, प्रभाव, कारण, source file, affected code, affected lines",
    "affected area, affected components, blast radius, exploitability, cwe, cvss, owasp, see",
    "tracking, ticket, issue link, found by, raised by, agreed by, assumption, observed, symptom",
    "code snippet, snippet, current state, current behavior, current behaviour",
    "expected behaviour, actual behaviour, problem location, remark, complexity, deadline, eta",
    "assignee, tags, label, acceptance criteria, fichiers, lignes, ligne, ubicacion del codigo",
    "linea, lineas, linhas, zeile, zeilen, строка, строки, файлы, доказательства, 涉及文件",
    "位置信息, 行号",
    "代码位置, 影响范围, 触发条件, 复现, 复现步骤, 発生箇所, 影響範囲, 再現手順, 対象ファイル",
    "備考, 영향 범위, 파일 위치, 재현",
)

SEVERITY_LABELS = names(
    "severity level, violation severity, issue severity, risk severity, impact level",
    "overall severity",
    "severity, priority, risk level, level, criticality, sev, sev/prob, importance, prio",
    "urgency, severidad, prioridad, gravedad, criticidad, severidade, prioridade, gravidade",
    "criticidade, schweregrad, prioritat, gravite, priorite, severite, criticite, keparahan",
    "tingkat, prioritas, серьезность, приоритет, критичность, уровень",
    "严重度, 严重程度, 严重性, 优先级, 级别, 等级, 重要度, 優先度, 深刻度, 심각도, 우선순위",
    "중요도, 等級",
    "allvarlighetsgrad, allvarlighet, prioritet, alvorlighet, alvorlighetsgrad, alvorlighed",
    "vakavuus, prioriteetti, ernst, prioriteit, waga, priorytet, poziom, krytycznosc, waznosc",
    "zavaznost, priorita, onem, onem derecesi, oncelik, seviye, ciddiyet, серйозність, пріоритет",
    "критичність, рівень, gravita, severita, livello, muc do, muc do nghiem trong, do uu tien",
    "muc uu tien, tingkat keparahan, tingkat risiko, level risiko, الخطورة, الأولوية",
    "درجة الخطورة, חומרה, עדיפות, गंभीरता, प्राथमिकता, severity rating, severity / priority",
    "priority / severity, critical level, niveau de gravite, niveau, nivel",
    "nivel de severidad, nivel de riesgo, важность, степень, 优先度, 严重级别, 风险等级, 问题等级",
    "风险级别, 緊急度",
    "심각성, 위험도, 등급",
    "poziom krytycznosci, poziom ryzyka, stopien krytycznosci, nivel de criticidad",
    "nivel de criticidade, niveau de risque, niveau de criticite, livello di rischio",
    "livello di gravita, уровень критичности, уровень риска, kritikalitat, muc do rui ro",
)

RISK_LABELS = names(
    "impact, risk, impacto, auswirkung, dampak, влияние, 影响, 影響, 영향",
    "consequence, consequences, harm, effect, why it matters, consecuencia, consequencia, folge",
    "folgen, последствия, 后果, 影響範囲, risque, rischio, riesgo, risco, risiko, 风险, リスク",
    "위험, impatto",
    "conseguenza, konsekvens, konsekvenser, pavirkning, gevolg, skutek, wplyw, dopad, etki, вплив",
    "наслідки, anh huong, rui ro, التأثير, השפעה, प्रभाव",
)

TEXT_COLUMNS = names(
    "finding, issue, problem, concern, description, title, summary, defect, bug, gap, what",
    "claim, violation, weakness, risk, details, detail, observation, comment, change",
    "required change, item, action, recommendation, suggestion, task, fix, finding / issue, todo",
    "improvement, topic, name, hallazgo, problema, descripcion, accion, achado, descricao, befund",
    "beschreibung, massnahme, constat, probleme, description, temuan, masalah, deskripsi",
    "tindakan, замечание, проблема, описание, 问题, 描述, 发现, 缺陷, 风险, 建议, 内容, 事项",
    "任务, 问题描述, 指摘, 内容, 問題, 課題, 項目, 문제, 내용, 설명, 이슈, 지적",
    "beskrivning, beskrivelse, kuvaus, omschrijving, beschrijving, opis, popis, aciklama, опис",
    "descrizione, mo ta, noi dung, keterangan, الوصف, תיאור, विवरण",
    "explanation, statement, comments, feedback, suggested fix, 说明, 備考",
    "発見",
    "発見事項, 발견, 결과, 요약, 사항, 检查结果, 存在问题, 不足, 意见",
)

STATUS_COLUMNS = names(
    "status, state, verdict, result, outcome, assessment, judgement, judgment, rating, compliance",
    "compliant, met, met?, ok, ok?, pass/fail, pass, passed, verified, implemented, present",
    "present?",
    "covered, covered?, exists, exists?, correct, correct?, estado, resultado, veredicto, cumple",
    "situacao, conforme, bewertung, ergebnis, erfullt, statut, resultat, conforme ?, hasil",
    "статус, результат, оценка, 状态, 结果, 判定, 结论, 核查结果, 评估, 是否符合, 状態, 結果, 評価",
    "상태, 결과, 판정, 평가",
    "score, grade, marks, nota, puntuacion, note, punkte, ocena, puan, 评分, 得分, 分数, 評価点",
    "点数, 점수",
    "tila, stan, wynik, stav, vysledek, durum, sonuc, стан, stato, esito, risultato, trang thai",
    "ket qua, الحالة, النتيجة, סטטוס, תוצאה, स्थिति, verdikt, oordeel, resultaat, resolution",
    "fixed?, resolved?, done, done?, addressed, addressed?",
)

OTHER_GRADES = names(
    "effort, likelihood, probability, confidence, complexity, cost, value, benefit, difficulty",
    "coverage, size, urgency, certainty, exploitability, frequency, readiness, maturity, quality",
    "esfuerzo, probabilidad, complejidad, esforco, probabilidade, complexidade, aufwand",
    "wahrscheinlichkeit, komplexitat, effort, probabilite, complexite, сложность, вероятность",
    "трудозатраты, 工作量, 难度, 概率, 复杂度, 工数, 難易度, 確度, 난이도, 공수, 확률",
)
"""Columns of `High` and `Low` that say nothing of how bad a finding is."""

CHANGE_COLUMNS = names(
    "change, changes, modification, purpose, role, responsibility, what changed, what it does",
    "cambio, cambios, mudanca, mudancas, anderung, anderungen, modification, modifications",
    "изменение, изменения, назначение, 改动, 改动内容, 变更, 变更内容, 修改, 修改内容, 作用, 用途",
    "変更, 変更内容",
    "役割, 변경, 변경 내용, 역할, zmiana, wijziging, modifica, endring, andring, degisiklik, зміна",
)
"""Columns of tables that tell what was done."""

LEGEND_COLUMNS = names(
    "meaning, definition, criteria, count, counts, total, number, significado, bedeutung, anzahl",
    "cantidad, quantidade, nombre, jumlah, arti, количество, значение, 含义, 数量, 意味, 件数",
    "의미, 개수",
    "antal, maara, aantal, liczba, pocet, sayi, кількість, numero, so luong, jumlah temuan, العدد",
    "מספר, संख्या, how many, #issues, 个数, 合计",
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
