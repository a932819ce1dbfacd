"""Find what a leaked secret lies in: the blobs to ban, and the places that cannot be taken out."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence

from relay_git import files, names
from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.chain.envelope import sha256
from relay_git.chain.purged import Banned, banned, is_purged
from relay_git.errors import InvalidName, Refused
from relay_git.git.bulk import BulkStore
from relay_git.git.trees import walk
from relay_git.names import ArtifactName, Oid, RunId
from relay_git.record import Record
from relay_git.workflow import runs
from relay_git.workspace import Workspace

_ARTIFACTS = names.artifact_path("")
_AT_ONCE = 500
"""Objects that are held in memory together."""

_SHORTEST = 6


class Found(Record):
    """`objects` are to be banned; `places` says where they lie, `kept` where the secret stays."""

    objects: Banned
    places: tuple[str, ...]
    kept: tuple[str, ...] = ()


def in_run(ws: Workspace, selector: str) -> Found:
    """Every version of each artifact of `RUN` but for tracked seeds, or of the one of `RUN:PATH`.

    A seed that were banned would be taken out of every run to come.
    """
    name, _, path = selector.partition(":")
    run, tip = runs.locate(ws, name)
    wanted = names.artifact_path(_artifact(path)) if path else _ARTIFACTS
    seeds = () if path else _tracked(ws)
    bans = banned(ws.store, ws.store.ref(names.PURGED))
    objects: dict[Oid, str] = {}
    for step in _every_step(ws, run, tip):
        for at, entry in walk(ws.store, step.commit.tree):
            named = at == wanted or (not path and at.startswith(wanted))
            if named and entry.oid not in seeds:
                data = ws.store.blob(entry.oid)
                if not is_purged(data, step.envelope.files.get(at, ""), bans):
                    objects[entry.oid] = sha256(data)
    return Found(objects, (str(run),) if objects else ())


def holding(ws: Workspace, literals: Collection[bytes]) -> Found:
    """Every blob that holds one of the literals, in steps, histories and notes."""
    objects: dict[Oid, str] = {}
    places: dict[str, None] = {}
    kept: dict[str, None] = {}
    for kind, oid, path, data in _objects(ws):
        if not any(literal in data for literal in literals):
            continue
        if kind == "blob" and _can_go(path):
            objects[oid] = sha256(data)
            places[path] = None
        else:
            kept[f"{kind} {oid[:12]} {path}".rstrip()] = None
    return Found(objects, tuple(places), tuple(kept))


def read_literals(path: str) -> tuple[bytes, ...]:
    """One a line. A short one would be found everywhere."""
    data = files.read_optional(path)
    if data is None:
        raise Refused("there is no such file", where=path)
    literals = tuple(line for line in data.splitlines() if line.strip())
    if not literals:
        raise Refused("no literal in it", where=path, hint="write one a line")
    for number, literal in enumerate(literals, start=1):
        if len(literal) < _SHORTEST:
            what = f"a literal of fewer than {_SHORTEST} bytes"
            raise Refused(what, where=f"{path}:{number}", hint="it would be found everywhere")
    return literals


def still_here(ws: Workspace, objects: Banned, literals: Collection[bytes]) -> list[str]:
    """Files of any worktree that are what was purged or hold a literal: they are the user's."""
    digests = set(objects.values())
    found = []
    for path in sorted(_files_of(ws)):
        data = files.read_optional(path) or b""
        if sha256(data) in digests or any(literal in data for literal in literals):
            found.append(path)
    return found


def _files_of(ws: Workspace) -> set[str]:
    """What lies beside the runs: working sets, saved ones and lessons, in each worktree."""
    listed = ws.repo.git("worktree", "list", "--porcelain").stdout
    lines = os.fsdecode(listed).split("\n")
    trees = [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")]
    folders = [os.path.join(tree, names.RELAY_DIR) for tree in trees]
    folders += [ws.common_path(), os.path.join(ws.repo.common_dir, "worktrees")]
    paths = {
        os.path.join(at, name) for top in folders for at, _, here in os.walk(top) for name in here
    }
    return set(filter(os.path.isfile, paths))


def _every_step(ws: Workspace, run: RunId, tip: Oid) -> Iterator[Step]:
    """The steps of the run, and outputs of a pipeline that no chain leads through: those that its
    steps keep beside them, and those of forks that are not joined yet."""
    beside = set(ws.store.refs(f"{names.FORKS}{run}/").values())
    for step in chain.walk(ws.store, tip):
        beside.update(step.commit.parents[len(step.parents) :])
        yield step
    for oid in sorted(beside):
        yield chain.read_step(ws.store, oid)


def _tracked(ws: Workspace) -> set[Oid]:
    """The files of the workflows, as the branch has them."""
    if ws.repo.head is None:
        return set()
    options = ("--full-tree", "-r", "--format=%(objectname)")
    listed = ws.repo.git("ls-tree", *options, ws.repo.head, "--", names.WORKFLOWS).stdout
    return {Oid(line) for line in listed.decode("ascii").split()}


def _artifact(path: str) -> ArtifactName:
    try:
        return ArtifactName(path.removeprefix(_ARTIFACTS).removeprefix(f"{names.ARTIFACTS}/"))
    except InvalidName as error:
        raise Refused(error.what, where=path, hint="name it as in `git relay show`") from None


def _can_go(path: str) -> bool:
    """An artifact, or a note. Of a record or a definition the signature would not hold."""
    *above, _ = path.split("/")
    return above[-1:] == [_ARTIFACTS.rstrip("/")] or not path.strip("0123456789abcdef/")


def _objects(ws: Workspace) -> Iterator[tuple[str, Oid, str, bytes]]:
    """Kind, id, path and content of all blobs and commits that our refs reach."""
    refs = ws.store.refs(names.RELAY, names.NOTES, names.LOCAL)
    unread = (names.PURGED, names.PIPELINES)
    tips = {tip for ref, tip in refs.items() if not ref.startswith(unread)}
    if not tips:
        return
    asked = "".join(f"{tip}\n" for tip in sorted(tips)).encode()
    listed = ws.repo.git(
        "--no-replace-objects", "rev-list", "--objects", "--missing=allow-promisor", "--stdin",
        input=asked,
    ).stdout  # fmt: skip
    lines = [line.partition(" ") for line in listed.decode("utf-8", "surrogateescape").split("\n")]
    paths = {Oid(oid): path for oid, _, path in lines if oid}
    for some in _batches(list(paths)):
        store = BulkStore(ws.store)
        store.fetch(some)
        for oid in some:
            kind, data = store.raw(oid)
            if kind in ("blob", "commit"):
                yield kind, oid, paths[oid], data
        store.close()


def _batches(oids: Sequence[Oid]) -> Iterable[Sequence[Oid]]:
    return (oids[start : start + _AT_ONCE] for start in range(0, len(oids), _AT_ONCE))


def runs_of(places: Iterable[str]) -> set[RunId]:
    """The runs that are named by paths of histories."""
    found = set()
    for word in (part for place in places for part in place.split("/")):
        try:
            found.add(RunId(word))
        except InvalidName:
            continue
    return found
