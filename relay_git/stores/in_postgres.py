"""Steps in Postgres: a table of objects and one of refs in a schema of their own."""

from __future__ import annotations

import selectors
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString, TypeVar

from relay_git import canonical, clock
from relay_git.errors import Conflict, MissingExtra, Refused
from relay_git.git.keyed import KeyedStore
from relay_git.git.store import Move
from relay_git.names import Oid, RefName
from relay_git.stores.server import Server

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    raise MissingExtra("postgres", "psycopg") from error

V = TypeVar("V")

_FORMAT = 1

_VERSION: LiteralString = "SELECT version FROM {schema}.format"
_TABLES: LiteralString = """
    SELECT pg_advisory_xact_lock(hashtext('git-relay'));
    CREATE SCHEMA IF NOT EXISTS {schema};
    CREATE TABLE IF NOT EXISTS {schema}.objects (id text PRIMARY KEY, data bytea NOT NULL);
    CREATE TABLE IF NOT EXISTS {schema}.refs
        (name text COLLATE "C" PRIMARY KEY, id text NOT NULL);
    CREATE TABLE IF NOT EXISTS {schema}.format (version integer PRIMARY KEY);
    INSERT INTO {schema}.format VALUES (1) ON CONFLICT DO NOTHING;
"""
_OBJECT: LiteralString = "SELECT substring(data FROM 1 FOR %s) FROM {schema}.objects WHERE id = %s"
_TIP: LiteralString = "SELECT id FROM {schema}.refs WHERE name = %s"
_TIPS: LiteralString = """
    SELECT name, id FROM {schema}.refs
    WHERE EXISTS (SELECT FROM unnest(%s::text[]) AS below WHERE starts_with(name, below))
"""
_PUT: LiteralString = """
    INSERT INTO {schema}.objects SELECT * FROM unnest(%s::text[], %b::bytea[])
    ON CONFLICT DO NOTHING
"""
_CREATE: LiteralString = "INSERT INTO {schema}.refs VALUES (%s, %s) ON CONFLICT DO NOTHING"
_CHANGE: LiteralString = "UPDATE {schema}.refs SET id = %s WHERE name = %s AND id = %s"
_DELETE: LiteralString = "DELETE FROM {schema}.refs WHERE name = %s AND id = %s"
_KEEP: LiteralString = "SELECT FROM {schema}.refs WHERE name = %s AND id = %s FOR SHARE"
_NONE: LiteralString = "SELECT WHERE NOT EXISTS (SELECT FROM {schema}.refs WHERE name = %s)"
"""Each of the last five has one row if the ref was what it must be."""


