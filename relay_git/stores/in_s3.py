"""Steps in S3: each object under its id, and the refs of each pipeline in one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from relay_git import canonical, clock, names
from relay_git.errors import Conflict, Corrupt, MissingExtra, Refused, RelayError
from relay_git.git.keyed import KeyedStore, moved
from relay_git.git.store import Move
from relay_git.names import Oid, RefName
from relay_git.record import Record
from relay_git.stores.server import Server

try:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError as error:
    raise MissingExtra("s3", "boto3") from error

_FORMAT = 1
_MAX_DOCUMENT = 1_000_000
_TRIES = 20
_AT_ONCE = 8
_OTHERS = "_"
"""The document of refs that are no pipeline's; no slug is like it."""
_MISSING = "NoSuchKey"
_MOVED = ("PreconditionFailed", "ConditionalRequestConflict", _MISSING)


class Document(Record):
    """Refs as they were read. `tag` is None where there is no document."""

    tag: str | None
    refs: Mapping[RefName, Oid]


class S3Store(KeyedStore):
    """A document is replaced only if it is still the one that was read."""

    on_server = True

    def __init__(self, bucket: str, prefix: str, client: Any, *, ours: bool = False) -> None:
        """A client that is `ours` ends with the store."""
        super().__init__()
        self._client, self._ours, self._bucket = client, ours, bucket
        self._prefix = prefix if prefix.endswith("/") or not prefix else f"{prefix}/"
        place = client.meta.endpoint_url.rpartition("@")[2]
        self._server = Server(f"s3://{bucket}/{self._prefix} at {place}")
        self._read_last: dict[str, Document] = {}
        self._proved = False

    @property
    def where(self) -> str:
        return self._server.name

    def ref(self, name: RefName) -> Oid | None:
        return self._document(_key(name)).refs.get(name)

    def close(self) -> None:
        if self._ours:
            self._client.close()

    def _read(self, oid: Oid, most: int) -> bytes | None:
        found = self._fetched(f"objects/{oid}", most)
        return found[1] if found else None

    def _refs(self, prefixes: Sequence[str]) -> Mapping[RefName, Oid]:
        slugs = {names.pipeline_slug(prefix) for prefix in prefixes}
        keys = self._keys() if None in slugs else sorted(filter(None, slugs))
        refs = [item for key in keys for item in self._document(key).refs.items()]
        return {name: oid for name, oid in refs if name.startswith(tuple(prefixes))}

    def _write(self, objects: Mapping[Oid, bytes], moves: Sequence[Move]) -> None:
        """Others may move other refs of the document meanwhile. Where all is as wanted after a
        refusal, our own request was sent twice, since its first answer was lost."""
        key = _one({_key(move.ref) for move in moves})
        self._prove()
        document = self._fitting(key, moves)
        self._put_all(objects)
        for number in range(1, _TRIES + 1):
            if self._replace(key, document.tag, moved(document.refs, moves)):
                return
            clock.pause(number)
            document = self._document(key)
            if all(document.refs.get(move.ref) == move.new for move in moves):
                return
        raise Conflict(moves[0].ref, moves[0].old, document.refs.get(moves[0].ref))

    def _fitting(self, key: str, moves: Sequence[Move]) -> Document:
        """As it was read last, if the moves fit to that."""
        with suppress(Conflict, KeyError):
            document = self._read_last[key]
            moved(document.refs, moves)
            return document
        return self._document(key)

    # Documents

    def _document(self, key: str) -> Document:
        found = self._fetched(f"refs/{key}.json", _MAX_DOCUMENT + 1)
        document = Document(found[0], self._parsed(key, found[1])) if found else Document(None, {})
        self._read_last[key] = document
        return document

    def _parsed(self, key: str, data: bytes) -> dict[RefName, Oid]:
        where = f"{self._server.name}: refs/{key}.json"
        if len(data) > _MAX_DOCUMENT:
            raise Corrupt(f"it has over {_MAX_DOCUMENT} bytes", where=where)
        value = canonical.loads(data, where)
        canonical.refuse_newer(value.get("format"), _FORMAT, "store", where)
        refs = value.get("refs")
        if not isinstance(refs, dict):
            raise Corrupt("it holds no refs", where=where)
        return {self._server.ref_name(n): self._server.tip(n, oid) for n, oid in refs.items()}

    def _replace(self, key: str, tag: str | None, refs: Mapping[RefName, Oid]) -> bool:
        """False if it is no longer the document with that tag."""
        data = canonical.dumps({"format": _FORMAT, "refs": dict(refs)})
        if len(data) > _MAX_DOCUMENT:
            raise Refused(f"too many refs in refs/{key}.json", where=self._server.name)
        given = {"IfMatch": tag} if tag else {"IfNoneMatch": "*"}
        made = self._put_if(f"refs/{key}.json", data, **given)
        if made:
            self._read_last[key] = Document(made, refs)
        else:
            self._read_last.pop(key, None)
        return bool(made)

    def _keys(self) -> list[str]:
        """Of every document that there is."""
        below = f"{self._prefix}refs/"
        with self._asked():
            pages = self._client.get_paginator("list_objects_v2")
            found = [
                item["Key"]
                for page in pages.paginate(Bucket=self._bucket, Prefix=below)
                for item in page.get("Contents", ())
            ]
        return sorted(key.removeprefix(below).removesuffix(".json") for key in found)

    def _prove(self) -> None:
        """Once, before the first move: a server that takes every write would lose steps."""
        if self._proved:
            return
        data = canonical.dumps({"format": _FORMAT})
        first = self._put_if("format.json", data, IfNoneMatch="*")
        again = first and self._put_if("format.json", data, IfNoneMatch="*")
        if again or self._put_if("format.json", data, IfMatch='"0"'):
            what = "this server ignores the conditions of a write, so steps could get lost in it"
            raise RelayError(what, where=self._server.name)
        self._proved = True

    # Requests

    def _fetched(self, key: str, most: int) -> tuple[str, bytes] | None:
        """The tag and at most so many bytes."""
        try:
            with self._asked():
                answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + key)
                with answer["Body"] as body:
                    return answer["ETag"], body.read(most)
        except _Answer as said:
            if said.code == _MISSING:
                return None
            raise

    def _put_all(self, objects: Mapping[Oid, bytes]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            list(threads.map(self._put_object, objects.items()))

    def _put_object(self, item: tuple[Oid, bytes]) -> None:
        with self._asked():
            key = f"{self._prefix}objects/{item[0]}"
            self._client.put_object(Bucket=self._bucket, Key=key, Body=item[1])

    def _put_if(self, key: str, data: bytes, **given: str) -> str | None:
        """The new tag; None if the condition does not hold."""
        try:
            with self._asked():
                made = self._client.put_object(
                    Bucket=self._bucket, Key=self._prefix + key, Body=data, **given
                )
        except _Answer as said:
            if said.code in _MOVED:
                return None
            raise
        return str(made["ETag"])

    @contextmanager
    def _asked(self) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            said = self._server.failed(error)
            raise _Answer(said.what, where=said.where, code=_code(error)) from error
        except BotoCoreError as error:
            raise self._server.failed(error) from error


class _Answer(RelayError):
    """The server refuses a request, by S3's name of the reason."""

    def __init__(self, what: str, *, where: str | None, code: str) -> None:
        super().__init__(what, where=where)
        self.code = code


def connect(endpoint: str | None, timeout: float) -> Any:
    """A client as boto3's own configuration has it. Raises `RelayError`."""
    try:
        return _client(endpoint, timeout)
    except (BotoCoreError, ValueError) as error:
        raise Server(f"s3 at {endpoint or 'Amazon'}").failed(error) from error


def _client(endpoint: str | None, timeout: float) -> Any:
    return boto3.session.Session().client(
        "s3",
        endpoint_url=endpoint,
        config=Config(
            connect_timeout=timeout,
            read_timeout=timeout,
            retries={"mode": "standard", "total_max_attempts": 2},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            max_pool_connections=_AT_ONCE,
        ),
    )


def _key(ref: str) -> str:
    return names.pipeline_slug(ref) or _OTHERS


def _one(keys: set[str]) -> str:
    if len(keys) > 1:
        raise Refused(f"the refs of several pipelines move one after the other: {sorted(keys)}")
    return keys.pop()


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
