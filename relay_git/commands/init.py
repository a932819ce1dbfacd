"""`git relay init`: set this repository up, or the local half of one that is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.output import plain

EXAMPLE = """
git relay init --template bug-rca-fix
git relay init --template rfc-then-implement --name storage-rfc
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--template", metavar="NAME", help="the workflow to begin with, of those that ship"
    )
    parser.add_argument("--name", metavar="WORKFLOW", help="what to call it here")


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.workflow.setup import init

    done = init(ctx.workspace, args.template, args.name)
    if ctx.json:
        ctx.out.json({"workflow": done.workflow, "written": done.written, "local": done.local})
        return 0
    for path in done.written:
        ctx.out.text(f"wrote {plain(path)}")
    for what in done.local:
        ctx.out.text(f"set up {plain(what)}")
    if not done.written and not done.local:
        ctx.out.text("everything is set up already")
    if done.written:
        ctx.out.text("next: commit .relay/, then `git relay start`")
    elif done.local:
        ctx.out.text("next: `git relay start`")
    return 0
