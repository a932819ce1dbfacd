"""`git relay export`: the workflow as an agent tool reads it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from relay_git.commands.context import Context
from relay_git.exporters.registry import TARGETS, parts_for
from relay_git.output import Output, count, plain

if TYPE_CHECKING:
    from relay_git.exporters.plan import Plan

EXAMPLE = """
git relay export claude-code
git relay export agents-md --check
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("target", choices=TARGETS, help="the tool to write files for")
    parser.add_argument(
        "-w", "--workflow", metavar="WORKFLOW", help="not the default workflow, but this one"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if something would change"
    )
    parser.add_argument(
        "--force", action="store_true", help="overwrite files that a person wrote or edited"
    )


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.exporters.book import read_book
    from relay_git.exporters.plan import carry_out, make_plan

    ws = ctx.workspace
    book = read_book(ws, args.workflow)
    plan = make_plan(ws.worktree, parts_for(args.target, book), args.force)
    if not args.check:
        carry_out(ws.worktree, plan)
    code = 1 if args.check and plan.changes else 0
    if ctx.json:
        ctx.out.json({"target": args.target, "workflow": book.workflow, **_told(plan)})
    else:
        _print(plan, ctx.out, args.check)
    return code


def _told(plan: Plan) -> dict[str, list[str]]:
    return {
        "written": list(plan.writes),
        "removed": list(plan.removes),
        "kept": list(plan.kept),
        "unchanged": list(plan.unchanged),
    }


def _print(plan: Plan, out: Output, check: bool) -> None:
    wrote, removed = ("would write", "would remove") if check else ("wrote", "removed")
    for path in plan.writes:
        out.text(f"{wrote} {plain(path)}")
    for path in plan.removes:
        out.text(f"{removed} {plain(path)}")
    for path in plan.kept:
        out.text(f"no longer needed, but edited, so it stays: {plain(path)}")
    if not plan.changes:
        out.text(f"nothing to change: {count(len(plan.unchanged), 'file')} up to date")
