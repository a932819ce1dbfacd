"""What opening a store costs, and in which order it reaches the disk."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support import git, processes, repository

from relay_git.errors import Corrupt
from relay_git.git.config import read_config
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import BLOB, Commit, Move, TreeEntry
from relay_git.names import Oid, RefName

REF = RefName("refs/relay/runs/x")


def put_step(store: GitStore, path: Path, parent: Oid | None) -> Oid:
    author, committer = read_config(repository(path)).identity()
    tree = store.put_tree([TreeEntry(BLOB, "plan.md", store.put_blob(b"plan"))])
    return store.put_commit(Commit(tree, (parent,) if parent else (), author, committer, "x\n"))


def test_the_imports_are_cheap() -> None:
    heavy = ("pygit2", "tempfile", "shutil", "random", "pathlib", "json", "logging", "email")
    script = f"import sys, relay_git.git.open; print([m for m in {heavy} if m in sys.modules])"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, env=env)
    assert (done.stdout, done.stderr) == (b"[]\n", b"")


def test_a_cold_step_starts_three_processes(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where are we, who are we, move the ref; what was loose is read without one."""
    store = open_store(repository(repo_path))
    tip = put_step(store, repo_path, None)
    store.move(Move(REF, None, tip))
    store.close()
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
    repo = repository(repo_path)
    config = read_config(repo)
    store = open_store(repo, lambda: config)
    (entry,) = store.tree(store.commit(tip).tree)
    assert store.blob(entry.oid) == b"plan"
    author, committer = config.identity()
    new = store.put_commit(Commit(store.commit(tip).tree, (tip,), author, committer, "y\n"))
    store.move(Move(REF, tip, new))
    store.close()
    started = [
        next(word for word in line.split()[1:] if "=" not in word and word != "-c")
        for line in processes(trace)
    ]
    assert started == ["rev-parse", "var", "update-ref"]


@pytest.mark.parametrize("engine", ["native", "libgit"])
def test_a_repository_shared_by_a_group(repo_path: Path, engine: str) -> None:
    git(repo_path, "config", "core.sharedRepository", "group")
    store = open_store(repository(repo_path), engine=engine)
    before = os.umask(0o077)
    try:
        oid = store.put_blob(b"for all of us")
    finally:
        os.umask(before)
    path = repo_path / ".git/objects" / oid[:2]
    assert stat.S_IMODE((path / oid[2:]).stat().st_mode) == 0o440
    assert stat.S_IMODE(path.stat().st_mode) & 0o2770 == 0o2770
    store.close()


def test_bytes_that_are_no_tree_or_commit_are_corrupt(repo_path: Path) -> None:
    """git itself would refuse to write these; a broken tool would not."""
    store = open_store(repository(repo_path))
    for kind, read in (("tree", store.tree), ("commit", store.commit)):
        raw = ("hash-object", "--literally", "-w", "-t", kind, "--stdin")
        oid = Oid(git(repo_path, *raw, input=b"nonsense"))
        with pytest.raises(Corrupt, match=f"not a {kind}") as caught:
            read(oid)
        assert caught.value.where == oid
    store.close()


STEP = """
from relay_git.git.open import open_store
from relay_git.git.repo import discover
from relay_git.git.store import Move
from relay_git.names import RefName
store = open_store(discover(), durability="fsync")
ref, first = RefName("refs/relay/runs/x"), store.put_blob(b"first")
store.move(Move(ref, None, first))
store.move(Move(ref, first, store.put_blob(b"second")))
store.close()
"""


def test_objects_reach_the_disk_before_the_ref(repo_path: Path, tmp_path: Path) -> None:
    """File, the objects' directory, ref, and the ref's directory, as the kernel saw it."""
    if not shutil.which("strace"):
        pytest.skip("needs strace")
    log = tmp_path / "log"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "GIT_TEST_FSYNC": "1"}
    watch = ["strace", "-f", "-y", "-e", "trace=fsync", "-o", str(log)]
    subprocess.run([*watch, sys.executable, "-c", STEP], cwd=repo_path, env=env, check=True)
    synced = re.findall(r"fsync\(\d+<([^>]*)>", log.read_text())
    git_dir = repo_path / ".git"
    assert len(synced) == 8
    for content, calls in ((b"first", synced[:4]), (b"second", synced[4:])):
        blob = git(repo_path, "hash-object", "--stdin", input=content)
        assert calls[:2] == [f"{git_dir}/objects/{blob[:2]}/{blob[2:]}", f"{git_dir}/objects"]
        assert calls[2:] == [f"{git_dir}/{REF}.lock", f"{git_dir}/refs/relay/runs"]
