"""Where lessons came from: notes on the last step of each run, one canonical JSON line each.

The line of kind `settled` is also the mark that a run is settled. Notes are the only place where
occurrences are counted, so any order of settling and merging gives the same numbers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from relay_git import canonical, files, names
from relay_git.errors import RelayError
from relay_git.git.store import Store
from relay_git.git.trees import walk
from relay_git.lessons.model import Lesson
from relay_git.names import Oid, RunId
from relay_git.record import Record

FORMAT = 1


def note_lines(run: RunId, lessons: Iterable[Lesson], distiller: int) -> bytes:
    """The note of a settled run; lines sorted, so that a union of notes is one too.

    Its lessons are those of the findings. Where a model worded some, the `settled` line says so.
    """
    found = list(lessons)
    records = [_lesson_record(lesson) for lesson in found]
    worded = {"llm": True} if any(lesson.finding for lesson in found) else {}
    records.append({"v": FORMAT, "kind": "settled", "run": run, "distiller": distiller, **worded})
    return b"".join(sorted(canonical.dumps(record) + b"\n" for record in records))


def is_settled(note: bytes | None) -> bool:
    return any(record.get("kind") == "settled" for record in read_lines(note or b""))


def settled_once(before: bytes | None, content: bytes) -> bytes:
    """A settled note stays as it is; other lines of a note stay beside the new ones."""
    if before and is_settled(before):
        return before
    return (before or b"") + content


def read_lines(note: bytes) -> list[dict[str, Any]]:
    """The records of a note. Lines of another format or of somebody else are passed over."""
    records = []
    for line in note.splitlines():
        try:
            record = canonical.loads(line, "note")
        except RelayError:
            continue
        if record.get("v") == FORMAT:
            records.append(record)
    return records


class Occurrences(Record):
    """In how many runs each claim was raised, by claim hash."""

    counts: Mapping[str, int]

    def of(self, claim_hash: str) -> int:
        return self.counts.get(claim_hash, 0)


def occurrences(store: Store, cache_dir: str) -> Occurrences:
    """Counted from all notes; remembered for as long as no notes ref moves."""
    tips = store.refs(names.NOTES)
    path = os.path.join(cache_dir, "occurrences.json")
    key = {str(ref): str(tip) for ref, tip in tips.items()}
    if not key:
        return Occurrences({})
    cached = _read_cache(path, key)
    if cached is not None:
        return Occurrences(cached)
    counts = _count(store, list(tips.values()))
    os.makedirs(cache_dir, exist_ok=True)
    files.write_atomic(path, canonical.dumps({"v": FORMAT, "tips": key, "counts": counts}))
    return Occurrences(counts)


def _count(store: Store, tips: Sequence[Oid]) -> dict[str, int]:
    """Runs, not lines: a claim that one run raised twice occurred once."""
    runs: dict[str, set[str]] = {}
    for tip in tips:
        for path, entry in walk(store, store.commit(tip).tree):
            target = path.replace("/", "")
            for record in read_lines(store.blob(entry.oid)):
                if record.get("kind") == "lesson":
                    runs.setdefault(str(record.get("claim")), set()).add(target)
    return {claim: len(seen) for claim, seen in sorted(runs.items())}


def _read_cache(path: str, key: Mapping[str, str]) -> dict[str, int] | None:
    data = files.read_optional(path)
    try:
        record = canonical.loads(data or b"", path)
    except RelayError:
        return None
    counts = record.get("counts")
    fits = record.get("v") == FORMAT and record.get("tips") == key and isinstance(counts, dict)
    return counts if fits else None


def _lesson_record(lesson: Lesson) -> dict[str, Any]:
    evidence = lesson.evidence
    return {
        "v": FORMAT,
        "kind": "lesson",
        "lesson": lesson.id,
        "claim": lesson.claim_hash,
        "artifact": evidence.artifact,
        "blob": evidence.blob,
        "step": evidence.step,
        "line": evidence.line,
    }
