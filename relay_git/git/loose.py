"""Loose objects, written and read as git itself does it."""

from __future__ import annotations

import errno
import itertools
import os
import zlib
from collections.abc import Callable

from relay_git import files
from relay_git.errors import Corrupt, RelayError
from relay_git.git import codec
from relay_git.names import Oid
from relay_git.record import Record

_LEVEL = 1
_BLOCK = 4096
"""Bytes of the smallest file that file systems make; what fits is stored as it is: to compress it
costs more time than to write it, and saves no space until gc packs it."""
_OVERHEAD = 11
"""Of zlib, around what is not compressed."""
_TRIES = 20
_serial = itertools.count()


class Sharing(Record):
    """`core.sharedRepository`: mode bits to add, or (`exact`) to use instead of the umask's."""

    bits: int = 0
    exact: bool = False

    @classmethod
    def parse(cls, text: str | None) -> Sharing:
        word = (text or "umask").strip().lower()
        if word in ("umask", "false", "no", "off", "0"):
            return cls()
        if word in ("group", "true", "yes", "on", "1"):
            return cls(0o660)
        if word in ("all", "world", "everybody", "2", "3"):
            return cls(0o664)
        try:
            return cls(int(word, 8) & 0o666, exact=True)
        except ValueError:
            raise RelayError(
                f"{text!r} is not a sharing mode", where="git config core.sharedRepository"
            ) from None

    def file(self, mode: int) -> int:
        bits = self.bits if mode & 0o200 else self.bits & ~0o222
        return (mode & ~0o777 if self.exact else mode) | bits

    def directory(self, mode: int) -> int:
        """Who may read may enter, and what is made inside belongs to the same group."""
        shared = self.file(mode)
        return shared | (shared & 0o444) >> 2 | 0o2000


class LooseObjects:
    """The loose part of one object directory. `sharing` is asked for at the first write."""

    def __init__(
        self, directory: str, object_format: str, sharing: Callable[[], Sharing] = Sharing
    ) -> None:
        self._directory = directory
        self._format = object_format
        self._ask_sharing = sharing
        self._sharing: Sharing | None = None

    def path(self, oid: Oid) -> str:
        return f"{self._directory}/{oid[:2]}/{oid[2:]}"

    def write(self, kind: str, data: bytes) -> Oid:
        """An object that exists is not written again, but made young, so that gc spares it."""
        whole = codec.framed(kind, data)
        oid = codec.named(whole, self._format)
        path = self.path(oid)
        if not _freshen(path):
            fits = len(whole) + _OVERHEAD <= _BLOCK
            try:
                self._create(path, _stored(whole) if fits else zlib.compress(whole, _LEVEL))
            except OSError as error:
                raise _unwritable(self._directory, error) from None
        return oid

    def read(self, oid: Oid) -> tuple[str, bytes] | None:
        """Kind and content, verified by its hash; None when there is no such loose object."""
        path = self.path(oid)
        try:
            with open(path, "rb") as file:
                packed = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise RelayError(f"cannot read the object: {error.strerror}", where=path) from None
        kind, data = _unpack(packed, path)
        if codec.object_id(kind, data, self._format) != oid:
            raise Corrupt("the object does not have the content that its name says", where=path)
        return kind, data

    def _create(self, path: str, content: bytes) -> None:
        """Write beside, then rename: no reader ever sees half an object."""
        temporary, descriptor = self._temporary(path.rpartition("/")[0])
        try:
            try:
                _write_all(descriptor, content)
                self._share_file(descriptor)
            finally:
                os.close(descriptor)
            os.rename(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def _temporary(self, directory: str) -> tuple[str, int]:
        """A new file `tmp_obj_…`, a name that gc cleans away; gc may also remove `directory`."""
        for _ in range(_TRIES):
            path = f"{directory}/tmp_obj_{os.getpid():x}_{next(_serial):x}"
            try:
                return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
            except FileNotFoundError:
                self._make_directory(directory)
            except FileExistsError:
                continue
        raise FileNotFoundError(errno.ENOENT, "the directory keeps vanishing", directory)

    def _make_directory(self, directory: str) -> None:
        try:
            os.mkdir(directory)
        except FileExistsError:
            return
        if self.sharing.bits:
            os.chmod(directory, self.sharing.directory(os.stat(directory).st_mode & 0o7777))

    def _share_file(self, descriptor: int) -> None:
        if self.sharing.bits:
            os.fchmod(descriptor, self.sharing.file(os.fstat(descriptor).st_mode & 0o7777))

    @property
    def sharing(self) -> Sharing:
        if self._sharing is None:
            self._sharing = self._ask_sharing()
        return self._sharing


def _freshen(path: str) -> bool:
    """False when it must be written: it is absent, empty after a crash, or not ours to touch."""
    if not os.access(path, os.F_OK):  # most often, and an exception costs as much as the call
        return False
    try:
        if not os.stat(path).st_size:
            return False
        os.utime(path)
    except OSError:
        return False
    return True


def _stored(data: bytes) -> bytes:
    """A zlib stream of one block that is not compressed, for up to 64 KB: what level 0 gives, which
    first sets up 260 KB to compress with."""
    size = len(data).to_bytes(2, "little")
    inverse = (len(data) ^ 0xFFFF).to_bytes(2, "little")
    return b"\x78\x01\x01%b%b%b%b" % (size, inverse, data, zlib.adler32(data).to_bytes(4, "big"))


def _write_all(descriptor: int, data: bytes) -> None:
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])


def _unpack(packed: bytes, path: str) -> tuple[str, bytes]:
    if not packed:
        raise Corrupt("the object is empty, as after a crash", where=path)
    try:
        whole = zlib.decompress(packed)
        head, _, data = whole.partition(b"\0")
        kind, size = head.decode("ascii").split(" ")
        if int(size) != len(data):
            raise ValueError(f"{len(data)} bytes instead of {size}")
    except (zlib.error, ValueError) as error:
        raise Corrupt(f"the object is damaged: {error}", where=path) from None
    return kind, data


def _unwritable(directory: str, error: OSError) -> RelayError:
    return RelayError(
        f"cannot write an object: {error.strerror}",
        where=directory,
        hint=files.remedy(error),
    )
