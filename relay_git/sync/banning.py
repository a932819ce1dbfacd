"""How the lists of what was purged travel, and whose lists count here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from relay_git import names
from relay_git.chain.purged import Banned, Listing, listings, merge_purged, read_listing
from relay_git.chain.rewriting import reaching
from relay_git.chain.signers import KnownSigners
from relay_git.errors import RelayError
from relay_git.git.bulk import BulkStore
from relay_git.git.wary import WaryStore
from relay_git.names import Oid, RefName
from relay_git.sync import graph
from relay_git.sync.rules import Incoming, Rule
from relay_git.workspace import Workspace

_AT_ONCE = 1000
"""Steps that are held in memory together."""

_VOUCH = "if it may purge, say so in `.relay/allowed_signers` or by `git relay keys accept`"


class PurgedRule(Rule):
    """What was purged. It goes before all others, as they are taken in without it."""

    prefix = names.PURGED
    together = True
    monthly = False

    def misnamed(self, ref: RefName) -> str | None:
        return None if ref == names.PURGED else "not the name of the list of what was purged"

    def problems(
        self, ws: Workspace, incoming: Sequence[Incoming]
    ) -> Mapping[RefName, Sequence[str]]:
        found = {item.ref: _problems(ws, item) for item in incoming}
        return {ref: problems for ref, problems in found.items() if problems}

    def merge(self, ws: Workspace, ref: RefName, ours: Oid, theirs: Oid) -> Oid:
        return merge_purged(ws.store, ours, theirs)

    def lacking(self, ws: Workspace, ref: RefName, before: Oid, after: Oid) -> str | None:
        old, new = (dict(listings(ws.store, tip)) for tip in (before, after))
        gone = sorted(old.keys() - new.keys())
        return f"the list {gone[0][:12]} is not there any more" if gone else None


def _problems(ws: Workspace, item: Incoming) -> list[str]:
    try:
        return list(_wrong(ws, item))
    except RelayError as error:
        return [error.what]


def _wrong(ws: Workspace, item: Incoming) -> Iterator[str]:
    """What is wrong with the lists that we do not have. One by somebody unknown harms nobody where
    nothing is that it bans, but where a file says who may sign."""
    signers = KnownSigners(ws)
    known = dict(listings(ws.store, item.known))
    for name, data in _readable(ws, item.tip):
        if name in known:
            continue
        try:
            listing, signed, signature = read_listing(name, data)
            key = signers.verify(signature, signed, names.PURGE_NAMESPACE)
        except RelayError as error:
            yield error.what
            continue
        if key != listing.key:
            yield "signed with another key than it names"
        elif not _may_purge(ws, signers, listing):
            yield f"a list of purged objects signed by nobody known ({key}); {_VOUCH}"


def _readable(ws: Workspace, tip: Oid) -> Iterator[tuple[str, bytes]]:
    """The lists of a remote, plain files of a size that can be read. Raises `Corrupt`."""
    with closing(WaryStore(ws.store, ws.max_artifact)) as store:
        store.fetch(entry.oid for entry in store.tree(store.commit(tip).tree))
        yield from listings(store, tip)


def _may_purge(ws: Workspace, signers: KnownSigners, listing: Listing) -> bool:
    """Purging destroys: without a signers file, only who has signed something here may do it."""
    if signers.strict:
        return signers.is_allowed(listing.key, names.PURGE_NAMESPACE, listing.at)
    if signers.knows(listing.key) or not _is_in_use(ws, listing.objects):
        return True
    return _has_signed(ws, listing.key)


def _is_in_use(ws: Workspace, objects: Banned) -> bool:
    """Whether a run or the branch here has one of them; that one lies about by itself is nothing,
    as where a clone was made by copying all that its server had."""
    if set(graph.kinds(ws.repo, objects).values()) <= {"missing"}:
        return False
    refs = ws.store.refs(names.RELAY, names.NOTES, names.LOCAL)
    tips = {oid for ref, oid in refs.items() if not names.is_tracking(ref)}
    return bool(reaching(ws.repo, tips | ({ws.repo.head} if ws.repo.head else set()), objects))


def _has_signed(ws: Workspace, key: str) -> bool:
    """Whether a step that we have is signed with that key; all were judged before."""
    tips = ws.store.refs(names.RUNS, names.HISTORY).values()
    commits = graph.ancestry(ws.repo, tips)
    batches = (commits[start : start + _AT_ONCE] for start in range(0, len(commits), _AT_ONCE))
    return any(key in _keys(ws, some) for some in batches)


def _keys(ws: Workspace, commits: Sequence[Oid]) -> set[str]:
    with closing(BulkStore(ws.store)) as store:
        store.fetch(commits)
        trees = store.fetch(store.commit(oid).tree for oid in commits)
        records = [e.oid for tree in trees for e in store.tree(tree) if e.name == names.STEP_RECORD]
        return {json.loads(store.blob(oid)).get("key", "") for oid in store.fetch(records)}
