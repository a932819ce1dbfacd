"""Clones over one bare repository, and what holds of them when all have synced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from flow import call, copy_of, done, make_project, tips
from support import git

OURS = ("refs/relay/", "refs/notes/relay/")
ORIGIN = "refs/relay-local/remotes/origin/"


def make_server(path: Path, workflow: str | None = None) -> Path:
    """A bare repository with the workflow on its only branch, and no run yet."""
    first = make_project(path.parent / f"{path.name}-first", *([workflow] if workflow else []))
    git(path.parent, "clone", "-q", "--bare", str(first), str(path))
    return path


def make_clone(server: Path, path: Path, *options: str) -> Path:
    """Somebody's clone, with a name, an address and a key of its own; no hooks."""
    git(server.parent, "clone", "-q", *options, str(server), str(path))
    git(path, "config", "user.name", path.name)
    git(path, "config", "user.email", f"{path.name}@example.com")
    done(path, "init", "--no-hooks")
    return path


def neighbours(
    name: str, build: Callable[[Path], object], at: Path, server: str = "server"
) -> Path:
    """The server that `build` makes in a folder, with its clones, made once and copied into `at`
    (see `copy_of`)."""
    for made in copy_of(name, build, at / "made").iterdir():
        made.rename(at / made.name)
        if (at / made.name / ".git/refs/remotes/origin").exists():
            git(at / made.name, "remote", "set-url", "origin", str(at / server))
    return at / server


def relay_refs(path: Path) -> dict[str, str]:
    """The refs that travel."""
    return {ref: tip for ref, tip in tips(path).items() if ref.startswith(OURS)}


def tracked(path: Path, remote: str = "origin") -> dict[str, str]:
    """What the remote had when it was fetched, under its own names."""
    prefix = f"refs/relay-local/remotes/{remote}/"
    names = {"relay/": "refs/relay/", "notes/": "refs/notes/relay/"}
    found = {}
    for ref, tip in tips(path).items():
        for below, real in names.items():
            if ref.startswith(prefix + below):
                found[real + ref.removeprefix(prefix + below)] = tip
    return found


def assert_same(paths: Iterable[Path]) -> dict[str, str]:
    """That all have the same refs of ours; which."""
    first, *others = (relay_refs(path) for path in paths)
    for other in others:
        assert other == first
    return first


def in_step(clones: Iterable[Path]) -> None:
    """Sync round after round until nobody has news."""
    for _ in range(6):
        answers = [call(clone, "sync") for clone in clones]
        assert {answer.code for answer in answers} == {0}, answers
        if all(answer.out == "in step with origin\n" for answer in answers):
            return
    raise AssertionError(f"no end: {answers}")


def reachable(path: Path) -> set[str]:
    """Every commit that a ref of ours reaches."""
    refs = relay_refs(path)
    return set(git(path, "rev-list", *refs).split()) if refs else set()
