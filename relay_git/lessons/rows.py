"""The findings in the rows of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from relay_git.lessons import evidence
from relay_git.lessons import severity as severities
from relay_git.lessons.blocks import Row, Table
from relay_git.lessons.drafts import Draft
from relay_git.lessons.lead import read_lead, size
from relay_git.lessons.scopes import Scope
from relay_git.lessons.tables import Columns, columns, is_record, is_settled, names_fault, standing
from relay_git.lessons.tone import tone

_NUMBERS = re.compile(r"[\d/%.]+")


def rows(table: Table, scope: Scope) -> Iterator[Draft]:
    """Those that a severity, a status or the place of the table shows to be findings."""
    found = columns(table)
    if scope.announces == "closed":
        return
    if is_record(table, found):
        yield from _fields(table, scope)
        return
    for row in table.rows:
        text = "" if found.text is None else row.cells[found.text] or row.cells[0]
        if _counts(row, text, found, scope) and not (scope.again and is_settled(row, found)):
            yield from _row(row, text, found.severity, scope)


def _fields(table: Table, scope: Scope) -> Iterator[Draft]:
    """The values whose labels name a fault; a count is no statement of one."""
    for row in table.rows:
        label, value = row.cells
        if names_fault(label) and size(_NUMBERS.sub(" ", value)) > evidence.SHORT_TITLE:
            level = severities.mentioned(label)
            yield from _row(row, value, None, replace(scope, severity=level or scope.severity))


def _counts(row: Row, text: str, found: Columns, scope: Scope) -> bool:
    blames = found.blames and scope.announces == "topic"
    if found.severity is not None or (scope.expects and found.states) or blames:
        return standing(row, found.status) >= 0
    return found.status is not None and scope.announces in _JUDGED and _is_amiss(row, text, found)


_JUDGED = ("topic", "findings", "aside")


def _is_amiss(row: Row, text: str, found: Columns) -> bool:
    """By its status, or by its words where the status says neither good nor bad."""
    stands = standing(row, found.status)
    return stands > 0 or (stands == 0 and tone(text) >= evidence.ENOUGH)


def _row(row: Row, text: str, level: int | None, scope: Scope) -> Iterator[Draft]:
    """`level` is a column; a row with nothing in its severity column is no finding."""
    lead = read_lead(text)
    mark = severities.field_value(row.cells[level]) if level is not None else None
    if not evidence.is_nothing(lead) and not (level is not None and mark is None):
        severity = mark or lead.severity or scope.default(lead)
        yield Draft(row.line, row.line, lead, severity, row=True)
