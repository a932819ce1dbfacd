"""What a sync did, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from relay_git import names
from relay_git.names import RefName
from relay_git.output import count, plain
from relay_git.sync.report import Report, Trouble


def done(report: Report) -> Iterator[str]:
    """A line for each thing that was done."""
    remote = plain(report.remote)
    if report.taken:
        yield f"took in {_kinds(report.taken)} from {remote}"
    if report.merged:
        yield f"merged {_kinds(report.merged)}"
    if report.ended:
        yield f"{_kinds(report.ended)} finished elsewhere, and filed"
    if report.rewritten:
        yield f"took what was purged out of {_kinds(report.rewritten)}"
    if report.sent:
        yield f"sent {_kinds(report.sent)} to {remote}"
    if report.removed:
        yield f"{_kinds(report.removed)} no longer open at {remote}"


def arrived(report: Report) -> Iterator[str]:
    """What became of what a fetch brought, and the first of what is kept apart."""
    yield from done(report)
    if report.apart:
        yield f"kept apart of {plain(report.remote)}: {lacking(report.apart)}"


def lacking(troubles: Sequence[Trouble]) -> str:
    """The first with its reason, and how many others there are."""
    first, more = troubles[0], len(troubles) - 1
    others = f" and {count(more, 'other')}" if more else ""
    return f"{first.ref}{others}: {first.reason}"


def _kinds(refs: Iterable[RefName]) -> str:
    """`2 runs, 1 month of history`."""
    counts: dict[str, int] = {}
    for ref in refs:
        kind = ref.split("/")[2 if ref.startswith(names.RELAY) else 1]
        counts[kind] = counts.get(kind, 0) + 1
    return ", ".join(_amount(kind, number) for kind, number in counts.items())


def _amount(kind: str, number: int) -> str:
    if kind == "purged":
        return "the list of what was purged"
    if kind in ("history", "notes", "trust"):
        return f"{count(number, 'month')} of {kind}"
    return count(number, kind.removesuffix("s"))
