"""`git relay next`: the prompt for the role that acts now, printed raw."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.errors import Refused
from relay_git.workflow import divergence, held, prompt, runs, shown
from relay_git.workflow.working_set import path_of

EXAMPLE = "git relay next | pbcopy"


def add_parser(parser: ArgumentParser) -> None:
    del parser


def run(args: Namespace, ctx: Context) -> int:
    del args
    ws = ctx.workspace
    current = runs.current(ws)
    divergence.refuse(ws.store, current)
    if current.state.halt:
        raise Refused(
            f"the run is halted: {current.state.halt.reason}",
            hint="continue with `git relay advance --force`, or `git relay rollback --to STEP`",
        )
    for name in held.follow(ws, current):
        sys.stderr.write(f"git relay: brought {path_of(name)} here, as others wrote it since\n")
    made = prompt.compose(ws, current)
    state = current.state
    shown.write(ws, current, made.lessons)
    if ctx.json:
        ctx.out.json(
            {
                "run": current.id,
                "stage": state.stage,
                "visit": state.visit,
                "role": made.role,
                "writes": list(made.writes),
                "lessons": list(made.lessons),
                "prompt": made.text,
            }
        )
    else:
        ctx.out.raw(made.text)
    return 0
