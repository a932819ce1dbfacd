"""`git relay stats`: how much there is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from relay_git.commands.context import Context
from relay_git.commands.progress import progress
from relay_git.output import Output, count, plain
from relay_git.record import as_dict
from relay_git.workflow.stats import Amount, Stats, stats

EXAMPLE = "git relay stats"

_SHOWN = 5
"""Of the largest artifacts."""


def add_parser(parser: ArgumentParser) -> None:
    del parser


def run(args: Namespace, ctx: Context) -> int:
    del args
    with progress("counting months", ctx) as told:
        found = stats(ctx.workspace, told)
    if ctx.json:
        ctx.out.json(_json(found))
    else:
        _show(found, ctx.out)
    return 0


def _json(found: Stats) -> dict[str, Any]:
    return {
        "open": _amount(found.opened.amount),
        "filed": _amount(found.filed),
        "months": {month: _amount(held.amount) for month, held in found.months.items()},
        "lessons": {"in_force": found.lessons, "retired": found.retired},
        "largest": [as_dict(artifact) for artifact in found.largest],
    }


def _amount(amount: Amount) -> dict[str, int]:
    return {"bytes" if name == "size" else name: n for name, n in as_dict(amount).items()}


def _show(found: Stats, out: Output) -> None:
    rows = {month: held.amount for month, held in found.months.items()}
    rows |= {"filed": found.filed, "open": found.opened.amount}
    out.text(
        f"{'':8} {'runs':>7} {'hidden':>7} {'steps':>8} {'notes':>7} {'objects':>9} {'size':>9}"
    )
    for name, amount in rows.items():
        out.text(
            f"{plain(name):8} {amount.runs:>7} {amount.hidden:>7} {amount.steps:>8} "
            f"{amount.notes:>7} {amount.objects:>9} {_bytes(amount.size):>9}"
        )
    if found.lessons is not None:
        out.text(f"\n{count(found.lessons, 'lesson')} in force, {found.retired} retired")
    if found.largest:
        out.text("\nlargest artifacts")
    for artifact in found.largest[:_SHOWN]:
        where = f"{artifact.blob[:12]}  {artifact.month}  {artifact.path}"
        out.text(f"{_bytes(artifact.size):>9}  {plain(where)}")


def _bytes(size: int) -> str:
    """`1.2 MB`, in steps of a thousand."""
    number = float(size)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} B" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
