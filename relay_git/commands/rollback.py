"""`git relay rollback`: stand again where an earlier step left the run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import moved_json, print_moved
from relay_git.workflow import actions

EXAMPLE = "git relay rollback --to 4"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--to", type=int, required=True, metavar="STEP", help="number of a step (git relay log)"
    )
    parser.add_argument("--message", "-m", metavar="M", help="a text for the step's message")


def run(args: Namespace, ctx: Context) -> int:
    moved = actions.rollback(ctx.workspace, args.to, args.message)
    ctx.out.json(moved_json(moved)) if ctx.json else print_moved(moved, None, ctx.out)
    return 0
