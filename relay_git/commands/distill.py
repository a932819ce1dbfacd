"""`git relay distill`: distil lessons from history, or read one review."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from relay_git.commands.context import Context
from relay_git.commands.progress import progress
from relay_git.errors import BackendError, RelayError, UsageError
from relay_git.lessons.model import Finding, Lesson
from relay_git.output import count, plain

if TYPE_CHECKING:
    from relay_git.lessons.document import Document
    from relay_git.workflow.rewording import Rewording

EXAMPLE = """
git relay distill
git relay distill --all --check
git relay distill --file docs/review.md --json
git relay distill --all --llm
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--all",
        action="store_true",
        help="read every run again and write what is neither present nor retired",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if the tree would change"
    )
    parser.add_argument(
        "--file", metavar="F", help="print the verdict and the findings of one document instead"
    )
    parser.add_argument(
        "--llm",
        action="store_true",
        help="let the configured backend word the claims of lessons that have no file yet, as far "
        "as their evidence allows; without an answer the reviewers' own words stay",
    )


def run(args: Namespace, ctx: Context) -> int:
    if args.file is not None:
        if args.all or args.check:
            raise UsageError("--file goes with neither --all nor --check")
        return _read_file(args.file, args.llm, ctx)
    if args.llm and args.check:
        raise UsageError("--llm goes not with --check, which asks nobody and writes nothing")
    from relay_git.workflow.distillation import distil_history, preview

    rewording = _rewording(ctx) if args.llm else None
    work = preview if args.check else partial(distil_history, rewording=rewording)
    with progress("reading runs", ctx) as told:
        done = work(ctx.workspace, everything=args.all, progress=told)
    _warn(rewording)
    if ctx.json:
        ctx.out.json(
            {
                "runs": done.runs,
                "lessons": [lesson_json(lesson) for lesson in done.lessons],
                "changed": list(done.changed),
            }
        )
    else:
        verb = "would write" if args.check else "wrote"
        for path in done.changed:
            ctx.out.text(f"{verb} {plain(path)}")
        if not done.changed:
            ctx.out.text("no change")
    return 1 if args.check and done.changed else 0


def lesson_json(lesson: Lesson) -> dict[str, Any]:
    """`finding` is there where a model worded the claim: what the reviewer said."""
    worded = {"finding": lesson.finding} if lesson.finding else {}
    return {
        "id": lesson.id,
        "role": lesson.role,
        "claim": lesson.claim,
        "severity": lesson.severity,
        "kind": lesson.kind,
        "tags": list(lesson.tags),
        "evidence_run_id": lesson.run,
        "evidence_excerpt": lesson.excerpt,
        "evidence": {
            "artifact": lesson.evidence.artifact,
            "step": lesson.evidence.step,
            "line": lesson.evidence.line,
        },
        "observed_at": lesson.observed_at,
        **worded,
    }


def _rewording(ctx: Context) -> Rewording:
    """Without a backend there is nobody to ask, which is a warning and no error."""
    from relay_git.backends.registry import open_backend
    from relay_git.drive.asking import Nobody, Question
    from relay_git.drive.choice import for_distilling
    from relay_git.workflow.rewording import Rewording

    ws = ctx.workspace
    try:
        backend = open_backend(for_distilling(ws), ws.config, answers=True)
    except BackendError as error:
        return Rewording(ws, None, error)

    def ask(prompt: str) -> str:
        return backend.ask(Question(prompt, ws.worktree), Nobody()).text

    return Rewording(ws, ask)


def _warn(rewording: Rewording | None) -> None:
    if rewording and rewording.warning:
        sys.stderr.write(f"git relay: {plain(rewording.warning)}\n")


def _read_file(path: str, llm: bool, ctx: Context) -> int:
    from relay_git.lessons.document import read_document

    try:
        with open(os.path.join(ctx.directory, path), "rb") as file:
            text = file.read().decode("utf-8", "replace")
    except OSError as error:
        raise RelayError(f"cannot be read: {error.strerror}", where=path) from None
    document = read_document(text)
    findings = _reworded(document.findings, ctx) if llm else document.findings
    if ctx.json:
        ctx.out.json({"file": path, **_document_json(document, findings)})
    else:
        _show(document, findings, ctx)
    return 0


def _reworded(findings: Sequence[Finding], ctx: Context) -> Sequence[Finding]:
    rewording = _rewording(ctx)
    better = rewording.findings(findings)
    _warn(rewording)
    return better


def _document_json(document: Document, findings: Sequence[Finding]) -> dict[str, Any]:
    """`text` is what the document says, `claim` may be a model's."""
    from relay_git.lessons.claims import headline

    found = [
        {"line": f.line, "text": headline(said), "severity": f.severity, "claim": f.claim}
        for said, f in zip(document.findings, findings, strict=True)
    ]
    verdict = document.verdict or "none"
    return {"verdict": verdict, "verdict_line": document.verdict_line, "lessons": found}


def _show(document: Document, findings: Sequence[Finding], ctx: Context) -> None:
    where = f" (line {document.verdict_line})" if document.verdict_line else ""
    ctx.out.text(f"verdict: {plain(document.verdict or 'none')}{where}")
    for finding in findings:
        ctx.out.text(f"{finding.line:>5}  {finding.severity:<5}  {plain(finding.claim)}")
    ctx.out.text(count(len(findings), "finding"))
