"""What the package promises before any server is asked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from relay_git.pipeline import Code, Pipeline, PipelineError
from relay_git.stores import KeyFolder, postgres_steps, redis_steps, s3_steps

EXTRAS = {
    "redis": ("redis", 'redis_steps("redis://localhost")'),
    "postgres": ("psycopg", 'postgres_steps("dbname=steps")'),
    "s3": ("boto3", 's3_steps("steps")'),
}

PROGRAM = """
import sys
sys.modules["{package}"] = None
from relay_git import stores
assert not {{"redis", "psycopg", "boto3", "botocore"}} & {{n for n, m in sys.modules.items() if m}}
try:
    stores.{call}
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize("extra", EXTRAS)
def test_without_its_extra_a_store_says_which_to_install(extra: str) -> None:
    package, call = EXTRAS[extra]
    program = PROGRAM.format(package=package, call=call)
    said = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    expected = f"this needs the package {package}; install it: pip install 'git-relay[{extra}]'\n"
    assert said.stdout == expected, said.stderr


@pytest.mark.parametrize(
    ("opened", "says"),
    [
        (lambda: redis_steps(7), "url is 7, not text"),  # type: ignore[arg-type]
        (lambda: redis_steps("redis://x", prefix=None), "prefix is None"),  # type: ignore[arg-type]
        (lambda: redis_steps("redis://x", timeout=0), "a timeout of 0 seconds"),
        (lambda: redis_steps("redis://x", timeout=float("inf")), "a timeout of inf seconds"),
        (lambda: redis_steps("redis://x", ttl="9"), "TypeError"),  # type: ignore[arg-type]
        (lambda: redis_steps("redis://x", keys=7), "keys: 7 is no folder"),  # type: ignore[arg-type]
        (lambda: redis_steps("redis://x", keys=""), "keys: '' is no folder"),
        (lambda: KeyFolder(b"keys"), "keys: b'keys' is no folder"),  # type: ignore[arg-type]
        (lambda: redis_steps("redis://x", literals="secret"), "literals are str"),
        (lambda: postgres_steps(None), "dsn is None, not text"),  # type: ignore[arg-type]
        (lambda: postgres_steps("dbname=steps", schema=7), "schema is 7"),  # type: ignore[arg-type]
        (lambda: s3_steps(b"steps"), "bucket is b'steps'"),  # type: ignore[arg-type]
        (lambda: s3_steps("steps", endpoint="nowhere"), "nowhere"),
    ],
)
def test_what_a_store_cannot_be_opened_with_is_a_wrong_setting(
    opened: Callable[[], object], says: str
) -> None:
    with pytest.raises(PipelineError) as refused:
        opened()
    assert refused.value.code == Code.INVALID_SETTING
    assert says in str(refused.value)


@pytest.mark.parametrize("extra", EXTRAS)
def test_no_server_is_asked_before_the_first_step_is_read(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ada")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sesame")
    opened = {
        "redis": lambda: redis_steps("redis://127.0.0.1:9", keys=tmp_path, timeout=1),
        "postgres": lambda: postgres_steps("host=127.0.0.1 port=9", keys=tmp_path, timeout=1),
        "s3": lambda: s3_steps("b", endpoint="http://127.0.0.1:9", keys=tmp_path, timeout=1),
    }
    steps = opened[extra]()
    with pytest.raises(PipelineError) as refused:
        Pipeline.open(steps, "demo")
    assert refused.value.code == Code.STORE_FAILED
    assert "127.0.0.1:9" in str(refused.value)
    steps.close()
