"""`git relay hook`: what a git hook calls.

Hooks that only record print one line at most and exit 0 whatever happens; pre-commit gates, and
pre-receive on a server.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relay_git import files
from relay_git.commands.context import Context
from relay_git.errors import Invalid
from relay_git.git.repo import discover
from relay_git.output import plain
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLE = "git relay hook post-checkout"

_SWITCH = "GIT_RELAY"
_GATE = "pre-commit"
_SERVER_GATE = "pre-receive"
_SETTLE = "settle"
_RECORDING = (
    *("commit-msg", "post-checkout", "post-commit", "post-merge", "post-rewrite", "pre-push"),
)
_HOOKS = (*_RECORDING, _GATE, _SERVER_GATE, _SETTLE)


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "hook",
        choices=_HOOKS,
        help="settle is for the pre-commit framework: the hook that it says it runs in",
    )
    parser.add_argument("arguments", nargs="*", help="what git gives the hook")


def run(args: Namespace, ctx: Context) -> int:
    return call(args.hook, args.arguments, ctx)


def is_plain(words: Sequence[str]) -> bool:
    """A hook and what git gives it, without options, as a shim says it: `call` can do without
    argparse, which costs a fifth of Python's own start."""
    return bool(words) and words[0] in _HOOKS and not any(w.startswith("-") for w in words)


def call(hook: str, arguments: Sequence[str], ctx: Context) -> int:
    if hook == _SERVER_GATE:
        return _receive(ctx)
    from relay_git.githooks.handlers import PROBE

    if os.environ.get(PROBE):
        files.write_atomic(os.environ[PROBE], b"")
        return 0
    if os.environ.get(_SWITCH) == "0":
        return 0
    if hook == _GATE:
        return _gate(ctx)
    try:
        told = _record(hook, arguments, ctx)
    except (Exception, KeyboardInterrupt) as error:
        told = [f"{hook} is left for later: {error or type(error).__name__}"]
    if told:
        ctx.out.text(_one_line("; ".join(told)))
    return 0


def _record(hook: str, arguments: Sequence[str], ctx: Context) -> list[str]:
    from relay_git.githooks import handlers

    if hook == _SETTLE:
        hook, arguments = _in_framework()
    pairs = sys.stdin.buffer.read() if hook == "post-rewrite" else b""
    return list(handlers.RECORDING[hook](ctx.as_it_is, arguments, pairs))


def _gate(ctx: Context) -> int:
    from relay_git.githooks.staged import gate

    problems = gate(Workspace(discover(ctx.directory)))
    if problems:
        raise Invalid(problems)
    return 0


def _receive(ctx: Context) -> int:
    """No variable switches it off: who pushes to a repository on the same machine sets them."""
    from relay_git.githooks.receiving import refusals
    from relay_git.joining import rules

    problems = refusals(Workspace(discover(ctx.directory)), sys.stdin.buffer.read(), rules())
    if problems:
        raise Invalid(problems)
    return 0


def _in_framework() -> tuple[str, list[str]]:
    """pre-commit gives a hook its arguments in variables, and says by them which hook it is."""
    for variable, hook in (
        ("PRE_COMMIT_CHECKOUT_TYPE", "post-checkout"),
        ("PRE_COMMIT_IS_SQUASH_MERGE", "post-merge"),
        ("PRE_COMMIT_REWRITE_COMMAND", "post-rewrite"),
    ):
        if value := os.environ.get(variable):
            return hook, [value]
    if remote := os.environ.get("PRE_COMMIT_REMOTE_NAME"):
        return "pre-push", [remote]
    return "post-commit", []


def _one_line(text: str) -> str:
    from relay_git.redact import redact

    return f"git-relay: {plain(redact(' '.join(text.split()))[0])}"
