"""`git relay switch`: make another open run this worktree's own."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import moved_json, print_moved
from relay_git.workflow import actions

EXAMPLE = "git relay switch retry-timer"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", help="any unambiguous part of an open run's id")


def run(args: Namespace, ctx: Context) -> int:
    moved = actions.switch(ctx.workspace, args.run)
    ctx.out.json(moved_json(moved)) if ctx.json else print_moved(moved, None, ctx.out)
    return 0
