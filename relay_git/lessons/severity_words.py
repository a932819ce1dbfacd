"""The words and emoji that say how bad a finding is. Written as in `vocabulary`."""

from __future__ import annotations

from relay_git.lessons.model import Severity
from relay_git.lessons.vocabulary import terms

SEVERITY_TERMS: dict[Severity, tuple[str, ...]] = {
    "error": (
        "priority 1, tier 1, prio 1, sev1, critical, criticals, blocker, blockers, blocking",
        "severe, high, highest, fatal, urgent, very high, must fix, must-fix, must_fix",
        "must resolve, must be fixed, must be resolved, must be addressed, must change",
        "before building",
        "必须返工, 返工, showstopper, catch, catches, p0, p1",
        "s0, s1, sev0, sev1, sev 0, sev 1, do not merge, required before merge",
        "krytyczny, krytyczna, wysoki, wysoka, pilne",
        "critico, critica, criticos, criticas, alta, alto, altas, altos, bloqueante, bloqueantes",
        "bloqueador, bloqueadores, grave, graves, urgente, kritisch, kritische, kritischer, hoch",
        "hohe, hoher, schwerwiegend, blockierend, blocker, critiques, bloquant",
        "bloquants, bloquante, eleve, elevee, haute, kritis, tinggi, parah, mendesak, wajib",
        "критично, критический, критическая, критические, критическое, высокий, высокая, высокие",
        "блокер, блокеры, блокирующий, блокирующие, блокирующая, критично, krytyczny, critici",
        "critica, 高优先级, 高级别, 严重, 致命, 阻断, 阻塞, 必须修复, 必须修改, 必改, 必修, 高危",
        "高优, 高风险, 紧急, 嚴重, 阻擋, 必須修正, 必須対応, 重大, 致命的, 必須, 要修正, 緊急",
        "ブロッカー, クリティカル, 치명, 심각, 높음, 필수, 차단, 긴급, 블로커, 크리티컬",
        "must do, must-do, must have, must-have, mandatory, p0s, show-stopper, show stopper",
        "release blocker, merge blocker, sev-1, sev-0, stop-ship, catastrophic, kritisk",
        "kritiska, kritiskt, kritiske, allvarlig, allvarliga, allvarligt",
        "blockerande, hoy, hoye, alvorlig, alvorlige, blokkerende, hoj, hoje, blokerende",
        "maste atgardas, ma fikses, skal rettes, kriittinen, kriittiset, korkea, vakava, estava",
        "kritiek, kritieke, hoog, hoge, ernstig, ernstige, blokkerend, verplicht",
        "krytyczne, krytycznych, wysokie, powazny, powazne, powazna, blokujacy, blokujace",
        "wysoki priorytet, kriticky, kriticka, kriticke, vysoka, vysoky, vysoke, zavazny",
        "zavazna, zavazne, blokujici, vazny, vazne, yuksek, ciddi, engelleyici, acil",
        "zorunlu, критичні, критична, критичне, високий, висока, високі, блокуючий",
        "блокуючі, серйозні, серйозна, серйозно, обов'язково, критическая ошибка, обязательно",
        "обязательные, обязательный",
        "обязательная, серьезный, серьезные, срочно, немедленно, critiche, gravi, elevato",
        "elevata, alti, bloccante, bloccanti, obbligatorio, obbligatorie, nghiem trong",
        "nguy hiem, bat buoc, khan cap, majeur bloquant, imperatif, obligatoire",
        "obligatoires, urgents, imprescindible, obligatorio, obrigatorio, zwingend",
        "dringend, gravierend, sangat tinggi, kritikal, حرج, حرجة, عالية, عالي, خطير, خطيرة",
        "عاجل, קריטי, קריטית, קריטיות, גבוה, גבוהה, חמור, חמורה, דחוף, חובה לתקן, गंभीर, उच्च",
        "अत्यावश्यक, 必须项, 阻断级, 阻断性, 阻塞性, 严重级, 高危险, 致命级, ブロッカ",
        "最優先, 치명적, 심각함",
        "최우선",
    ),
    "warn": (
        "priority 2, tier 2, prio 2, major, majors, important, medium, med, moderate, p2, s2",
        "sev2, sev 2, warning, warnings, warn, should fix, should-fix, should_fix, should address",
        "must address",
        "significant, required changes, required change, concern, concerns",
        "majeures, moyennes, istotny, istotna, sredni, srednia, wazny, wazna",
        "medio, media, medios, medias, importante, importantes, moderado, moderada, mayor",
        "mayores, advertencia, maior, aviso, mittel, mittlere, mittlerer, wichtig, wichtige",
        "warnung, moyen, moyenne, majeur, majeure, majeurs, importantes, avertissement, sedang",
        "menengah, penting, средний, средняя, средние, важно, важный, важные, значительный",
        "предупреждение, 中优先级, 中级别, 中危, 中等, 中优, 中风险, 重要, 主要, 警告, 应修复",
        "应该修复, 中程度, 要改善, 推奨修正, 注意, 중간, 보통, 중요, 주의, 경고, 권장 수정",
        "메이저",
        "should do, should-do, should have, should-have, sev-2, medel, viktig, viktiga, viktigt",
        "varning, middels, viktige, advarsel, mellem, vigtig, vigtige, keskitaso, tarkea",
        "tarkeat, varoitus, bor atgardas, bor fikses, gemiddeld, gemiddelde, belangrijk",
        "belangrijke, waarschuwing, midden, srednie, wazne, ostrzezenie, istotne, umiarkowany",
        "stredni, dulezite, dulezity, varovani, stredna, orta, onemli, uyari, середній, середня",
        "середні, важливо, важливий, важливі, попередження, желательно, желательные, умеренный",
        "medi, medie, importanti, avviso, moderato, moderati, attenzione, trung binh",
        "quan trong, canh bao, cukup tinggi, متوسط, متوسطة, مهم, مهمة, تحذير, בינוני, בינונית",
        "חשוב, חשובה, אזהרה, मध्यम, महत्वपूर्ण, चेतावनी, moyens, moderee, moderes, importants",
        "moderados, mittelschwer, 一般问题, 需关注, 较重要, 中度, 中リスク, 中程度の",
        "警告事項",
    ),
    "info": (
        "priority 3, tier 3, prio 3, minor, minors, low, lowest, very low, nit, nits, nitpick",
        "nitpicks, trivial, optional, suggestion, suggestions, p3, p4, p5, s3, s4, sev3, info",
        "极低, 微小, 信息, niski, niska, drobne, drobny",
        "weaker, smaller, 非阻断, 非阻塞, 不阻断, 不阻塞, 非致命, no bloqueante, no bloqueantes",
        "nao bloqueante, nao bloqueantes, nicht blockierend, non bloquant, non bloquants, 비차단",
        "informational, cosmetic, polish, nice to have, nice-to-have, non-blocking, nonblocking",
        "not blocking, non blocking, tip, observation, observations, observaciones, observacoes",
        "could fix, consider, future, long term, follow-up, follow-ups, advisory",
        "not a blocker, not blockers, none blocks, thought, chore, deferred, defer, enhancement",
        "enhancements, non-critical, not critical, noncritical, quick wins",
        "bajo, baja, bajos, bajas, menor, menores, leve, leves, sugerencia, sugerencias",
        "opcional, opcionales, baixo, baixa, baixos, baixas, sugestao, sugestoes, opcionais",
        "cosmetico, futuro, niedrig, niedrige, gering, geringe, klein, kleinigkeiten, kleinigkeit",
        "optionale, vorschlag, vorschlage, faible, faibles, mineur, mineure, mineurs, mineures",
        "optionnel, rendah, saran, facultatif, opsional, ringan, kecil, низкий, низкая, низкие",
        "незначительно, незначительный, незначительные, мелочь, мелочи, необязательно",
        "предложение, предложения, рекомендация, 低优先级, 低级别, 低危, 轻微, 次要, 可选, 提示",
        "低优, 低风险, 建议, 優化, 优化, 可改进, 小问题, 軽微, 任意, 提案, 低い",
        "낮음, 경미, 사소, 제안, 선택, 마이너",
        "could do, nice to do, nice-to-do, could have, informative, sev-4, stylistic",
        "style nit, mindre, valfritt, forslag, lite viktig",
        "valgfritt, frivillig, mindre viktig, matala, vahainen, ehdotus, valinnainen",
        "kleine, optioneel, suggestie, niskie, opcjonalne, opcjonalny, sugestia",
        "kosmetyczne, kosmetyczny, nizka, nizky, nizke, drobna, volitelne, kosmeticke",
        "dusuk, kucuk, istege bagli, oneri, opsiyonel, kozmetik, низький, низька, низькі",
        " незначні, незначна, дрібниці, необов'язково, пропозиція, необязательные, необязательный",
        "низкоприоритетные, косметика, косметические, мелкие, bassa, basso, basse, bassi",
        "minore, minori, opzionale, opzionali, suggerimento, suggerimenti, facoltativo, thap",
        "tuy chon, goi y, khong bat buoc, sangat rendah, kosmetik, منخفض, منخفضة, بسيط",
        "بسيطة, اختياري, اقتراح, נמוך, נמוכה, קל, קלה, מינורי, אופציונלי, הצעה, निम्न, मामूली",
        "वैकल्पिक, सुझाव, facultatifs, secondaire, secondaires, cosmetique, cosmetiques",
        "sugestivo, cosmeticos, nachrangig, 低级, 轻度, 建议项, 可忽略, 低度, 軽度, 低リスク",
        "선택사항",
    ),
}

