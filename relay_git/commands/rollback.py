"""`git relay rollback`: stand again where an earlier step left the run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.chain.chain import walk
from relay_git.commands.context import Context
from relay_git.commands.options import step_name
from relay_git.commands.report import pipeline_tip, tell_moved, tell_step
from relay_git.workflow import actions
from relay_git.workflow.divergence import pick_made

EXAMPLE = """
git relay rollback --to 4
git relay rollback summarise-tickets --to 2
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", help="a pipeline's run; this worktree's own if left out")
    parser.add_argument(
        "--to",
        type=step_name,
        required=True,
        metavar="STEP",
        help="number of a step, or the beginning of its object id (git relay log)",
    )
    parser.add_argument(
        "--message", "-m", metavar="M", help="a text for the step's message, if it is no pipeline's"
    )


def run(args: Namespace, ctx: Context) -> int:
    if args.run is not None:
        return _pipeline(args, ctx)
    ws = ctx.workspace
    moved = actions.rollback(ws, args.to, args.message)
    tell_moved(moved, ctx)
    return 0


def _pipeline(args: Namespace, ctx: Context) -> int:
    """A pipeline has no working set, so any of them can be rolled back from anywhere."""
    ws = ctx.workspace
    tip = pipeline_tip(ws, args.run, args.message)
    from relay_git.pipeline.byhand import roll_back

    step = roll_back(ws, tip, pick_made(walk(ws.store, tip.oid), args.to))
    tell_step(step, ctx)
    return 0
