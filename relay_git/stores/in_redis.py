"""Steps in Redis: one hash of objects and one of refs, moved by one script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from relay_git import canonical
from relay_git.errors import Conflict, MissingExtra, Refused
from relay_git.git.keyed import KeyedStore
from relay_git.git.store import Move
from relay_git.names import Oid, RefName
from relay_git.stores.server import Server

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ImportError as error:
    raise MissingExtra("redis", "redis") from error

_FORMAT = 1
_VERSION = b"format"
"""A field beside the refs, whose names all begin otherwise."""
_READ = "return string.sub(redis.call('HGET', KEYS[1], ARGV[1]) or '', 1, tonumber(ARGV[2]))"

_WRITE = """
local version = redis.call('HGET', KEYS[2], 'format')
if version and tonumber(version) > tonumber(ARGV[1]) then return {'format', version} end
local last = 3 + 3 * tonumber(ARGV[3])
for at = 4, last, 3 do
  local found = redis.call('HGET', KEYS[2], ARGV[at]) or ''
  if found ~= ARGV[at + 1] then return {ARGV[at], found} end
end
for at = last + 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
for at = 4, last, 3 do
  if ARGV[at + 2] == '' then redis.call('HDEL', KEYS[2], ARGV[at])
  else redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 2]) end
end
redis.call('HSET', KEYS[2], 'format', ARGV[1])
local ttl = tonumber(ARGV[2])
if ttl > 0 then
  redis.call('EXPIRE', KEYS[1], ttl + 60)
  redis.call('EXPIRE', KEYS[2], ttl)
end
return false
"""
"""KEYS: objects, refs. ARGV: format, ttl (0: for ever), how many moves; for each move the ref, what
it must be and what it becomes ('' for none); then ids and objects. Returns the first ref that is
otherwise with its value, and then nothing was written. Objects outlive the refs that name them."""


class RedisStore(KeyedStore):
    """Both keys begin with `{prefix}`, so that a cluster keeps them together."""

    on_server = True

    def __init__(self, url: str, prefix: str, ttl: int | None, timeout: float) -> None:
        super().__init__()
        self._server = _server(url)
        if ttl is not None and ttl < 1:
            raise Refused(f"nothing lives for {ttl} seconds", where=self._server.name)
        self._ttl = ttl or 0
        self._keys = f"{{{prefix}}}:objects", f"{{{prefix}}}:refs"
        try:
            self._client = redis.Redis.from_url(
                url,
                socket_timeout=timeout,
                socket_connect_timeout=timeout,
                retry=Retry(NoBackoff(), 0),
            )
        except ValueError:
            raise Refused("not the URL of a Redis", where=self._server.name) from None
        if self._client.get_connection_kwargs().get("decode_responses"):
            raise Refused("objects are no text to be decoded", where=self._server.name)
        self._reading = self._client.register_script(_READ)
        self._writing = self._client.register_script(_WRITE)

    @property
    def where(self) -> str:
        return self._server.name

    def ref(self, name: RefName) -> Oid | None:
        with self._asked():
            version, value = self._client.hmget(self._keys[1], [_VERSION, name])
        self._check(version)
        return None if value is None else self._server.tip(name, value)

    def close(self) -> None:
        self._client.close()

    def _read(self, oid: Oid, most: int) -> bytes | None:
        with self._asked():
            raw = self._reading(keys=self._keys[:1], args=[oid, most])
        return bytes(raw) or None

    def _refs(self, prefixes: Sequence[str]) -> Mapping[RefName, Oid]:
        with self._asked():
            found = self._client.hgetall(self._keys[1])
        self._check(found.pop(_VERSION, None))
        refs = {self._server.ref_name(name): value for name, value in found.items()}
        below = [name for name in refs if name.startswith(tuple(prefixes))]
        return {name: self._server.tip(name, refs[name]) for name in below}

    def _write(self, objects: Mapping[Oid, bytes], moves: Sequence[Move]) -> None:
        triples = [part for m in moves for part in (m.ref, m.old or "", m.new or "")]
        pairs = [part for pair in objects.items() for part in pair]
        with self._asked():
            args = [_FORMAT, self._ttl, len(moves), *triples, *pairs]
            found = self._writing(keys=self._keys, args=args)
        if found and found[0] == _VERSION:
            self._check(found[1])
        if found:
            move = next(move for move in moves if move.ref.encode() == found[0])
            raise Conflict(move.ref, move.old, found[1].decode("ascii", "replace") or None)

    def _check(self, version: bytes | str | None) -> None:
        number = int(version) if version and version.isdigit() else 0
        canonical.refuse_newer(number, _FORMAT, "store", self._server.name)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        try:
            yield
        except redis.RedisError as error:
            raise self._server.failed(error) from error


def _server(url: str) -> Server:
    try:
        parts = urlsplit(url)
        password, place = parts.password, parts.netloc.rpartition("@")[2]
        asked = parse_qs(parts.query).get("password", [])
    except ValueError:
        return Server("redis")
    return Server(f"{parts.scheme}://{place}{parts.path}", tuple(filter(None, [password, *asked])))
