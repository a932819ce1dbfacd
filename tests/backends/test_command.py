from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest
from support import git, repository

from relay_git.backends.backend import MOST
from relay_git.backends.command import Command, configured
from relay_git.errors import BackendError
from relay_git.git.config import read_config

PROMPT = "Say “é” and nothing else.\r\n\x1b[1mlist[int]\n"


def program(script: str) -> str:
    return shlex.join([sys.executable, "-c", script])


def ask(path: Path, line: str, timeout: float = 20) -> str:
    return Command(line, str(path), "git config relay.llmCommand").ask(PROMPT, timeout)


def failure(path: Path, line: str, timeout: float = 20) -> str:
    with pytest.raises(BackendError) as caught:
        ask(path, line, timeout)
    assert caught.value.where == "git config relay.llmCommand"
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return caught.value.what


def test_prompt_and_answer_pass_unchanged(tmp_path: Path) -> None:
    assert ask(tmp_path, "cat") == PROMPT
    assert ask(tmp_path, "echo $((1 + 1))") == "2\n"
    assert ask(tmp_path, "pwd") == f"{tmp_path.resolve()}\n"


def test_a_failure_is_told_with_what_it_complained_of(tmp_path: Path) -> None:
    what = failure(tmp_path, "echo out; printf 'no\\nmodel' >&2; exit 3")
    assert what == "the command failed with exit code 3: no model"
    assert "exit code 127: sh: " in failure(tmp_path, "no-such-program")


def test_a_complaint_is_short_and_without_secrets(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    what = failure(tmp_path, program(f"import sys; sys.exit('x' * 5000 + ' {secret}')"))
    assert secret not in what
    assert "[redacted:github-token]" in what
    assert len(what) < 400


def test_one_that_is_slow_is_stopped(tmp_path: Path) -> None:
    started = time.monotonic()
    what = failure(tmp_path, program("import time; print(1, flush=True); time.sleep(60)"), 0.5)
    assert what == "the command was stopped after 0.5 seconds"
    assert time.monotonic() - started < 10


def test_an_answer_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    assert "not UTF-8 text (byte 3)" in failure(tmp_path, r"printf 'ab\377'")


def test_an_answer_may_be_so_large_and_no_larger(tmp_path: Path) -> None:
    write = "import sys; sys.stdout.write('x' * {})"
    assert len(ask(tmp_path, program(write.format(MOST)))) == MOST
    assert f"more than {MOST} bytes" in failure(tmp_path, program(write.format(MOST + 1)))


def test_no_answer_is_none(tmp_path: Path) -> None:
    assert failure(tmp_path, "echo; echo ' '") == "the command answered nothing"


def test_git_config_or_the_environment_names_it(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backend() -> Command | None:
        return configured(read_config(repository(repo_path)), str(repo_path))

    assert backend() is None
    git(repo_path, "config", "relay.llmCommand", "echo from config")
    found = backend()
    assert found and found.ask("", 20) == "from config\n"
    monkeypatch.setenv("GIT_RELAY_LLM_COMMAND", "echo from environment; exit 1")
    found = backend()
    with pytest.raises(BackendError) as caught:
        assert found and found.ask("", 20)
    assert caught.value.where == "GIT_RELAY_LLM_COMMAND"
