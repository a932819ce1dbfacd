from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from relay_git.errors import BadSignature, Corrupt, RelayError
from relay_git.signing import sshsig
from relay_git.signing.wire import PublicKey, armor, dearmor, string

if TYPE_CHECKING:
    from signing.conftest import Ssh

SEED = hashlib.sha256(b"a key for tests only").digest()
MESSAGE = b'{"step":1}'
NAMESPACE = "relay.step"
LABEL = "SSH SIGNATURE"
ARMORED = sshsig.sign(SEED, MESSAGE, NAMESPACE)
PUBLIC = sshsig.parse(ARMORED).public_key
RAW = sshsig.parse(ARMORED).signature


def forged(
    *,
    magic: bytes = b"SSHSIG",
    version: int = 1,
    key: bytes = PUBLIC,
    namespace: bytes = NAMESPACE.encode(),
    reserved: bytes = b"",
    hash_algorithm: bytes = b"sha512",
    signature: bytes = RAW,
    after: bytes = b"",
) -> str:
    """The true signature with some of its fields replaced."""
    fields = (key, namespace, reserved, hash_algorithm, signature)
    body = b"".join(map(string, fields))
    return armor(LABEL, magic + version.to_bytes(4, "big") + body + after)


def test_forging_nothing_gives_the_signature_itself() -> None:
    assert forged() == ARMORED
    assert sshsig.verify(ARMORED, MESSAGE, NAMESPACE) == PUBLIC


def test_the_same_input_gives_the_same_signature() -> None:
    assert sshsig.sign(SEED, MESSAGE, NAMESPACE) == ARMORED


@pytest.mark.parametrize("message", [b"", b"\n", b"\0\xff" * 5000])
def test_ssh_keygen_accepts_ours(ssh: Ssh, message: bytes) -> None:
    armored = sshsig.sign(SEED, message, NAMESPACE)
    allowed = f'ada@example.com namespaces="relay.step" {PUBLIC.line}\n'
    assert ssh.holds(armored, message)
    assert ssh.verifies(armored, message, allowed, "ada@example.com")
    assert not ssh.holds(armored, message + b"\n")
    assert not ssh.verifies(armored, message, allowed, "bob@example.com")


@pytest.mark.parametrize("hash_algorithm", ["sha512", "sha256"])
@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_we_accept_those_of_ssh_keygen(ssh: Ssh, kind: str, hash_algorithm: str) -> None:
    key = ssh.key(kind)
    armored = ssh.sign(key, MESSAGE, "relay.trust", "-O", f"hashalg={hash_algorithm}")
    assert sshsig.parse(armored).hash_algorithm == hash_algorithm
    assert sshsig.verify(armored, MESSAGE, "relay.trust") == PublicKey.parse(ssh.public(key))
    with pytest.raises(BadSignature, match="did not sign this content"):
        sshsig.verify(armored, MESSAGE + b" ", "relay.trust")
    with pytest.raises(BadSignature, match=r"signed for 'relay.trust', not for 'relay.step'"):
        sshsig.verify(armored, MESSAGE, NAMESPACE)


def test_a_parsed_signature_tells_its_parts() -> None:
    found = sshsig.parse(ARMORED)
    assert (found.namespace, found.hash_algorithm) == (NAMESPACE, "sha512")
    assert found.public_key.fingerprint.startswith("SHA256:")
    assert len(found.signature) == 4 + len("ssh-ed25519") + 4 + 64


@pytest.mark.parametrize(
    ("armored", "why"),
    [
        (forged(magic=b"SSHSIX"), "beginning"),
        (forged(version=0), "another version"),
        (forged(version=2), "another version"),
        (forged(namespace=b""), "without a namespace"),
        (forged(namespace=b"\xff"), "not UTF-8"),
        (forged(namespace=b"relay.step\0"), "signed for"),
        (forged(namespace=b"relay.trust"), "signed for"),
        (forged(reserved=b"\0"), "reserved"),
        (forged(hash_algorithm=b"sha256"), "did not sign"),
        (forged(hash_algorithm=b"sha1"), "unknown kind of hash"),
        (forged(hash_algorithm=b""), "unknown kind of hash"),
        (forged(after=b"\0"), "do not belong"),
        (forged(key=b""), "public key is cut short"),
        (forged(key=PUBLIC + b"\0"), "public key is followed"),
        (forged(key=PUBLIC[:-1]), "public key is cut short"),
        (forged(key=PublicKey.ed25519(b"\1" * 32)), "did not sign"),
        (forged(key=PublicKey.ed25519(b"\1" * 31)), "32 bytes"),
        (forged(signature=b""), "signature is cut short"),
        (forged(signature=RAW + b"\0"), "signature is followed"),
        (forged(signature=RAW[:-1]), "signature is cut short"),
        (forged(signature=string(b"ssh-ed25519") + string(b"")), "did not sign"),
        (forged(signature=string(b"ssh-ed25519") + string(RAW[-64:] + b"\0")), "did not sign"),
        (forged(signature=string(b"ssh-rsa") + string(RAW[-64:])), "type"),
    ],
)
def test_defects_are_refused(armored: str, why: str) -> None:
    with pytest.raises(Corrupt, match=why):
        sshsig.verify(armored, MESSAGE, NAMESPACE)


