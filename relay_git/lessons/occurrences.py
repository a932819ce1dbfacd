"""In how many runs each claim was raised, counted from the notes of all runs.

Counting again reads only the notes that changed. Two kinds of file remember what that takes, and
any of them can be deleted: one a month with the claims of each note, for a run that was filed again
has several notes and counts once, and one with the sums over all months.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

from relay_git import files, names
from relay_git.errors import MissingObject, RelayError
from relay_git.git.bulk import BulkStore, changed_files
from relay_git.git.open import GitStore
from relay_git.lessons.provenance import read_lines
from relay_git.names import Oid

_FORMAT = 2
_MONTH = re.compile(r"\d{4}-\d{2}")
_CLAIM = re.compile(r"[0-9a-f]{64}")
_KEY = 32
_WIDTH = _KEY + 4


class Counts(Mapping[str, int]):
    """Runs by claim hash, as sorted records of bytes that are looked up and edited as they are.

    Of a hundred thousand claims a command needs a few: to make a dictionary of them all would
    cost more than all else that it does.
    """

    def __init__(self, records: bytes = b"") -> None:
        self.records = records

    def __getitem__(self, claim: str) -> int:
        key = bytes.fromhex(claim) if _CLAIM.fullmatch(claim) else None
        at = self._place(key) if key else len(self)
        if key is None or self._key_at(at) != key:
            raise KeyError(claim)
        return int.from_bytes(self.records[at * _WIDTH + _KEY : (at + 1) * _WIDTH])

    def __iter__(self) -> Iterator[str]:
        return (self._key_at(at).hex() for at in range(len(self)))

    def __len__(self) -> int:
        return len(self.records) // _WIDTH

    def plus(self, more: Mapping[str, int]) -> Counts:
        """With so many more runs of these claims, or fewer. A claim of none is left out."""
        parts, done = [], 0
        for claim in sorted(more):
            key = bytes.fromhex(claim)
            at, known = self._place(key), self.get(claim, 0)
            parts.append(self.records[done : at * _WIDTH])
            done = (at + bool(known)) * _WIDTH
            if (number := known + more[claim]) > 0:
                parts.append(key + number.to_bytes(_WIDTH - _KEY))
        return Counts(b"".join([*parts, self.records[done:]]))

    def _place(self, key: bytes) -> int:
        return bisect_left(range(len(self)), key, key=self._key_at)

    def _key_at(self, at: int) -> bytes:
        return self.records[at * _WIDTH : at * _WIDTH + _KEY]


def occurrences(store: GitStore, cache_dir: str) -> Counts:
    """As the notes say now."""
    refs = {ref.removeprefix(names.NOTES): tip for ref, tip in store.refs(names.NOTES).items()}
    tips = {month: tip for month, tip in refs.items() if _MONTH.fullmatch(month)}
    cache = os.path.join(cache_dir, "occurrences")
    known, counts = _read_sums(cache)
    if known == tips:
        return counts
    bulk = BulkStore(store)
    try:
        counts = _counted(bulk, cache, tips, known, counts)
    finally:
        bulk.close()
    _write(cache, "sums", _dumps({"v": _FORMAT, "tips": tips}) + b"\n" + counts.records)
    return counts


def _counted(
    store: BulkStore, cache: str, tips: Mapping[str, Oid], known: Mapping[str, str], sums: Counts
) -> Counts:
    """The sums, by what has changed since; from all months where that cannot be known."""
    changed = {month for month in tips.keys() | known.keys() if tips.get(month) != known.get(month)}
    more: Counter[str] = Counter()
    for month in changed:
        before = _read_month(cache, month)
        if before.tip != known.get(month):
            break
        after = _brought_to(store, cache, month, before, tips.get(month))
        more.update(after.counts())
        more.subtract(before.counts())
    else:
        return sums.plus(more)
    whole: Counter[str] = Counter()
    for month, tip in tips.items():
        before = _read_month(cache, month)
        whole.update(_brought_to(store, cache, month, before, tip).counts())
    return Counts().plus(whole)


class _Month:
    """The claims of each note of a month at `tip`: by its path, the run and what it raised."""

    def __init__(self, tip: str | None = None, notes: dict[str, list[str]] | None = None) -> None:
        self.tip = tip
        self.notes = notes or {}

    def counts(self) -> Counter[str]:
        """Runs, not notes: a claim that one run raised twice occurred once."""
        raised = {(claim, run) for run, *claims in self.notes.values() for claim in claims}
        return Counter(claim for claim, _ in raised)


def _brought_to(store: BulkStore, cache: str, month: str, known: _Month, tip: Oid | None) -> _Month:
    """The month as it is at `tip`, remembered as such."""
    if tip == known.tip:
        return known
    try:
        since = store.commit(Oid(known.tip)).tree if known.tip else None
    except MissingObject:
        known, since = _Month(), None
    changed = changed_files(store, since, store.commit(tip).tree if tip else None)
    store.fetch(entry.oid for entry in changed.values() if entry)
    notes = dict(known.notes)
    for path, entry in changed.items():
        notes.pop(path, None)
        if entry and (said := _said(path, store.blob(entry.oid))):
            notes[path] = said
    if tip:
        _write(cache, f"{month}.json", _dumps({"v": _FORMAT, "tip": tip, "notes": notes}))
    return _Month(tip, notes)


def _said(path: str, note: bytes) -> list[str]:
    """The run of a note and the claims that it raised; nothing where it raised none."""
    records = read_lines(note)
    claims = {str(record.get("claim")) for record in records if record.get("kind") == "lesson"}
    raised = sorted(filter(_CLAIM.fullmatch, claims))
    named = [str(record.get("run")) for record in records if record.get("kind") == "settled"]
    return [min(named, default=path.replace("/", "")), *raised] if raised else []


# The cache


def _read_sums(cache: str) -> tuple[dict[str, str], Counts]:
    """The tips of the notes that were counted, and the sums."""
    head, _, records = (_read(cache, "sums") or b"").partition(b"\n")
    found = _loads(head).get("tips")
    if not isinstance(found, dict) or len(records) % _WIDTH:
        return {}, Counts()
    return found, Counts(records)


def _read_month(cache: str, month: str) -> _Month:
    found = _loads(_read(cache, f"{month}.json") or b"")
    tip, notes = found.get("tip"), found.get("notes")
    if not isinstance(tip, str) or not isinstance(notes, dict):
        return _Month()
    lists = all(isinstance(said, list) for said in notes.values())
    return _Month(tip, notes) if lists else _Month()


def _read(cache: str, name: str) -> bytes | None:
    return files.read_optional(os.path.join(cache, name))


def _write(cache: str, name: str, data: bytes) -> None:
    """Without a cache everything works, so a place that cannot be written is no error."""
    with contextlib.suppress(OSError, RelayError):
        os.makedirs(cache, exist_ok=True)
        files.write_atomic(os.path.join(cache, name), data)


def _dumps(record: Mapping[str, object]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def _loads(data: bytes) -> dict[str, object]:
    """Nothing where it is not what this version wrote."""
    try:
        record = json.loads(data)
    except ValueError:
        return {}
    fits = isinstance(record, dict) and record.get("v") == _FORMAT
    return record if fits else {}
