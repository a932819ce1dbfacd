"""Work that is shared out comes back in its order, whatever happens to the helpers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

import pytest

from relay_git import parallel
from relay_git.errors import MissingObject, RelayError
from relay_git.parallel import by_shares


@pytest.fixture(params=[1, 3])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    number: int = request.param
    monkeypatch.setattr(parallel, "_cores", lambda: number)
    return number


def squares(share: Sequence[int]) -> list[int]:
    time.sleep(0.02 if 0 in share else 0)
    return [number * number for number in share]


def where(share: Sequence[int]) -> int:
    return os.getpid()


@pytest.mark.parametrize("items", [0, 1, 10, 25, 101])
def test_the_order_is_that_of_the_items(cores: int, items: int) -> None:
    shares = list(by_shares(squares, range(items), 10))
    assert [number for share in shares for number in share] == [n * n for n in range(items)]
    assert len(shares) == -(-items // 10)


def test_a_little_work_starts_no_process(cores: int) -> None:
    assert set(by_shares(where, range(20), 10)) == {os.getpid()}


def test_much_work_is_done_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_cores", lambda: 3)
    assert os.getpid() not in set(by_shares(where, range(100), 10))


def misses(share: Sequence[int]) -> Sequence[int]:
    if 57 in share:
        raise MissingObject("ab" * 20)
    return share


def test_an_error_is_raised_as_if_the_work_had_been_done_here(cores: int) -> None:
    made = by_shares(misses, range(100), 10)
    assert [next(made)[0] for _ in range(5)] == [0, 10, 20, 30, 40]
    with pytest.raises(MissingObject, match=r"^object abab") as found:
        next(made)
    assert found.value.oid == "ab" * 20


def dies(share: Sequence[int]) -> Sequence[int]:
    if 57 in share:
        os.kill(os.getpid(), signal.SIGKILL)
    return share


def test_a_helper_that_is_killed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_cores", lambda: 2)
    with pytest.raises(RelayError, match="was killed"):
        list(by_shares(dies, range(100), 10))


_INTERRUPTED = """
import sys, time
from relay_git import parallel
parallel._cores = lambda: 2
def slow(share):
    time.sleep(0.8 if share[0] == 190 else 0)
    return share
try:
    for share in parallel.by_shares(slow, range(200), 10):
        print(share[0], flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_an_interrupt_ends_all_of_them_quietly() -> None:
    """One is at work then, another waits for more."""
    process = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    while process.stdout.readline() != "180\n":
        assert process.poll() is None
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130 and said == ""
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
