"""How the lists of what was purged travel, and whose lists count here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from relay_git import names
from relay_git.chain import history
from relay_git.chain.purged import listings, merge_purged, read_listing
from relay_git.chain.signers import KnownSigners
from relay_git.errors import RelayError
from relay_git.git.bulk import BulkStore
from relay_git.names import Oid, RefName
from relay_git.sync import graph
from relay_git.sync.rules import Incoming, Rule
from relay_git.workspace import Workspace

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
        found = {item.ref: list(_wrong(ws, item)) for item in incoming}
        return {ref: problems for ref, problems in found.items() if problems}

    def merge(self, ws: Workspace, ref: RefName, ours: Oid, theirs: Oid) -> Oid:
        return merge_purged(ws.store, ours, theirs)


def _wrong(ws: Workspace, item: Incoming) -> Iterator[str]:
    """What is wrong with the lists that we do not have. One by somebody unknown harms nobody where
    nothing is that it bans."""
    signers = KnownSigners(ws)
    known = dict(listings(ws.store, item.known))
    for name, data in listings(ws.store, item.tip):
        if name in known:
            continue
        try:
            listing, signed, signature = read_listing(name, data)
            key = signers.verify(signature, signed, names.PURGE_NAMESPACE)
        except RelayError as error:
            yield error.what
            continue
        here = set(graph.kinds(ws.repo, listing.objects).values()) - {"missing"}
        if key != listing.key:
            yield "signed with another key than it names"
        elif here and not _may_purge(ws, signers, key, listing.at):
            yield f"a list of purged objects signed by nobody known ({key}); {_VOUCH}"


def _may_purge(ws: Workspace, signers: KnownSigners, key: str, at: int) -> bool:
    """Purging destroys: without a signers file, only who has signed something here may do it."""
    if signers.strict:
        return signers.is_allowed(key, names.PURGE_NAMESPACE, at)
    return signers.knows(key) or key in _keys_here(ws)


def _keys_here(ws: Workspace) -> set[str]:
    """The keys that signed the last step of each run that we have; all were judged before."""
    with closing(BulkStore(ws.store)) as store:
        trees = [store.commit(tip).tree for tip in ws.store.refs(names.RUNS).values()]
        for month in history.months(store).values():
            trees += [entry.oid for _, entry in history.entries(store, month) if entry.is_tree]
        store.fetch(trees)
        records = [e.oid for tree in trees for e in store.tree(tree) if e.name == names.STEP_RECORD]
        store.fetch(records)
        return {json.loads(store.blob(record)).get("key", "") for record in records}
