"""`git relay abandon`: give a run up and keep what it taught."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import (
    moved_json,
    pipeline_tip,
    print_moved,
    print_step,
    step_json,
)
from relay_git.workflow import actions

EXAMPLE = 'git relay abandon --message "the bug is in a dependency"'


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", help="a pipeline's run; this worktree's own if left out")
    parser.add_argument("--message", "-m", metavar="M", help="why, for the step's message")


def run(args: Namespace, ctx: Context) -> int:
    if args.run is not None:
        return _pipeline(args, ctx)
    from relay_git.workflow.settle import settle_ended

    moved = actions.abandon(ctx.workspace, args.message)
    settled = settle_ended(ctx.workspace, moved.after)
    ctx.out.json(moved_json(moved, settled)) if ctx.json else print_moved(moved, settled, ctx.out)
    return 0


def _pipeline(args: Namespace, ctx: Context) -> int:
    tip = pipeline_tip(ctx.workspace, args.run, args.message)
    from relay_git.pipeline.byhand import abandon

    step = abandon(ctx.workspace, tip)
    ctx.out.json(step_json(step)) if ctx.json else print_step(step, ctx.out)
    return 0
