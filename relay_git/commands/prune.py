"""`git relay prune`: hide old runs."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import date

from relay_git.commands.context import Context
from relay_git.output import count
from relay_git.workflow.prune import all_but, begun_before, preview, prune

EXAMPLE = """
git relay prune --keep 500 --dry-run
git relay prune --before 2026-01-01
"""


def add_parser(parser: ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--keep", type=_number, metavar="N", help="hide all finished runs but the N newest"
    )
    which.add_argument(
        "--before",
        type=_day,
        metavar="DATE",
        help="hide the finished runs that were started before that day, such as 2026-01-31",
    )
    parser.add_argument("--dry-run", action="store_true", help="hide nothing; say what would be")


def run(args: Namespace, ctx: Context) -> int:
    choose = begun_before(args.before) if args.before else all_but(args.keep)
    done = (preview if args.dry_run else prune)(ctx.workspace, choose)
    if ctx.json:
        ctx.out.json({"hidden": list(done.hidden), "left": done.left, "dry_run": args.dry_run})
        return 0
    for name in done.hidden:
        ctx.out.text(f"{'would hide' if args.dry_run else 'hid'} {name}")
    if not done.hidden:
        ctx.out.text(f"nothing to hide among {count(done.left, 'finished run')}")
        return 0
    ctx.out.text(f"{count(done.left, 'finished run')} left in the lists")
    ctx.out.text("this frees nothing: history still reaches every step of what is hidden")
    return 0


def _number(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a number of runs")
    return int(text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a date like 2026-01-31") from None
