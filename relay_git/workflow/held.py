"""What this worktree's working set held when it was last recorded, or brought here.

A run can be moved on in another place. A file that lies here as it lay then was not written for
where the run stands now: it is not recorded over what others wrote since, and gives way to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from relay_git import canonical, files, names
from relay_git.chain import chain
from relay_git.chain.envelope import sha256
from relay_git.errors import RelayError
from relay_git.names import ArtifactName
from relay_git.record import Record
from relay_git.workflow import working_set
from relay_git.workflow.runs import Run
from relay_git.workspace import Workspace

Contents = Mapping[ArtifactName, bytes]


class _Held(Record):
    """The sha256 of a file as it lay here, and as the run recorded it, which may be masked."""

    here: str
    recorded: str | None


def brought(ws: Workspace, run: Run, contents: Contents) -> None:
    """The working set is this, as the run has it."""
    _write(ws, run, _now(run, contents))


def remember(ws: Workspace, run: Run, contents: Contents) -> None:
    """The working set as it lies here, after a step of the run. A file that is still to give way
    stays one; of a file that is gone from here its last state is kept."""
    before, now = _read(ws, run), _now(run, contents)
    kept = {n: held for n, held in before.items() if n not in now or _is_past(held, now[n])}
    with suppress(RelayError):
        _write(ws, run, now | kept)


def present(ws: Workspace, run: Run, contents: Contents) -> dict[ArtifactName, bytes]:
    """What counts of the working set where the run stands: for a file that only others have
    changed, what they wrote."""
    past = _past(ws, run, contents)
    found = {name: data for name, data in contents.items() if name not in past}
    return found | _written(ws, run, past)


def follow(ws: Workspace, run: Run) -> list[ArtifactName]:
    """Bring here what others wrote; which files. What was written here since stays."""
    contents, unreadable = _here(ws, run)
    known = _read(ws, run)
    lacking = set(run.workflow.artifacts()) - {*contents, *unreadable, *known}
    new = lacking if known else set()
    theirs = _written(ws, run, [*_past(ws, run, contents), *new])
    if theirs:
        working_set.write(ws.worktree, theirs)
        remember(ws, run, {**contents, **theirs})
    return sorted(theirs)


def _here(ws: Workspace, run: Run) -> tuple[dict[ArtifactName, bytes], list[ArtifactName]]:
    """The working set, and the files in it that no step can hold, as they are half written."""
    contents: dict[ArtifactName, bytes] = {}
    unreadable = []
    for name in run.workflow.artifacts():
        try:
            contents |= working_set.read(ws.worktree, [name], ws.max_artifact)
        except RelayError:
            unreadable.append(name)
    return contents, unreadable


def _past(ws: Workspace, run: Run, contents: Contents) -> list[ArtifactName]:
    """The files that lie here as they lay, and that others have changed."""
    known = _read(ws, run)
    now = _now(run, {name: data for name, data in contents.items() if name in known})
    return [name for name, held in now.items() if _is_past(known[name], held)]


def _is_past(before: _Held, now: _Held) -> bool:
    return now.here == before.here and now.recorded not in (before.recorded, now.here)


def _now(run: Run, contents: Contents) -> dict[ArtifactName, _Held]:
    recorded = run.tip.envelope.files
    return {
        name: _Held(sha256(data), recorded.get(names.artifact_path(name)))
        for name, data in contents.items()
    }


def _written(ws: Workspace, run: Run, wanted: Iterable[ArtifactName]) -> dict[ArtifactName, bytes]:
    """As the last step records them; one that it has not is left out."""
    found = {n: chain.read_file(ws.store, run.tip, names.artifact_path(n)) for n in wanted}
    return {name: data for name, data in found.items() if data is not None}


def _write(ws: Workspace, run: Run, known: Mapping[ArtifactName, _Held]) -> None:
    listed = {name: [held.here, held.recorded] for name, held in known.items()}
    files.make_directory(ws.git_path())
    record = {"run": run.id, "nonce": run.tip.envelope.nonce, "files": listed}
    files.write_atomic(ws.git_path("held"), canonical.dumps(record) + b"\n")


def _read(ws: Workspace, run: Run) -> dict[ArtifactName, _Held]:
    """Empty when nothing is known of that run here, or none of it can be read, or the run was
    read before this was written."""
    try:
        record = canonical.loads(files.read_optional(ws.git_path("held")) or b"{}", "held")
        if record["run"] != run.id or record["nonce"] > run.tip.envelope.nonce:
            return {}
        return {ArtifactName(name): _Held(*pair) for name, pair in record["files"].items()}
    except (RelayError, LookupError, TypeError, AttributeError):
        return {}
