"""Code commits made during a run: a trailer, a step and a note each, and their way home.

A commit's message carries `Relay-Run: <id>`, which survives squash, rebase and cherry-pick as
text. Its note, one canonical JSON line a run, says where the run stood when it was made.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from relay_git import canonical, files, names
from relay_git.errors import Refused, RelayError
from relay_git.git.notes import note_move, read_note, united, update_note
from relay_git.git.refs import retrying
from relay_git.git.store import Move
from relay_git.names import ArtifactName, Oid, RefName, RunId
from relay_git.record import Record
from relay_git.workflow import held, runs, shown, steps, working_set
from relay_git.workflow.machine import Commit
from relay_git.workflow.runs import Run
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.workflow.actions import Moved

FORMAT = 1
MOST_PATHS = 500
"""Of one commit, in a step: a formatting commit touches tens of thousands."""

_ADVANCE = r"(?P<stage>[^\s=]+)\.(?P<visit>\d+)(?:=(?P<verdict>\S+))?"
_SHORTEST_SECRET = 16
"""Characters: a path of shorter parts holds none, and need not be looked at."""

_NOT_OURS = ("fixup!", "squash!", "amend!")
_APPENDED = (
    *("--in-place", "--no-divider", "--where", "end"),
    *("--if-exists", "addIfDifferent", "--if-missing", "add"),
)
"""Whatever the user's `trailer.*` settings say, and though the message has a line `---`."""

_SCISSORS = rb"(?m)^([^\w\s]) -+ >8 -+$"
"""Below it `git commit -v` shows the change. git may have chosen another character than `#`."""

