"""Which remote is meant, by which refspecs its refs come, and what would endanger runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from relay_git import clock, names
from relay_git.errors import InvalidName, Refused, RelayError
from relay_git.git.config import Config, edit_config
from relay_git.sync.rules import Rule
from relay_git.workspace import Workspace

_EVERYTHING = (f"{names.RELAY}*", f"{names.NOTES}*")
_RUNS = (f"{names.RUNS}*",)
"""What a plain `git fetch` brings where `relay.fetchMonths` limits it: months move on."""


def remotes(config: Config) -> list[str]:
    """The remotes that have an address."""
    return [name for name in config.subsections("remote") if config.get(f"remote.{name}.url")]


def choose(ws: Workspace, asked: str | None) -> str:
    """The remote that was asked for, else the one that the configuration or the branch names,
    else `origin`, else the only one."""
    known = remotes(ws.config)
    named = asked or ws.config.get("relay.remote") or _of_the_branch(ws)
    if named is None:
        named = known[0] if len(known) == 1 else "origin"
        if named not in known:
            raise _none_or_many(known)
    if named not in known:
        add = f"git remote add {shlex.quote(named)} URL"
        listed = f"known: {', '.join(known)}" if known else f"add it with `{add}`"
        raise Refused(f"there is no remote {named!r}", hint=listed)
    return named


def _of_the_branch(ws: Workspace) -> str | None:
    """The remote that the branch's upstream is at; a branch may follow one of this repository."""
    if ws.repo.branch is None:
        return None
    branch = ws.repo.branch.removeprefix("refs/heads/")
    named = ws.config.get(f"branch.{branch}.remote")
    return named if named in remotes(ws.config) else None


def _none_or_many(known: list[str]) -> Refused:
    if not known:
        return Refused("this repository has no remote", hint="add one: `git remote add origin URL`")
    return Refused(
        f"which remote? there are {', '.join(known)}",
        hint="name one, or set it: `git config relay.remote NAME`",
    )


def tracked(config: Config) -> list[str]:
    """Below which names the remotes keep what they had: their own, but for a renamed one whose
    refspecs were left."""
    known = remotes(config)
    astray = (spec.rpartition(":")[2] for remote in known for spec in _astray(config, remote))
    others = filter(None, map(names.tracked_remote, astray))
    return list(dict.fromkeys([*known, *others]))


# Refspecs


def refspecs(ws: Workspace, remote: str, rules: Iterable[Rule]) -> list[str]:
    """What a fetch of ours asks for. With `relay.fetchMonths`, of what is kept by month the
    recent ones alone, and those that this clone has already."""
    most = ws.config.int("relay.fetchmonths")
    if most < 1:
        return [_refspec(remote, pattern) for pattern in _EVERYTHING]
    monthly = [rule.prefix for rule in rules if rule.monthly]
    patterns = [f"{rule.prefix}*" for rule in rules if not rule.monthly]
    held = {ref.rpartition("/")[2] for ref in ws.store.refs(*monthly)}
    for month in sorted({*recent_months(most), *held}):
        patterns += [f"{prefix}{month}*" for prefix in monthly]
    return [_refspec(remote, pattern) for pattern in patterns]


def recent_months(most: int) -> list[str]:
    """The last so many, this one among them; and the next, where other clocks may be already."""
    year, month = map(int, clock.isoformat(clock.now())[:7].split("-"))
    present = year * 12 + month - 1
    return [f"{n // 12:04}-{n % 12 + 1:02}" for n in range(present - most + 1, present + 2)]


def configure(ws: Workspace) -> Iterator[str]:
    """Let a plain `git fetch` bring the runs of every remote, beside our own. Each change made;
    done again, it changes nothing."""
    patterns = _RUNS if ws.config.int("relay.fetchmonths") > 0 else _EVERYTHING
    for remote in remotes(ws.config):
        wanted = _possible(remote, patterns)
        present = _ours(ws.config, remote)
        for spec in present:
            if spec not in wanted:
                _unset(ws, remote, spec)
                yield f"git config {_key(remote)} without {spec}"
        for spec in wanted:
            if spec not in present:
                edit = ("--fixed-value", "--replace-all", _key(remote), spec, spec)
                edit_config(ws.repo, *edit)
                yield f"git config {_key(remote)} {spec}"


