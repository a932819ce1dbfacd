"""`git relay rollback`: stand again where an earlier step left the run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.chain.chain import walk
from relay_git.commands.context import Context
from relay_git.commands.options import step_name
from relay_git.commands.report import moved_json, print_moved
from relay_git.errors import Refused, UsageError
from relay_git.output import plain
from relay_git.workflow import actions, runs
from relay_git.workflow.divergence import pick_made

EXAMPLE = "git relay rollback --to 4"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", help="a pipeline's run; this worktree's own if left out")
    parser.add_argument(
        "--to",
        type=step_name,
        required=True,
        metavar="STEP",
        help="number of a step, or the beginning of its object id (git relay log)",
    )
    parser.add_argument("--message", "-m", metavar="M", help="a text for the step's message")


def run(args: Namespace, ctx: Context) -> int:
    if args.run is not None:
        return _pipeline(args, ctx)
    moved = actions.rollback(ctx.workspace, args.to, args.message)
    ctx.out.json(moved_json(moved)) if ctx.json else print_moved(moved, None, ctx.out)
    return 0


def _pipeline(args: Namespace, ctx: Context) -> int:
    """A pipeline has no working set, so any of them can be rolled back from anywhere."""
    ws = ctx.workspace
    tip = runs.last_step(ws, args.run)
    if runs.is_workflow(tip):
        raise Refused(
            f"{tip.envelope.run} is a workflow's run",
            hint="`git relay switch` makes it this worktree's own; then leave it out here",
        )
    if args.message is not None:
        raise UsageError("the steps of a pipeline take no message")
    from relay_git.pipeline.rolling import roll_back

    step = roll_back(ws, tip, pick_made(walk(ws.store, tip.oid), args.to))
    subject = step.commit.message.partition("\n")[0]
    if ctx.json:
        ctx.out.json({"run": step.envelope.run, "step": step.envelope.step, "commit": step.oid})
    else:
        ctx.out.text(ctx.out.style(plain(subject), "bold"))
    return 0
