"""What observers are told of a result or an error, as fields of a `Notice`. Nothing of it quotes
what an agent was given or wrote."""

from __future__ import annotations

from typing import Any

from relay_git.errors import RelayError
from relay_git.pipeline.codes import Code, code_of
from relay_git.pipeline.results import RolledBack, Success
from relay_git.pipeline.state import Event
from relay_git.pipeline.validator import Report

UNTRUSTED = frozenset(
    (
        *(Code.TAMPERED, Code.BROKEN_PARENT, Code.STALE_NONCE),
        *(Code.UNKNOWN_SIGNER, Code.NEWER_FORMAT),
    )
)
_IN_OUR_WORDS = UNTRUSTED | {
    *(Code.BUDGET_EXCEEDED, Code.PIPELINE_MISMATCH, Code.HEAD_MOVED, Code.DIVERGED),
    *(Code.NO_SUCH_STEP, Code.STORE_FAILED, Code.MERGE_CONFLICT),
}
"""The reasons of all others may hold words of an agent, a rule or a packer."""


def outcome(result: Success | RolledBack) -> dict[str, Any]:
    """Of a result that a step has. What forks cost is written where it was spent."""
    at = result.value
    told = output(at.event, result.report) if result.report else {"tokens": 0}
    forks = at.event.join.forks if at.event.join else ()
    spent = sum(one.slice_tokens + one.output_tokens for one in forks if one.outcome == "accepted")
    return {**told, "run": at.run, "step": at.step, "tokens": told["tokens"] + spent}


def output(event: Event, report: Report) -> dict[str, Any]:
    return {
        "sections": report.diff.sections,
        "tokens": event.slice_tokens + event.output_tokens,
        "confidence": report.confidence,
    }


def rejection(report: Report) -> dict[str, Any]:
    """A rule's own words may quote an output, so its code and section stand for them."""
    if report.ok:
        return {}
    found = (f"{one.code} in {one.section or 'the output'}" for one in report.findings)
    return {"code": report.findings[0].code, "reason": "; ".join(found)}


def failure(error: BaseException) -> dict[str, Any]:
    if not isinstance(error, Exception):
        return {"code": None, "reason": "it was given up"}
    if not isinstance(error, RelayError | OSError):
        return {"code": None, "reason": type(error).__name__}
    code, cause = code_of(error), error.__cause__
    if code in _IN_OUR_WORDS:
        return {"code": code, "reason": str(error)}
    return {"code": code, "reason": type(cause).__name__ if cause else None}
