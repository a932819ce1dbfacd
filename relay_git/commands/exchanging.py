"""What `sync`, `fetch` and `push` share: which remote, how far it is, and what became of it."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from typing import Any

from relay_git import arriving
from relay_git.commands.context import Context
from relay_git.commands.progress import git_progress, progress
from relay_git.git.process import at_terminal
from relay_git.joining import rules
from relay_git.output import Output, count, plain
from relay_git.redact import redact
from relay_git.sync import remotes
from relay_git.sync.report import Report, Trouble
from relay_git.sync.telling import done, lacking


def add_remote(parser: ArgumentParser) -> None:
    parser.add_argument(
        "remote",
        nargs="?",
        help="without it `relay.remote` of git config, else the branch's remote, else origin",
    )


def carry_out(part: Callable[..., Report], asked: str | None, ctx: Context) -> int:
    """1 when something is kept apart or unsent, or the remote cannot be reached."""
    ws = ctx.workspace
    remote = remotes.choose(ws, asked)
    with progress("runs judged", ctx) as tell, git_progress(ctx) as hear:
        report = part(ws, remote, rules(tell), attended=at_terminal(), hear=hear)
    if arriving.waiting(ws):
        arriving.take_in(ws)
    ctx.out.json(_json(report)) if ctx.json else _print(report, ctx.out)
    return 0 if report.ok else 1


def _json(report: Report) -> dict[str, Any]:
    def told(troubles: Iterable[Trouble]) -> list[dict[str, str]]:
        return [{"ref": t.ref, "reason": redact(t.reason)[0]} for t in troubles]

    return {
        "remote": report.remote,
        "taken": list(report.taken),
        "merged": list(report.merged),
        "ended": list(report.ended),
        "rewritten": list(report.rewritten),
        "sent": list(report.sent),
        "removed": list(report.removed),
        "apart": told(report.apart),
        "unsent": told(report.unsent),
        "unknown": list(report.unknown),
        "unreached": redact(report.unreached)[0] if report.unreached else None,
    }


def _print(report: Report, out: Output) -> None:
    """A line for each thing that was done, and one for each that could not be."""
    remote, lines = plain(report.remote), list(done(report))
    for line in lines:
        out.text(line)
    if report.unknown:
        what = f"{count(len(report.unknown), 'ref')}, such as {plain(report.unknown[0])}"
        out.text(f"{remote} has {what}, of a kind that this git-relay does not know")
    for trouble in report.apart:
        reason = plain(redact(trouble.reason)[0])
        out.text(out.style(f"kept apart: {plain(trouble.ref)}: {reason}", "red"))
    if report.unreached:
        out.text(out.style(plain(redact(report.unreached)[0]), "red"))
    if report.unsent:
        unsent = plain(redact(lacking(report.unsent))[0])
        out.text(out.style(f"unsent: {unsent}", "red"))
    if report.ok and not lines:
        out.text(f"in step with {remote}")
