"""Programs that may not come to an end: bounded in time and in what they say.

They are programs of the user's own, and git where it talks to a remote. Each leads a process
group, so that what it has started ends with it.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping

from relay_git import clock
from relay_git.errors import GitError
from relay_git.git.process import Result, start

_PATIENCE = 0.5
_SILENCE = 0.5
_SHOWN = 4000
_CHUNK = 1 << 16


class Stopped(GitError):
    """A command that we ended before its end: `how` it came to that, and its last complaints."""

    def __init__(self, how: str, stderr: bytes) -> None:
        super().__init__(how)
        self.how = how
        self.stderr = stderr


Hear = Callable[[bytes], None]


def bounded(
    *argv: str,
    cwd: str,
    timeout: float,
    most: int,
    env: Mapping[str, str] | None = None,
    input: bytes | None = None,
    attended: bool = False,
    keep_end: bool = False,
    hear: Hear | None = None,
) -> Result:
    """Run a program to whatever exit code, in the user's environment where no other is given.

    Raises `Stopped` for one that takes more than `timeout` seconds or writes more than `most`
    bytes; with `keep_end` it may, and the last ones are kept. Of what it says on standard error
    the end is kept, and `hear` is told it at once, or nothing now and then. It can ask the person
    at the terminal where it is `attended`; otherwise it has no terminal.
    """
    group, stdin = 0 if attended else None, subprocess.DEVNULL if input is None else subprocess.PIPE
    with start(argv, cwd, env, stdin, group, session=not attended) as process:
        talk = _Talk(process, input or b"", clock.monotonic() + timeout, hear)
        if not attended:
            return _to_its_end(process, talk, timeout, most, keep_end)
        with _terminal_lent(process):
            return _to_its_end(process, talk, timeout, most, keep_end)


def _to_its_end(
    process: subprocess.Popen[bytes], talk: _Talk, timeout: float, most: int, keep_end: bool
) -> Result:
    try:
        return talk.to_its_end(timeout, most, keep_end)
    except BaseException:
        _end_group(process)
        raise


class _Talk:
    """Feeds a program its input and takes what it says, in whatever order it wants that."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        input: bytes,
        deadline: float,
        hear: Hear | None = None,
    ) -> None:
        self._process = process
        ends = filter(None, (process.stdin, process.stdout, process.stderr))
        self._pipes = {pipe.fileno(): pipe for pipe in ends}
        self._rest = memoryview(input)
        self._deadline = deadline
        self._tell = hear
        self._out = bytearray()
        self._err = bytearray()

    def to_its_end(self, timeout: float, most: int, keep_end: bool) -> Result:
        try:
            with selectors.DefaultSelector() as pipes:
                self._register(pipes)
                while pipes.get_map():
                    self._serve(pipes)
                    if keep_end:
                        del self._out[:-most]
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
        serving = (self._feed, self._hear, self._hear_complaint)[-len(self._pipes) :]
        for (descriptor, pipe), serve in zip(self._pipes.items(), serving, strict=True):
            event = selectors.EVENT_WRITE if pipe.writable() else selectors.EVENT_READ
            pipes.register(descriptor, event, serve)

    def _serve(self, pipes: selectors.BaseSelector) -> None:
        """What it left running may hold its pipes for hours: a silence after its end is the end."""
        if not self._left():
            raise subprocess.TimeoutExpired(self._process.args, 0)
        ready = pipes.select(min(self._left(), _SILENCE))
        if not ready and self._tell:
            self._tell(b"")
        ended = not ready and self._process.poll() is not None
        for key in list(pipes.get_map().values()) if ended else [key for key, _ in ready]:
            if ended or not key.data(key.fd):
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
        if self._tell:
            self._tell(chunk)
        return bool(chunk)


@contextlib.contextmanager
def _terminal_lent(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Its group may read from the terminal, which stops any group but the one in front."""
    mine, blocked = os.getpgrp(), signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        _put_in_front(process.pid)
        _signal_group(process, signal.SIGCONT)
        yield
    finally:
        _put_in_front(mine)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _put_in_front(group: int) -> None:
    """A group that has ended, and a terminal that is not ours, stay as they are."""
    with contextlib.suppress(OSError):
        os.tcsetpgrp(0, group)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Gently, then by force: a program may ignore the first, and its children are not asked.

    By force at once when the person interrupts again.
    """
    try:
        _signal_group(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
    finally:
        _signal_group(process, signal.SIGKILL)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
