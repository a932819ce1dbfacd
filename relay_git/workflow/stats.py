"""How much there is: runs, steps, notes, and the objects that our refs hold, month by month.

git needs ten seconds to walk through three million objects. So what was counted is kept with the
tips that it was counted at, and a month that nobody changes any more is not counted again. Objects
that two months share, such as a workflow, count in both.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from heapq import nlargest
from typing import Any

from relay_git import files, names
from relay_git.chain import history
from relay_git.errors import RelayError
from relay_git.git.repo import Repository
from relay_git.lessons.shelf import Shelf
from relay_git.names import Oid, RefName
from relay_git.record import Record, as_dict
from relay_git.workspace import Workspace

Progress = Callable[[int], None]
"""Told how many months have been counted so far."""

_FORMAT = 1
_LARGEST = 10
_AT_ONCE = 2
"""Months whose objects are counted at the same time."""
_DEADLINE = 3600.0
"""Seconds that git may take for the objects of one month."""
_SAID = "%(objecttype) %(objectsize) %(objectsize:disk) %(objectname) %(rest)"


class Artifact(Record):
    """A version of an artifact: its size in bytes, and the path and month that it is found at.

    The path begins with the run where it is the run's last version.
    """

    size: int
    path: str
    blob: str
    month: str


class Amount(Record):
    """What some refs hold. `size` is in bytes on the disk, as git has packed the objects."""

    runs: int = 0
    hidden: int = 0
    steps: int = 0
    notes: int = 0
    objects: int = 0
    size: int = 0

    def plus(self, other: Amount) -> Amount:
        more = as_dict(other)
        return Amount(**{name: number + more[name] for name, number in as_dict(self).items()})


class Held(Record):
    """The amount, and the largest artifacts, the largest first."""

    amount: Amount
    largest: tuple[Artifact, ...] = ()


class Stats(Record):
    """`lessons` are in force and `retired` withdrawn: None where there is no work tree."""

    opened: Held
    months: Mapping[str, Held]
    lessons: int | None
    retired: int | None

    @property
    def filed(self) -> Amount:
        return reduce(Amount.plus, (held.amount for held in self.months.values()), Amount())

    @property
    def largest(self) -> tuple[Artifact, ...]:
        return _largest(a for held in (self.opened, *self.months.values()) for a in held.largest)


class _Tips(Record):
    """Where a month's history and its notes stand."""

    history: Oid | None
    notes: Oid | None


def stats(ws: Workspace, progress: Progress) -> Stats:
    refs = ws.store.refs(names.RUNS, names.HISTORY, names.NOTES)
    opened = [tip for ref, tip in refs.items() if ref.startswith(names.RUNS)]
    held = _objects(ws.repo, opened, "open")
    amount = held.amount.replace(runs=len(opened), steps=_steps(ws.repo, opened))
    shelf = Shelf.load(ws.worktree, ws.cache_dir) if ws.repo.worktree else None
    return Stats(
        opened=held.replace(amount=amount),
        months=_months(ws, refs, progress),
        lessons=len(shelf.kept) if shelf else None,
        retired=len(shelf.retired) if shelf else None,
    )


def _months(ws: Workspace, refs: Mapping[RefName, Oid], progress: Progress) -> dict[str, Held]:
    path = os.path.join(ws.cache_dir, "stats.json")
    tips = dict(_tips(refs))
    found = {month: held for month, (at, held) in _read(path).items() if tips.get(month) == at}
    new = [month for month in tips if month not in found]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        counted = pool.map(lambda month: _count(ws.repo, month, tips[month]), new)
        for month, held in zip(new, counted, strict=True):
            runs = _runs(ws, tips[month].history)
            found[month] = held.replace(amount=held.amount.plus(runs))
            progress(len(found))
    if new:
        _write(path, {month: (tips[month], held) for month, held in found.items()})
    return dict(sorted(found.items()))


def _tips(refs: Mapping[RefName, Oid]) -> Iterator[tuple[str, _Tips]]:
    """By month, the notes of a month that has no history too."""
    filed, notes = (
        {ref.removeprefix(prefix): tip for ref, tip in refs.items() if ref.startswith(prefix)}
        for prefix in (names.HISTORY, names.NOTES)
    )
    for month in sorted(filed.keys() | notes.keys()):
        yield month, _Tips(filed.get(month), notes.get(month))


