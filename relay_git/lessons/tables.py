"""Which columns of a table hold the finding and its severity."""

from __future__ import annotations

from dataclasses import dataclass

from relay_git.lessons import severity as severities
from relay_git.lessons.decisions import decide
from relay_git.lessons.label_words import (
    LEGEND_COLUMNS,
    SEVERITY_LABELS,
    STATUS_COLUMNS,
    TEXT_COLUMNS,
)
from relay_git.lessons.lead import plain
from relay_git.lessons.markdown import Row, Table
from relay_git.lessons.states import state_of
from relay_git.lessons.tone import tone
from relay_git.lessons.vocabulary import PRAISE_MARKS, fold

_AMISS = "❌✗✘⚠🔴🟠🟡"
_SHORTEST = 12
"""Mean length of a cell that can state anything."""


@dataclass(frozen=True, slots=True)
class Columns:
    """`text` holds the statement; `states` when its header says so."""

    text: int | None
    severity: int | None
    states: bool
    status: int | None = None


def columns(table: Table) -> Columns:
    names = [fold(plain(cell)).strip(" :#") for cell in table.header]
    if any(LEGEND_COLUMNS.fullmatch(name) for name in names):
        return Columns(None, None, False)
    level = next((at for at, name in enumerate(names) if SEVERITY_LABELS.fullmatch(name)), None)
    if level is not None and not _holds_severities(table, level):
        level = None
    named = _statement_column(names, level)
    text = named if named is not None else _longest_column(table, level)
    status = (at for at, name in enumerate(names) if at not in (level, text) and _is_status(name))
    return Columns(text, level, named is not None, next(status, None))


def _is_status(name: str) -> bool:
    return STATUS_COLUMNS.fullmatch(name.partition("(")[0].strip()) is not None


def standing(row: Row, at: int | None) -> int:
    """Above zero where the cell says that something is amiss, below where all is well."""
    cell = row.cells[at] if at is not None and at < len(row.cells) else ""
    if state_of(cell) == "settled":
        return 0
    decided = {"approve": -2, "reject": 2}.get(decide(cell) or "", 0)
    signs = any(sign in cell for sign in _AMISS) - any(sign in cell for sign in PRAISE_MARKS)
    return 2 * signs or decided or tone(cell)


def _holds_severities(table: Table, at: int) -> bool:
    cells = [row.cells[at] for row in table.rows if at < len(row.cells)]
    return any(severities.field_value(cell) for cell in cells)


def _statement_column(names: list[str], level: int | None) -> int | None:
    found = (at for at, name in enumerate(names) if at != level and TEXT_COLUMNS.fullmatch(name))
    return next(found, None)


def _longest_column(table: Table, level: int | None) -> int | None:
    """Without a telling header, the column with most text, if it is text at all."""
    width = len(table.header)
    sizes = [
        (sum(len(row.cells[at]) for row in table.rows if at < len(row.cells)), -at)
        for at in range(width)
        if at != level
    ]
    if not sizes or not table.rows:
        return None
    size, at = max(sizes)
    return -at if size >= _SHORTEST * len(table.rows) else None
