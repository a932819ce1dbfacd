"""What can be wrong around the runs: git, its configuration, refs, keys, locks, unsettled runs.

Each check yields problems, whose hints are commands. None of them changes anything.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Iterator

from relay_git import clock, names
from relay_git.doctor import lost
from relay_git.errors import InvalidName, RelayError
from relay_git.names import RunId
from relay_git.signing.keys import KeyStore
from relay_git.sync import remotes
from relay_git.workflow import pending
from relay_git.workspace import Workspace

_OLDEST_GIT = (2, 34)
_OURS = ("refs/relay/", names.NOTES, names.LOCAL)
_LATER = ("agents", "trust")
"""Namespaces that another version writes."""

_OLD = 60
"""Seconds after which a lock or a mark belongs to no process that is just about to be done."""


def versions(ws: Workspace) -> Iterator[RelayError]:
    said = ws.repo.git("version").stdout.decode("utf-8", "replace").split()[2]
    version = tuple(int(part) for part in said.split(".")[:2] if part.isdigit())
    if version < _OLDEST_GIT:
        yield RelayError(f"git {said} is too old", hint="install git 2.34 or newer")
    if not shutil.which("git-relay"):
        yield RelayError(
            "`git relay` is not found", where="PATH", hint="put the folder of git-relay on PATH"
        )


# Configuration


def configuration(ws: Workspace) -> Iterator[RelayError]:
    if "refs/relay/*" not in ws.config.get_all("log.excludeDecoration"):
        yield RelayError(
            "`git log` decorates commits with the refs of runs",
            where="git config log.excludeDecoration",
            hint="run `git relay init`",
        )
    for remote in remotes.remotes(ws.config):
        yield from remotes.dangers(ws.config, remote)
        yield from remotes.renamed(ws.config, remote)


# Refs and locks


def refs(ws: Workspace) -> Iterator[RelayError]:
    for prefix in _OURS:
        for ref in ws.store.broken_refs(prefix):
            yield RelayError("the ref is broken", where=ref, hint=lost.how_to_mend(ws, ref))
    for ref in [*_in_the_way(ws), *ws.store.refs(_OURS[0])]:
        if not _is_ours(ref):
            hint = f"if nobody needs it, run `git update-ref -d {shlex.quote(ref)}`"
            yield RelayError("not a ref of git-relay", where=ref, hint=hint)


def _in_the_way(ws: Workspace) -> list[str]:
    """Refs by the names of folders that ours lie in, which git then cannot make."""
    folders = [prefix.rstrip("/") for prefix in _OURS]
    listed = ws.repo.git("for-each-ref", "--format=%(refname)", *folders).stdout
    return [ref for ref in listed.decode("utf-8", "surrogateescape").splitlines() if ref in folders]


def _is_ours(ref: str) -> bool:
    kind, _, name = ref.removeprefix(_OURS[0]).partition("/")
    if kind != names.RUNS.split("/")[2]:
        return ref == names.PURGED or kind in _LATER or names.is_month(name)
    try:
        RunId(name)
    except InvalidName:
        return False
    return True


def locks(ws: Workspace) -> Iterator[RelayError]:
    for path in _lock_files(ws.repo.common_dir):
        try:
            age = int(clock.now() - os.stat(path).st_mtime)
        except FileNotFoundError:
            continue
        if age > _OLD:
            hint = f"if no git process is running, run `rm {shlex.quote(path)}`"
            yield RelayError(f"a lock has been there for {age} s", where=path, hint=hint)


def _lock_files(common_dir: str) -> Iterator[str]:
    for name in ("config.lock", "packed-refs.lock", "reftable/tables.list.lock"):
        if os.path.exists(os.path.join(common_dir, name)):
            yield os.path.join(common_dir, name)
    for prefix in _OURS:
        for folder, _, files in os.walk(os.path.join(common_dir, prefix)):
            yield from (os.path.join(folder, name) for name in files if name.endswith(".lock"))


# Keys


def keys(ws: Workspace) -> Iterator[RelayError]:
    folder = ws.common_path("keys")
    readable = [path for path in (folder, *_private_keys(folder)) if _is_open(path)]
    for path in readable:
        hint = f"run `chmod {'700' if path == folder else '600'} {shlex.quote(path)}`"
        yield RelayError("others can read it", where=path, hint=hint)
    is_given = ws.config.get("relay.signingkey")
    if not readable and KeyStore(ws.repo.common_dir).current() is None and not is_given:
        yield RelayError("this clone has no signing key", hint="run `git relay init`")


def _private_keys(folder: str) -> list[str]:
    listed = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    private = [name for name in listed if name.startswith("SHA256-") and "." not in name]
    return [os.path.join(folder, name) for name in private]


def _is_open(path: str) -> bool:
    if os.name != "posix" or not os.path.exists(path):
        return False
    return bool(stat.S_IMODE(os.stat(path).st_mode) & 0o077)


# Runs that ended


def unsettled(ws: Workspace) -> Iterator[RelayError]:
    for run in pending.all_pending(ws):
        mark = pending.read(ws, run)
        if mark and pending.age(ws, run) > _OLD:
            who = mark.worktree or "an unknown worktree"
            hint = f"run `git relay settle {run}` where its lessons should go"
            yield RelayError(f"{run} has ended in {who} and waits to be settled", hint=hint)
