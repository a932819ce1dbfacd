"""`git relay validate`: check workflows, settings and lessons, all problems at once."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial

from relay_git import names
from relay_git.commands.context import Context
from relay_git.errors import Invalid, RelayError
from relay_git.output import count
from relay_git.workspace import Workspace

EXAMPLE = "git relay validate"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", nargs="*", help="only these workflows")


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.workflow.definition import load_workflow
    from relay_git.workflow.find import find_workflow, workflow_names

    ws = ctx.workspace
    relay_dir = os.path.join(ws.worktree, names.RELAY_DIR)
    problems = [] if args.workflow else [*_problems(lambda: ws.settings), *_lessons(ws)]
    wanted = args.workflow or workflow_names(relay_dir)
    for name in wanted:
        directory = find_workflow(relay_dir, name, None)
        problems += _problems(partial(load_workflow, directory))
    if problems:
        raise Invalid(problems)
    if ctx.json:
        ctx.out.json({"workflows": list(wanted), "problems": []})
    else:
        ctx.out.text(f"{count(len(wanted), 'workflow')} ok: {', '.join(wanted)}")
    return 0


def _problems(load: Callable[[], object]) -> list[RelayError]:
    try:
        load()
    except Invalid as found:
        return found.problems
    except RelayError as problem:
        return [problem]
    return []


def _lessons(ws: Workspace) -> list[RelayError]:
    from relay_git.lessons.shelf import Shelf

    return list(Shelf.load(ws.worktree, ws.cache_dir).problems)
