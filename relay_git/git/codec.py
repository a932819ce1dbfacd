"""Trees and commits as bytes and as values, and the hash that names them. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from relay_git.errors import Corrupt, InvalidName
from relay_git.git.store import Commit, Ident, TreeEntry
from relay_git.names import Oid

_HASHES = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}
_WIDTHS = {"sha1": 20, "sha256": 32}
_REFUSED = (".", "..", ".git")
_UNWANTED = str.maketrans("", "", "<>\n\0")


def framed(kind: str, data: bytes) -> bytes:
    """What git hashes and stores: the content behind a header such as `blob 5\\0`."""
    return b"%b %d\0%b" % (kind.encode(), len(data), data)


def named(whole: bytes, object_format: str) -> Oid:
    """The id of what is framed; `object_format` is git's name of the hash, `sha1` or `sha256`."""
    return Oid(_HASHES[object_format](whole, usedforsecurity=False).hexdigest())


def object_id(kind: str, data: bytes, object_format: str) -> Oid:
    return named(framed(kind, data), object_format)


def encode_tree(entries: Iterable[TreeEntry]) -> bytes:
    """In git's order: as if every tree's name ended with a slash."""
    named = [(_raw(entry.name), entry) for entry in entries]
    if len(dict(named)) != len(named):
        raise InvalidName("a tree cannot hold one name twice")
    ordered = sorted(named, key=lambda item: item[0] + b"/" * item[1].is_tree)
    return b"".join(_encode_entry(name, entry) for name, entry in ordered)


def _encode_entry(name: bytes, entry: TreeEntry) -> bytes:
    if entry.name.lower() in _REFUSED:
        raise InvalidName(f"{entry.name!r} cannot be a tree entry")
    return b"%s %s\0%s" % (entry.mode.encode(), name, bytes.fromhex(entry.oid))


def decode_tree(data: bytes, object_format: str) -> tuple[TreeEntry, ...]:
    """Raises ValueError when the bytes are no tree."""
    width = _WIDTHS[object_format]
    entries = []
    position = 0
    while position < len(data):
        space = data.index(b" ", position)
        end = data.index(b"\0", space)
        mode = data[position:space].lstrip(b"0").decode("ascii")
        position = end + 1 + width
        oid = Oid(data[end + 1 : position].hex())
        entries.append(TreeEntry(mode, _text(data[space + 1 : end]), oid))
    return tuple(entries)


def encode_commit(commit: Commit) -> bytes:
    if "\0" in commit.message:
        raise InvalidName("a commit message cannot hold a NUL")
    lines = [f"tree {commit.tree}"]
    lines += [f"parent {parent}" for parent in commit.parents]
    lines += [f"author {commit.author}", f"committer {commit.committer}", "", commit.message]
    return _raw("\n".join(lines))


def decode_commit(data: bytes) -> Commit:
    """Any commit, also one with headers that we never write: those are skipped.

    Raises ValueError when tree, author or committer are missing.
    """
    head, _, message = data.partition(b"\n\n")
    headers = [line.partition(b" ")[::2] for line in head.split(b"\n")]
    named = dict(headers)  # a header's further lines start with a space, so they have no name
    missing = {b"tree", b"author", b"committer"} - named.keys()
    if missing:
        raise ValueError(f"no {b', '.join(sorted(missing)).decode()} in the commit")
    encoding = _text(named.get(b"encoding", b"utf-8"))
    author = _decode_ident(named[b"author"], encoding)
    alike = named[b"committer"] == named[b"author"]
    return Commit(
        tree=Oid(_text(named[b"tree"])),
        parents=tuple(Oid(_text(value)) for name, value in headers if name == b"parent"),
        author=author,
        committer=author if alike else _decode_ident(named[b"committer"], encoding),
        message=_text(message, encoding),
    )


def _decode_ident(data: bytes, encoding: str) -> Ident:
    """Old and foreign tools wrote strange identities; what can be read of them is."""
    text = _text(data, encoding)
    try:
        return Ident.parse(text)
    except (Corrupt, InvalidName):
        name, _, rest = text.partition("<")
        email, _, date = rest.rpartition(">")
        time, zone = (*date.split(), "", "")[:2]
        seconds = int(time) if time.removeprefix("-").isdigit() else 0
        return Ident(name.translate(_UNWANTED).strip(), email.translate(_UNWANTED), seconds, zone)


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes, encoding: str = "utf-8") -> str:
    """Undecodable bytes survive as surrogate escapes; an unknown encoding is read as Latin-1."""
    if encoding.lower() in ("utf-8", "utf8"):
        return data.decode("utf-8", "surrogateescape")
    try:
        return data.decode(encoding, "replace")
    except LookupError:
        return data.decode("latin-1")
