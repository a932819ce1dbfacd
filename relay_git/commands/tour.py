"""`git relay tour`: a first run in a scratch repository, step by step, in two minutes."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from relay_git.commands.context import Context
from relay_git.errors import RelayError
from relay_git.output import Output, count, plain

if TYPE_CHECKING:
    from relay_git.tour.guide import Told
    from relay_git.tour.stops import Stop

EXAMPLE = "git relay tour"

_WIDTH = 88


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("--yes", "-y", action="store_true", help="go on without waiting for Enter")


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.tour import guide

    folder = guide.scratch()
    waits = os.isatty(0) and ctx.out.stream.isatty() and not (args.yes or ctx.json)
    try:
        stops = _walk(folder, waits, ctx)
    except (RelayError, KeyboardInterrupt):
        sys.stderr.write("\n" if waits else "")
        sys.stderr.write(f"git relay: the tour ends here; its folder stays: {folder}\n")
        raise
    ctx.out.json({"folder": folder, "stops": stops}) if ctx.json else _farewell(folder, ctx.out)
    return 0


def _walk(folder: str, waits: bool, ctx: Context) -> list[dict[str, Any]]:
    from relay_git.tour.guide import lay_out
    from relay_git.tour.stops import STOPS

    if not ctx.json:
        _welcome(folder, waits, ctx.out)
    lay_out(folder)
    stops: list[dict[str, Any]] = []
    for number, stop in enumerate(STOPS, 1):
        if waits and stops:
            _wait(ctx.out)
        if not ctx.json:
            _announce(stop, f"{number}/{len(STOPS)}", ctx.out)
        stops.append(_visit(stop, folder, ctx))
    return stops


def _welcome(folder: str, waits: bool, out: Output) -> None:
    out.text(f"Everything happens in {folder}; your own repositories stay as they are.")
    if waits:
        out.text("Enter goes on, Ctrl-C ends the tour.")


def _announce(stop: Stop, number: str, out: Output) -> None:
    out.text()
    out.text(out.style(f"{number}  {stop.title}", "bold", "cyan"))
    out.text(textwrap.fill(stop.why, _WIDTH, break_on_hyphens=False))
    out.stream.flush()


def _visit(stop: Stop, folder: str, ctx: Context) -> dict[str, Any]:
    from relay_git.tour.guide import carry_out

    acts = []
    for act in stop.acts:
        told = carry_out(act, folder)
        acts.append({"did": told.did, "shown": list(told.lines)})
        if not ctx.json:
            _show(told, ctx.out)
    return {"title": stop.title, "why": stop.why, "acts": acts}


def _show(told: Told, out: Output) -> None:
    out.text()
    out.text(out.style(f"  {told.did}", "bold"))
    if told.before and told.lines:
        out.text(f"  … {count(told.before, 'line')} before")
    for line in told.lines:
        out.text(f"  {plain(line)}".rstrip())
    if told.after and told.lines:
        out.text(f"  … {count(told.after, 'more line')}")
    out.stream.flush()


def _wait(out: Output) -> None:
    out.stream.write(out.style("\nEnter ", "dim"))
    out.stream.flush()
    sys.stdin.readline()


def _farewell(folder: str, out: Output) -> None:
    there = shlex.quote(folder)
    out.text()
    out.text(out.style("That is all: what was rejected once is known to the next run.", "bold"))
    out.text()
    for what, how in (
        ("look around, in the folder of the tour", f"cd {there}"),
        ("be done with it", f"rm -rf {there}"),
        ("begin in a repository of your own", "git relay init --template NAME"),
        ("let an agent's program play the roles", "git relay run --loop --backend claude"),
        ("read on", "git relay --help"),
    ):
        out.text(f"  {what:<39} {how}")
