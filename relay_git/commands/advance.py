"""`git relay advance`: record what the role wrote and move on."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import tell_moved
from relay_git.workflow import actions
from relay_git.workflow.visit import Wish

EXAMPLE = """
git relay advance
git relay advance --verdict reject --message "the retry is still missing"
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--verdict", metavar="V", help="choose the branch instead of reading it from the artifact"
    )
    parser.add_argument("--message", "-m", metavar="M", help="a text for the step's message")
    parser.add_argument(
        "--force", action="store_true", help="go beyond a stage's limit; the step says so"
    )
    parser.add_argument(
        "--allow-unchanged",
        action="store_true",
        help="accept artifacts that were not written anew",
    )


def run(args: Namespace, ctx: Context) -> int:
    wish = Wish(args.verdict, args.message, args.force, args.allow_unchanged)
    moved = actions.advance(ctx.workspace, wish)
    tell_moved(moved, ctx)
    return 1 if moved.after.state.status == "halted" else 0
