"""Which columns of a table hold the finding and its severity."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from relay_git.lessons import severity as severities
from relay_git.lessons.blocks import Row, Table
from relay_git.lessons.decisions import decide
from relay_git.lessons.evidence import is_place
from relay_git.lessons.heading_words import FINDING_NOUNS
from relay_git.lessons.label_words import (
    CHANGE_COLUMNS,
    FIX_LABELS,
    LEGEND_COLUMNS,
    NAMING_LABEL,
    OTHER_GRADES,
    OTHER_LABELS,
    PRIMARY_LABELS,
    RISK_LABELS,
    SEVERITY_LABELS,
    STATUS_COLUMNS,
    TEXT_COLUMNS,
)
from relay_git.lessons.lead import plain, size
from relay_git.lessons.states import State, state_of
from relay_git.lessons.tone import tone
from relay_git.lessons.vocabulary import PRAISE_MARKS, fold

_AMISS = "❌✗✘⚠🔴🟠🟡"
_WORDS = re.compile(r"[^\W\d_]{2}")
_NUMBER = re.compile(r"#?(?:[A-Z]{1,5}[-.]?)?\d{1,4}[.)]?")
_SCORE = re.compile(r"\b(\d{1,3})(?:\.\d)?\s*/\s*(10|5|100)\b")
_EITHER = re.compile(r"\s*/\s*")
_REMARK = re.compile(r"\s*[(（][^()（）]*[)）]")
_AFTER_STATE = re.compile(r"\s[—–-]{1,2}\s|[.:;(]")
_SHORTEST = 12
"""Mean length of a cell that can state anything."""


@dataclass(frozen=True, slots=True)
class Columns:
    """`text` holds the statement.

    `states` when its header or numbered rows say so, `blames` when the header names faults.
    """

    text: int | None
    severity: int | None
    states: bool
    status: int | None = None
    blames: bool = False


def columns(table: Table) -> Columns:
    """By the names in the header, and where those tell nothing by what the cells hold."""
    names = [fold(plain(cell)).strip(" :#") for cell in table.header]
    if any(name in LEGEND_COLUMNS for name in names):
        return Columns(None, None, False)
    level = _named(names, SEVERITY_LABELS.__contains__)
    if level is None or not _holds_severities(table, level):
        level = _graded_column(table, names)
    fault = _named(names, _is_fault)
    fault = fault if fault is not None and _holds_words(table, fault) else None
    named = fault if fault is not None else _named(names, _is_text, but=level)
    text = named if named is not None else _longest_column(table, names, level)
    if text is None:
        text = named = _named(names, TEXT_COLUMNS.__contains__, but=level)
    status = (at for at, name in enumerate(names) if at not in (level, text) and _is_status(name))
    placed = any(_holds_places(table, at) for at in range(len(names)))
    states = named is not None or (text is not None and (placed or _is_numbered(table)))
    blames = fault is not None or (placed and text is not None and _blames(table, text, names))
    return Columns(text, level, states, next(status, None), blames)


def _blames(table: Table, at: int, names: list[str]) -> bool:
    """Whether most of its cells say that something is amiss, and not that it was changed."""
    if any(name in CHANGE_COLUMNS for name in names):
        return False
    cells = [row.cells[at] for row in table.rows if at < len(row.cells)]
    return 2 * sum(tone(cell) > 1 for cell in cells) > len(cells)


def is_record(table: Table, found: Columns) -> bool:
    """`Owner | who`, `Problem | what`: each row is a label and its value."""
    if len(table.header) != 2 or found.severity is not None or found.blames:
        return False
    return any(names_fault(row.cells[0]) for row in table.rows if row.cells)


def names_fault(cell: str) -> bool:
    name = severities.TERM.sub(" ", fold(plain(cell))).strip(" :#")
    named = _is_fault(name) or NAMING_LABEL.fullmatch(name) is not None
    return named or (size(name) < 3 and tone(name) > 1)


def _is_numbered(table: Table) -> bool:
    first = [plain(row.cells[0]).strip() for row in table.rows if row.cells]
    return bool(first) and all(_NUMBER.fullmatch(cell) for cell in first)


def _is_fault(name: str) -> bool:
    """`Problem`, `Main gaps`."""
    nouns = list(FINDING_NOUNS.finditer(name))
    return name in PRIMARY_LABELS or (bool(nouns) and nouns[-1].end() == len(name))


def _is_text(name: str) -> bool:
    return name in TEXT_COLUMNS and name not in FIX_LABELS


def _named(names: list[str], fits: Callable[[str], bool], but: int | None = None) -> int | None:
    """The first column with such a name; `Finding / Issue` has two."""
    for at, name in enumerate(names):
        parts = [part.strip() for part in _EITHER.split(_REMARK.sub("", name))]
        if at != but and any(map(fits, parts)):
            return at
    return None


def _graded_column(table: Table, names: list[str]) -> int | None:
    """A column of nothing but severities whose name is not known to mean something else."""
    for at, name in enumerate(names):
        cells = [row.cells[at] for row in table.rows if at < len(row.cells)]
        graded = sum(severities.stated(cell) is not None for cell in cells)
        if graded > 1 and graded * 3 >= len(cells) * 2 and not _means_other(name):
            return at
    return next((at for at, name in enumerate(names) if _is_risk(table, at, name)), None)


def _is_risk(table: Table, at: int, name: str) -> bool:
    """`Risk`, where all it holds are severities."""
    cells = [row.cells[at] for row in table.rows if at < len(row.cells)]
    return name in RISK_LABELS and all(severities.stated(cell) is not None for cell in cells)


def _means_other(name: str) -> bool:
    known = (OTHER_LABELS, FIX_LABELS, STATUS_COLUMNS, TEXT_COLUMNS, OTHER_GRADES)
    return any(name in names for names in known)


def _is_status(name: str) -> bool:
    return name.partition("(")[0].strip() in STATUS_COLUMNS


def standing(row: Row, at: int | None) -> int:
    """Above zero where the cell says that something is amiss, below where all is well."""
    cell = row.cells[at] if at is not None and at < len(row.cells) else ""
    if at is not None and _state(row, at) == "settled":
        return 0
    if score := _SCORE.search(cell):
        return _of_score(int(score[1]), int(score[2]))
    decided = {"approve": -2, "reject": 2}.get(decide(cell) or "", 0)
    signs = any(sign in cell for sign in _AMISS) - any(sign in cell for sign in PRAISE_MARKS)
    return 2 * signs or decided or tone(cell)


def _of_score(points: int, of: int) -> int:
    """`3/10`: less than half of it is amiss, most of it is well."""
    return 1 if 2 * points < of else -1 if 10 * points > 7 * of else 0


def _state(row: Row, at: int) -> State | None:
    """`✅ Resolved — the index is unique now`: what the cell says first."""
    cell = row.cells[at] if at < len(row.cells) else ""
    return state_of(cell) or state_of(_AFTER_STATE.split(cell, maxsplit=1)[0])


def is_settled(row: Row, found: Columns) -> bool:
    return found.status is not None and _state(row, found.status) == "settled"


def _holds_severities(table: Table, at: int) -> bool:
    cells = [row.cells[at] for row in table.rows if at < len(row.cells)]
    return any(severities.field_value(cell) for cell in cells)


def _longest_column(table: Table, names: list[str], level: int | None) -> int | None:
    """The column with most text, if it is text at all, and neither a place nor a fix."""
    sizes = [
        (sum(len(row.cells[at]) for row in table.rows if at < len(row.cells)), -at)
        for at, name in enumerate(names)
        if at != level and name not in FIX_LABELS and not _holds_places(table, at)
    ]
    if not sizes or not table.rows:
        return None
    size, at = max(sizes)
    return -at if size >= _SHORTEST * len(table.rows) else None


def _holds_words(table: Table, at: int) -> bool:
    """Rather than counts."""
    cells = [row.cells[at] for row in table.rows if at < len(row.cells)]
    return any(_WORDS.search(cell) for cell in cells)


def _holds_places(table: Table, at: int) -> bool:
    cells = [row.cells[at] for row in table.rows if at < len(row.cells)]
    return 2 * sum(is_place(_REMARK.sub("", cell)) for cell in cells) > len(cells)
