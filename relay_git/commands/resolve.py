"""`git relay resolve`: choose where a diverged run stands."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.options import step_name
from relay_git.commands.report import moved_json, print_moved
from relay_git.workflow import actions

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
    parser.add_argument("--message", "-m", metavar="M", help="why, for the step's message")


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    moved = actions.resolve(ws, args.run, args.to, args.message)
    settled = None
    if moved.after.state.finished:
        from relay_git.workflow.settle import settle

        settled = settle(ws, moved.after.id)
    ctx.out.json(moved_json(moved, settled)) if ctx.json else print_moved(moved, settled, ctx.out)
    return 0
