"""`git relay init`: set this repository up, or the local half of one that is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git import arriving
from relay_git.commands.context import Context
from relay_git.commands.report import hooks_json, print_hook_lines
from relay_git.errors import Invalid
from relay_git.output import count, plain

EXAMPLE = """
git relay init --template bug-rca-fix
git relay init --template rfc-then-implement --name storage-rfc
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--template", metavar="NAME", help="the workflow to begin with, of those that ship"
    )
    parser.add_argument("--name", metavar="WORKFLOW", help="what to call it here")
    parser.add_argument("--no-hooks", action="store_true", help="leave the git hooks alone")


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.githooks.install import install
    from relay_git.sync import remotes
    from relay_git.workflow.setup import init

    ws = ctx.workspace
    done = init(ws, args.template, args.name)
    done.local += remotes.configure(ws)
    arriving.take_in(ws)
    hooks = None if args.no_hooks else install(ws.repo)
    if hooks and hooks.done:
        done.local.append(f"{count(len(hooks.done), 'hook')} in {hooks.place.directory}")
    if ctx.json:
        told = {"workflow": done.workflow, "written": done.written, "local": done.local}
        ctx.out.json({**told, "hooks": hooks_json(hooks) if hooks else None})
        return 1 if hooks and hooks.problems else 0
    for path in done.written:
        ctx.out.text(f"wrote {plain(path)}")
    for what in done.local:
        ctx.out.text(f"set up {plain(what)}")
    if hooks and hooks.done:
        print_hook_lines(hooks, ctx.out)
    if not done.written and not done.local:
        ctx.out.text("everything is set up already")
    if done.written:
        ctx.out.text("next: commit .relay/, then `git relay start`")
    elif done.local:
        ctx.out.text("next: `git relay start`")
    if hooks and hooks.problems:
        raise Invalid(list(hooks.problems))
    return 0
