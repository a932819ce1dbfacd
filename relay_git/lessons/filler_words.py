"""What a heading says beside the noun that tells what it heads. Written as in `vocabulary`."""

from __future__ import annotations

from relay_git.lessons.vocabulary import terms

DOMAINS = terms(
    "review, code, plan, detailed, details, detail, list, summary",
    "security, performance, quality, architecture, design, logic, ui, ux, api, documentation",
    "docs, correctness, style, implementation, test, tests, testing, coverage, backend, frontend",
    "data, seguridad, rendimiento, seguranca, desempenho, sicherheit, securite, keamanan",
    "безопасность, 安全, 性能, 代码, 质量, 架构, 设计, 逻辑, 文档, 测试, セキュリティ, 性能",
    "コード, 品質, 設計, 보안, 성능, 코드, 품질, 설계",
    "sakerhet, prestanda, kvalitet, arkitektur, kod, tester, sikkerhet, ytelse, kode, sikkerhed",
    "ydeevne, veiligheid, beveiliging, prestaties, kwaliteit, architectuur, kodekvalitet",
    "codekwaliteit, bezpieczenstwo, wydajnosc, jakosc, architektura, jakosc kodu, bezpecnost",
    "vykon, kvalita, guvenlik, performans, kalite, mimari, kod kalitesi, testler, безпека",
    "продуктивність, якість, архітектура, код, sicurezza, prestazioni, qualita, architettura",
    "codice, bao mat, hieu nang, hieu suat, chat luong, kien truc, ma nguon, kinerja, kualitas",
    "arsitektur, الأمان, الأداء, الجودة, البنية, الكود, אבטחה, ביצועים, איכות, ארכיטקטורה, קוד",
    "सुरक्षा, प्रदर्शन, गुणवत्ता, कोड, arquitectura, arquitetura, calidad, qualidade, codigo",
    "architektur, qualitat, leistung, qualite, производительность, качество, архитектура, 可维护性",
    "可读性, 数据库, 前端, 后端, 保守性, 可読性, 코드 품질, 유지보수",
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
    "kommentarer, kommentare, kommentit, opmerkingen, komentarze, komentare, yorumlar, коментарі",
    "commenti, binh luan, تعليقات, הערות, टिप्पणियां, 备注, 反馈",
)
"""What a heading may call findings when it says nothing else."""

FILLERS = terms(
    "tier, category, class, group, part, batch, to, type",
    "the, a, an, and, or, of, for, to, in, on, with, by, be, are, is, any, other, more",
    "new, open, remaining, outstanding, found, fixed, priority, severity, level, top",
    "key, main, additional, known, before, merge, merging, release, shipping",
    "address, addressed, items, item, points, point, changes, change, required, requested",
    "needed, be, non, noted, not, none, blocks, implementation, identified, from, that, this",
    "red, yellow, orange, green, still, yet, round, pass, impact, potential, general, specific",
    "finding, issue, recommendation, active",
    "feedback, must, should, could, de, la, las, los, el, del, prioridad, severidad, y, e, o, a",
    "prioridade, severidade, das, dos, da, und, der, die, das, prioritat, des, les, le, et",
    "priorite, dan, prioritas, tingkat, приоритет, и",
    "actionable, confirmed, codex, claude, gemini, reviewer, auditor, reviewer's, now",
    "later, soon, 级别, 优先级, 的, 与, 和, 项, 清单, 列表, 一覧, 事項, 사항, 목록, 및, の, 点",
    "等级, 程度, 待, 高, 中, 低",
    "修正, 修改, правки, правка, изменения, исправления, corrections, correction, modifications",
    "anderungen, cambios, mudancas, alteracoes, poprawki, zmiany, wijzigingen, endringer",
    "aendringer, andringar, duzeltmeler, degisiklikler, modifiche, зміни, виправлення, perubahan",
    "thay doi, fixes, haves",
    "och, av, i, med, prioritet, alvorlighet, allvarlighetsgrad, ma, bor, fikses, fore",
    "produksjon, nya, ovriga, ja, muut, en, van, het, met, voor, prioriteit, ernst, priorytet",
    "waznosc, oraz, inne, priorita, zavaznost, ostatni, ve, oncelik, seviye, onem, diger",
    "yuksek oncelik, та, і, пріоритет, рівень, інші, di, dei, delle, della, gravita, altri",
    "muc do, uu tien, va, khac, و, أولوية, عالية الأولوية, ו, עדיפות, प्राथमिकता, और, de merge",
    "vor, dem, avant, antes, before launch, before production, before deployment",
    "should-do, deferred to, misc, miscellaneous",
    "minor and, smaller",
    "do, fix",
)
