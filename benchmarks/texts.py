"""Small artifacts that believable runs could hold: no two runs say the same."""

from __future__ import annotations

_AREAS = ("courier", "ledger", "search", "upload", "billing", "gateway", "report", "index")
_MODULES = ("worker", "retry", "session", "lock", "cursor", "schema", "cache", "window", "parser")
_SYMBOLS = ("Worker.shutdown", "RetryTimer", "Session.save", "open_cursor", "migrate", "evict")
_FAULTS = (
    "loses the last message",
    "reads the old value",
    "waits for ever",
    "writes the same row twice",
    "leaves a temporary file behind",
    "hides the first error",
    "counts the retry as a success",
)
_WHEN = (
    "two processes start at once",
    "the disk is full",
    "the clock goes back",
    "the connection is dropped between the two calls",
    "it is called again after a failure",
)


def _path(number: int) -> str:
    area, module = _AREAS[number % len(_AREAS)], _MODULES[number // 3 % len(_MODULES)]
    return f"{area}/{module}_{number}.py"


def fault(number: int) -> str:
    symbol = _SYMBOLS[number // 5 % len(_SYMBOLS)]
    what, when = _FAULTS[number // 7 % len(_FAULTS)], _WHEN[number // 11 % len(_WHEN)]
    return f"`{symbol}` in `{_path(number)}` {what} when {when}"


def plan(number: int, version: int) -> str:
    return f"""\
# Plan, version {version}

1. Read `{_path(number)}` and write a test that fails as the report says.
2. Change `{_SYMBOLS[number // 5 % len(_SYMBOLS)]}` so that the state is written before the answer.
3. Run the test a hundred times, with {number % 90 + 10} workers.

To go back, revert the one commit: no data changes its form.
"""


def rejection(number: int) -> str:
    return f"""\
# Review of the plan

I opened `{_path(number)}` and counted its callers. Order and tests are sound.

## Required Changes

1. **[P1] {fault(number)}.** The plan trusts the caller to ask again, and none of the callers
   does. Write the state first, under the lock that is there.

## Concerns

- {fault(number + 1)}, which step 3 would not show.

## Suggestions

None.

## Verdict: reject
"""


def approval(number: int) -> str:
    return f"""\
# Review of the plan

I read `{_path(number)}` again, beside the plan. Order, tests and the way back are all there.

## Required Changes

None.

## Verdict: approve
"""


def build_log(number: int) -> str:
    return f"""\
# Build log

- changed `{_path(number)}` and its test, {number % 40 + 3} lines
- the test fails before the change and passes after it, {number % 900 + 100} times of
  {number % 900 + 100}
- nothing else of the suite changed its result
"""


def hint(number: int) -> str:
    return f"The name of the test in `tests/test_{number}.py` says less than its comment."


def audit(number: int) -> str:
    return f"""\
# Audit

The work does what the plan says. I ran the suite and read the diff of `{_path(number)}`.

## Catches

None.

## Suggestions

- {hint(number)}

## Verdict: approve
"""
