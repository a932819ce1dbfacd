"""The clone's own keys, in the form that ssh-keygen itself reads.

`<common git dir>/relay/keys/` holds, for each key, `SHA256-…` (private, mode 0600) and
`SHA256-….pub`, and `current`: a line for each key that was ever in use, the last one the
key in use now. Old keys stay: what they signed must remain verifiable.
"""

from __future__ import annotations

import os
import stat

from relay_git import clock, files
from relay_git.errors import Corrupt, Refused, RelayError
from relay_git.record import Record
from relay_git.signing.wire import ED25519, PublicKey, Reader, armor, dearmor, string

_LABEL = "OPENSSH PRIVATE KEY"
_MAGIC = b"openssh-key-v1\0"
_BLOCK = 8
_INSTEAD = "name a key of your own in git config relay.signingKey"


class Key(Record):
    """An Ed25519 key and the file that holds it. `seed` is its 32 secret bytes."""

    path: str
    public: PublicKey
    comment: str
    seed: bytes

    def __repr__(self) -> str:
        return f"Key({self.public.fingerprint}, {self.path!r})"


class KeyInfo(Record):
    """What may be shown of a key. `public` is its line in a `.pub` file, times are ISO 8601."""

    fingerprint: str
    comment: str
    public: str
    current: bool
    created: str
    retired: str | None


class KeyStore:
    """The keys of one clone, shared by its worktrees."""

    def __init__(self, common_dir: str) -> None:
        self._folder = os.path.join(common_dir, "relay", "keys")
        self._current = os.path.join(self._folder, "current")

    def ensure(self, comment: str) -> Key:
        """The key in use; made when there is none. Of several at once, one makes it for all."""
        key = self.current()
        if key:
            return key
        made = self._generate(comment)
        if self._claim(made):
            return made
        for path in (made.path, made.path + ".pub"):
            os.unlink(path)
        return self.ensure(comment)

    def current(self) -> Key | None:
        """The key in use. Raises `Corrupt` or `Refused` naming the file that is at fault."""
        known = self.all()
        return _load(self._path(known[-1].fingerprint)) if known else None

    def rotate(self, comment: str) -> Key:
        """A new key for all later signatures. Of several at once, each is listed."""
        self.all()
        made = self._generate(comment)
        with files.exclusive(self._folder):
            if not self._claim(made):
                record = self._record() + _entry(made)
                files.write_atomic(self._current, record, 0o600, sync=True)
        return made

    def all(self) -> list[KeyInfo]:
        """Every key that was ever in use, oldest first."""
        lines = self._record().decode("utf-8", "replace").splitlines()
        since = [line.partition(" ")[0] for line in lines] + [""]
        return [
            self._info(line, number, since[number] or None)
            for number, line in enumerate(lines, start=1)
        ]

    def owns(self, fingerprint: str) -> bool:
        """Whether it is a key of this clone, in use or retired."""
        return os.path.exists(self._path(fingerprint) + ".pub")

    def _path(self, fingerprint: str) -> str:
        return os.path.join(self._folder, _file_name(fingerprint))

    def _record(self) -> bytes:
        try:
            data = files.read_optional(self._current)
        except RelayError as error:
            raise Refused(error.what, where=error.where, hint=_INSTEAD) from None
        if data == b"":
            raise Corrupt("names no key", where=self._current, hint="remove this file")
        return data or b""

    def _info(self, line: str, number: int, retired: str | None) -> KeyInfo:
        created, _, public = line.partition(" ")
        key = self._public(public, number)
        comment = public[len(key.line) + 1 :]
        return KeyInfo(key.fingerprint, comment, public, retired is None, created, retired)

    def _public(self, text: str, number: int) -> PublicKey:
        where = f"{self._current}:{number}"
        try:
            return PublicKey.parse(text, where)
        except RelayError as error:
            hint = "remove that line, or the file if there is no other"
            raise Corrupt(error.what, where=where, hint=hint) from None

    def _generate(self, comment: str) -> Key:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        secret = Ed25519PrivateKey.generate()
        public = PublicKey.ed25519(secret.public_key().public_bytes_raw())
        words = " ".join(comment.encode("utf-8", "replace").decode().split())
        key = Key(self._path(public.fingerprint), public, words, secret.private_bytes_raw())
        self._make_folder()
        files.write_atomic(key.path + ".pub", _public_line(key).encode(), sync=True)
        files.write_atomic(key.path, _encode(key).encode("ascii"), 0o600, sync=True)
        return key

    def _make_folder(self) -> None:
        try:
            os.makedirs(self._folder, exist_ok=True)
            os.chmod(self._folder, 0o700)
        except OSError as error:
            what = f"cannot keep keys here: {error.strerror}"
            hint = files.remedy(error) or _INSTEAD
            raise RelayError(what, where=self._folder, hint=hint) from None

    def _claim(self, key: Key) -> bool:
        """Make it the first key in use; False when there is one already."""
        beside = f"{key.path}.first"
        files.write_atomic(beside, _entry(key), 0o600, sync=True)
        try:
            os.link(beside, self._current)
        except FileExistsError:
            return False
        except OSError as error:
            what = f"cannot write it: {error.strerror}"
            raise RelayError(what, where=self._current, hint=files.remedy(error)) from None
        finally:
            os.unlink(beside)
        files.sync_directory(self._folder)
        return True


