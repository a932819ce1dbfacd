"""`git relay distill`: distil lessons from history, or read one review."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from relay_git.commands.context import Context
from relay_git.commands.progress import progress
from relay_git.errors import RelayError, UsageError
from relay_git.lessons.model import Lesson
from relay_git.output import count, plain

EXAMPLE = """
git relay distill
git relay distill --all --check
git relay distill --file docs/review.md --json
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


def run(args: Namespace, ctx: Context) -> int:
    if args.file is not None:
        if args.all or args.check:
            raise UsageError("--file goes with neither --all nor --check")
        return _read_file(args.file, ctx)
    from relay_git.workflow.distillation import distil_history, preview

    work = preview if args.check else distil_history
    with progress("reading runs", ctx) as told:
        done = work(ctx.workspace, everything=args.all, progress=told)
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
    }


def _read_file(path: str, ctx: Context) -> int:
    from relay_git.lessons.claims import headline
    from relay_git.lessons.document import read_document

    try:
        with open(os.path.join(ctx.directory, path), "rb") as file:
            text = file.read().decode("utf-8", "replace")
    except OSError as error:
        raise RelayError(f"cannot be read: {error.strerror}", where=path) from None
    document = read_document(text)
    if ctx.json:
        found = [
            {"line": f.line, "text": headline(f), "severity": f.severity, "claim": f.claim}
            for f in document.findings
        ]
        verdict = document.verdict or "none"
        line = document.verdict_line
        ctx.out.json({"file": path, "verdict": verdict, "verdict_line": line, "lessons": found})
        return 0
    where = f" (line {document.verdict_line})" if document.verdict_line else ""
    ctx.out.text(f"verdict: {plain(document.verdict or 'none')}{where}")
    for finding in document.findings:
        ctx.out.text(f"{finding.line:>5}  {finding.severity:<5}  {plain(finding.claim)}")
    ctx.out.text(count(len(document.findings), "finding"))
    return 0
