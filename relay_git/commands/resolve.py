"""`git relay resolve`: choose where a diverged run stands."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.chain.chain import walk
from relay_git.commands.context import Context
from relay_git.commands.options import step_name
from relay_git.commands.report import pipeline_tip, tell_moved, tell_step
from relay_git.workflow import actions, runs
from relay_git.workflow.divergence import pick_made

EXAMPLE = """
git relay resolve retry-timer 7
git relay resolve retry-timer 1a2b3c4d --message "their plan goes further"
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", help="any unambiguous part of an open run's id")
    parser.add_argument(
        "to",
        metavar="STEP",
        type=step_name,
        help="beginning of a step's object id, or its number (git relay log)",
    )
    parser.add_argument(
        "--message", "-m", metavar="M", help="why, for the step's message, if it is no pipeline's"
    )


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    if not runs.is_workflow(runs.last_step(ws, args.run)):
        return _pipeline(args, ctx)
    moved = actions.resolve(ws, args.run, args.to, args.message)
    tell_moved(moved, ctx)
    return 0


def _pipeline(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    tip = pipeline_tip(ws, args.run, args.message)
    from relay_git.pipeline.byhand import resolve

    step = resolve(ws, tip, pick_made(walk(ws.store, tip.oid), args.to))
    tell_step(step, ctx)
    return 0
