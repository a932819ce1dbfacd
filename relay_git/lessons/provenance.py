"""Where lessons came from: notes on the last step of each run, one canonical JSON line each.

The line of kind `settled` is also the mark that a run is settled. Occurrences are counted
from notes alone (occurrences.py), so any order of settling and merging gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relay_git import canonical
from relay_git.errors import RelayError
from relay_git.git.notes import united
from relay_git.lessons.model import Lesson
from relay_git.names import RunId

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
    return united((before or b"", content))


def combine(ours: bytes, theirs: bytes) -> bytes:
    """One note of two, the same in whatever order notes are merged.

    Of two settlements one wins, for their lessons are the same findings read twice. All other
    lines are united, those of somebody else and of a newer format too.
    """
    mine, yours = _settlement(ours), _settlement(theirs)
    others = [line for note in (ours, theirs) for line in _lines(note) if not _settles(line)]
    return united([*max(mine, yours, key=_weight), *others])


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


def _lines(note: bytes) -> list[bytes]:
    return [line for line in note.split(b"\n") if line]


def _settles(line: bytes) -> bool:
    """Whether a line is part of what settling a run writes."""
    return any(record.get("kind") in ("settled", "lesson") for record in read_lines(line))


def _settlement(note: bytes) -> tuple[bytes, ...]:
    return tuple(sorted({line for line in _lines(note) if _settles(line)}))


def _weight(settlement: tuple[bytes, ...]) -> tuple[int, tuple[bytes, ...]]:
    """The newer distiller's, then the greater bytes; lessons that nobody settled come first."""
    records = read_lines(b"\n".join(settlement))
    by = [record.get("distiller") for record in records if record.get("kind") == "settled"]
    return max((number for number in by if isinstance(number, int)), default=-1), settlement


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
