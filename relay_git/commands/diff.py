"""`git relay diff`: what changed in the artifacts between two steps."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.chain.chain import walk
from relay_git.commands.context import Context
from relay_git.commands.options import step_name
from relay_git.output import Output, plain
from relay_git.workflow import runs
from relay_git.workflow.divergence import pick

EXAMPLE = "git relay diff retry-timer 3 5"
_STYLES = {"@": "cyan", "+": "green", "-": "red"}


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", help="any unambiguous part of a run's id")
    parser.add_argument(
        "a", metavar="A", type=step_name, help="number of a step, or the beginning of its object id"
    )
    parser.add_argument("b", metavar="B", type=step_name, help="another")


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    tip = runs.last_step(ws, args.run)
    steps = list(walk(ws.store, tip.oid))
    a, b = pick(steps, args.a), pick(steps, args.b)
    options = ("--no-ext-diff", "--no-textconv", "--color=never")
    shown = ws.repo.git("diff", *options, a.oid, b.oid, "--", ":(top)artifacts")
    text = shown.stdout.decode("utf-8", "replace")
    if ctx.json:
        numbers = {"a": a.envelope.step, "b": b.envelope.step}
        ctx.out.json({"run": tip.envelope.run, **numbers, "diff": text})
    elif ctx.out.colours and text:
        _show(ctx.out, text)
    else:
        ctx.out.raw(text)
    return 0


def _show(out: Output, text: str) -> None:
    """Colours of ours, for those of an artifact are nobody's to show."""
    hunk = False
    for line in plain(text).removesuffix("\n").split("\n"):
        hunk = line.startswith("@@") or (hunk and not line.startswith("diff "))
        style = _STYLES.get(line[:1]) if hunk else "bold"
        out.text(out.style(line, *filter(None, [style])))