_GRADED = [
    "优先级",
    "优先度",
    "严重程度",
    "严重度",
    "優先度",
    "重要度",
    "深刻度",
    "심각도",
    "우선순위",
    "우선도",
    "영향도",
    "중요도",
]
_GRADES: tuple[tuple[Severity, str], ...] = (
    ("error", "高 높음 상"),
    ("warn", "中 중간 중"),
    ("info", "低 낮음 하"),
)
for _level, _marks in _GRADES:
    SEVERITY_TERMS[_level] += tuple(
        f"{label}{mark}, {label}:{mark}, {label}: {mark}"
        for label in _GRADED
        for mark in _marks.split()
    )

LONE_MARKS: dict[str, Severity] = {
    "高": "error", "中": "warn", "低": "info", "一般": "warn", "必须": "error", "上": "error",
    "상": "error", "중": "warn", "하": "info", "must": "error", "should": "warn",
    "high": "error", "minimal": "info", "want": "info", "imo": "info", "imho": "info",
    "none": "info", "critique": "error", "error": "error", "errors": "error",
    "crit": "error", "blk": "error", "maj": "warn",
    "min": "info", "sug": "info",
    "hog": "error", "hoga": "error", "cao": "error", "kritik": "error", "moet": "error",
    "lag": "info", "laga": "info", "lav": "info", "lave": "info", "laag": "info", "nho": "info",
}  # fmt: skip

