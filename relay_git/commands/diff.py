"""`git relay diff`: what changed in the artifacts between two steps."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.commands.show import step_of
from relay_git.workflow import runs

EXAMPLE = "git relay diff retry-timer 3 5"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", help="any unambiguous part of a run's id")
    parser.add_argument("a", metavar="A", help="number of a step")
    parser.add_argument("b", metavar="B", help="number of another")


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    tip = runs.find(ws, args.run).tip
    a, b = step_of(ws, tip, args.a), step_of(ws, tip, args.b)
    colour = "always" if ctx.out.colours and not ctx.json else "never"
    options = ("--no-ext-diff", "--no-textconv", f"--color={colour}")
    shown = ws.repo.git("diff", *options, a.oid, b.oid, "--", ":(top)artifacts")
    text = shown.stdout.decode("utf-8", "replace")
    if ctx.json:
        ctx.out.json({"run": tip.envelope.run, "a": int(args.a), "b": int(args.b), "diff": text})
    else:
        ctx.out.raw(text)
    return 0
