"""`git relay hooks`: put the git hooks in, take them out, prove that they fire."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from relay_git import arriving
from relay_git.commands.context import Context
from relay_git.commands.options import common
from relay_git.commands.report import hooks_json, print_hook_lines, problems_json
from relay_git.errors import Invalid
from relay_git.output import plain

if TYPE_CHECKING:
    from relay_git.githooks.install import Report

EXAMPLE = """
git relay hooks install
git relay hooks install --server
git relay hooks status
"""


def add_parser(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    install = verbs.add_parser(
        "install", parents=[common()], help="put them in, beside what is there"
    )
    install.add_argument(
        "--server", action="store_true", help="only the one that checks what others push here"
    )
    verbs.add_parser("uninstall", parents=[common()], help="give back what was there")
    verbs.add_parser("status", parents=[common()], help="look, and fire one (the default)")


def run(args: Namespace, ctx: Context) -> int:
    if args.verb in (None, "status"):
        return _status(ctx)
    report = _install(args.server, ctx) if args.verb == "install" else _uninstall(ctx)
    if ctx.json:
        ctx.out.json(hooks_json(report))
        return 1 if report.problems else 0
    for line in report.done:
        ctx.out.text(plain(line))
    if args.verb == "install":
        print_hook_lines(report, ctx.out)
    if report.problems:
        raise Invalid(list(report.problems))
    if not report.done:
        ctx.out.text("no change")
    return 0


def _install(server: bool, ctx: Context) -> Report:
    from relay_git.githooks import install, shims

    if server:
        return install.install(ctx.workspace.repo, shims.SERVER_HOOKS)
    arriving.take_in(ctx.workspace)
    return install.install(ctx.workspace.repo)


def _uninstall(ctx: Context) -> Report:
    from relay_git.githooks.install import uninstall

    return uninstall(ctx.workspace.repo)


def _status(ctx: Context) -> int:
    from relay_git.githooks.install import find_place, serves, status
    from relay_git.githooks.proof import fire, fire_gate

    repo = ctx.workspace.repo
    states = status(repo)
    proof = fire_gate(repo) if serves(states) else fire(repo)
    problems = [state.problem for state in states if state.problem]
    problems += [proof] if proof else []
    if ctx.json:
        hooks = {state.hook: {"path": state.path, "state": state.state} for state in states}
        ctx.out.json(
            {
                "hooks": hooks,
                "fired": not proof,
                "problems": problems_json(problems),
            }
        )
        return 1 if problems else 0
    ctx.out.text(f"hooks in {find_place(repo).directory}")
    for state in states:
        ctx.out.text(f"  {state.hook:<14} {state.state}")
    ctx.out.text("one was fired, and ran" if proof is None else "one was fired, and did not run")
    for hook, line in find_place(repo).lines.items() if proof else ():
        ctx.out.text(f"add to {hook}: {line}")
    if problems:
        raise Invalid(problems)
    return 0
