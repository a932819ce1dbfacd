"""Command lines of the user's own: foreign programs, so bounded in time and in what they say.

Each runs in the user's environment as it is, and leads a process group, so that what it has
started ends with it.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
import subprocess

from relay_git import clock
from relay_git.errors import GitError
from relay_git.git.process import Result, start

_PATIENCE = 0.5
_SHOWN = 4000
_CHUNK = 1 << 16


class Stopped(GitError):
    """A command that we ended before its end: `how` it came to that, and its last complaints."""

    def __init__(self, how: str, stderr: bytes) -> None:
        super().__init__(how)
        self.how = how
        self.stderr = stderr


def shell(command: str, *, cwd: str, input: bytes, timeout: float, most: int) -> Result:
    """Run a command line by `sh -c`, as git runs an editor, to whatever exit code.

    Raises `Stopped` for one that takes more than `timeout` seconds or writes more than `most`
    bytes. Of what it says on standard error the end is kept.
    """
    with start(("sh", "-c", command), cwd, None, subprocess.PIPE, group=0) as process:
        try:
            talk = _Talk(process, input, clock.monotonic() + timeout)
            return talk.to_its_end(timeout, most)
        except BaseException:
            _end_group(process)
            raise


class _Talk:
    """Feeds a program its input and takes what it says, in whatever order it wants that."""

    def __init__(self, process: subprocess.Popen[bytes], input: bytes, deadline: float) -> None:
        self._process = process
        ends = filter(None, (process.stdin, process.stdout, process.stderr))
        self._pipes = {pipe.fileno(): pipe for pipe in ends}
        self._rest = memoryview(input)
        self._deadline = deadline
        self._out = bytearray()
        self._err = bytearray()

    def to_its_end(self, timeout: float, most: int) -> Result:
        try:
            with selectors.DefaultSelector() as pipes:
                self._register(pipes)
                while pipes.get_map():
                    self._serve(pipes)
                    if len(self._out) > most:
                        how = f"was stopped after writing more than {most} bytes"
                        raise Stopped(how, bytes(self._err))
            code = self._process.wait(self._left())
        except subprocess.TimeoutExpired:
            how = f"was stopped after {timeout:g} seconds"
            raise Stopped(how, bytes(self._err)) from None
        return Result(bytes(self._out), bytes(self._err), code)

    def _register(self, pipes: selectors.BaseSelector) -> None:
        """Each pipe with what serves it, which says whether it goes on."""
        served = zip(
            self._pipes.items(), (self._feed, self._hear, self._hear_complaint), strict=True
        )
        for (descriptor, pipe), serve in served:
            event = selectors.EVENT_WRITE if pipe.writable() else selectors.EVENT_READ
            pipes.register(descriptor, event, serve)

    def _serve(self, pipes: selectors.BaseSelector) -> None:
        ready = pipes.select(self._left())
        if not ready:
            raise subprocess.TimeoutExpired(self._process.args, 0)
        for key, _ in ready:
            if not key.data(key.fd):
                pipes.unregister(key.fd)
                self._pipes[key.fd].close()

    def _left(self) -> float:
        return max(0.0, self._deadline - clock.monotonic())

    def _feed(self, descriptor: int) -> bool:
        """Writes what cannot block. A program may stop reading before its input ends."""
        try:
            self._rest = self._rest[os.write(descriptor, self._rest[: select.PIPE_BUF]) :]
        except BrokenPipeError:
            return False
        return bool(self._rest)

    def _hear(self, descriptor: int) -> bool:
        chunk = os.read(descriptor, _CHUNK)
        self._out += chunk
        return bool(chunk)

    def _hear_complaint(self, descriptor: int) -> bool:
        chunk = os.read(descriptor, _CHUNK)
        self._err += chunk
        del self._err[:-_SHOWN]
        return bool(chunk)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Gently, then by force: a program may ignore the first, and its children are not asked."""
    _signal_group(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)
    _signal_group(process, signal.SIGKILL)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
