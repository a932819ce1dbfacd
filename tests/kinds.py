"""Every kind of repository that must work, made by git itself.

Each function makes one at or beside `at`, with the workflow `loop` in it, and returns where a
person works: somewhere in its work tree.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from flow import add_workflow, make_project
from hooking import write_hook
from support import git, make_commits, make_repo

NEWER_GIT = Path(__file__).parents[1] / ".cache" / "newer-git"
"""Where `make newer-git` puts one."""

Kind = Callable[[Path], Path]


def use_git_with_reftable(patch: pytest.MonkeyPatch, at: Path) -> None:
    """This machine's git, else the one that was brought; skips where neither is."""
    if _knows_reftable(at):
        return
    patch.setenv("PATH", f"{NEWER_GIT}{os.pathsep}{os.environ['PATH']}")
    if not _knows_reftable(at):
        pytest.skip("needs git 2.45 or newer for reftable; `make newer-git` may bring one")


def _knows_reftable(at: Path) -> bool:
    probe = ["git", "init", "-q", "--ref-format=reftable", str(at / "probe")]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


@cache
def top_of(here: Path) -> Path:
    """The top level of the work tree, which stays where it is."""
    return Path(git(here, "rev-parse", "--show-toplevel"))


def _committed(path: Path) -> Path:
    """Give a repository that is there the workflow, in a commit."""
    add_workflow(path)
    git(path, "add", ".relay")
    git(path, "commit", "-q", "-m", "set up")
    return path


def _origin(at: Path) -> Path:
    """A project with some commits behind it, to be cloned, also in part."""
    origin = make_project(at.with_name(f"origin of {at.name}"))
    make_commits(origin, 3)
    for text in ("one", "two"):
        (origin / "a.txt").write_text(text)
        git(origin, "add", "a.txt")
        git(origin, "commit", "-q", "-m", text)
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    return origin


def _clone(at: Path, *options: str) -> Path:
    git(at.parent, "clone", "-q", *options, f"file://{_origin(at)}", str(at))
    return at


# Where the work tree and the git directory are


def main_worktree(at: Path) -> Path:
    return make_project(at)


def linked_worktree(at: Path) -> Path:
    main = make_project(at.with_name("main"))
    git(main, "worktree", "add", "-q", "-b", "side", str(at))
    return at


def worktree_of_a_bare_repository(at: Path) -> Path:
    bare = at.with_name("bare.git")
    git(make_project(at.with_name("origin")), "clone", "-q", "--bare", ".", str(bare))
    git(bare, "worktree", "add", "-q", "-b", "side", str(at))
    return at


def submodule(at: Path) -> Path:
    """Here `.git` is a file."""
    library, outer = make_project(at.with_name("library")), make_repo(at)
    git(outer, "submodule", "--quiet", "add", str(library), "lib")
    git(outer, "commit", "-q", "-m", "a library")
    return outer / "lib"


def subdirectory(at: Path) -> Path:
    below = make_project(at) / "a" / "b"
    below.mkdir(parents=True)
    return below


def separate_git_dir(at: Path) -> Path:
    git(at.parent, "init", "-q", f"--separate-git-dir={at.with_name('elsewhere')}", str(at))
    return _committed(at)


def odd_path(at: Path) -> Path:
    return make_project(at / 'it\'s a "blåh" $HOME\t日本語 -x')


# Where HEAD is


def detached_head(at: Path) -> Path:
    git(make_project(at), "checkout", "-q", "--detach")
    return at


def unborn_branch(at: Path) -> Path:
    add_workflow(make_repo(at, commit=False))
    return at


# How objects and refs are kept


def sha256(at: Path) -> Path:
    return _committed(make_repo(at, object_format="sha256"))


def reftable(at: Path) -> Path:
    """Needs `use_git_with_reftable`."""
    git(at.parent, "init", "-q", "--ref-format=reftable", str(at))
    return _committed(at)


def packed(at: Path) -> Path:
    """Objects and refs both."""
    git(make_project(at), "gc", "-q")
    return at


def borrowed_objects(at: Path) -> Path:
    return _clone(at, "--shared")


def shared_by_a_group(at: Path) -> Path:
    git(make_project(at), "config", "core.sharedRepository", "group")
    return at


# What is not there


def shallow_clone(at: Path) -> Path:
    return _clone(at, "--depth=1")


def blobless_clone(at: Path) -> Path:
    """git fetches what a command needs."""
    return _clone(at, "--filter=blob:none")


def named_partial(at: Path) -> Path:
    """The extension by its name, as other tools set it; nothing is missing."""
    git(_clone(at), "config", "core.repositoryFormatVersion", "1")
    git(at, "config", "extensions.partialClone", "origin")
    return at


# How it is configured


def worktree_config(at: Path) -> Path:
    git(make_project(at), "config", "core.repositoryFormatVersion", "1")
    git(at, "config", "extensions.worktreeConfig", "true")
    return at


def hooks_of_the_project(at: Path) -> Path:
    """As husky has them: git calls a folder of stubs, which call what people write."""
    stubs = make_project(at) / ".husky" / "_"
    stub = '#!/bin/sh\nf=$(dirname "$0")/../${0##*/}\n[ ! -f "$f" ] || exec sh -e "$f" "$@"\n'
    for hook in ("pre-commit", "commit-msg", "post-commit", "post-checkout", "post-merge"):
        write_hook(stubs / hook, stub)
    write_hook(stubs / "post-rewrite", stub)
    (stubs / ".gitignore").write_text("*\n")
    git(at, "config", "core.hooksPath", ".husky/_")
    return at


def hooks_of_the_machine(at: Path) -> Path:
    """One folder of hooks for every repository of this person."""
    at.with_name("my hooks").mkdir()
    git(at.parent, "config", "--global", "core.hooksPath", str(at.with_name("my hooks")))
    return make_project(at)


PLACES: tuple[Kind, ...] = (
    *(main_worktree, linked_worktree, worktree_of_a_bare_repository, submodule),
    *(subdirectory, separate_git_dir, odd_path, detached_head, unborn_branch),
)
STORES: tuple[Kind, ...] = (
    *(sha256, reftable, packed, borrowed_objects, shared_by_a_group),
    *(shallow_clone, blobless_clone, named_partial, worktree_config),
)
HOOKS: tuple[Kind, ...] = (hooks_of_the_project, hooks_of_the_machine)
