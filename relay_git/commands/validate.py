"""`git relay validate`: check workflows, settings and lessons, all problems at once."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from functools import partial

from relay_git import names
from relay_git.commands.context import Context
from relay_git.errors import Invalid, RelayError, UsageError, problems_of
from relay_git.output import count
from relay_git.workspace import Workspace

EXAMPLE = """
git relay validate
git relay validate --staged
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", nargs="*", help="only these workflows")
    parser.add_argument(
        "--staged", action="store_true", help="what is staged, and deleted lessons too"
    )
    parser.add_argument("--secrets", action="store_true", help="secrets in what is staged, alone")


def run(args: Namespace, ctx: Context) -> int:
    if args.staged or args.secrets:
        return _staged(args, ctx)
    from relay_git.workflow.definition import load_workflow
    from relay_git.workflow.find import find_workflow, workflow_names

    ws = ctx.workspace
    relay_dir = os.path.join(ws.worktree, names.RELAY_DIR)
    problems = [] if args.workflow else [*problems_of(lambda: ws.settings), *_lessons(ws)]
    wanted = args.workflow or workflow_names(relay_dir)
    for name in wanted:
        directory = find_workflow(relay_dir, name, None)
        problems += problems_of(partial(load_workflow, directory))
    if problems:
        raise Invalid(problems)
    if ctx.json:
        ctx.out.json({"workflows": list(wanted), "problems": []})
    else:
        ctx.out.text(f"{count(len(wanted), 'workflow')} ok: {', '.join(wanted)}")
    return 0


def _staged(args: Namespace, ctx: Context) -> int:
    """All of the index, whether the next commit would change it or not."""
    from relay_git.githooks import staged

    if args.workflow:
        raise UsageError("what is staged is checked as a whole", hint="name no workflow")
    ws = ctx.workspace
    index = staged.Index(ws)
    problems: list[RelayError] = []
    if args.staged:
        problems += staged.invalid(index, index.paths)
        problems += staged.unretired(ws, index, index.changes())
    if args.secrets:
        problems += staged.secrets(index, index.paths)
    if problems:
        raise Invalid(problems)
    if ctx.json:
        ctx.out.json({"files": len(index.paths), "problems": []})
    else:
        ctx.out.text(f"{count(len(index.paths), 'staged file')} ok")
    return 0


def _lessons(ws: Workspace) -> list[RelayError]:
    from relay_git.lessons.shelf import Shelf

    return list(Shelf.load(ws.worktree, ws.cache_dir).problems)
