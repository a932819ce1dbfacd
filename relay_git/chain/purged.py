"""What was purged: signed lists of banned objects, and the marker that stands in a file's place.

`refs/relay/purged` is a grow-only set: each list is a file named by the sha256 of its content, so
merging is a union. A list has the object id of each banned blob and the sha256 of what it held, by
which the signed record of a step still names it: so `verify` knows a file that was taken out from
one that was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from relay_git import canonical, clock
from relay_git.chain.envelope import sha256
from relay_git.errors import Corrupt, InvalidName
from relay_git.git.merging import merge_commit
from relay_git.git.store import BLOB, Commit, Ident, Move, Store, TreeEntry
from relay_git.names import PURGE_NAMESPACE, PURGED, Oid
from relay_git.record import Record

FORMAT = 1

_MARKER = re.compile(rb"git-relay purged the object ([0-9a-f]{40,64})\n")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MERGED = "merge two sets of purged objects\n"

Banned = Mapping[Oid, str]
"""The sha256 of what each banned blob held, by its object id."""


class Signer(Protocol):
    """Whoever can sign for this clone."""

    @property
    def fingerprint(self) -> str: ...

    def sign(self, message: bytes, namespace: str) -> str: ...


class Listing(Record):
    """One signed list: what it bans, when, and by whose key."""

    objects: Banned
    at: int
    key: str


def marker(oid: Oid) -> bytes:
    """What stands in the place of a banned blob, the same in every clone."""
    return f"git-relay purged the object {oid}\n".encode()


def is_purged(data: bytes, digest: str, banned: Banned) -> bool:
    """Whether this is the marker of a banned blob whose content had that digest."""
    found = _MARKER.fullmatch(data)
    return found is not None and banned.get(Oid(found[1].decode())) == digest


def banned(store: Store, tip: Oid | None) -> dict[Oid, str]:
    """All that the lists of that tip ban. They were judged before they became ours."""
    found: dict[Oid, str] = {}
    for _, data in listings(store, tip):
        found |= _parse(data)[0]
    return found


def listings(store: Store, tip: Oid | None) -> Iterator[tuple[str, bytes]]:
    """Name and content of each list."""
    for entry in store.tree(store.commit(tip).tree) if tip else ():
        yield entry.name, store.blob(entry.oid)


def ban(store: Store, objects: Banned, signer: Signer, who: Ident) -> Move:
    """Write one more list; the ref move that makes it count."""
    record = {
        "v": FORMAT,
        "kind": "purged",
        "objects": dict(objects),
        "at": clock.isoformat(who.time),
        "key": signer.fingerprint,
    }
    signature = signer.sign(canonical.dumps(record), PURGE_NAMESPACE)
    data = canonical.dumps({**record, "signature": signature})
    before = store.ref(PURGED)
    kept = store.tree(store.commit(before).tree) if before else ()
    entry = TreeEntry(BLOB, sha256(data), store.put_blob(data))
    tree = store.put_tree([*(e for e in kept if e.name != entry.name), entry])
    parents = (before,) if before else ()
    return Move(PURGED, before, store.put_commit(Commit(tree, parents, who, who, "purge\n")))


def merge_purged(store: Store, ours: Oid, theirs: Oid) -> Oid:
    """The union of two sets. Files that differ have different names."""
    entries = {e.name: e for tip in (ours, theirs) for e in store.tree(store.commit(tip).tree)}
    return merge_commit(store, store.put_tree(entries.values()), ours, theirs, _MERGED)


def read_listing(name: str, data: bytes) -> tuple[Listing, bytes, str]:
    """A list, what of it was signed and the armored signature, none of it believed yet.

    Raises `Corrupt`, and `NewerFormat`.
    """
    if sha256(data) != name:
        raise Corrupt("not named by its content", where=name)
    objects, record = _parse(data, name)
    signature = record.pop("signature", None)
    try:
        at, key = clock.parse_iso(record["at"]), canonical.text(record["key"])
        signed = canonical.dumps(record)
        whole = canonical.dumps({**record, "signature": canonical.text(signature)})
    except (KeyError, TypeError, ValueError):
        raise Corrupt("not a signed list of purged objects", where=name) from None
    if whole != data:
        raise Corrupt("not canonical JSON", where=name)
    return Listing(objects, at, key), signed, canonical.text(signature)


def _parse(data: bytes, where: str = PURGED) -> tuple[dict[Oid, str], dict[str, Any]]:
    record = canonical.loads(data, where)
    canonical.refuse_newer(record.get("v"), FORMAT, "purge", where)
    try:
        objects = {Oid(oid): _digest(digest) for oid, digest in record["objects"].items()}
    except (KeyError, TypeError, AttributeError, InvalidName):
        raise Corrupt("not a list of purged objects", where=where) from None
    if record.get("kind") != "purged":
        raise Corrupt("not a list of purged objects", where=where)
    return objects, record


def _digest(value: object) -> str:
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise TypeError(f"{value!r} is not a sha256")
    return value