_IN_PROGRESS = ("MERGE_HEAD", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_REBASING = ("rebase-merge", "rebase-apply")


class Recorded(Record):
    """What a commit did to the run. `left_out` says which artifacts could not be recorded, and
    why; `moved` is the step that the commit's own `Relay-Advance` made."""

    run: Run
    left_out: tuple[str, ...] = ()
    moved: Moved | None = None


# The message


def add_trailer(ws: Workspace, path: str) -> bool:
    """Add `Relay-Run` to the message in a file, for the commit-msg hook; True when it was added.

    Not to an empty message, which git is about to refuse, nor to one that git or the user made
    for another commit: merge, squash, fixup, cherry-pick, rebase.
    """
    run = ws.repo.current if ws.repo.current_tip else None
    if run is None or _in_progress(ws):
        return False
    before = files.read_optional(path) or b""
    scissors = re.search(_SCISSORS, before)
    char = ("-c", f"core.commentChar={scissors[1].decode()}") if scissors else ()
    if not _is_plain(ws, before[: scissors.start()] if scissors else before, char):
        return False
    trailer = f"{names.TRAILER_RUN}: {run}"
    ws.repo.git(*char, "interpret-trailers", *_APPENDED, "--trailer", trailer, "--", path)
    return files.read_optional(path) != before


def _is_plain(ws: Workspace, text: bytes, char: Sequence[str]) -> bool:
    stripped = ws.repo.git(*char, "stripspace", "--strip-comments", input=text).stdout
    return bool(stripped.strip()) and not stripped.decode("utf-8", "replace").startswith(_NOT_OURS)


def _in_progress(ws: Workspace) -> bool:
    marks = (*_IN_PROGRESS, *_REBASING)
    return any(os.path.exists(os.path.join(ws.repo.git_dir, mark)) for mark in marks)


# The step and the note


def record(ws: Workspace) -> Recorded | None:
    """Record HEAD in this worktree's run, once; None where there is nothing to record.

    Then advance the run, if the commit's message says so and the run is where it says.
    """
    run = runs.current_or_none(ws)
    head = ws.repo.head
    if run is None or head is None or run.state.finished or _in_progress(ws):
        return None
    recorded = _record(ws, run, head)
    moved = _advance(ws, recorded.run, head)
    return recorded.replace(moved=moved) if moved else recorded


def _record(ws: Workspace, run: Run, head: Oid) -> Recorded:
    """One transaction moves the run and the notes. A commit that is noted already stays so.

    The first attempt believes where discovery found them; the next ones read them again.
    """
    found: Run | None = run
    notes = ws.repo.notes_tip

    def attempt() -> Recorded:
        nonlocal found, notes
        here, found = found or _again(ws, run.id), None
        noted, notes = _note_move(ws, here, head, notes), None
        if noted is None:
            return Recorded(here)
        contents, left_out = _readable(ws, here)
        masked, _ = steps.mask(ws, held.present(ws, here, contents), here.tip)
        event, edits = _event(ws, head), steps.edits(here.tip, masked)
        after = steps.make(ws, run.id, here, run.workflow, event, edits, also=(noted,))
        held.remember(ws, after, contents)
        return Recorded(after, left_out)

    return retrying(attempt)


def _again(ws: Workspace, run: RunId) -> Run:
    tip = ws.store.ref(names.run_ref(run))
    if tip is None:
        raise Refused(f"the run {run} has ended meanwhile")
    return runs.load(ws.store, tip)


def _event(ws: Workspace, head: Oid) -> Commit:
    paths = _touched(ws, head)
    return Commit(head, tuple(paths[:MOST_PATHS]), max(0, len(paths) - MOST_PATHS))


def _readable(ws: Workspace, run: Run) -> tuple[dict[ArtifactName, bytes], tuple[str, ...]]:
    """The artifacts as they are. A half-written one that no step can hold is named, not fatal."""
    found: dict[ArtifactName, bytes] = {}
    left_out = []
    for name in run.workflow.artifacts():
        try:
            found |= working_set.read(ws.worktree, [name], ws.max_artifact)
        except RelayError as error:
            left_out.append(str(error))
    return found, tuple(left_out)


def _touched(ws: Workspace, commit: Oid) -> list[str]:
    """The paths that a commit changed against its first parent, agents' own files left out."""
    options = ("--no-commit-id", "--name-only", "--root", "-r", "-z", "-m", "--first-parent")
    listed = ws.repo.git("diff-tree", *options, commit).stdout
    named = listed.decode("utf-8", "backslashreplace").removesuffix("\0")
    if any(len(part) >= _SHORTEST_SECRET for part in re.split(r"[\0/.]", named)):
        from relay_git.redact import redact

        named = redact(named, ws.settings.redact_literals)[0]
    paths = named.split("\0") if named else []
    return [path for path in paths if not path.startswith(f"{names.RELAY_DIR}/")]


# Notes on code commits


class CodeNote(Record):
    """Where a run stood when a commit was made: its last step then, stage, visit and role."""

    run: RunId
    step: int
    stage: str
    visit: int
    role: str | None


def read_notes(note: bytes) -> list[CodeNote]:
    """What a note says of a code commit; other lines are passed over."""
    found = []
    for line in note.splitlines():
        try:
            record = canonical.loads(line, "note")
            if record.get("v") == FORMAT and record.get("kind") == "commit":
                found.append(_code_note(record))
        except (RelayError, KeyError, TypeError):
            continue
    return found


def _code_note(record: dict[str, object]) -> CodeNote:
    step, visit, role = record["step"], record["visit"], record["role"]
    if not isinstance(step, int) or not isinstance(visit, int):
        raise TypeError("not a note of ours")
    return CodeNote(
        RunId(str(record["run"])),
        step,
        str(record["stage"]),
        visit,
        None if role is None else str(role),
    )


def _note_move(ws: Workspace, run: Run, commit: Oid, tip: Oid | None) -> Move | None:
    """None where a note of this run is there already. `tip`: where the notes stand, if known."""
    line = canonical.dumps(
        {
            "v": FORMAT,
            "kind": "commit",
            "run": run.id,
            "step": run.tip.envelope.step + 1,
            "stage": run.state.stage,
            "visit": run.state.visit,
            "role": run.role.name if run.role else None,
        }
    )

    def change(before: bytes | None) -> bytes | None:
        known = any(found.run == run.id for found in read_notes(before or b""))
        return before if known else united((before or b"", line))

    ref, who = names.notes_ref(run.id.month), ws.idents()[1]
    message = f"note {commit[:12]} of {run.id}\n"
    return note_move(ws.store, ref, commit, change, who, message, tip)


def move_notes(ws: Workspace, pairs: Iterable[tuple[Oid, Oid]]) -> int:
    """Give rewritten commits the notes of those they were made from; how many got some.

    Lines are united, never joined as text, and the old commit keeps its own.
    """
    wanted = list(pairs)
    count = 0
    for ref in ws.store.refs(names.NOTES):
        for old, new in wanted:
            note = read_note(ws.store, ref, old)
            lines = [line for line in (note or b"").splitlines(keepends=True) if read_notes(line)]
            if lines:
                _unite(ws, ref, new, b"".join(lines))
                count += 1
    return count


def _unite(ws: Workspace, ref: RefName, commit: Oid, lines: bytes) -> None:
    who, message = ws.idents()[1], f"note {commit[:12]}, rewritten\n"
    update_note(ws.store, ref, commit, lambda before: united((before or b"", lines)), who, message)


def trailers(ws: Workspace, commit: Oid, key: str) -> list[str]:
    """The values of one trailer in a commit's message, however the user wants `git log`."""
    form = f"--format=%(trailers:key={key},valueonly,unfold)"
    options = ("-1", "--encoding=UTF-8", "--no-show-signature", form)
    shown = ws.repo.git("log", *options, commit).stdout
    return [line.strip() for line in shown.decode("utf-8", "replace").splitlines()]


# Relay-Advance


def _advance(ws: Workspace, run: Run, commit: Oid) -> Moved | None:
    """What the message asks for, if the run is at that stage and visit: so never twice."""
    if names.TRAILER_ADVANCE not in ws.store.commit(commit).message:
        return None
    from relay_git.workflow import actions
    from relay_git.workflow.visit import Wish

    for stage, visit, verdict in _asked(ws, commit):
        if (stage, visit) == (run.state.stage, run.state.visit) and run.state.halt is None:
            shown.write(ws, run, shown.lessons(ws, run.id, stage, visit))
            return actions.advance(ws, Wish(verdict=verdict))
    return None


def _asked(ws: Workspace, commit: Oid) -> Sequence[tuple[str, int, str | None]]:
    found = [re.fullmatch(_ADVANCE, line) for line in trailers(ws, commit, names.TRAILER_ADVANCE)]
    return [(m["stage"], int(m["visit"]), m["verdict"]) for m in found if m]
