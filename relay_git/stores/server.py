"""What every store on a server has: a name without its password, and doubts about what it says."""

from __future__ import annotations

from relay_git import names
from relay_git.errors import Corrupt, InvalidName, RelayError
from relay_git.names import Oid, RefName
from relay_git.record import Record


class Server(Record):
    """`name` is shown to people; `secrets` are never."""

    name: str
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Server({self.name!r})"

    def failed(self, error: Exception) -> RelayError:
        """What the client of that server says, on one line."""
        words = " ".join(str(error).split()) or type(error).__name__
        for secret in filter(None, self.secrets):
            words = words.replace(secret, "…")
        return RelayError(words, where=self.name)

    def tip(self, ref: str, value: object) -> Oid:
        """The object that a ref names. Raises `Corrupt`."""
        try:
            return Oid(_text(value))
        except (InvalidName, TypeError):
            raise Corrupt(f"{names.spelled(ref)} names no object", where=self.name) from None

    def ref_name(self, value: object) -> RefName:
        try:
            return RefName(_text(value))
        except (InvalidName, TypeError):
            raise Corrupt("something there is no ref", where=self.name) from None


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise TypeError(value)
    return value
