"""`git relay reset`: go back to the initial stage."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import tell_moved
from relay_git.workflow import actions

EXAMPLE = "git relay reset --clean"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--clean", action="store_true", help="keep only the artifacts that the run started with"
    )


def run(args: Namespace, ctx: Context) -> int:
    moved = actions.reset(ctx.workspace, clean=args.clean)
    tell_moved(moved, ctx)
    return 0
