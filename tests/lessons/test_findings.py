"""The shapes in which reviewers write findings.

The first column of each document says what the line must be read as: E, W or I for a finding of
that severity, nothing for no finding.
"""

from __future__ import annotations

import pytest
from support import marked_review

from relay_git.lessons.document import read_document

SHAPES = {
    "our headings": """
          ## Verdict: reject

          ## Required Changes

        W 1. The retry loop in `net/retry.py` never sleeps.
             - Reason: it hammers the server
             - Fix: add backoff
        W 2. **No rollback plan.** Step 4 drops the table.
        E 3. [high] `a.py` deletes the backup.

          ## Concerns

        W - The cache key ignores the tenant.

          ## Catches

        E - `tests/a.py` asserts nothing.

          ## Suggestions

        I - Rename `foo` to `bar`.

          ## Strengths

          - Clear steps.
    """,
    "older headings": """
          ## MUST_FIX

        E 1. The token is logged in plain text.
             - Why: leak

          ## SHOULD_FIX

        W 1. Add a timeout.

          ## Shortcut Report

        W - Tests were skipped with `xfail`.

          ## Test Verification

          - All 30 tests pass.

          ## Strengths

          - good names
    """,
    "denials": """
          ## Required Changes

          None.

          ## Concerns

          - None identified.

          ## Catches

          I have no concerns about this change.

          ## Suggestions

          No suggestions at this time.

          ## Critical (0)

          None

          ## Low

          - No low-severity issues were identified.

          ## Medium Issues: None found
    """,
    "denial is no finding about something missing": """
          ## Findings

        W - No timeout on the upload.
        W - No error handling in `a.py`.
        W - Nothing says who owns the queue.
    """,
    "bold labels": """
          # Review

        E **[P1] Race in cache refresh** — `cache.go:44` has two writers.
          Details follow.

        W **[P2] Missing index** — slow.

        I **[P3] Typo** in the README.
    """,
    "checkboxes": """
          ## Issues

        E - [ ] **Critical**: SQL injection in `search()`
        I - [ ] **Minor**: unused import
        W - [x] **Major**: missing await

          ## Checklist

          - [x] Tests pass
          - [ ] Docs updated
    """,
    "table with severity": """
          | # | Severity | File | Finding | Fix |
          |---|----------|------|---------|-----|
        E | 1 | High | a.py:3 | Password compared with == | use compare_digest |
        I | 2 | Low | b.py | Magic number | name it |

          | Severity | Count |
          |---|---|
          | High | 1 |
          | Low | 1 |

          | Level | Meaning |
          |---|---|
          | High | breaks users |
    """,
    "table of comments": """
          ## Findings

          | File | Line | Comment |
          |---|---|---|
        W | a.py | 3 | The timeout is ignored |
        W | b.py | 9 | Unbounded recursion on cycles |
    """,
    "tables of checks": """
          ## Test results

          | Test | Status | Priority |
          |---|---|---|
          | login | PASS | High |
          | logout | PASS | Low |
    """,
    "emoji paragraphs": """
        E 🔴 **Blocker** – `auth.ts:10` token never expires

        W 🟡 **Warning** – no tests for logout

        I 🟢 **Nit** – rename the variable

          ✅ Good separation of layers
    """,
    "emoji items": """
          ### Findings

        E - 🔴 Token never expires (`auth.ts:10`)
        W - 🟡 No tests for logout
        I - 🟢 Rename `x`
          - ✅ Nice docs
    """,
    "coverage with crosses": """
          ## Plan coverage

          - ✅ Login flow
        W - ❌ Logout flow is not implemented
        W - ⚠️ Password reset only partly done
    """,
    "conventional comments": """
        E issue (blocking): the lock is not released on error

        I suggestion (non-blocking): use a context manager

        I nitpick: trailing space

          praise: lovely tests

        W todo: cover the empty file
    """,
    "conventional comments as items": """
        E - **issue (blocking):** the lock is not released on error
        I - **nitpick (non-blocking):** trailing space
          - **praise:** lovely tests
        I - **thought:** maybe split the file
    """,
    "must and should": """
          ## Must fix

        E - Close the file handle in `io.py`

          ## Should fix

        W - Log the error

          ## Nits

        I - Spelling
    """,
    "comments on lines": """
          ## src/app.ts

        W - `src/app.ts:14`: missing null check
        I - **Line 20**: consider an early return (nit)
        W - src/db.ts:3 — the connection is never closed
    """,
    "fields nested in items": """
          ## Review

        E - **Unbounded queue**
            - Severity: High
            - Issue: it grows forever
            - Impact: memory runs out
            - Fix: cap it
        I - **Stale docs**
            - Severity: Low
            - Issue: mentions v1
            - Fix: update
    """,
    "numbered headings with fields": """
          # Security review

          ## Findings

        E ### 1. Secrets in logs

          **Severity:** High
          **Location:** `log.py`

          The token is printed.

          **Recommendation:** mask it.

        W ### 2. Weak hash

          **Severity:** Medium

          MD5 is used.
    """,
    "marked headings without a group": """
        E ### Critical: token in URL

          The token is in the URL.

        E ### Lock order (high)

          Two locks.

        I ### Naming (nit)

          Names are odd.

        E ### ❗ [H-01] Reentrancy in withdraw

          **Severity:** High
    """,
    "headings with ids": """
          ## Findings

        E ### [H-01] Reentrancy in withdraw

          text

        W ### Finding 3: stale cache

          text

        W ### Issue #4 - bad default

          text

        I ### L-2: odd name

          text
    """,
    "severity groups in bold": """
          ## Issues

          **Critical**

        E - A is broken
        E - B is broken

          **Minor**

        I - C could be nicer
    """,
    "severity groups as items": """
          ## Findings

          - High
        E   - A is broken badly
        E   - B is broken
          - Low:
        I   - C could be nicer
          - Backend
        W   - The worker never retries
    """,
    "prose": """
          ## Concerns

        W The migration has no down step, so a rollback is impossible.

        W I also worry about the lock on `orders`.

          ## What I liked

          The tests.
    """,
    "prose around a list": """
          ## Findings

          The implementation is solid overall. Two issues:

        W 1. `a.py` leaks a handle.
        W 2. `b.py` ignores errors.

          Everything else looks good.
    """,
    "loose list with details": """
          ## Required changes

        W 1. First problem.

             Explanation of the first.

        W 2. Second problem.

             - detail a
             - detail b

        W 3. Third problem:
             ```python
             - nope
             ```
    """,
    "one finding with steps": """
        E ### [P1] Crash on empty input

          Steps to reproduce:

          1. Run `x`
          2. See the crash

          Expected: no crash

          - **Fix:** guard
    """,
    "fences, comments and quotes": """
          ## Findings

          ```
          - not a finding
          # nor this
          ```

        W - real finding here

          <!-- - commented finding -->

          > - quoted from the plan
    """,
    "an unclosed fence": """
          ## Findings

        W - real finding here

          ~~~~
          - not a finding
          ~~~
          - nor this
    """,
    "counts and legends": """
          ## Summary

          - Critical: 0
          - High: 2
          - 🟡 Medium: 1
          - Low: none

          **Critical**: 3 issues

          ## Severity legend

          - P0: must be fixed before merge
    """,
    "earlier rounds": """
          ## Findings

        E - High: leak in a.c

          ## Previously reported (resolved)

          - High: crash in b.c
    """,
    "fixed during the review": """
          ## Resolved during review

        W 1. **No `__init__.py`** (Important → Resolved)
    """,
    "praise with severity words": """
          ## What's good

          - High test coverage
          - Critical path is covered

          ## High-level overview

          - It does a thing

          ## What needs improvement

        W - Error messages are vague
    """,
    "verbs that are also outcomes": """
          ## Findings

        W ### 1. Reject empty input

          Empty names are accepted.

        W ### 2. Failed logins are not limited

          Anyone can guess.
    """,
    "a heading that is also an outcome": """
          ## Changes requested

        W - Close the handle.

          ### Before merge

        W - Rebase.

          ## 评审结论

          **建议修改后批准**

          修改后可以继续。
    """,
    "the outcome itself": """
          ## Recommendations

          - Verdict: **approve**
        I - Rename `x`.
    """,
    "nothing but ticks": """
          ## Issues

          1. **Counts**
             - ✅ all match
        W 2. **Names**
             - two of them differ
    """,
    "next steps that say it again": """
          ## Findings

        E - High: `a.c` leaks

          ## Recommendations

        I - Use a pool.

          ## Next steps

          1. Close the handle in `a.c`.
    """,
    "next steps alone": """
          ## Summary

          Solid work.

          ## Action items

        W - [ ] Add a regression test
    """,
    "numbered faults without a group": """
          # Review of the plan

        W ## Issue 1: Token leak

          text

          ## Background

          text
    """,
    "a list of what passed among findings": """
          ## Findings

        W **Slow start.** It reads everything.

          Spot checks that passed:

          - The lock is released
          - The index is used
    """,
    "a list that details a paragraph": """
          ## Findings

        E **[P1] Crash** on empty input.

          - seen on Linux
          - seen on macOS
    """,
    "items that follow the others of their list": """
        W - **No lock on the cache**
            - Problem: two writers
            - Fix: take it
        W - **Names differ**
            - They should be one.
        E - **Token never expires** (high)
            - Problem: stolen once, valid for ever
            - Fix: expire it
    """,
    "a record at the head of a group": """
          ## Issues found

          **Phase:** search
          **Issues:** two

        W 1. It leaks.
    """,
    "setext headings": """
          Findings
          ========

        E Token leaks
          -----------

          **Severity:** High
    """,
    "ordinals below polish": """
          ## Polish

        I - **P1** – align the buttons
        I - **P7** – shorten the help

          ## Fixes needed

        E - **P1** – stop the crash
    """,
    "Chinese": """
          # 代码审查报告

          ## 总体评价

          代码质量良好。

          ## 必须修改

        E 1. `auth.py` 中的密码以明文存储
        E 2. 缺少输入校验

          ## 建议改进

        I - 可以将常量提取到配置文件

        E ### 问题 1：缺少超时处理（高）

          说明文字。

          ## 优点

          - 结构清晰
    """,
    "Chinese table": """
          ## 发现的问题

          | 严重程度 | 问题 | 建议 |
          |---|---|---|
        E | 严重 | 密码明文存储 | 加密 |
        I | 轻微 | 命名不一致 | 统一 |
    """,
    "Japanese": """
          ## 指摘事項

        E ### 【重大】トークンが平文で保存されている

          - 該当箇所: `auth.ts`
          - 対応: 暗号化する

        I ### 【軽微】変数名が不明瞭

          - 該当箇所: `main.ts`

          ## 良い点

          - テストが充実している
    """,
    "Japanese tags": """
          ## 指摘

        E 1. [Must] 例外を握りつぶしている
        I 2. [Want] 変数名を変更したほうがよい
        I 3. [nits] 余分な空白
    """,
    "Korean": """
          ## 문제점

        E - **[심각]** 인증 토큰이 로그에 남습니다
        I - **[경미]** 변수 이름이 모호합니다

          ## 제안

        I - 상수를 분리하세요
    """,
    "Spanish": """
          ## Problemas críticos

        E 1. La contraseña se guarda en texto plano.

          ## Problemas menores

        I 1. Falta documentación.

          ## Aspectos positivos

          - Pruebas claras.
    """,
    "Portuguese": """
          ## Problemas

        E - **Alta**: senha em texto plano
        I - **Baixa**: nome confuso

          ## Pontos fortes

          - Bom
    """,
    "German": """
          ## Befunde

        E 1. **Kritisch:** Passwörter werden im Klartext gespeichert.
        I 2. **Gering:** Tippfehler im Log.

          ## Empfehlungen

        I - Tests ergänzen.
    """,
    "French": """
          ## Problèmes bloquants

        E - Le jeton n'expire jamais.

          ## Améliorations suggérées

        I - Extraire la constante.

          ## Points forts

          - Tests clairs.
    """,
    "Russian": """
          ## Замечания

        E 1. **Критично:** пароль хранится открытым текстом.
        I 2. **Незначительно:** опечатка.
        W 3. Нет обработки ошибок.
    """,
    "Indonesian": """
          ## Temuan

        E 1. **[Kritis]** Token tidak kedaluwarsa
        I 2. **[Rendah]** Nama variabel membingungkan

          ## Kelebihan

          - Rapi
    """,
    "an area that nothing announced: the words decide": """
          # Review of the backend

          ## 2. Domain layer

          - `Player` and `Battle` are plain data classes.
          - Rows are written in batches of 500.
        W - `Battle` mixes three concerns and should be split.
        W - The seed is hardcoded, which is hard to test.

          ## 3. What held up

          - The layers are clean.

          ## 4. Weak spots

        W - Retries
        W - Time zones
    """,
    "an empty box asks, a ticked one does not": """
          # Review

          ## During implementation

        W - [ ] **Time zones:** the scheduler uses the server's clock.
          - [x] All migrations run.
    """,
    "a tracker with states": """
          # Review notes

          ## 2. Message loop

        W ### 2.1 `quit()` lacks a thread guard [OPEN]

          `loop.mm:7`. Add an assertion.

        W ### 2.2 Redundant quit chain [FIXED]

          Closing runs the handler twice.

        I ### 2.3 The fake event is undocumented [NIT]

          One comment would help.
    """,
    "what an earlier round found and is settled is no finding": """
          # Review 2 — post-fix validation

          ## Blockers

          ### B-1 — the snapshot leaves a table out · FIXED

          The table is in the snapshot now.

        E ### B-7 — the editor does not open · NOT FIXED

          It still only switches the tab.
    """,
    "a table of states": """
          # Audit

          ## Fidelity

          | Feature | Status | Evidence |
          |---|---|---|
          | Firewall | **BUILT** | Tests exist and pass. |
        W | Forms | **PARTIAL** | The wizard was never built. |
        W | Pilot | **MISSING** | Interviews are only described. |

          ## Findings

          | File | Status | Issue |
          |---|---|---|
          | README.md | ACCURATE | Quick start is right |
        W | sdk.md | STALE | Describes v1 |
    """,
    "questions and their answers": """
          # Critical review

          ### 1. Are there conflicts?

          **No.** The rules agree.

          ### 2. Is there a financial risk?

          **Low.** It only records.
    """,
    "a class of findings with a count, or with ids": """
          # Review

          ## MAJOR — load tests (2)

        W - **23.** `a.js:52` — the share is one participant only
        W - **24.** `b.js:76` — one body for every request

          ## MINOR, recorded and not fixed

        I - **N1** — arguments are parsed by hand
        I - **N2** — symlinks are followed
    """,
    "numbered parts below a numbered topic": """
          # Review

          ## 1. The guide and the code disagree

        W ### 1-1. The dice are said to have six sides, the code has two

          `DiceRoller.tsx:19` throws 1 or 2 only.

        W ### 1-2. The leisure deck is unreachable

          Nothing draws from it.
    """,
    "short lines before lists are headings": """
          Here is a review of the branch.

          Critical blockers (before merge)

        E - Two hash kinds are confused, so cancel fails.
        E - Binaries are committed.

          Nice-to-haves (future)

        I - Incremental hooks
    """,
    "groups within a list": """
          ## Flaws and risks

          - **Critical**
        E   - **No authentication**: every route is public.
        E   - **Path traversal**: the id is not checked.

          - **Reliability / bugs**
        W   - **Wrong tuple**: the function returns one value.
        W   - **Saving**: a folder is expected.
    """,
    "numbered bold paragraphs": """
          # Verdict on the prototype

          ## The things that would kill a sale

        W **1. The core promise is invisible.**
          Every page shows healthy numbers.

        W **2. A phantom client is in the data.**
          It has invoices.

          ## In the delivered artifact

        W **Fail.** The script that the README names does not exist, and nothing replaces it.

          **Pass.** The tests run.
    """,
    "a field says how bad it is, an emoji may be a state": """
          ## Findings

        I ### 🔴 Open - RF7 Property lists are not lowered

          - **Severity:** Low
          - **Evidence:** `lower.rs:12`
          - **Recommendation:** document it

        W ### W1: the query may fail

          **Issue:** it returns no rows.
          **Impact:** Low, only on empty graphs.
    """,
    "the title of a document is no finding": """
          # P2 review — tests fail when run in parallel

          ## Non-blocking observations

        I 1. `import os` is missing
    """,
    "fields beside their item": """
          ## Issues

        W 1. The helpers changed

          - Issue: their callers break
          - Fix: lift them as they are

        W 2. A new dependency

          - Issue: it can be avoided
          - Fix: look through `PATH`
    """,
    "counts are no findings": """
          ## Findings

          - Remaining: 1
          - Low: 2 (1 fixed)
        E - High: the token is logged
    """,
    "what was looked at is no class of its own": """
          # Review

          ## Testing & CI

        W - No test covers the parser.
          - [x] A missing index is found
          - The suite runs in two minutes.
          - CI builds on two systems.
    """,
    "a title that blames, over bare names": """
          # Coverage

          ## High-impact uncovered areas of the launcher and its helpers

        E - the `create` path
        E - two-argument modes
        E - the listing of commits

          ## MAJOR — what the load tests of the second phase say today (2)

        W - one body for all
        W - the share of one participant
    """,
    "marks behind a tick or inside a long remark": """
          ## Findings

        E ### [v] High: anyone may stop the service

          The routes ask for no token.

        E ### 1.1 Page lifecycle (High Severity API Weakness, ergonomics)

          Pages outlive their browser.
    """,
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_read(name: str) -> None:
    document, expected = marked_review(SHAPES[name])
    findings = read_document(document).findings
    assert [(finding.line, finding.severity) for finding in findings] == expected
