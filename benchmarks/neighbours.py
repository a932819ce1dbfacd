"""What a large history beside the user's own branches costs the user's own git."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

from histories import Size
from measure import Row, against
from scratch import Stage, git, relay

from relay_git import names
from relay_git.git.repo import discover
from relay_git.upkeep import upkeep
from relay_git.workspace import Workspace

ROUNDS = 40
_FILES, _COMMITS = 300, 100
_NONE, _CONTROL, _PACKED = "no history", "no history (again)", "no history, after a gc"
_BARS = {"status": 1.1, "commit": 1.1, "push": 1.25, "fetch": 1.25}


def rows(stage: Stage) -> list[Row]:
    """Every clone has a server of its own, over the file protocol. Hooks are left out here.

    After a gc, which gives a repository a commit-graph, another floor is that of one without runs.
    """
    history = stage.repository("neighbour", Size(stage.large))
    seed = _seed(stage.scratch / "seed")
    loaded, served = f"{stage.large:,} runs", f"{stage.large:,} runs on the server alone"
    packed = f"{loaded}, after a gc and a sync"
    clones = {
        _NONE: _clone(stage, seed, "none"),
        _CONTROL: _clone(stage, seed, "control"),
        loaded: _clone(stage, seed, "loaded", server=history, client=history),
        served: _clone(stage, seed, "served", server=history),
        _PACKED: _clone(stage, seed, "none-packed"),
        packed: _clone(stage, seed, "packed", server=history, client=history),
    }
    git(clones[_PACKED], "gc", "--quiet")
    _gc(clones[packed], stage.scratch / "packed.git")
    samples = _interleaved(clones, stage.rounds(ROUNDS))
    found = []
    for action, bar in _BARS.items():
        pair = {name: samples[action].pop(name) for name in (_PACKED, packed)}
        measured = against(_NONE, samples[action], dict.fromkeys((loaded, served), bar))
        measured += against(_PACKED, pair, {packed: bar})
        found += [replace(row, name=f"git {action}, {row.name}") for row in measured]
    return found


def _interleaved(clones: dict[str, Path], rounds: int) -> dict[str, dict[str, list[float]]]:
    """By action and clone, in ms; in each round what one clone does all the others do too."""
    numbers = count()
    samples: dict[str, dict[str, list[float]]] = {a: {c: [] for c in clones} for a in _BARS}
    for _ in range(rounds):
        for action in _BARS:
            for name, path in clones.items():
                if action == "commit":
                    (path / "file-0.txt").write_text(f"{next(numbers)}\n")
                started = time.perf_counter()
                git(path, *_WORDS[action])
                samples[action][name].append((time.perf_counter() - started) * 1000)
    return samples


_WORDS = {
    "status": ("status", "--porcelain"),
    "commit": ("commit", "--quiet", "--all", "--message", "again"),
    "push": ("push", "--quiet", "origin", "HEAD:main"),
    "fetch": ("fetch", "--quiet"),
}


def _seed(path: Path) -> Path:
    """A project with files and commits of its own, and the tracked half of git-relay."""
    git(path.parent, "init", "--quiet", "--initial-branch=main", str(path))
    for number in range(_FILES):
        (path / f"file-{number}.txt").write_text(f"{number}\n" * 20)
    relay(path, "init", "--no-hooks")
    for number in range(_COMMITS):
        (path / "file-1.txt").write_text(f"version {number}\n")
        git(path, "add", ".")
        git(path, "commit", "--quiet", "--message", f"commit {number}")
    git(path, "gc", "--quiet")
    return path


def _clone(
    stage: Stage, seed: Path, name: str, server: Path | None = None, client: Path | None = None
) -> Path:
    """A clone and its server, each with that history where one is given.

    The clone is then set up and kept as `init` and `sync` do: a sync of so much takes an hour.
    """
    bare, path = stage.scratch / f"{name}.git", stage.scratch / name
    git(stage.scratch, "clone", "--quiet", "--bare", str(seed), str(bare))
    git(bare, "config", "receive.autogc", "false")
    git(stage.scratch, "clone", "--quiet", bare.as_uri(), str(path))
    git(path, "config", "gc.auto", "0")
    if server:
        _bring(server, bare, lambda ref: [ref])
    if client:
        relay(path, "init", "--no-hooks")
        _bring(client, path, lambda ref: [ref, names.tracking_ref("origin", ref)])
        upkeep(Workspace(discover(str(path))))
    return path


def _gc(path: Path, bare: Path) -> None:
    """Leave both as a gc would, which takes minutes, and the clone as the next sync then does."""
    small = json.loads((path / ".git/relay/cache/tips").read_text())["pack"]
    for file in (path / ".git/objects/pack").glob(f"pack-{small}.*"):
        file.unlink()
    for repository in (path, bare):
        git(repository, "commit-graph", "write", "--reachable")
    upkeep(Workspace(discover(str(path))))


def _bring(history: Path, to: Path, refs_of: Callable[[str], list[str]]) -> None:
    """Its packs and refs, as a fetch and a gc would leave them."""
    packs = Path(git(to, "rev-parse", "--git-path", "objects/pack").strip())
    for file in (history / ".git/objects/pack").iterdir():
        os.link(file, to / packs / file.name)
    listed = git(history, "for-each-ref", "--format=%(refname) %(objectname)", *_TRAVELLING)
    lines = [line.split() for line in listed.splitlines()]
    creations = [f"create {name} {oid}\n" for ref, oid in lines for name in refs_of(ref)]
    git(to, "update-ref", "--stdin", input="".join(creations))
    git(to, "pack-refs", "--all")


_TRAVELLING = (names.HISTORY, names.NOTES)