class PostgresStore(KeyedStore):
    """One connection, made when it is needed and again when it was lost."""

    on_server = True

    def __init__(self, dsn: str, schema: str, timeout: float) -> None:
        super().__init__()
        self._server, self._dsn = _server(dsn), dsn
        self._schema, self._timeout = sql.Identifier(schema), timeout
        self._one = threading.Lock()
        self._line: _Connection | None = None

    @property
    def where(self) -> str:
        return self._server.name

    def ref(self, name: RefName) -> Oid | None:
        rows = self._rows(_TIP, name)
        return self._server.tip(name, rows[0][0]) if rows else None

    def close(self) -> None:
        with self._one:
            self._hang_up()

    def _read(self, oid: Oid, most: int) -> bytes | None:
        rows = self._rows(_OBJECT, most, oid)
        return bytes(rows[0][0]) if rows else None

    def _refs(self, prefixes: Sequence[str]) -> Mapping[RefName, Oid]:
        rows = self._rows(_TIPS, list(prefixes))
        return {self._server.ref_name(name): self._server.tip(name, oid) for name, oid in rows}

    def _write(self, objects: Mapping[Oid, bytes], moves: Sequence[Move]) -> None:
        """Objects and refs each in their order, so that no two wait for each other."""
        ids = sorted(objects)
        with self._connected() as line, line.pipeline() as queue, line.transaction():
            version = self._execute(line, _VERSION)
            self._execute(line, _PUT, ids, [objects[oid] for oid in ids])
            asked = [self._execute(line, *_statement(move)) for move in moves]
            queue.sync()
            self._check(version)
            for move, cursor in zip(moves, asked, strict=True):
                if cursor.rowcount != 1:
                    found = self._execute(line, _TIP, move.ref).fetchone()
                    raise Conflict(move.ref, move.old, found and found[0])

    def _rows(self, query: LiteralString, *values: object) -> list[Any]:
        with self._connected() as line:
            return self._execute(line, query, *values).fetchall()

    def _execute(
        self, line: psycopg.Connection[Any], query: LiteralString, *values: object
    ) -> psycopg.Cursor[Any]:
        text = sql.SQL(query).format(schema=self._schema)
        return line.execute(text, values or None, binary=bool(values))

    # The connection

    @contextmanager
    def _connected(self) -> Iterator[_Connection]:
        with self._one:
            if self._line and self._line.is_lost:
                self._hang_up()
            try:
                yield self._line or self._connect()
            except psycopg.Error as error:
                self._hang_up()
                raise self._server.failed(error) from error

    def _connect(self) -> _Connection:
        seconds = max(2, int(self._timeout))
        line = _Connection.connect(
            self._dsn, autocommit=True, prepare_threshold=None, connect_timeout=seconds
        )
        line.seconds, line.isolation_level = self._timeout, psycopg.IsolationLevel.READ_COMMITTED
        try:
            self._check(self._version(line))
        except BaseException:
            line.close()
            raise
        self._line = line
        return line

    def _version(self, line: _Connection) -> psycopg.Cursor[Any]:
        """Makes the tables where there are none."""
        try:
            return self._execute(line, _VERSION)
        except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            with line.transaction():
                self._execute(line, _TABLES)
            return self._execute(line, _VERSION)

    def _check(self, found: psycopg.Cursor[Any]) -> None:
        newest = max((version for (version,) in found.fetchall()), default=_FORMAT)
        canonical.refuse_newer(newest, _FORMAT, "store", self._server.name)

    def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line:
            line.close()


class _Connection(psycopg.Connection[Any]):
    """Waits for each answer only so long: a server that hangs keeps its sockets open."""

    seconds = 0.0

    def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        until = clock.monotonic() + self.seconds
        try:
            return super().wait(_ending(gen, until), *args, **named)
        except psycopg.OperationalError:
            self.close()
            raise

    @property
    def is_lost(self) -> bool:
        """Whether it was closed, here or there: nothing is said where nothing was asked."""
        if self.closed:
            return True
        with selectors.DefaultSelector() as ready:
            ready.register(self.fileno(), selectors.EVENT_READ)
            return bool(ready.select(0))


def _ending(answers: Generator[Any, Any, V], until: float) -> Generator[Any, Any, V]:
    """psycopg asks from time to time with nothing that is ready."""
    try:
        wanted = next(answers)
        while True:
            ready = yield wanted
            if not ready and clock.monotonic() > until:
                raise psycopg.OperationalError("the server does not answer")
            wanted = answers.send(ready)
    except StopIteration as end:
        result: V = end.value
        return result


def _statement(move: Move) -> tuple[LiteralString, *tuple[str, ...]]:
    if move.old is None:
        return (_CREATE, move.ref, move.new) if move.new else (_NONE, move.ref)
    if move.new is None:
        return _DELETE, move.ref, move.old
    if move.new == move.old:
        return _KEEP, move.ref, move.old
    return _CHANGE, move.new, move.ref, move.old


def _server(dsn: str) -> Server:
    """psycopg's own word about what is no such string quotes it."""
    try:
        parts = conninfo_to_dict(dsn)
    except psycopg.Error:
        raise Refused("not a connection string of Postgres", where="postgres") from None
    user = f"{parts['user']}@" if "user" in parts else ""
    port = f":{parts['port']}" if "port" in parts else ""
    place = f"{user}{parts.get('host', 'localhost')}{port}/{parts.get('dbname', '')}"
    return Server(f"postgresql://{place}", (str(parts.get("password") or ""),))