def test_a_signature_moved_by_the_group_order_is_refused() -> None:
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(RAW[-32:], "little") + order
    moved = string(RAW[-64:-32] + scalar.to_bytes(32, "little"))
    with pytest.raises(BadSignature):
        sshsig.verify(forged(signature=string(b"ssh-ed25519") + moved), MESSAGE, NAMESPACE)


def test_a_key_of_another_type_does_not_borrow_an_ed25519_signature() -> None:
    key = string(b"ssh-rsa") + string(b"\1\0\1") + string(b"\1" * 256)
    with pytest.raises(BadSignature):
        sshsig.verify(forged(key=key), MESSAGE, NAMESPACE)


def changes(text: str, step: int = 1) -> Iterator[str]:
    """Every change of one character: another one in its place, none, or one more.

    With a `step`, of the others every so manieth, which are other ones at the next place.
    """
    for at in range(len(text)):
        for code in range(at % step, 256, step):
            if chr(code) != text[at]:
                yield text[:at] + chr(code) + text[at + 1 :]
        yield text[:at] + text[at + 1 :]
    for at in range(len(text) + 1):
        for extra in "A=\n\r ":
            yield text[:at] + extra + text[at:]


def refused(armored: str, message: bytes) -> bool:
    try:
        sshsig.verify(armored, message, NAMESPACE)
    except Corrupt:
        return True
    return False


def test_every_change_of_the_armored_signature_is_refused(soak: bool) -> None:
    made = changes(ARMORED, step=1 if soak else 7)
    assert [text for text in made if not refused(text, MESSAGE)] == []


def test_every_change_of_the_message_is_refused() -> None:
    messages = [text.encode("latin-1") for text in changes(MESSAGE.decode())]
    assert [message for message in messages if not refused(ARMORED, message)] == []


@pytest.mark.parametrize("kind", ["ecdsa", "rsa"])
def test_changes_are_refused_for_other_keys_too(ssh: Ssh, kind: str) -> None:
    armored = ssh.sign(ssh.key(kind), MESSAGE)
    step = 1 if kind == "ecdsa" else 9
    for at in range(0, len(armored), step):
        other = "B" if armored[at] == "A" else "A"
        assert refused(armored[:at] + other + armored[at + 1 :], MESSAGE), at


def test_a_reserved_field_is_refused_for_other_keys_too(ssh: Ssh) -> None:
    armored = ssh.sign(ssh.key("ecdsa"), MESSAGE)
    data = dearmor(LABEL, armored)
    name = string(NAMESPACE.encode())
    widened = armor(LABEL, data.replace(name + string(b""), name + string(b"more")))
    assert widened != armored
    assert refused(widened, MESSAGE)


def test_without_ssh_keygen_other_keys_are_not_judged(
    ssh: Ssh, without_program: Callable[[], None]
) -> None:
    armored = ssh.sign(ssh.key("ecdsa"), MESSAGE)
    without_program()
    with pytest.raises(RelayError, match="cannot start ssh-keygen") as caught:
        sshsig.verify(armored, MESSAGE, NAMESPACE)
    assert not isinstance(caught.value, Corrupt)


def test_no_signature_survives_in_its_message_alone() -> None:
    """What is signed is not the message: a raw signature over it must not count."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    raw = Ed25519PrivateKey.from_private_bytes(SEED).sign(MESSAGE)
    assert refused(forged(signature=string(b"ssh-ed25519") + string(raw)), MESSAGE)
