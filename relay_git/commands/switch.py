"""`git relay switch`: make another open run this worktree's own."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.chain.chain import Step
from relay_git.commands.context import Context
from relay_git.commands.report import print_left, step_json, tell_moved, title_of
from relay_git.workflow import actions, runs

EXAMPLE = "git relay switch retry-timer"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", help="any unambiguous part of an open run's id")


def run(args: Namespace, ctx: Context) -> int:
    tip = runs.last_step(ctx.workspace, args.run)
    if not runs.is_workflow(tip):
        return _pipeline(tip, ctx)
    moved = actions.switch(ctx.workspace, args.run)
    tell_moved(moved, ctx)
    return 0


def _pipeline(tip: Step, ctx: Context) -> int:
    """It becomes the one that the pipeline of that name goes on with, in this clone."""
    from relay_git.pipeline.byhand import adopt

    left = adopt(ctx.workspace, tip)
    if ctx.json:
        ctx.out.json({**step_json(tip), "left_open": left})
        return 0
    ctx.out.text(f"{tip.envelope.run}  {title_of(ctx.workspace.store, tip)}, is this clone's own")
    if left:
        print_left(left, ctx.out)
    return 0
