"""`git relay settle`: file a finished run and distil its lessons."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.report import print_settled, settled_json
from relay_git.workflow import runs
from relay_git.workflow.settle import settle, settle_pending

EXAMPLE = "git relay settle retry-timer"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run",
        nargs="?",
        help="any unambiguous part of a run's id: its lessons are delivered here; "
        "without it, what this worktree left unsettled",
    )


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.as_it_is
    if args.run is None:
        done = settle_pending(ws)
    else:
        done = [settle(ws, runs.last_step(ws, args.run).envelope.run, adopt=True)]
    if ctx.json:
        ctx.out.json([settled_json(item) for item in done])
        return 0
    for item in done:
        print_settled(item, ctx.out)
    if not done:
        ctx.out.text("nothing to settle")
    return 0