EMOJI: dict[str, Severity] = {
    "🔴": "error", "🚨": "error", "⛔": "error", "🛑": "error", "🚫": "error", "🟥": "error",
    "❌": "warn", "🔥": "error",
    "🟠": "warn", "🟡": "warn", "⚠": "warn", "🟧": "warn", "🟨": "warn",
    "🟢": "info", "🔵": "info", "⚪": "info", "💡": "info", "ℹ": "info", "🟩": "info", "🟦": "info",
}  # fmt: skip

SOFT = terms(
    "optional, future, deferred, defer, consider, follow-up, follow-ups, style",
    "suggestion, suggestions, enhancement, enhancements, info, long term, opcional, futuro",
    "facultatif, 可选, 建议, 任意, 선택",
)

ORDERING = terms(
    "high level, low level, critical assessment, critical review, critical analysis",
    "critical evaluation, critical path",
    "kritische einschätzung, kritische bewertung, kritische prüfung, kritische analyse",
    "revision critica, revisao critica, analisis critico, analise critica, revue critique",
    "analyse critique",
    "most severe first, highest first, worst first, most important first, by severity",
    "by priority, ordered by severity, sorted by severity, in order of severity, by importance",
    "por severidad, nach schweregrad, par gravite, por prioridad, nach prioritat, 按严重级别排序",
    "按优先级排序, 按严重度, 按严重程度, 按严重性, 按重要性, 按优先级, 重要度順",
)

SOFT_OPENINGS = terms(
    "consider, optionally, optional, maybe, perhaps, you could, could, you might, might",
    "nice to have",
    "it would be nice, would be nice, might be nice, might be worth, it may be worth, if desired",
    "considerar, opcionalmente, quizas, talvez, optional, eventuell, vielleicht, eventuellement",
    "pourquoi pas, можно, возможно, pertimbangkan, mungkin, 可考虑, 可以考虑, 可选, できれば",
    "選択的に",
    "고려, 선택적",
)
"""How what a reviewer leaves to the author begins."""

SHORTCODES = {
    "red_circle": "🔴", "rotating_light": "🚨", "no_entry": "⛔", "no_entry_sign": "🚫",
    "stop_sign": "🛑", "x": "❌", "fire": "🔥", "orange_circle": "🟠", "yellow_circle": "🟡",
    "warning": "⚠️", "green_circle": "🟢", "large_blue_circle": "🔵", "blue_circle": "🔵",
    "white_circle": "⚪", "bulb": "💡", "information_source": "ℹ️", "white_check_mark": "✅",
    "heavy_check_mark": "✔️", "ballot_box_with_check": "☑️", "+1": "👍", "thumbsup": "👍",
    "-1": "👎", "thumbsdown": "👎", "tada": "🎉",
}  # fmt: skip
"""Emoji by the names that are written between colons."""
