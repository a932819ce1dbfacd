"""What is peculiar to Redis: time to live, and the forms of its URL."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis
import servers
from pipelining import WRITER, saying

from relay_git.pipeline import Code, Failure, Pipeline, PipelineError
from relay_git.stores import redis_steps
from relay_git.stores.in_redis import RedisStore

pytestmark = pytest.mark.xdist_group("redis")


def lives(prefix: str) -> list[int]:
    """For how many more seconds: refs, objects. -1 is for ever."""
    client = redis.Redis.from_url(servers.shared("redis").address)
    return [int(str(client.ttl(f"{{{prefix}}}:{what}"))) for what in ("refs", "objects")]


def test_without_a_time_to_live_steps_stay(tmp_path: Path) -> None:
    steps = redis_steps(servers.shared("redis").address, prefix=tmp_path.name, keys=tmp_path)
    Pipeline.open(steps, "demo").close()
    assert lives(tmp_path.name) == [-1, -1]


def test_each_step_lets_everything_live_longer_and_objects_the_longest(tmp_path: Path) -> None:
    address, name = servers.shared("redis").address, tmp_path.name
    short = redis_steps(address, prefix=name, keys=tmp_path, ttl=5)
    with Pipeline.open(short, "demo", payload={"FACTS": 1}) as pipeline:
        refs, objects = lives(name)
        assert 0 < refs <= 5 and refs + 55 <= objects <= 65
        long = redis_steps(address, prefix=name, keys=tmp_path, ttl=500)
        Pipeline.open(long, "demo").step_sync(WRITER, saying(FACTS=2)).unwrap()
        assert lives(name)[0] > 400
        client = redis.Redis.from_url(address)
        client.delete(f"{{{name}}}:refs")
        assert pipeline.step_sync(WRITER, saying(FACTS=3)).code == Code.NO_SUCH_STEP  # type: ignore[union-attr]
        assert Pipeline.open(short, "demo").head.step == 1


@pytest.mark.parametrize("ttl", [0, -1])
def test_a_time_to_live_is_a_second_at_least(tmp_path: Path, ttl: int) -> None:
    with pytest.raises(PipelineError, match=f"for {ttl} seconds"):
        redis_steps("redis://localhost", keys=tmp_path, ttl=ttl)


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("redis://ada:pass@db.example:6380/3?password=word", "redis://db.example:6380/3"),
        ("rediss://:pass@db.example", "rediss://db.example"),
        ("unix://:pass@/run/redis.sock?db=1&password=word", "unix:///run/redis.sock"),
    ],
)
def test_where_it_is_says_no_password(url: str, where: str) -> None:
    store = RedisStore(url, "part", None, 1)
    assert store.where == where
    said = str(store._server.failed(redis.ConnectionError("no pass, and\nno word")))
    assert said == f"{where}: no …, and no " + ("…" if "password" in url else "word")


@pytest.mark.parametrize(
    "url", ["http://db.example", "db.example", "redis://[", "redis://x/?db=1&socket_timeout=y"]
)
def test_what_is_no_url_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="not the URL of a Redis"):
        redis_steps(url, keys=tmp_path)


def test_a_client_that_makes_text_of_objects_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="no text to be decoded"):
        redis_steps("redis://localhost?decode_responses=True", keys=tmp_path)


def test_a_key_that_somebody_else_uses_is_told(tmp_path: Path) -> None:
    address = servers.shared("redis").address
    redis.Redis.from_url(address).set(f"{{{tmp_path.name}}}:refs", "mine")
    with pytest.raises(PipelineError, match="WRONGTYPE") as refused:
        Pipeline.open(redis_steps(address, prefix=tmp_path.name, keys=tmp_path), "demo")
    assert refused.value.code == Code.STORE_FAILED


def test_a_server_without_memory_fails_the_step_whole(tmp_path: Path) -> None:
    address = servers.shared("redis").address
    client = redis.Redis.from_url(address)
    steps = redis_steps(address, prefix=tmp_path.name, keys=tmp_path)
    with Pipeline.open(steps, "demo", payload={"FACTS": 1}) as pipeline:
        client.config_set("maxmemory", 1)
        try:
            result = pipeline.step_sync(WRITER, saying(FACTS=2))
        finally:
            client.config_set("maxmemory", 0)
        assert isinstance(result, Failure) and result.code == Code.STORE_FAILED
        assert "maxmemory" in result.reason
        assert pipeline.head.step == 1
        assert pipeline.step_sync(WRITER, saying(FACTS=3)).unwrap().step == 2


def test_secrets_of_the_project_do_not_reach_the_server(tmp_path: Path) -> None:
    address, name = servers.shared("redis").address, tmp_path.name
    steps = redis_steps(address, prefix=name, keys=tmp_path, literals=["hush-hush"])
    with Pipeline.open(steps, "demo", payload={"FACTS": "it is hush-hush"}) as pipeline:
        assert pipeline.head.payload["FACTS"] != "it is hush-hush"
    kept = redis.Redis.from_url(address).hvals(f"{{{name}}}:objects")
    assert kept and not any(b"hush-hush" in raw for raw in kept)
