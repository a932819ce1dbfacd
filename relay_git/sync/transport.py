"""git fetch and git push: bounded in time, with all that they start, and silent unless attended.

A push says of each ref what became of it (`git push --porcelain`): a line of flag, `from:to` and
summary between tabs. The flag of a ref that the remote has not as it was sent is `!`, whether we
did not try (`[rejected]`: it is not a fast-forward, its lease is stale, another ref of an atomic
push failed), the remote refused (`[remote rejected]`) or said nothing (`[remote failure]`).
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from relay_git import clock
from relay_git.errors import Unreached
from relay_git.git import process
from relay_git.git.process import Result
from relay_git.git.shell import Stopped, bounded
from relay_git.names import Oid, RefName
from relay_git.record import Record
from relay_git.workspace import Workspace

_MOST = 1 << 26
_AT_ONCE = 1000
"""Refs in one push: their names must fit into a command line."""

_FETCH = (
    *("--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"),
    *("--no-filter", "--prune", "--refmap="),
)
"""Nothing but what the refspecs of ours name, whatever the configuration says."""

_PUSH = ("--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
"""Without our own pre-push hook, which may be what has called."""

_NO_PROMPT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
}
_BATCH_SSH = "ssh -o BatchMode=yes"
_NO_ATOMIC = b"does not support --atomic"
_LINE = re.compile(r"(?P<flag>[ +*=!-])\t[^\t]*:(?P<ref>[^\t:]+)\t(?P<summary>.*)")
_NOT_TOLD = "the remote did not say what became of it"
_BESIDE_THE_POINT = re.compile(rb"(?:warning|hint|remote): |Pseudo-terminal|\*\* ")


class Update(Record):
    """What a ref shall be at the remote, a tip of ours or nothing (None). `expected` is what a ref
    must have there to be removed, or to be replaced by what a purge made of that."""

    ref: RefName
    new: Oid | None
    expected: Oid | None = None


class Transport:
    """One remote, and the seconds that all talk with it may take together.

    Where it is `attended`, somebody can be asked for a password. `hear` is told what git says.
    """

    def __init__(
        self,
        ws: Workspace,
        remote: str,
        seconds: float,
        attended: bool = False,
        hear: Callable[[bytes], None] | None = None,
    ) -> None:
        self._ws, self._remote, self._seconds = ws, remote, seconds
        self._attended, self._hear = attended, hear
        self._end = clock.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds."""
        return max(0.0, self._end - clock.monotonic())

    def fetch(self, refspecs: Sequence[str]) -> str | None:
        """None, or why not all has come: a ref cannot be written, or something here is broken.

        Raises `Unreached`. Another fetch may have held a lock, so there is a second try.
        """
        shown = "--progress" if self._hear else "--quiet"
        for _ in range(2):
            result = self._git("fetch", shown, *_FETCH, "--", self._remote, *refspecs)
            if result.code > 1:
                raise self._unreached("reach", result)
            if not result.code:
                return None
        return f"not all of {self._remote} could be fetched: {_reason(result)}"

    def push(self, updates: Iterable[Update], atomic: bool) -> dict[RefName, str | None]:
        """What became of each: None when the remote has it so, else why not. Raises `Unreached`.

        With `atomic` all or none, where the remote knows how.
        """
        told: dict[RefName, str | None] = {}
        rest = iter(updates)
        while batch := list(islice(rest, _AT_ONCE)):
            told |= self._push(batch, atomic)
        return told

    def _push(self, updates: Sequence[Update], atomic: bool) -> dict[RefName, str | None]:
        shown = "--progress" if self._hear else "--no-progress"
        leases = [f"--force-with-lease={u.ref}:{u.expected}" for u in updates if u.expected]
        specs = [f"{update.new or ''}:{update.ref}" for update in updates]
        options = (shown, *_PUSH, *leases, *(("--atomic",) if atomic else ()))
        result = self._git("push", *options, "--", self._remote, *specs)
        if atomic and result.code and _NO_ATOMIC in result.stderr:
            return self._push(updates, atomic=False)
        told = _told(result)
        if not told:
            raise self._unreached("push to", result)
        return {update.ref: told.get(update.ref, _NOT_TOLD) for update in updates}

    def _git(self, *args: str) -> Result:
        if not self.left:
            raise self._late()
        repo = self._ws.repo
        try:
            result = bounded(
                *("git", *args),
                cwd=repo.cwd,
                env=self._environment(),
                timeout=self.left,
                most=_MOST,
                attended=self._attended,
                hear=self._hear,
            )
        except Stopped as stopped:
            raise self._late() if not self.left else Unreached(stopped.how) from None
        if result.code == -signal.SIGINT:
            raise KeyboardInterrupt
        return result

    def _environment(self) -> Mapping[str, str]:
        """Nobody is asked where nobody is there, and ssh fails instead of asking."""
        env = process.environment(self._ws.repo.foreign)
        if self._attended:
            return env
        ssh = {} if self._has_own_ssh() else {"GIT_SSH_COMMAND": _BATCH_SSH}
        return env | _NO_PROMPT | ssh

    def _has_own_ssh(self) -> bool:
        named = (os.environ.get("GIT_SSH_COMMAND"), os.environ.get("GIT_SSH"))
        return any(named) or self._ws.config.get("core.sshcommand") is not None

    def _late(self) -> Unreached:
        return Unreached(
            f"{self._remote} did not answer within {self._seconds:g} seconds",
            hint=f"`git fetch {self._remote}` waits longer for a slow one",
        )

    def _unreached(self, verb: str, result: Result) -> Unreached:
        return Unreached(f"cannot {verb} {self._remote}: {_reason(result)}")


def _told(result: Result) -> dict[RefName, str | None]:
    """By ref. The first thing that the remote has said stands beside its refusal."""
    said = re.search(rb"^remote: (.*\S)", result.stderr, re.MULTILINE)
    words = f": {said[1].decode('utf-8', 'replace')}" if said else ""
    told: dict[RefName, str | None] = {}
    for line in result.stdout.decode("utf-8", "surrogateescape").split("\n"):
        if found := _LINE.fullmatch(line):
            why = found["summary"]
            why += words if why.startswith("[remote rejected]") else ""
            told[RefName(found["ref"])] = why if found["flag"] == "!" else None
    return told


def _reason(result: Result) -> str:
    """The first line that says what is wrong; what a server wishes to say stands before it."""
    lines = [line.strip() for line in result.stderr.split(b"\n") if line.strip()]
    to_the_point = [line for line in lines if not _BESIDE_THE_POINT.match(line)]
    first = (to_the_point or lines or [b"git says nothing"])[0]
    return first.decode("utf-8", "replace").removeprefix("fatal: ").removeprefix("error: ")
