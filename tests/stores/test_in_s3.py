"""What is peculiar to S3: documents of refs, and conditions of writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import servers
from pipelining import WRITER, Place, on_server, saying

from relay_git import names
from relay_git.errors import Conflict, Refused, RelayError
from relay_git.git.store import Move
from relay_git.names import RefName, RunId, Word
from relay_git.pipeline import Code, Pipeline, PipelineError
from relay_git.stores import in_s3, s3_steps
from relay_git.stores.in_s3 import S3Store

pytestmark = pytest.mark.xdist_group("s3")

RUN = RunId("20260428-0930-demo-3f9a")
REF, POINTER = names.run_ref(RUN), names.pipeline_ref(Word("Demo"))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    made = on_server("s3", tmp_path / "none")
    yield made
    made.close()


@pytest.fixture
def store(here: Place) -> S3Store:
    assert isinstance(here.port, S3Store)
    return here.port


@pytest.fixture
def client() -> Any:
    """Not the one that the tests share."""
    return servers.s3_client.__wrapped__(servers.shared("s3").address)


def keys_of(client: Any, part: str) -> list[str]:
    listed = client.list_objects_v2(Bucket=servers.BUCKET, Prefix=f"{part}/")
    return sorted(item["Key"].removeprefix(f"{part}/") for item in listed.get("Contents", ()))


def test_the_refs_of_each_pipeline_lie_in_one_document(here: Place, client: Any) -> None:
    for name in ("demo", "Other.Thing"):
        pipeline = Pipeline.open(here.steps, name, payload={"FACTS": 1})
        pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap()
    found = keys_of(client, in_part(here))
    assert [key for key in found if not key.startswith("objects/")] == [
        "format.json",
        "refs/demo.json",
        "refs/other-thing.json",
    ]


def in_part(here: Place) -> str:
    assert isinstance(here.port, S3Store)
    return here.port._prefix.removesuffix("/")


def test_others_may_move_other_refs_meanwhile(here: Place, store: S3Store) -> None:
    """Each of the two believes to know the document."""
    other = here.port_again()
    tips = [store.put_blob(b"%d" % number) for number in range(4)]
    store.move(Move(REF, None, tips[0]))
    other.move(Move(POINTER, None, tips[1]))
    store.move(Move(REF, tips[0], tips[2]))
    other.move(Move(POINTER, tips[1], tips[3]))
    assert store.refs("refs/") == {POINTER: tips[3], REF: tips[2]}
    with pytest.raises(Conflict):
        other.move(Move(REF, tips[0], tips[3]))


def test_a_move_that_was_made_though_its_answer_was_lost_is_no_conflict(
    store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client asks again, and the second request finds what the first one made."""
    tip, put_if = store.put_blob(b"tip"), store._put_if

    def twice(key: str, data: bytes, **given: str) -> str | None:
        put_if(key, data, **given)
        return put_if(key, data, **given)

    monkeypatch.setattr(store, "_put_if", twice)
    store.move(Move(REF, None, tip))
    assert store.ref(REF) == tip


def test_a_server_that_takes_every_write_is_refused(
    here: Place, client: Any, tmp_path: Path
) -> None:
    """As servers are that do not know the conditions: they pass them over."""
    for ignored in (("If-Match", "If-None-Match"), ("If-Match",)):
        careless = servers.s3_client.__wrapped__(servers.shared("s3").address)

        def strip(request: Any, names: tuple[str, ...] = ignored, **rest: Any) -> None:
            for name in names:
                del request.headers[name]

        careless.meta.events.register("before-sign.s3.PutObject", strip)
        steps = s3_steps(servers.BUCKET, prefix=in_part(here), client=careless, keys=tmp_path)
        with pytest.raises(PipelineError, match="ignores the conditions of a write") as refused:
            Pipeline.open(steps, "demo")
        assert refused.value.code == Code.STORE_FAILED
    assert "refs/demo.json" not in keys_of(client, in_part(here))


def test_a_bucket_that_is_not_there_is_named(tmp_path: Path, client: Any) -> None:
    steps = s3_steps("nowhere", client=client, keys=tmp_path)
    with pytest.raises(PipelineError, match=r"^s3://nowhere/git-relay/ at http.*bucket") as refused:
        Pipeline.open(steps, "demo")
    assert refused.value.code == Code.STORE_FAILED


def test_refs_of_two_pipelines_do_not_move_at_once(store: S3Store) -> None:
    tip = store.put_blob(b"tip")
    with pytest.raises(Refused, match="several pipelines"):
        store.move(Move(REF, None, tip), Move(names.pipeline_ref(Word("other")), None, tip))


def test_other_refs_lie_in_a_document_of_their_own(store: S3Store, client: Any) -> None:
    tip, ref = store.put_blob(b"tip"), RefName("refs/heads/main")
    store.move(Move(ref, None, tip))
    assert store.ref(ref) == tip and store.refs("refs/heads/") == {ref: tip}


def test_more_refs_than_a_document_may_hold_are_refused(
    store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = store.put_blob(b"tip")
    store.move(Move(REF, None, tip))
    monkeypatch.setattr(in_s3, "_MAX_DOCUMENT", 150)
    with pytest.raises(Refused, match="too many refs"):
        store.move(Move(POINTER, None, tip))
    monkeypatch.setattr(in_s3, "_MAX_DOCUMENT", 50)
    with pytest.raises(RelayError, match="over 50 bytes"):
        store.ref(REF)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"format":1}', b'{"format":1,"refs":{"x":"y"}}'])
def test_a_document_that_is_none_is_refused(store: S3Store, client: Any, data: bytes) -> None:
    key = f"{store._prefix}refs/demo.json"
    client.put_object(Bucket=servers.BUCKET, Key=key, Body=data)
    with pytest.raises(RelayError, match="s3://"):
        store.ref(REF)


def test_a_clients_own_connections_outlive_the_store(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3_steps(servers.BUCKET, client=client, keys=tmp_path).close()
    assert client.list_buckets()["Buckets"]


def test_an_endpoint_and_boto3s_own_settings_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ada")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", servers.SECRET)
    address = servers.shared("s3").address
    steps = s3_steps(servers.BUCKET, prefix=tmp_path.name, endpoint=address, keys=tmp_path)
    with Pipeline.open(steps, "demo", payload={"FACTS": 1}) as pipeline:
        assert pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap().step == 2
    with pytest.raises(RelayError, match=r"^s3 at nonsense: "):
        s3_steps(servers.BUCKET, endpoint="nonsense", keys=tmp_path)
