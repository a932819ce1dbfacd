"""Signatures in OpenSSH's SSHSIG format (PROTOCOL.sshsig), made and checked in process.

`ssh-keygen -Y verify` checks ours, and we check those that it makes. Only Ed25519 is done in
process: a signature by another type of key is checked by ssh-keygen itself.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

from relay_git.errors import BadSignature
from relay_git.record import Record
from relay_git.signing import sshkeygen
from relay_git.signing.wire import ED25519, PublicKey, Reader, armor, dearmor, string

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_LABEL = "SSH SIGNATURE"
_MAGIC = b"SSHSIG"
_VERSION = 1
_HASHES = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}


class Signature(Record):
    """What an armored signature says. `signature` is still encoded: the algorithm, then its bytes.

    `namespace` is the purpose that it was made for: a signature for one counts for no other.
    """

    public_key: PublicKey
    namespace: str
    hash_algorithm: str
    signature: bytes


def sign(seed: bytes, message: bytes, namespace: str) -> str:
    """The armored signature of an Ed25519 key, given by its 32 secret bytes."""
    key, public = _key(seed)
    raw = key.sign(_signed_bytes(message, namespace, "sha512"))
    signature = string(ED25519.encode()) + string(raw)
    return _pack(Signature(public, namespace, "sha512", signature))


def public_half(seed: bytes) -> PublicKey:
    """Of an Ed25519 key, given by its 32 secret bytes."""
    return _key(seed)[1]


def parse(armored: str) -> Signature:
    """The parts of a signature, none of them believed yet. Raises `Corrupt`."""
    reader = Reader(dearmor(_LABEL, armored), "signature")
    reader.expect(_MAGIC, "beginning")
    if reader.uint32() != _VERSION:
        raise reader.corrupt("of another version of the format")
    public_key = PublicKey(reader.string())
    namespace = reader.text()
    if not namespace:
        raise reader.corrupt("without a namespace")
    if reader.string():
        raise reader.corrupt("using a reserved field")
    hash_algorithm = reader.text()
    signature = reader.string()
    reader.end()
    if hash_algorithm not in _HASHES:
        raise reader.corrupt("over an unknown kind of hash")
    return Signature(public_key, namespace, hash_algorithm, signature)


def verify(armored: str, message: bytes, namespace: str) -> PublicKey:
    """The key that signed this message for this purpose.

    Raises `BadSignature`, or `Corrupt` for what is no signature at all. Whether that key is
    anybody's is not asked here.
    """
    found = parse(armored)
    if found.namespace != namespace:
        raise BadSignature(f"signed for {found.namespace!r}, not for {namespace!r}")
    if found.public_key.kind == ED25519:
        _check_ed25519(found, message)
    elif not sshkeygen.is_signed(armored, message, namespace):
        raise _not_over_this(found.public_key)
    return found.public_key


@lru_cache(maxsize=4)
def _key(seed: bytes) -> tuple[Ed25519PrivateKey, PublicKey]:
    """To derive the public half takes as long as to sign."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(seed)
    return key, PublicKey.ed25519(key.public_key().public_bytes_raw())


def _check_ed25519(found: Signature, message: bytes) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    reader = Reader(found.signature, "Ed25519 signature")
    reader.expect(string(ED25519.encode()), "type")
    raw = reader.string()
    reader.end()
    key = Ed25519PublicKey.from_public_bytes(found.public_key.raw_ed25519())
    try:
        key.verify(raw, _signed_bytes(message, found.namespace, found.hash_algorithm))
    except InvalidSignature:
        raise _not_over_this(found.public_key) from None


def _signed_bytes(message: bytes, namespace: str, hash_algorithm: str) -> bytes:
    """What the key really signs: never the message itself, so no other protocol can be fooled."""
    digest = _HASHES[hash_algorithm](message).digest()
    parts = (namespace.encode(), b"", hash_algorithm.encode(), digest)
    return _MAGIC + b"".join(map(string, parts))


def _pack(made: Signature) -> str:
    head = _MAGIC + _VERSION.to_bytes(4, "big")
    parts = (
        made.public_key,
        made.namespace.encode(),
        b"",
        made.hash_algorithm.encode(),
        made.signature,
    )
    return armor(_LABEL, head + b"".join(map(string, parts)))


def _not_over_this(key: PublicKey) -> BadSignature:
    return BadSignature(f"{key.fingerprint} did not sign this content")
