"""The one door to processes: bytes in, bytes out, a deadline, and an error that holds it all.

`GIT_RELAY_TRACE=<file>` appends one line, a JSON list of the arguments, for each process started.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import subprocess
from collections.abc import Mapping
from typing import IO

from relay_git import clock
from relay_git.errors import GitError, RelayError
from relay_git.record import Record

DEADLINE = 60.0
_PATIENCE = 0.5
_GRACE = 2.0
_LOOKS = 150
"""Some 0.2 ms of them."""
_SHOWN = 4000
_CHUNK = 1 << 16


class Result(Record):
    """What a finished process said."""

    stdout: bytes
    stderr: bytes
    code: int


class Ended(GitError):
    """A long-lived process ended before it answered; `stderr` is what it said last."""

    def __init__(self, what: str, stderr: bytes) -> None:
        super().__init__(what)
        self.stderr = stderr


def git(
    *args: str,
    cwd: str,
    input: bytes | None = None,
    timeout: float = DEADLINE,
    foreign: bool = False,
    check: bool = True,
) -> Result:
    """Run git in the caller's environment; `foreign` scrubs what names the caller's repository."""
    env = environment(foreign)
    return run("git", *args, cwd=cwd, input=input, env=env, timeout=timeout, check=check)


def run(
    *argv: str,
    cwd: str,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = DEADLINE,
    check: bool = True,
) -> Result:
    """Run one program to its end. `GitError` on a failure (if `check`) or a missed deadline."""
    process = start(argv, cwd, env, subprocess.DEVNULL if input is None else subprocess.PIPE)
    try:
        stdout, stderr = process.communicate(input, timeout)
    except subprocess.TimeoutExpired:
        stdout, stderr = _stop(process)
        raise _failure(argv, f"was stopped after {timeout:g} seconds", stdout, stderr) from None
    except BaseException:
        _stop(process)
        raise
    result = Result(stdout, stderr, process.returncode)
    if check and result.code:
        raise failure(argv, result)
    return result


def attended(*argv: str, cwd: str) -> int:
    """Run a program that talks to the person at the terminal, an editor; its exit code."""
    _trace(argv)
    return subprocess.call(argv, cwd=cwd)


def spawn(*args: str, cwd: str, foreign: bool = False) -> Child:
    """Start a long-lived git that answers requests on its standard input."""
    argv = ("git", *args)
    return Child(start(argv, cwd, environment(foreign), subprocess.PIPE), argv)


def failure(argv: tuple[str, ...], result: Result) -> GitError:
    """The error of a process that ended with a code other than 0."""
    return _failure(argv, f"failed with exit code {result.code}", result.stdout, result.stderr)


def environment(foreign: bool) -> dict[str, str]:
    """The caller's environment in the C locale; prompts only where somebody can answer."""
    scrubbed = _local_env_vars() if foreign else frozenset()
    env = {name: value for name, value in os.environ.items() if name not in scrubbed}
    env["LC_ALL"] = "C"
    if not at_terminal():
        env["GIT_TERMINAL_PROMPT"] = "0"
    return env


