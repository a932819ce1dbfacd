"""`git relay show`: a step, its state and its artifacts."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.chain.chain import Step, walk
from relay_git.commands.context import Context
from relay_git.commands.options import step_name
from relay_git.output import plain
from relay_git.workflow import runs
from relay_git.workflow.actions import recorded
from relay_git.workflow.divergence import pick
from relay_git.workspace import Workspace

EXAMPLE = "git relay show retry-timer:4"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "step",
        nargs="?",
        metavar="RUN[:STEP]",
        help="the last step of this worktree's run if left out",
    )


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    step = find_step(ws, args.step)
    contents = recorded(ws, step)
    if ctx.json:
        texts = {name: data.decode("utf-8", "replace") for name, data in contents.items()}
        ctx.out.json({"commit": step.oid, "envelope": step.envelope.to_json(), "artifacts": texts})
        return 0
    author = step.commit.author
    ctx.out.text(ctx.out.style(f"step {step.envelope.step} of {step.envelope.run}", "yellow"))
    ctx.out.text(f"commit {step.oid}")
    ctx.out.text(f"by {plain(author.name)} <{plain(author.email)}>, {step.envelope.timestamp}")
    if step.envelope.key:
        ctx.out.text(f"key {step.envelope.key}")
    ctx.out.text()
    for line in step.commit.message.rstrip("\n").split("\n"):
        ctx.out.text(f"    {plain(line)}")
    for name, data in contents.items():
        ctx.out.text()
        ctx.out.text(ctx.out.style(f"== {name}", "bold"))
        for line in data.decode("utf-8", "replace").splitlines():
            ctx.out.text(plain(line))
    return 0


def find_step(ws: Workspace, selector: str | None) -> Step:
    """`RUN`, `RUN:STEP`, `:STEP` (of this worktree's run) or nothing."""
    name, colon, step = (selector or "").partition(":")
    tip = runs.last_step(ws, name or None)
    steps = walk(ws.store, tip.oid)
    return pick(steps, step_name(step)) if colon else next(steps)
