from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from support import is_gone, processes

from relay_git.git import shell
from relay_git.git.process import Result
from relay_git.git.shell import Stopped, bounded


def call(
    path: Path, command: str, input: bytes = b"", timeout: float = 20, most: int = 1 << 20
) -> Result:
    return bounded("sh", "-c", command, cwd=str(path), input=input, timeout=timeout, most=most)


def test_a_command_line_is_given_its_input_and_runs_where_it_is_told(tmp_path: Path) -> None:
    data = bytes(range(256)) * 1000
    assert call(tmp_path, "cat | cat", data).stdout == data
    assert call(tmp_path, "pwd").stdout.decode() == f"{tmp_path.resolve()}\n"


def test_it_has_the_users_own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("OF_MY_OWN", "x")
    assert call(tmp_path, 'echo "$LC_ALL $OF_MY_OWN"').stdout == b"de_DE.UTF-8 x\n"


def test_input_that_nobody_reads_is_no_failure(tmp_path: Path) -> None:
    assert call(tmp_path, "echo done", b"x" * 1_000_000).stdout == b"done\n"


def test_exit_code_and_complaints_come_back(tmp_path: Path) -> None:
    assert call(tmp_path, "echo no >&2; exit 3") == Result(b"", b"no\n", 3)
    assert call(tmp_path, "no-such-program").code == 127


def test_of_many_complaints_the_end_is_kept(tmp_path: Path) -> None:
    said = call(tmp_path, "yes | head -c 1000000 >&2; echo last >&2").stderr
    assert len(said) == 4000
    assert said.endswith(b"last\n")


def test_one_that_talks_without_end_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match="after writing more than 5000 bytes"):
        call(tmp_path, "yes", most=5000)


def test_a_deadline_ends_it_with_all_it_has_started(tmp_path: Path) -> None:
    command = """echo hm >&2; trap "" TERM; sh -c 'echo $$ >child; exec sleep 60' | cat"""
    started = time.monotonic()
    with pytest.raises(Stopped, match=r"after 0\.5 seconds") as stopped:
        call(tmp_path, command, timeout=0.5)
    assert time.monotonic() - started < 10
    assert stopped.value.stderr == b"hm\n"
    assert is_gone(int((tmp_path / "child").read_text()))


def test_one_that_closes_its_output_and_stays_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match=r"after 0\.3 seconds"):
        call(tmp_path, "exec >&- 2>&-; sleep 60", timeout=0.3)


def test_one_that_talks_past_its_deadline_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match=r"after 0\.5 seconds"):
        call(tmp_path, "while :; do echo x; done", timeout=0.5, most=1 << 40)


def test_the_end_of_a_long_talk_can_be_kept(tmp_path: Path) -> None:
    command = "yes | head -c 1000000; echo last"
    said = bounded("sh", "-c", command, cwd=str(tmp_path), timeout=20, most=100, keep_end=True)
    assert len(said.stdout) == 100
    assert said.stdout.endswith(b"y\nlast\n")


def test_what_it_complains_of_is_heard_at_once_and_silence_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "_SILENCE", 0.1)
    heard: list[bytes] = []
    command = "echo one >&2; sleep 0.3; echo two >&2"
    bounded("sh", "-c", command, cwd=str(tmp_path), timeout=20, most=100, hear=heard.append)
    assert heard[0] == b"one\n"
    assert b"" in heard[1 : heard.index(b"two\n")]


def test_it_has_no_terminal_and_no_input_unless_it_is_given_some(tmp_path: Path) -> None:
    script = "import os, sys; assert not sys.stdin.read(); assert os.getsid(0) == os.getpid()"
    done = bounded(sys.executable, "-c", script, cwd=str(tmp_path), timeout=20, most=100)
    assert done == Result(b"", b"", 0)


def test_it_is_traced_like_any_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
    call(tmp_path, "true")
    assert processes(trace) == ["sh -c true"]
