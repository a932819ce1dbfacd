"""What is peculiar to Postgres: its schema, and who may do what in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import servers
from pipelining import WRITER, port, saying

from relay_git.errors import RelayError
from relay_git.git.store import Move
from relay_git.names import RefName
from relay_git.pipeline import Code, Pipeline, PipelineError
from relay_git.stores import postgres_steps
from relay_git.stores.in_postgres import PostgresStore

pytestmark = pytest.mark.xdist_group("postgres")
REF, BESIDE = RefName("refs/relay/one"), RefName("refs/relay/two")


@pytest.fixture
def address() -> str:
    return servers.shared("postgres").address


@pytest.fixture
def line(address: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(address, autocommit=True) as made:
        yield made


def test_many_at_once_make_one_schema(address: str, tmp_path: Path) -> None:
    name = f'a "name" of {tmp_path.name}'
    failures: list[RelayError] = []

    def first() -> None:
        store = port("postgres", address, name)
        try:
            ready.wait()
            store.ref(REF)
        except RelayError as error:
            failures.append(error)
        store.close()

    ready = threading.Barrier(8)
    threads = [threading.Thread(target=first) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_who_may_not_make_a_schema_uses_the_one_that_is_there(
    address: str, line: psycopg.Connection[Any], tmp_path: Path
) -> None:
    schema = psycopg.sql.Identifier(tmp_path.name)
    role = psycopg.sql.Identifier(f"role-{tmp_path.name}")
    line.execute(psycopg.sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'barley'").format(role))
    low = address.replace(f"ada:{servers.SECRET}", f"role-{tmp_path.name}:barley")
    with pytest.raises(PipelineError, match="permission denied") as refused:
        Pipeline.open(postgres_steps(low, schema=tmp_path.name, keys=tmp_path), "demo")
    assert refused.value.code == Code.STORE_FAILED
    Pipeline.open(postgres_steps(address, schema=tmp_path.name, keys=tmp_path), "first").close()
    grants = (
        "GRANT USAGE ON SCHEMA {} TO {}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}",
    )
    for grant in grants:
        line.execute(psycopg.sql.SQL(grant).format(schema, role))
    steps = postgres_steps(low, schema=tmp_path.name, keys=tmp_path)
    with Pipeline.open(steps, "demo", payload={"FACTS": 1}) as pipeline:
        assert pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap().step == 2


def test_two_that_move_the_same_refs_in_another_order_do_not_wait_for_each_other(
    address: str, tmp_path: Path
) -> None:
    stores = [port("postgres", address, tmp_path.name) for _ in range(2)]
    tips = [stores[0].put_blob(b"%d" % number) for number in range(41)]
    stores[0].move(Move(REF, None, tips[0]), Move(BESIDE, None, tips[0]))
    moved, failures = [], []

    def race(store: Any, order: int) -> None:
        for _ in range(20):
            now = store.ref(REF)
            moves = [Move(ref, now, tips[tips.index(now) + 1]) for ref in (REF, BESIDE)]
            try:
                store.move(*moves[::order])
                moved.append(now)
            except RelayError as error:
                failures.append(type(error).__name__)

    threads = [
        threading.Thread(target=race, args=pair) for pair in zip(stores, (1, -1), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(failures) <= {"Conflict"}
    assert sorted(map(tips.index, moved)) == list(range(len(moved)))
    assert stores[0].ref(REF) == stores[1].ref(BESIDE) == tips[len(moved)]
    for store in stores:
        store.close()


def test_a_row_that_somebody_holds_is_not_waited_for_for_ever(
    address: str, line: psycopg.Connection[Any], tmp_path: Path
) -> None:
    store = PostgresStore(address, tmp_path.name, 1)
    tips = [store.put_blob(data) for data in (b"1", b"2")]
    store.move(Move(REF, None, tips[0]))
    table = psycopg.sql.Identifier(tmp_path.name, "refs")
    with line.transaction():
        line.execute(psycopg.sql.SQL("SELECT FROM {} FOR UPDATE").format(table))
        with pytest.raises(RelayError, match="does not answer"):
            store.move(Move(REF, tips[0], tips[1]))
    assert store.ref(REF) in tips


@pytest.mark.parametrize(
    ("dsn", "where"),
    [
        ("postgresql://ada:pass@db.example:5433/steps", "postgresql://ada@db.example:5433/steps"),
        ("host=db.example dbname=steps password=pass", "postgresql://db.example/steps"),
    ],
)
def test_where_it_is_says_no_password(dsn: str, where: str) -> None:
    store = PostgresStore(dsn, "part", 1)
    assert store.where == where
    assert str(store._server.failed(psycopg.Error("no pass"))) == f"{where}: no …"


def test_what_is_no_connection_string_is_refused_without_its_words(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="not a connection string") as refused:
        postgres_steps("postgresql//ada:pass@db.example", keys=tmp_path)
    assert "pass" not in str(refused.value)