class Child:
    """A long-lived process: requests in, answers out, every wait with a deadline."""

    def __init__(self, process: subprocess.Popen[bytes], argv: tuple[str, ...]) -> None:
        self._process = process
        self._argv = argv
        self._owner = os.getpid()
        self._stdin, self._stdout, self._stderr = (
            pipe.fileno() for pipe in (process.stdin, process.stdout, process.stderr) if pipe
        )
        self._out = bytearray()
        self._err = bytearray()
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)

    @property
    def alive(self) -> bool:
        """False too in a fork, whose child it is not: a conversation cannot be shared."""
        return self._owner == os.getpid() and self._process.poll() is None

    def send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BrokenPipeError:
                raise self._ended() from None

    def line(self, timeout: float = DEADLINE) -> bytes:
        """The next line of the answer, without its newline."""
        deadline = clock.monotonic() + timeout
        while (end := self._out.find(b"\n")) < 0:
            self._receive(deadline)
        return self._cut(end + 1)[:-1]

    def take(self, size: int, timeout: float = DEADLINE) -> bytes:
        """Exactly `size` bytes of the answer."""
        deadline = clock.monotonic() + timeout
        while len(self._out) < size:
            self._receive(deadline)
        return self._cut(size)

    def complaints(self) -> bytes:
        """What it has said on standard error since this was asked last."""
        said = bytes(self._err) + _left(self._process.stderr)
        self._err.clear()
        return said

    def close(self) -> None:
        """End it by the end of its input; by force when that is not enough.

        In a fork only our ends of the pipes: what is in them is the owner's answer.
        """
        _close(self._process.stdin)
        if self._owner == os.getpid():
            _stop(self._process, ask=False)
        else:
            _close(self._process.stdout)
            _close(self._process.stderr)

    def _cut(self, size: int) -> bytes:
        data = bytes(memoryview(self._out)[:size])
        del self._out[:size]
        return data

    def _receive(self, deadline: float) -> None:
        left = max(0.0, deadline - clock.monotonic())
        ready = self._poll_soon() or self._poll.poll(left * 1000)
        if not ready:
            _stop(self._process)
            raise _failure(self._argv, "did not answer in time", b"", bytes(self._err))
        for descriptor, _ in ready:
            data = os.read(descriptor, _CHUNK)
            if descriptor == self._stdout and not data:
                raise self._ended()
            if not data:
                self._poll.unregister(descriptor)
            elif descriptor == self._stdout:
                self._out += data
            else:
                self._err += data

    def _poll_soon(self) -> list[tuple[int, int]]:
        """Most answers come within a moment, in which to fall asleep and be woken takes longer."""
        for _ in range(_LOOKS):
            if ready := self._poll.poll(0):
                return ready
            os.sched_yield()
        return []

    def _ended(self) -> Ended:
        stderr = bytes(self._err) + _stop(self._process, ask=False)[1]
        code = self._process.returncode
        error = _failure(self._argv, f"ended with exit code {code}", bytes(self._out), stderr)
        return Ended(error.what, stderr)


def start(
    argv: tuple[str, ...],
    cwd: str,
    env: Mapping[str, str] | None,
    stdin: int,
    group: int | None = None,
    session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a program, for this package alone; `group` 0 makes it the head of a group, `session`
    of a group that has no terminal."""
    _trace(argv)
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=pipe,
            stderr=pipe,
            process_group=group,
            start_new_session=session,
        )
    except OSError as error:
        if not os.path.isdir(cwd):
            raise RelayError("there is no such directory", where=cwd) from None
        hint = f"install {argv[0]} or put it on PATH"
        raise RelayError(f"cannot start {argv[0]}: {error.strerror}", hint=hint) from None


def _stop(process: subprocess.Popen[bytes], ask: bool = True) -> tuple[bytes, bytes]:
    """End and reap a child. Gently first: git removes its lock files on SIGTERM, not on SIGKILL."""
    if ask:
        process.terminate()
    for patience, insist in ((_PATIENCE, process.terminate), (_GRACE, process.kill)):
        try:
            process.wait(patience)
            break
        except subprocess.TimeoutExpired:
            insist()
    process.wait()
    rest = _left(process.stdout), _left(process.stderr)
    for pipe in (process.stdin, process.stdout, process.stderr):
        _close(pipe)
    return rest


def _left(pipe: IO[bytes] | None) -> bytes:
    """What a pipe holds already; a grandchild that holds it open is not waited for."""
    if pipe is None or pipe.closed:
        return b""
    descriptor = pipe.fileno()
    os.set_blocking(descriptor, False)
    data = b""
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(descriptor, _CHUNK):
            data += chunk
    return data


def _close(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        with contextlib.suppress(OSError):
            pipe.close()


def _failure(argv: tuple[str, ...], how: str, stdout: bytes, stderr: bytes) -> GitError:
    lines = [f"`{' '.join(argv)}` {how}"]
    for name, data in (("stdout", stdout), ("stderr", stderr)):
        text = data[-_SHOWN:].decode("utf-8", "replace").strip()
        lines.append(f"{name}: {text or '(empty)'}")
    return GitError("\n".join(lines))


@functools.cache
def _local_env_vars() -> frozenset[str]:
    """The names of the variables that tie git to one repository; git knows them all."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    listed = run("git", "rev-parse", "--local-env-vars", cwd=os.sep, env=env)
    return frozenset(listed.stdout.decode().split())


def at_terminal() -> bool:
    """Whether somebody can be asked."""
    return os.isatty(0) and os.isatty(2)


def _trace(argv: tuple[str, ...]) -> None:
    target = os.environ.get("GIT_RELAY_TRACE")
    if target:
        import json

        from relay_git.redact import redact

        with open(target, "a", encoding="utf-8") as file:
            file.write(json.dumps([redact(word)[0] for word in argv]) + "\n")
