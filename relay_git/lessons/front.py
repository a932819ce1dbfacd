"""The form of a lesson file's front matter, and the errors that name its lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pydantic import Field

from relay_git import yamlio, yamlmodel
from relay_git.errors import Invalid, InvalidName, RelayError
from relay_git.lessons.model import Kind, Severity
from relay_git.names import RunId, Word
from relay_git.yamlmodel import FileModel

_KEY = re.compile(r"[a-z_]+")
_ID = re.compile(r"[0-9a-f]{12}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?")


class EvidenceEntry(FileModel):
    artifact: str
    step: int
    line: int


class RetiredEntry(FileModel):
    reason: str
    at: str


class Front(FileModel):
    """Keys that are not here are people's own and stay unread."""

    version: int
    id: str
    role: str
    severity: Severity
    kind: Kind = "pitfall"
    tags: list[str] = Field(default_factory=list)
    run: str | None = None
    observed_at: str | None = None
    evidence: EvidenceEntry | None = None
    finding: str | None = None
    retired: RetiredEntry | None = None


def read_front(text: str, path: str, role: str) -> Front:
    """The front matter of the file at `path`, in the directory of `role`."""
    return _read_own_form(text, role) or _read_yaml(text, path, role)


def _read_yaml(text: str, path: str, role: str) -> Front:
    document = yamlio.load(text, path)
    problems: list[RelayError] = []
    front = yamlmodel.read(Front, document, problems)
    if front is None:
        raise Invalid(problems)
    wrong = [document.problem((key,), what, hint) for key, what, hint in _wrong(front, role)]
    if wrong:
        raise Invalid(wrong)
    return front


def _read_own_form(text: str, role: str) -> Front | None:
    """The front matter in the form that we write, a JSON value a line: fifty times as fast.

    None for what is wrong or in any other form, or could mean something else in YAML.
    """
    lines = text.removeprefix("---\n").removesuffix("\n").split("\n")
    if not all(line.isprintable() and "\\u" not in line for line in lines):
        return None
    pairs = [line.partition(": ") for line in lines]
    try:
        values = {key: _JSON.decode(value) for key, _, value in pairs if _KEY.fullmatch(key)}
        front = Front.model_validate(values) if len(values) == len(lines) else None
    except ValueError:
        return None
    return front if front and not any(_wrong(front, role)) else None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


_JSON = json.JSONDecoder(object_pairs_hook=_each_once)


def _wrong(front: Front, role: str) -> Iterator[tuple[str, str, str]]:
    """Key, problem and hint of each value that cannot be."""
    if not _ID.fullmatch(front.id):
        yield "id", "`id` must be 12 hex digits", "take them from its history"
    if front.role != role:
        what = f"`role` is {front.role!r}, but the file lies in {role!r}"
        yield "role", what, "move the file, or correct the role"
    if not _is_name(Word, front.role):
        yield "role", f"{front.role!r} is not a role", "use plain words"
    if front.run is not None and not _is_name(RunId, front.run):
        yield "run", f"{front.run!r} is not a run id", "see `git relay log`"
    if front.observed_at is not None and not _is_date(front.observed_at):
        yield (
            "observed_at",
            f"`observed_at` is {front.observed_at!r}",
            "write it as 2026-04-28T09:30:00Z",
        )


def _is_name(kind: type[Word] | type[RunId], value: str) -> bool:
    try:
        kind(value)
    except InvalidName:
        return False
    return True


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:
        return False
