"""Sync from every kind of repository, with an ordinary clone at the other side of the remote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import kinds
import pytest
from clones import assert_same, in_step, make_clone, make_server, relay_refs
from flow import APPROVED, call, done, draft, write
from kinds import Kind, top_of
from support import git, make_repo

CASES = [*kinds.PLACES, *kinds.STORES]


@pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.__name__)
def test_runs_go_there_and_come_back(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind is kinds.reftable:
        kinds.use_git_with_reftable(monkeypatch, tmp_path)
    here = kind(tmp_path / "project")
    server, other = opposite(here, tmp_path)
    done(here, "init", "--no-hooks")
    done(here, "start", "--slug", "shared")
    draft(top_of(here))
    done(here, "sync")
    in_step([other])
    done(other, "switch", "shared")
    write(other, "review.md", APPROVED)
    done(other, "advance")
    in_step([other, here])
    refs = assert_same([here, other, server])
    assert len(refs) == 2, "it is filed everywhere, and open nowhere"
    assert call(here, "verify", "--all").code == 0
    git(here, "fsck", "--strict", "--no-dangling")


def opposite(here: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A bare repository for the remote of that one, and an ordinary clone of it."""
    server, other = tmp_path / "server", tmp_path / "other"
    form = git(here, "rev-parse", "--show-object-format")
    git(tmp_path, "init", "-q", "--bare", f"--object-format={form}", str(server))
    make_repo(other, object_format=form)
    for path in (here, other):
        how = "set-url" if git(path, "remote") else "add"
        git(path, "remote", how, "origin", str(server))
    git(other, "config", "user.email", "other@example.com")
    done(other, "init", "--no-hooks")
    return server, other


def test_a_bare_repository_syncs_what_its_worktrees_do(tmp_path: Path) -> None:
    worktree = kinds.worktree_of_a_bare_repository(tmp_path / "project")
    server, other = opposite(worktree, tmp_path)
    done(worktree, "start")
    done(tmp_path / "bare.git", "sync")
    assert relay_refs(server) == relay_refs(worktree)
    in_step([other])
    assert_same([server, other, tmp_path / "bare.git"])


def test_a_shallow_clone_and_one_without_files_sync_whole_runs(tmp_path: Path) -> None:
    """What a run holds is not cut off where the code is."""
    server = make_server(tmp_path / "server")
    git(server, "config", "uploadpack.allowFilter", "true")
    ada = make_clone(server, tmp_path / "ada")
    done(ada, "start")
    draft(ada)
    done(ada, "sync")
    done(ada, "start")
    done(ada, "abandon")
    done(ada, "sync")
    for name, option in (("shallow", "--depth=1"), ("partial", "--filter=blob:none")):
        path = tmp_path / name
        git(tmp_path, "clone", "-q", option, f"file://{server}", str(path))
        git(path, "config", "user.email", f"{name}@example.com")
        done(path, "init", "--no-hooks")
        done(path, "sync")
        git(path, "remote", "set-url", "origin", "/gone")
        assert_same([server, path])
        assert call(path, "verify", "--all").code == 0, "nothing has to be fetched for it"
        git(path, "remote", "set-url", "origin", f"file://{server}")
        done(path, "start", "--slug", name)
        done(path, "sync")
    in_step([ada])
    assert_same([ada, server])


def test_a_partial_clone_that_fetched_by_itself(tmp_path: Path) -> None:
    """Then files are missing, and git brings them when they are judged."""
    server = make_server(tmp_path / "server")
    git(server, "config", "uploadpack.allowFilter", "true")
    git(server, "config", "uploadpack.allowAnySHA1InWant", "true")
    ada = make_clone(server, tmp_path / "ada")
    done(ada, "start")
    done(ada, "sync")
    path = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{server}", str(path))
    git(path, "config", "user.email", "partial@example.com")
    done(path, "init", "--no-hooks")
    git(path, "fetch", "-q")
    missing = git(path, "rev-list", "--objects", "--missing=print", "--glob=refs/relay-local")
    assert "?" in missing
    git(path, "remote", "set-url", "origin", "/gone")
    said = call(path, "runs").err
    assert "kept apart" in said and "was left with the remote, which cannot be reached" in said
    git(path, "remote", "set-url", "origin", f"file://{server}")
    done(path, "sync")
    assert_same([ada, path])


def test_gc_between_any_two_commands(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server")
    clones = [make_clone(server, tmp_path / name) for name in ("ada", "bob")]
    for _ in range(2):
        for path in clones:
            for words in (("start",), ("sync",), ("abandon",), ("sync",)):
                done(path, *words)
                for packed in (path, server):
                    git(packed, "pack-refs", "--all", "--prune")
                    git(packed, "gc", "-q", "--prune=now")
    in_step(clones)
    assert_same([server, *clones])


HUGE = """set -e
huge=$(head -c 60000000 /dev/zero | git hash-object -w --stdin)
inner=$({ git ls-tree $1:artifacts; printf '100644 blob %s\\tz.md\\n' $huge; } | git mktree)
root=$({ git ls-tree $1 | grep -v artifacts; printf '040000 tree %s\\tartifacts\\n' $inner; } |
    git mktree)
git update-ref $1 $(git commit-tree -p $1 -m huge $root)
"""


def test_a_huge_file_is_refused_without_being_loaded(tmp_path: Path) -> None:
    """By this process: what git does with it is git's."""
    server = make_server(tmp_path / "server")
    ada, bob = (make_clone(server, tmp_path / name) for name in ("ada", "bob"))
    done(ada, "start")
    done(ada, "sync")
    (ref,) = relay_refs(server)
    subprocess.run(["sh", "-c", HUGE, "sh", ref], cwd=server, check=True)
    code = (
        "import sys; from relay_git.main import main; code = main(['fetch'])\n"
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(peak.split()[1], file=sys.stderr); sys.exit(code)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=bob, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1
    (line,) = answer.stdout.splitlines()
    assert line.endswith("artifacts/z.md: 60000000 bytes, and relay.maxArtifact is 10485760")
    assert int(answer.stderr) < 50_000
    assert relay_refs(bob) == {}
