"""What the tests do on a server behind the back of the store that is tested."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import redis
import servers


class Redis:
    def __init__(self, part: str) -> None:
        self.address = servers.shared("redis").address
        self._client = redis.Redis.from_url(self.address)
        self._objects, self._refs = f"{{{part}}}:objects", f"{{{part}}}:refs"

    def put(self, oid: str, raw: bytes) -> None:
        self._client.hset(self._objects, oid, raw)

    def drop(self, oid: str) -> None:
        self._client.hdel(self._objects, oid)

    def set_ref(self, name: str, value: str) -> None:
        self._client.hset(self._refs, name, value)

    def make_newer(self) -> None:
        self._client.hset(self._refs, "format", "2")

    @contextmanager
    def read_only(self) -> Iterator[dict[str, str]]:
        """Who may only read, as `pipelining.port` takes it."""
        self._client.replicaof("127.0.0.1", "9")
        try:
            yield {"address": self.address}
        finally:
            self._client.replicaof("NO", "ONE")

    refusal = "maxmemory"

    @contextmanager
    def refusing(self, store: object) -> Iterator[None]:
        """Whatever the store would write. The server has no memory left."""
        self._client.config_set("maxmemory", 1)
        try:
            yield
        finally:
            self._client.config_set("maxmemory", 0)

    def hang_up(self) -> None:
        """End the connections of everybody else."""
        self._client.client_kill_filter(_type="normal", skipme=True)


class Postgres:
    def __init__(self, part: str) -> None:
        self.address = servers.shared("postgres").address
        path = f"-c search_path={part}"
        self._line = psycopg.connect(self.address, autocommit=True, options=path)

    def put(self, oid: str, raw: bytes) -> None:
        self._line.execute("UPDATE objects SET data = %b WHERE id = %s", (raw, oid))

    def drop(self, oid: str) -> None:
        self._line.execute("DELETE FROM objects WHERE id = %s", (oid,))

    def set_ref(self, name: str, value: str) -> None:
        self._line.execute("UPDATE refs SET id = %s WHERE name = %s", (value, name))

    def make_newer(self) -> None:
        self._line.execute("UPDATE format SET version = 2")

    @contextmanager
    def read_only(self) -> Iterator[dict[str, str]]:
        yield {"address": f"{self.address}?options=-c%20default_transaction_read_only%3Don"}

    refusal = "No space left on device"

    @contextmanager
    def refusing(self, store: object) -> Iterator[None]:
        """As where its disk is full."""
        self._line.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" RAISE '{self.refusal}' USING ERRCODE = 'disk_full'; END $$"
        )
        self._line.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON objects EXECUTE FUNCTION full_disk()"
        )
        try:
            yield
        finally:
            self._line.execute("DROP FUNCTION full_disk CASCADE")

    def hang_up(self) -> None:
        self._line.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


class S3:
    def __init__(self, part: str) -> None:
        self.address = servers.shared("s3").address
        self._client = servers.s3_client(self.address)
        self._part = part

    def put(self, oid: str, raw: bytes) -> None:
        self._put(f"objects/{oid}", raw)

    def drop(self, oid: str) -> None:
        self._client.delete_object(Bucket=servers.BUCKET, Key=f"{self._part}/objects/{oid}")

    def set_ref(self, name: str, value: str) -> None:
        refs = json.loads(self._document())
        refs["refs"][name] = value
        self._put("refs/demo.json", json.dumps(refs).encode())

    def make_newer(self) -> None:
        self._put("refs/demo.json", self._document().replace(b'"format":1', b'"format":2'))

    @contextmanager
    def read_only(self) -> Iterator[dict[str, str]]:
        yield {"address": self.address, "user": "reader"}

    refusal = "AccessDenied"

    @contextmanager
    def refusing(self, store: Any) -> Iterator[None]:
        """As where somebody took a right from the user."""
        before, store._client = store._client, servers.s3_client(self.address, user="reader")
        try:
            yield
        finally:
            store._client = before

    def hang_up(self) -> None:
        """Its connections end by themselves."""

    def _document(self) -> bytes:
        key = f"{self._part}/refs/demo.json"
        data: bytes = self._client.get_object(Bucket=servers.BUCKET, Key=key)["Body"].read()
        return data

    def _put(self, key: str, data: bytes) -> None:
        self._client.put_object(Bucket=servers.BUCKET, Key=f"{self._part}/{key}", Body=data)


def behind(kind: str, part: str) -> Any:
    return {"redis": Redis, "postgres": Postgres, "s3": S3}[kind](part)
