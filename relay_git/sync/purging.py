"""Apply what is banned: no ref of ours reaches a banned blob, nor what we merge of a remote.

The list counts before any ref is rewritten, so what a crash leaves undone the next command finds.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping

from relay_git import canonical, files, names
from relay_git.chain.purged import Banned, ban, banned
from relay_git.chain.rewriting import Rewriter, reaching
from relay_git.errors import Refused, RelayError
from relay_git.git.merging import MERGER
from relay_git.git.notes import Change, notes_move, united
from relay_git.git.refs import retrying
from relay_git.git.store import Ident, Move
from relay_git.git.trees import walk
from relay_git.names import Oid, RefName
from relay_git.sync.remotes import tracked
from relay_git.workspace import Workspace

_FORMAT = 1


def purge(ws: Workspace, objects: Banned) -> dict[RefName, Oid]:
    """Ban these blobs, then rewrite; where each ref stands that was."""

    def attempt() -> None:
        ws.store.move(ban(ws.store, objects, ws.signer, ws.idents()[1]))

    if objects:
        retrying(attempt)
    return cleanse(ws)


def cleanse(ws: Workspace) -> dict[RefName, Oid]:
    """Rewrite every ref of ours that reaches something banned; where each stands then.

    Raises `Refused` in a shallow clone that has such a ref: git could not hold what is rewritten.
    """
    tip = ws.store.ref(names.PURGED)
    return retrying(lambda: _cleanse(ws, tip, banned(ws.store, tip))) if tip else {}


class Theirs:
    """What a remote has, seen without what is banned here. None of its refs is moved."""

    def __init__(self, ws: Workspace, refs: Mapping[RefName, Oid]) -> None:
        bans = banned(ws.store, ws.store.ref(names.PURGED))
        hit = set(reaching(ws.repo, refs.values(), bans, _clean(ws)) if bans else ())
        self.reaching = [ref for ref, tip in refs.items() if tip in hit]
        self._rewriter = _rewriter(ws, bans, hit)

    def rewritten(self, tip: Oid) -> Oid:
        """Raises `RelayError` for what cannot be read."""
        return self._rewriter.rewrite(tip)


def _cleanse(ws: Workspace, tip: Oid, bans: Banned) -> dict[RefName, Oid]:
    refs = ws.store.refs(names.RELAY, names.NOTES, names.LOCAL)
    ours = {ref: oid for ref, oid in refs.items() if not names.is_tracking(ref)}
    hit = set(reaching(ws.repo, ours.values(), bans, _clean(ws)))
    rewriter = _rewriter(ws, bans, hit)
    new = {ref: rewriter.rewrite(oid) for ref, oid in ours.items() if oid in hit}
    moves = {ref: Move(ref, ours[ref], oid) for ref, oid in new.items() if oid != ours[ref]}
    moves |= {move.ref: move for move in _notes_moves(ws, ours, new, rewriter.commits)}
    moves |= {move.ref: move for move in _strays(ws, refs, bans)}
    # notes first: with a history that is rewritten, what its steps were called is forgotten
    ordered = sorted(moves.values(), key=lambda move: not move.ref.startswith(names.NOTES))
    if ordered:
        ws.store.move(*ordered)
        shutil.rmtree(ws.cache_dir, ignore_errors=True)  # what was read may lie in there
    done = {move.ref: move.new for move in ordered if move.new}
    _remember(ws, tip, {**ours, **done}.values())
    return done


def _strays(ws: Workspace, refs: Mapping[RefName, Oid], bans: Banned) -> Iterator[Move]:
    """Forget what remotes had that reaches something banned, where no fetch brings it up to date:
    their remotes are gone, or have another name now."""
    kept = tuple(map(names.tracking_prefix, tracked(ws.config)))
    strays = {r: oid for r, oid in refs.items() if names.is_tracking(r) and not r.startswith(kept)}
    hit = set(reaching(ws.repo, strays.values(), bans))
    yield from (Move(ref, oid, None) for ref, oid in strays.items() if oid in hit)


def _notes_moves(
    ws: Workspace,
    ours: Mapping[RefName, Oid],
    new: Mapping[RefName, Oid],
    commits: Mapping[Oid, Oid],
) -> Iterable[Move]:
    """Let the notes on commits that were rewritten follow them."""
    changed = {str(old): new for old, new in commits.items() if old != new}
    noting = {ref: oid for ref, oid in ours.items() if ref.startswith(names.NOTES) and changed}
    for ref, oid in noting.items():
        tip = new.get(ref, oid)
        changes: dict[Oid, Change] = {}
        for old, blob in _notes(ws, tip):
            if old in changed:
                changes |= {Oid(old): _gone, changed[old]: _joined(ws.store.blob(blob))}
        who = Ident(*MERGER, ws.store.commit(tip).committer.time)
        move = notes_move(ws.store, ref, changes, who, "move the notes of purged steps\n", tip)
        if move:
            yield Move(ref, oid, move.new)


def _notes(ws: Workspace, tip: Oid) -> Iterator[tuple[str, Oid]]:
    """What each note is on, and where it is."""
    for path, entry in walk(ws.store, ws.store.commit(tip).tree):
        yield path.replace("/", ""), entry.oid


def _gone(_: bytes | None) -> None:
    return None


def _joined(note: bytes) -> Change:
    return lambda there: united([there, note]) if there else note


def _rewriter(ws: Workspace, bans: Banned, hit: Iterable[Oid]) -> Rewriter:
    if any(hit) and ws.repo.is_shallow:
        what = "what was purged cannot be taken out of a shallow clone"
        raise Refused(what, where=names.PURGED, hint="run `git fetch --unshallow` first")
    return Rewriter(ws.store, frozenset(bans))


# What was looked at already


def _clean(ws: Workspace) -> list[Oid]:
    """Tips that reach nothing that is banned now, of those that are still there."""
    try:
        record = canonical.loads(files.read_optional(_path(ws)) or b"", _path(ws))
        if record.get("v") != _FORMAT or record.get("list") != ws.store.ref(names.PURGED):
            return []
        known = [Oid(oid) for oid in record["clean"]]
    except (RelayError, KeyError, TypeError):
        return []
    standing = set(ws.store.refs(names.RELAY, names.NOTES, names.LOCAL).values())
    return [oid for oid in known if oid in standing]


def _remember(ws: Workspace, tip: Oid, clean: Iterable[Oid]) -> None:
    """A cache: without it the next look takes longer."""
    record = {"v": _FORMAT, "list": tip, "clean": sorted(set(clean))}
    try:
        os.makedirs(ws.cache_dir, exist_ok=True)
        files.write_atomic(_path(ws), canonical.dumps(record))
    except (OSError, RelayError):
        return


def _path(ws: Workspace) -> str:
    return os.path.join(ws.cache_dir, "purged-clean")
