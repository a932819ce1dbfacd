"""Parallel writers of notes: each note is there afterwards, also beside git's own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from flow import started
from hooking import run
from support import git, make_commits, repository

from relay_git.git.notes import read_note
from relay_git.git.open import open_store
from relay_git.names import NOTES, Oid, RefName

WRITERS, FEW = 16, 8
EACH = 3
REF = "refs/notes/relay/2026-04"
WRITE = """\
import sys
from relay_git.git.notes import update_note
from relay_git.git.open import open_store
from relay_git.git.repo import discover
from relay_git.git.store import Ident
from relay_git.names import Oid, RefName

ref, number, *oids = sys.argv[1:]
store = open_store(discover())
who = Ident("Ada", "ada@example.com", 1, "+0000")
print("ready", flush=True)
sys.stdin.read()
for oid in oids:
    line = f"{number}\\n".encode()
    update_note(store, RefName(ref), Oid(oid), lambda old: (old or b"") + line, who, "note\\n")
"""


def write_together(path: Path, oids: Iterable[list[str]], ref: str = REF) -> None:
    """One process for each list of commits, all of them ready before the first begins."""
    command, pipe = (sys.executable, "-c", WRITE, ref), subprocess.PIPE
    processes = [
        subprocess.Popen([*command, str(number), *own], cwd=path, stdin=pipe, stdout=pipe)
        for number, own in enumerate(oids)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.close()
    assert [process.wait(120) for process in processes] == [0] * len(processes)


def noted(path: Path, ref: str = REF) -> set[str]:
    return {line.split()[1] for line in git(path, "notes", f"--ref={ref}", "list").splitlines()}


def test_every_note_of_sixteen_processes_is_there(repo_path: Path) -> None:
    oids = make_commits(repo_path, WRITERS * EACH)
    write_together(repo_path, [oids[number::WRITERS] for number in range(WRITERS)])
    assert noted(repo_path) == set(oids)
    assert run(repo_path, "git", "fsck", "--strict").code == 0


def test_sixteen_processes_add_to_the_note_of_one_commit(repo_path: Path) -> None:
    oids = make_commits(repo_path, 2)
    write_together(repo_path, [oids] * WRITERS)
    for oid in oids:
        lines = git(repo_path, "notes", f"--ref={REF}", "show", oid).split()
        assert sorted(map(int, lines)) == list(range(WRITERS))


def test_git_writes_its_own_notes_meanwhile(repo_path: Path) -> None:
    """On a ref of its own: git asks nobody before it moves one, so two gits may lose a note."""
    oids = make_commits(repo_path, WRITERS)
    script = f"for oid in {' '.join(oids)}; do git notes add -m theirs $oid || exit; done"
    theirs = subprocess.Popen(["sh", "-c", script], cwd=repo_path)
    write_together(repo_path, [oids[number::FEW] for number in range(FEW)])
    assert theirs.wait(60) == 0
    assert noted(repo_path) == noted(repo_path, "refs/notes/commits") == set(oids)


@pytest.mark.parametrize("packed", [False, True])
def test_many_notes_of_git_are_spread_and_ours_go_among_them(repo_path: Path, packed: bool) -> None:
    """git spreads a large notes tree over directories, and moves notes as it grows."""
    oids = make_commits(repo_path, WRITERS)
    stream = f"commit {REF}\ncommitter A <a@example.com> 1 +0000\ndata 0\n"
    stream += "".join(f"N inline {oid}\ndata 3\nold\n" for oid in [*oids[:FEW], *many(repo_path)])
    git(repo_path, "fast-import", "--quiet", input=stream.encode())
    assert "/" in git(repo_path, "ls-tree", "-r", "--name-only", REF)
    if packed:
        git(repo_path, "gc", "-q")
    write_together(repo_path, [oids[number::FEW] for number in range(FEW)])
    assert noted(repo_path).issuperset(oids)
    shown = [git(repo_path, "notes", f"--ref={REF}", "show", oid) for oid in oids]
    assert shown == [f"old{n}" for n in range(FEW)] + [str(n) for n in range(FEW)]
    git(repo_path, "notes", f"--ref={REF}", "append", "-m", "theirs", oids[0])
    store = open_store(repository(repo_path))
    assert read_note(store, RefName(REF), Oid(oids[0])) == b"old0\n\ntheirs\n"


def many(path: Path) -> list[str]:
    """Enough objects to have notes spread: each a commit on the empty tree."""
    tree = git(path, "rev-parse", "HEAD^{tree}")
    stream = "".join(
        f"commit refs/heads/many\ncommitter A <a@example.com> {n} +0000\ndata 0\nM 040000 {tree} \n"
        for n in range(1, 400)
    )
    git(path, "fast-import", "--quiet", "--force", input=stream.encode())
    return git(path, "rev-list", "many").split()


def test_a_note_that_git_has_overwritten_leaves_the_run_known(tmp_path: Path) -> None:
    """A foreign tool that replaces the ref takes stage and role; the message names the run."""
    project = started(tmp_path / "project")
    relay_run = git(project, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/relay/runs")
    (project / "a.txt").write_text("a\n")
    git(project, "add", "a.txt")
    git(project, "commit", "-q", "-m", f"a\n\nRelay-Run: {relay_run}")
    ref = f"{NOTES}{relay_run[:4]}-{relay_run[4:6]}"
    git(project, "notes", f"--ref={ref}", "add", "-f", "-m", "theirs", "HEAD")
    words = (sys.executable, "-P", "-m", "relay_git", "blame", "--json", "a.txt")
    (origin,) = json.loads(run(project, *words).out)
    assert (origin["run"], origin["stage"]) == (relay_run, None)
