"""`git relay abandon`: give a run up and keep what it taught."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import pipeline_tip, tell_moved, tell_step
from relay_git.workflow import actions

EXAMPLE = """
git relay abandon --message "the bug is in a dependency"
git relay abandon summarise-tickets
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", help="a pipeline's run; this worktree's own if left out")
    parser.add_argument(
        "--message", "-m", metavar="M", help="why, for the step's message, if it is no pipeline's"
    )


def run(args: Namespace, ctx: Context) -> int:
    if args.run is not None:
        return _pipeline(args, ctx)
    tell_moved(actions.abandon(ctx.workspace, args.message), ctx)
    return 0


def _pipeline(args: Namespace, ctx: Context) -> int:
    tip = pipeline_tip(ctx.workspace, args.run, args.message)
    from relay_git.pipeline.byhand import abandon

    tell_step(abandon(ctx.workspace, tip), ctx)
    return 0
