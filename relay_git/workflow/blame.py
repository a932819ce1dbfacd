"""Which run a line of code came from: by notes, then by trailers, and never by guessing."""

from __future__ import annotations

import re
from contextlib import suppress

from relay_git import names
from relay_git.chain import chain, history
from relay_git.errors import InvalidName, RelayError
from relay_git.git.notes import read_note
from relay_git.names import Oid, RunId
from relay_git.record import Record
from relay_git.workflow import runs
from relay_git.workflow.commits import CodeNote, read_notes, trailers
from relay_git.workflow.machine import Advance, Rerun
from relay_git.workspace import Workspace

_BLAMED = re.compile(r"(?P<commit>[0-9a-f]{40,64}) \d+ (?P<line>\d+)(?: \d+)?")
_UNCOMMITTED = frozenset("0")


class Origin(Record):
    """Where a line came from. `commit` is None for a line that is not committed.

    `note` is what was recorded of the commit, None where that is nothing, or several visits;
    without a `run` the origin is unknown. `lessons` are the ids of those that the role had been
    shown.
    """

    line: int
    commit: Oid | None
    run: RunId | None = None
    note: CodeNote | None = None
    lessons: tuple[str, ...] = ()


def blame(ws: Workspace, path: str, line: int | None) -> list[Origin]:
    """The origin of one line, or of each (numbered from 1) of a file in the work tree."""
    wanted = ["-L", f"{line},{line}"] if line else []
    shown = ws.repo.git("blame", "--line-porcelain", *wanted, "--", path, check=False)
    if shown.code:
        said = shown.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise RelayError(said, where=path)
    known: dict[str, Origin] = {}
    origins = []
    for text in shown.stdout.decode("utf-8", "replace").split("\n"):
        found = _BLAMED.fullmatch(text)
        if found:
            commit = found["commit"]
            if commit not in known:
                known[commit] = _origin(ws, commit)
            origins.append(known[commit].replace(line=int(found["line"])))
    return origins


def _origin(ws: Workspace, commit: str) -> Origin:
    """Notes and message must agree on one run; notes of several visits do not say which."""
    if _UNCOMMITTED.issuperset(commit):
        return Origin(0, None)
    oid = Oid(commit)
    notes = [
        note
        for ref in ws.store.refs(names.NOTES)
        for note in read_notes(read_note(ws.store, ref, oid) or b"")
    ]
    found = {note.run for note in notes} | _named_in_trailers(ws, oid)
    if len(found) != 1:
        return Origin(0, oid)
    if len({(note.stage, note.visit) for note in notes}) != 1:
        return Origin(0, oid, found.pop())
    last = max(notes, key=lambda note: note.step)
    return Origin(0, oid, last.run, last, _shown(ws, last))


def _named_in_trailers(ws: Workspace, commit: Oid) -> set[RunId]:
    """The runs in the message: all that comes along when a commit is squashed or picked."""
    found = set()
    for value in trailers(ws, commit, names.TRAILER_RUN):
        with suppress(InvalidName):
            found.add(RunId(value))
    return found


def _shown(ws: Workspace, note: CodeNote) -> tuple[str, ...]:
    """The lessons that the role was shown for the visit in which the commit was made."""
    try:
        tip = ws.store.ref(names.run_ref(note.run)) or history.tip_of(ws.store, note.run)
        for step in chain.walk(ws.store, tip):
            event = runs.state_of(step).event
            if isinstance(event, Advance | Rerun) and (event.stage, event.visit) == (
                note.stage,
                note.visit,
            ):
                return event.shown
    except RelayError:
        return ()
    return ()
