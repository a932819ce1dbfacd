"""The servers of the tests end with the process that started them, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[1])
import servers
made = servers.shared("redis")
print(made.pid, made.folder, flush=True)
if sys.argv[2] == "killed":
    time.sleep(60)
"""


@pytest.mark.parametrize("how", ["at the end", "killed"])
def test_no_server_is_left_behind(how: str) -> None:
    command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        pid, folder = process.stdout.readline().split()
        if how == "killed":
            assert psutil.pid_exists(int(pid))
            process.send_signal(signal.SIGKILL)
    until = time.monotonic() + 10
    while Path(folder).exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not Path(folder).exists()
    assert not psutil.pid_exists(int(pid))