def _file_name(fingerprint: str) -> str:
    return fingerprint.replace(":", "-").replace("/", "_")


def _public_line(key: Key) -> str:
    return f"{key.public.line} {key.comment}".rstrip() + "\n"


def _entry(key: Key) -> bytes:
    return f"{clock.isoformat(clock.now())} {_public_line(key)}".encode()


def _load(path: str) -> Key:
    text = _read_private(path)
    try:
        key = _decode(text, path)
        if os.path.basename(path) != _file_name(key.public.fingerprint):
            raise Corrupt("this file holds another key than it is named for")
    except Corrupt as error:
        hint = "`git relay keys rotate` makes a new one"
        raise Corrupt(error.what, where=path, hint=hint) from None
    return key


def _read_private(path: str) -> str:
    try:
        with open(path, encoding="ascii", newline="") as file:
            _check_mode(os.fstat(file.fileno()).st_mode, path)
            return file.read()
    except FileNotFoundError:
        raise Corrupt(
            "the key in use is gone", where=path, hint="`git relay keys rotate` makes a new one"
        ) from None
    except UnicodeDecodeError:
        raise Corrupt("not a private key", where=path) from None
    except OSError as error:
        raise RelayError(f"cannot read it: {error.strerror}", where=path, hint=_INSTEAD) from None


def _check_mode(mode: int, path: str) -> None:
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        from shlex import quote

        raise Refused(
            "others can read this private key",
            where=path,
            hint=f"run `chmod 600 {quote(path)}`, or {_INSTEAD}",
        )


def _encode(key: Key) -> str:
    """The key unencrypted in OpenSSH's private key format (PROTOCOL.key)."""
    public = key.public.raw_ed25519()
    twice = os.urandom(4) * 2
    fields = (ED25519.encode(), public, key.seed + public, key.comment.encode())
    secret = twice + b"".join(map(string, fields))
    secret += bytes(range(1, 1 + -len(secret) % _BLOCK))
    clear = string(b"none") * 2 + string(b"") + (1).to_bytes(4, "big")
    return armor(_LABEL, _MAGIC + clear + string(key.public) + string(secret))


def _decode(text: str, path: str) -> Key:
    reader = Reader(dearmor(_LABEL, text), "private key")
    reader.expect(_MAGIC, "beginning")
    if reader.string() != b"none":
        raise Refused("this key has a passphrase", where=path, hint=_INSTEAD)
    reader.expect(string(b"none") + string(b"") + (1).to_bytes(4, "big"), "number of keys")
    public = PublicKey(reader.string())
    secret = Reader(reader.string(), "private key")
    reader.end()
    return _decode_secret(secret, public, path)


def _decode_secret(reader: Reader, public: PublicKey, path: str) -> Key:
    raw = public.raw_ed25519()
    if reader.take(4) != reader.take(4):
        raise reader.corrupt("damaged")
    reader.expect(string(ED25519.encode()) + string(raw), "public half")
    pair = reader.string()
    comment = reader.text()
    padding = reader.rest()
    if len(pair) != 64 or pair[32:] != raw or padding != bytes(range(1, _BLOCK))[: len(padding)]:
        raise reader.corrupt("damaged")
    return Key(path, public, comment, pair[:32])
