"""Which columns of a table hold the finding and its severity."""

from __future__ import annotations

from dataclasses import dataclass

from relay_git.lessons import severity as severities
from relay_git.lessons.label_words import LEGEND_COLUMNS, SEVERITY_LABELS, TEXT_COLUMNS
from relay_git.lessons.lead import plain
from relay_git.lessons.markdown import Table
from relay_git.lessons.vocabulary import fold

_SHORTEST = 12
"""Mean length of a cell that can state anything."""


@dataclass(frozen=True, slots=True)
class Columns:
    """`text` holds the statement; `states` when its header says so."""

    text: int | None
    severity: int | None
    states: bool


def columns(table: Table) -> Columns:
    names = [fold(plain(cell)).strip(" :#") for cell in table.header]
    if any(LEGEND_COLUMNS.fullmatch(name) for name in names):
        return Columns(None, None, False)
    level = next((at for at, name in enumerate(names) if SEVERITY_LABELS.fullmatch(name)), None)
    if level is not None and not _holds_severities(table, level):
        level = None
    named = _statement_column(names, level)
    text = named if named is not None else _longest_column(table, level)
    return Columns(text, level, named is not None)


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
