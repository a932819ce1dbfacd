"""`git relay run`: let a backend play the role that acts now, or the whole run."""

from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from relay_git.commands.context import Context
from relay_git.commands.report import moved_json, print_moved, problems_json
from relay_git.commands.watching import Watching
from relay_git.errors import RelayError, UsageError
from relay_git.output import plain

if TYPE_CHECKING:
    from relay_git.drive.turn import Turn
    from relay_git.workflow.settle import Settled

EXAMPLE = """
git relay run
git relay run --loop --backend claude
git relay run --loop --max-steps 4
"""

_ENDS = (signal.SIGTERM, signal.SIGHUP)


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--loop", action="store_true", help="go on until the run ends, halts or is refused"
    )
    parser.add_argument(
        "--backend",
        metavar="B",
        help="what to ask, for every role: manual, claude, codex, gemini, cursor-agent, aider, "
        "openai, anthropic, or a name that git config gives a command",
    )
    parser.add_argument(
        "--max-steps", metavar="N", type=_count, help="with --loop: make at most N steps"
    )


def run(args: Namespace, ctx: Context) -> int:
    if args.max_steps and not args.loop:
        raise UsageError("--max-steps goes with --loop")
    told: list[dict[str, Any]] = []
    try:
        with _interruptible():
            status = _drive(args, ctx, told)
    except RelayError as error:
        if not ctx.json:
            raise
        _report(error, told, ctx)
        return error.exit_code
    if ctx.json:
        ctx.out.json({"steps": told, "status": status, "error": None})
    return 1 if status == "halted" else 0


def _drive(args: Namespace, ctx: Context, told: list[dict[str, Any]]) -> str:
    """Where the run stands in the end."""
    from relay_git.backends.registry import open_backend
    from relay_git.drive.crew import Crew
    from relay_git.drive.driver import drive

    crew = Crew(open_backend, Watching(ctx), args.backend)
    status = "open"
    for turn in drive(
        lambda: Context(ctx.directory).workspace, crew, loop=args.loop, most=args.max_steps
    ):
        status = turn.run.state.status
        settled = _settle(turn, ctx)
        _tell(turn, settled, ctx)
        told.append(_turn_json(turn, settled))
    return status


def _settle(turn: Turn, ctx: Context) -> Settled | None:
    """Who moved a run to its end settles it; a role that did has."""
    if not (turn.moved and turn.run.state.finished):
        return None
    from relay_git.workflow.settle import settle

    return settle(Context(ctx.directory).as_it_is, turn.run.id)


def _tell(turn: Turn, settled: Settled | None, ctx: Context) -> None:
    for warning in turn.warnings:
        sys.stderr.write(f"git relay: {plain(warning)}\n")
    if ctx.json:
        return
    if turn.moved:
        print_moved(turn.moved, settled, ctx.out)
    else:
        state = turn.run.state
        where = f"{state.status} at {state.stage} (visit {state.visit})"
        ctx.out.text(f"the role moved the run on by itself: {where}")
    ctx.out.stream.flush()


def _turn_json(turn: Turn, settled: Settled | None) -> dict[str, Any]:
    """`by_itself` where the role moved the run, and nothing else is known of it."""
    state = turn.run.state
    known = {"run": turn.run.id, "stage": state.stage, "status": state.status}
    moved = moved_json(turn.moved, settled) if turn.moved else {**known, "visit": state.visit}
    extra = {"by_itself": turn.moved is None, "rerun": turn.again, "warnings": list(turn.warnings)}
    return {**moved, **extra}


def _report(error: RelayError, told: list[dict[str, Any]], ctx: Context) -> None:
    """What was done before it is told too: one document."""
    from relay_git.redact import redact

    (problem,) = problems_json([error])
    clean = {key: redact(text)[0] if text else None for key, text in problem.items()}
    ctx.out.json({"steps": told, "status": None, "error": clean})
    for line in redact(str(error))[0].splitlines():
        sys.stderr.write(f"git relay: {line}\n")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a number of steps")
    return int(text)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Being told to end is like Ctrl-C: whatever was started must end as well."""

    def interrupt(number: int, frame: object) -> None:
        del number, frame
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in _ENDS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