def unconfigure(ws: Workspace) -> Iterator[str]:
    """Take out what `configure` put in."""
    for remote in ws.config.subsections("remote"):
        for spec in _ours(ws.config, remote):
            yield _unset(ws, remote, spec)


def _unset(ws: Workspace, remote: str, spec: str) -> str:
    edit_config(ws.repo, "--fixed-value", "--unset-all", _key(remote), spec)
    return f"git config {_key(remote)} {spec}"


def _ours(config: Config, remote: str) -> list[str]:
    """Refspecs into our tracking names: nobody else has a reason to write there."""
    specs = dict.fromkeys(config.get_all(_key(remote)))
    return [spec for spec in specs if names.is_tracking(spec.rpartition(":")[2])]


def _astray(config: Config, remote: str) -> list[str]:
    """Those into the names of another: `git remote rename` leaves them as they were."""
    own = names.tracking_prefix(remote)
    return [s for s in _ours(config, remote) if not s.rpartition(":")[2].startswith(own)]


def _possible(remote: str, patterns: Iterable[str]) -> list[str]:
    """None for a remote whose name no ref can hold."""
    try:
        names.RefName(f"{names.tracking_prefix(remote)}x")
    except InvalidName:
        return []
    return [_refspec(remote, pattern) for pattern in patterns]


def _refspec(remote: str, pattern: str) -> str:
    return f"+{pattern}:{names.tracking_ref(remote, pattern)}"


def _key(remote: str) -> str:
    return f"remote.{remote}.fetch"


# Dangers


def refuse_dangers(config: Config, remote: str) -> None:
    """Raises `Refused` where git itself would lose runs while we talk to that remote."""
    for danger in dangers(config, remote):
        raise Refused(danger.what, where=danger.where, hint=danger.hint)


def dangers(config: Config, remote: str) -> Iterator[RelayError]:
    """What in the configuration of a remote would lose runs, each with the command that mends it.

    1. a mirror   2. a fetch that writes our refs in place   3. a push that forces them
    """
    key = f"remote.{remote}"
    if config.bool(f"{key}.mirror"):
        yield RelayError(
            "`git push` mirrors: it deletes runs of others that this clone does not have",
            where=f"git config {key}.mirror",
            hint=f"run `git config --unset {shlex.quote(f'{key}.mirror')}`",
        )
    for spec in config.get_all(f"{key}.fetch"):
        if ":" in spec and _covers(spec.rpartition(":")[2]):
            yield _danger(f"{key}.fetch", spec, "a fetch overwrites or prunes the runs here")
    for spec in config.get_all(f"{key}.push"):
        if spec.startswith("+") and _covers(spec.rpartition(":")[2]):
            yield _danger(f"{key}.push", spec, "a push overwrites the runs of others")


def renamed(config: Config, remote: str) -> Iterator[RelayError]:
    """Refspecs that `git remote rename` has left as they were."""
    for spec in _astray(config, remote):
        yield RelayError(
            f"a fetch keeps runs under the name of another remote ({spec})",
            where=f"git config {_key(remote)}",
            hint="run `git relay init`",
        )


def _danger(key: str, spec: str, what: str) -> RelayError:
    unset = f"git config --unset {shlex.quote(key)} {shlex.quote(f'^{re.escape(spec)}$')}"
    return RelayError(f"{what} ({spec})", where=f"git config {key}", hint=f"run `{unset}`")


def _covers(target: str) -> bool:
    """Whether a refspec's right side can name one of our refs that travel."""
    before = target.lstrip("+").partition("*")[0]
    ours = (names.RELAY, names.NOTES)
    return any(prefix.startswith(before) or before.startswith(prefix) for prefix in ours)
