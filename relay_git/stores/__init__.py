"""Steps on servers: the same chain, signed and verified, for pipelines that lie in no repository.

    from relay_git.stores import redis_steps

    pipeline = Pipeline.open(redis_steps("redis://localhost:6379/0"), "summarise-tickets")

Each needs its extra: `pip install 'git-relay[redis]'`, `[postgres]` or `[s3]`. No server is asked
before the first step is read. Where one cannot be asked, does not answer within `timeout` seconds,
or refuses, that is STORE_FAILED with the server's name; the next call connects again. Where the
answer to a write is lost, the server is asked whether it was made; where it does not answer that
either, the head tells later whether the step is there.

What all three take: `keys` is a folder (see `KeyFolder`), or a `KeyFolder`; without it, the user's
own folder for state. `literals` are secrets of the project's own, which never reach the server.
All raise `PipelineError` (INVALID_SETTING), and `ImportError` without the extra.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from relay_git.errors import MissingExtra, RelayError
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.settings import seconds, text_of
from relay_git.stores.keyfolder import KeyFolder

__all__ = ["KeyFolder", "postgres_steps", "redis_steps", "s3_steps"]

Folder = str | os.PathLike[str] | KeyFolder | None


def redis_steps(
    url: str,
    *,
    prefix: str = "git-relay",
    keys: Folder = None,
    ttl: int | None = None,
    timeout: float = 10,
    literals: Sequence[str] = (),
) -> ChainSteps:
    """In Redis 6 or newer. `url` as redis-py takes it: `redis://`, `rediss://` or `unix://`.

    `prefix` begins the two keys that hold all pipelines opened with it. With `ttl` they are gone so
    many seconds after the last step of any of them; without, they stay. A step is as durable as the
    server writes what it is told: with `appendfsync everysec` a power cut may lose a second.
    """
    with _settings(timeout, literals, url=url, prefix=prefix):
        from relay_git.stores.in_redis import RedisStore

        store = RedisStore(url, prefix, ttl, timeout)
        return ChainSteps(store, _keys(keys), lambda: literals)


def postgres_steps(
    dsn: str,
    *,
    schema: str = "git_relay",
    keys: Folder = None,
    timeout: float = 10,
    literals: Sequence[str] = (),
) -> ChainSteps:
    """In Postgres 12 or newer. `dsn` as libpq takes it: `postgresql://…` or `host=… dbname=…`.

    The schema and its tables are made where they are missing; after that it is enough to be
    allowed to select, insert, update and delete in them.
    """
    with _settings(timeout, literals, dsn=dsn, schema=schema):
        from relay_git.stores.in_postgres import PostgresStore

        store = PostgresStore(dsn, schema, timeout)
        return ChainSteps(store, _keys(keys), lambda: literals)


def s3_steps(
    bucket: str,
    *,
    prefix: str = "git-relay/",
    endpoint: str | None = None,
    client: Any = None,
    keys: Folder = None,
    timeout: float = 10,
    literals: Sequence[str] = (),
) -> ChainSteps:
    """In a bucket of S3, or of a server like it that keeps to `If-Match` and `If-None-Match` when
    it writes; one that does not is refused. `endpoint` is the server's URL, if not Amazon's.

    Who it is comes from boto3's own configuration, or from a `client` of boto3 (then `endpoint` and
    `timeout` are the client's own). It must be allowed to get, put and list objects: without the
    right to list, S3 says of a missing object that it is forbidden.
    """
    with _settings(timeout, literals, bucket=bucket, prefix=prefix):
        from relay_git.stores import in_s3

        made = in_s3.connect(endpoint, timeout) if client is None else client
        store = in_s3.S3Store(bucket, prefix, made, ours=client is None)
        return ChainSteps(store, _keys(keys), lambda: literals)


@contextmanager
def _settings(timeout: float, literals: object, **texts: str) -> Iterator[None]:
    """Raises `PipelineError` (INVALID_SETTING) for what a store cannot be opened with. What others
    say of it may quote a password."""
    for name, value in texts.items():
        text_of(value, name)
    seconds(timeout)
    if isinstance(literals, str) or not isinstance(literals, Sequence):
        raise _unusable(f"literals are {type(literals).__name__}, not a list of texts")
    try:
        yield
    except (MissingExtra, PipelineError):
        raise
    except RelayError as error:
        raise _unusable(str(error)) from None
    except (TypeError, ValueError, AttributeError) as error:
        what = f"{next(iter(texts))} or keys cannot be used: {type(error).__name__}"
        raise _unusable(what) from None


def _unusable(what: str) -> PipelineError:
    return PipelineError(Code.INVALID_SETTING, what)


def _keys(folder: Folder) -> KeyFolder:
    return folder if isinstance(folder, KeyFolder) else KeyFolder(folder)
