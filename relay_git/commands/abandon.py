"""`git relay abandon`: give a run up and keep what it taught."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import moved_json, print_moved
from relay_git.workflow import actions

EXAMPLE = 'git relay abandon --message "the bug is in a dependency"'


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("--message", "-m", metavar="M", help="why, for the step's message")


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.workflow.settle import settle_ended

    moved = actions.abandon(ctx.workspace, args.message)
    settled = settle_ended(ctx.workspace, moved.after)
    ctx.out.json(moved_json(moved, settled)) if ctx.json else print_moved(moved, settled, ctx.out)
    return 0
