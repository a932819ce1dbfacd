"""`git relay reset`: go back to the initial stage."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import moved_json, print_moved
from relay_git.workflow import actions

EXAMPLE = "git relay reset --clean"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--clean", action="store_true", help="keep only the artifacts that the run started with"
    )


def run(args: Namespace, ctx: Context) -> int:
    moved = actions.reset(ctx.workspace, clean=args.clean)
    ctx.out.json(moved_json(moved)) if ctx.json else print_moved(moved, None, ctx.out)
    return 0
