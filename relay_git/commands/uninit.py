"""`git relay uninit`: take out the local half and say what stays."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from relay_git import names
from relay_git.commands.context import Context
from relay_git.output import count, plain
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.githooks.install import Report

EXAMPLE = "git relay uninit"


def add_parser(parser: ArgumentParser) -> None:
    del parser


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.githooks.install import uninstall
    from relay_git.sync import remotes
    from relay_git.workflow.setup import uninit

    del args
    ws = ctx.workspace
    hooks = uninstall(ws.repo)
    done, stays = [*_told(hooks), *remotes.unconfigure(ws), *uninit(ws)], _stays(ws)
    stays += [(str(problem.where), problem.hint or "delete it") for problem in hooks.problems]
    if hooks.done and hooks.place.managed:
        stays.append((f"what you added to hooks in {hooks.place.managed}", "delete those lines"))
    if ctx.json:
        ctx.out.json({"removed": done, "stays": [{"what": w, "drop": d} for w, d in stays]})
        return 0
    for what in done:
        ctx.out.text(f"took out {plain(what)}")
    if not done:
        ctx.out.text("nothing of git-relay was set up in this clone")
    for what, drop in stays:
        ctx.out.text(f"stays: {plain(what)}")
        ctx.out.text(f"       to drop it: {plain(drop)}")
    return 0


def _told(hooks: Report) -> list[str]:
    return [f"{count(len(hooks.done), 'hook')} in {hooks.place.directory}"] if hooks.done else []


def _stays(ws: Workspace) -> list[tuple[str, str]]:
    """What is left, and the command that drops each."""
    found = []
    for prefix in ("refs/relay/", names.NOTES, names.LOCAL):
        refs = ws.store.refs(prefix)
        if refs:
            drop = (
                f"git for-each-ref --format='delete %(refname)' {prefix} | git update-ref --stdin"
            )
            found.append((f"{len(refs)} refs below {prefix}", drop))
    local = ws.common_path()
    if os.path.isdir(local):
        found.append((f"keys and saved work in {local}", f"rm -r '{local}'"))
    if os.path.isdir(os.path.join(ws.worktree, names.RELAY_DIR)):
        found.append((f"the tracked files in {names.RELAY_DIR}/", f"git rm -r {names.RELAY_DIR}"))
    return found
