"""Where a service is that is asked over the network, and what would give away the key for it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit, urlunsplit

from relay_git.errors import BackendError
from relay_git.record import Record

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class Address(Record):
    """A service's URL as its client takes it, without the query. It `is_open` to whoever is on the
    way there."""

    url: str
    query: dict[str, str]
    is_local: bool
    is_open: bool


def address(base: str, where: str | None = None) -> Address:
    """`where` is who names it. Raises `BackendError`."""
    hint = "write it as https://host/v1"
    try:
        url = urlsplit(base)
        usable = url.scheme in ("http", "https") and url.hostname and (url.port or 1)
    except ValueError:
        usable = False
    if not usable or not base.isascii() or not base.isprintable() or " " in base:
        raise BackendError("not the URL of a service", where=where, hint=hint)
    if "@" in url.netloc:
        raise BackendError("a URL with a name or password in it", where=where, hint=hint)
    bare = urlunsplit(url._replace(query="", fragment=""))
    is_local = url.hostname in _LOCAL
    is_open = url.scheme == "http" and not is_local
    return Address(bare, dict(parse_qsl(url.query)), is_local, is_open)


def checked_key(key: str, where: str) -> str:
    """What is wrong with it is said without saying it. Raises `BackendError`."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BackendError("not a key", where=where)
    return key