def _runs(ws: Workspace, tip: Oid | None) -> Amount:
    kinds = [entry.is_tree for _, entry in history.entries(ws.store, tip)] if tip else []
    return Amount(runs=sum(kinds), hidden=len(kinds) - sum(kinds))


def _count(repo: Repository, month: str, tips: _Tips) -> Held:
    held = _objects(repo, [tip for tip in (tips.history, tips.notes) if tip], month)
    steps = _steps(repo, [tips.history] if tips.history else [])
    notes = _notes(repo, tips.notes) if tips.notes else 0
    return held.replace(amount=held.amount.plus(Amount(steps=steps, notes=notes)))


def _steps(repo: Repository, tips: Sequence[Oid]) -> int:
    """Among all commits, by the trailer that every step has."""
    if not tips:
        return 0
    said = f"--grep=^{names.TRAILER_STEP}: "
    return int(_git(repo, "rev-list", "--stdin", "--count", said, input=_lines(tips)))


def _notes(repo: Repository, tip: Oid) -> int:
    return _git(repo, "ls-tree", "-r", "--name-only", tip).count(b"\n")


def _objects(repo: Repository, tips: Sequence[Oid], month: str) -> Held:
    """What these commits reach. Objects that a partial clone has not fetched stay unfetched."""
    if not tips:
        return Held(Amount())
    asked = ("rev-list", "--stdin", "--objects", "--missing=print")
    listed = _git(repo, *asked, input=_lines(tips))
    here = b"".join(line for line in listed.splitlines(True) if not line.startswith(b"?"))
    told = _git(repo, "cat-file", "--buffer", f"--batch-check={_SAID}", input=here)
    objects, size, blobs = 0, 0, []
    for line in told.decode("utf-8", "surrogateescape").splitlines():
        kind, length, on_disk, oid, path = line.split(" ", 4)
        objects, size = objects + 1, size + int(on_disk)
        if kind == "blob" and names.artifact_path("") in path:
            blobs.append((int(length), path, oid))
    largest = tuple(Artifact(*blob, month) for blob in nlargest(_LARGEST, blobs))
    return Held(Amount(objects=objects, size=size), largest)


def _git(repo: Repository, *args: str, input: bytes | None = None) -> bytes:
    return repo.git("--no-replace-objects", *args, input=input, timeout=_DEADLINE).stdout


def _lines(oids: Iterable[Oid]) -> bytes:
    return b"".join(f"{oid}\n".encode() for oid in oids)


def _largest(found: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """Each content once, where it is found last."""
    by_month = sorted(found, key=lambda artifact: (artifact.month, artifact.path))
    once = {artifact.blob: artifact for artifact in by_month}
    return tuple(nlargest(_LARGEST, once.values(), key=lambda a: (a.size, a.blob)))


# The cache


def _read(path: str) -> dict[str, tuple[_Tips, Held]]:
    """Nothing where it is not what this version wrote."""
    try:
        record = json.loads(files.read_optional(path) or b"{}")
        months = record["months"] if record.get("v") == _FORMAT else {}
        return {month: _from_json(value) for month, value in months.items()}
    except (RelayError, LookupError, TypeError, ValueError, AttributeError):
        return {}


def _from_json(value: Mapping[str, Any]) -> tuple[_Tips, Held]:
    largest = tuple(Artifact(**artifact) for artifact in value["largest"])
    return _Tips(**value["tips"]), Held(Amount(**value["amount"]), largest)


def _write(path: str, months: Mapping[str, tuple[_Tips, Held]]) -> None:
    """Without a cache everything works, so a place that cannot be written is no error."""
    listed = {
        month: {
            "tips": as_dict(tips),
            "amount": as_dict(held.amount),
            "largest": [as_dict(artifact) for artifact in held.largest],
        }
        for month, (tips, held) in months.items()
    }
    with contextlib.suppress(OSError, RelayError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.write_atomic(path, json.dumps({"v": _FORMAT, "months": listed}).encode())
