"""OpenSSH's binary encoding (RFC 4251), its armor, and public keys as it writes them."""

from __future__ import annotations

import binascii
import hashlib
from typing import Self

from relay_git.errors import Corrupt

ED25519 = "ssh-ed25519"
_COLUMNS = 70


def string(data: bytes) -> bytes:
    """A string on the wire: its length in four bytes, then its bytes."""
    return len(data).to_bytes(4, "big") + data


class Reader:
    """Takes an encoded value apart; whatever does not fit raises `Corrupt`, naming `what` it is."""

    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._at = 0
        self._what = what

    def take(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise self.corrupt("cut short")
        self._at += count
        return self._data[self._at - count : self._at]

    def expect(self, value: bytes, name: str) -> None:
        if self.take(len(value)) != value:
            raise self.corrupt(f"not its usual {name}")

    def uint32(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        return self.take(self.uint32())

    def text(self) -> str:
        try:
            return self.string().decode("utf-8")
        except UnicodeDecodeError:
            raise self.corrupt("not UTF-8") from None

    def rest(self) -> bytes:
        return self.take(len(self._data) - self._at)

    def end(self) -> None:
        if self._at != len(self._data):
            raise self.corrupt("followed by bytes that do not belong to it")

    def corrupt(self, problem: str) -> Corrupt:
        return Corrupt(f"the {self._what} is {problem}")


def armor(label: str, data: bytes) -> str:
    """Base64 between BEGIN and END lines, in 70 columns as ssh-keygen breaks it."""
    body = _base64(data)
    lines = [body[at : at + _COLUMNS] for at in range(0, len(body), _COLUMNS)]
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""))


def dearmor(label: str, text: str) -> bytes:
    """What was armored. A second spelling of the same bytes is refused, or it could be changed
    without anybody noticing.
    """
    body = "".join(text.split("\n")[1:-2])
    try:
        data = binascii.a2b_base64(body)
    except ValueError:
        data = b""
    if not data or armor(label, data) != text:
        raise Corrupt(f"not an armored {label}")
    return data


class PublicKey(bytes):
    """A public key of any type: its bytes on the wire."""

    __slots__ = ()

    def __new__(cls, blob: bytes) -> Self:
        key = super().__new__(cls, blob)
        if not (key.kind.isascii() and key.kind.isprintable() and key.kind.split() == [key.kind]):
            raise Corrupt("the public key is of no known type")
        return key

    @classmethod
    def ed25519(cls, raw: bytes) -> Self:
        """From the 32 bytes of the key itself."""
        return cls(string(ED25519.encode()) + string(raw))

    @classmethod
    def parse(cls, line: str, where: str | None = None) -> Self:
        """From `ssh-ed25519 AAAA… comment`, the form of `.pub` files."""
        kind, encoded = [*line.split(None, 2), "", ""][:2]
        try:
            key = cls(binascii.a2b_base64(encoded))
        except (ValueError, Corrupt):
            raise Corrupt("not a public key", where=where) from None
        if key.line != f"{kind} {encoded}":
            raise Corrupt("not a public key", where=where)
        return key

    @property
    def kind(self) -> str:
        """`ssh-ed25519`, `ssh-rsa`, …"""
        return Reader(self, "public key").text()

    @property
    def line(self) -> str:
        """The form of `.pub` files, without a comment."""
        return f"{self.kind} {_base64(self)}"

    @property
    def fingerprint(self) -> str:
        """`SHA256:…` as `ssh-keygen -l` prints it."""
        return "SHA256:" + _base64(hashlib.sha256(self).digest()).rstrip("=")

    def raw_ed25519(self) -> bytes:
        """The 32 bytes of an Ed25519 key. Raises `Corrupt` for a key of another type."""
        reader = Reader(self, "Ed25519 public key")
        reader.expect(string(ED25519.encode()), "type")
        raw = reader.string()
        reader.end()
        if len(raw) != 32:
            raise reader.corrupt("not 32 bytes long")
        return raw


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")
