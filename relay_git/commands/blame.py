"""`git relay blame`: which run, stage and lessons a line of code came from."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from relay_git.commands.context import Context
from relay_git.output import plain
from relay_git.workflow.blame import Origin, blame
from relay_git.workflow.divergence import number_in

EXAMPLE = "git relay blame courier/worker.py:88"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("place", metavar="PATH[:LINE]", help="a file, or one line of it")


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    path, line = _place(args.place, ctx.directory)
    origins = blame(ws, path, line)
    if ctx.json:
        ctx.out.json([_json(origin) for origin in origins])
        return 0
    for origin in origins:
        ctx.out.text(f"{origin.line:>5}  {plain(_told(origin))}")
    return 0


def _place(text: str, directory: str) -> tuple[str, int | None]:
    """A file may have a colon and digits at the end of its name."""
    path, colon, line = text.rpartition(":")
    number = number_in(line) if colon else None
    if number is None or os.path.exists(os.path.join(directory, text)):
        return text, None
    return path, number


def _told(origin: Origin) -> str:
    if origin.commit is None:
        return "not committed yet"
    told = f"commit {origin.commit[:12]}"
    if origin.run is None:
        return f"{told}, unknown run"
    told += f", run {origin.run}"
    if origin.note is None:
        return f"{told}, stage unknown"
    told += f", stage {origin.note.stage}, visit {origin.note.visit}"
    if origin.note.role:
        told += f", role {origin.note.role}"
    return f"{told}, under lessons {', '.join(origin.lessons)}" if origin.lessons else told


def _json(origin: Origin) -> dict[str, Any]:
    note = origin.note
    return {
        "line": origin.line,
        "commit": origin.commit,
        "run": origin.run,
        "step": note.step if note else None,
        "stage": note.stage if note else None,
        "visit": note.visit if note else None,
        "role": note.role if note else None,
        "lessons": list(origin.lessons),
    }
