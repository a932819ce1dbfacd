from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import git, make_commits, make_repo, repository

from relay_git.git.notes import note_edits, note_in, read_note, update_note
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import BLOB, Commit, Ident, Move
from relay_git.git.trees import edit_tree, walk
from relay_git.names import Oid, notes_ref

ADA = Ident("Ada", "ada@example.com", 1777368600)
REF = notes_ref("2026-04")


@pytest.fixture
def store(repo_path: Path) -> Iterator[GitStore]:
    store = open_store(repository(repo_path))
    yield store
    store.close()


def head(path: Path) -> Oid:
    return Oid(git(path, "rev-parse", "HEAD"))


def write(store: GitStore, oid: Oid, content: bytes | None) -> None:
    update_note(store, REF, oid, lambda _: content, ADA, "note\n")


def append(store: GitStore, oid: Oid, line: bytes) -> bytes | None:
    update_note(store, REF, oid, lambda before: (before or b"") + line, ADA, "note\n")
    return read_note(store, REF, oid)


def files(store: GitStore) -> list[str]:
    tip = store.ref(REF)
    return [path for path, _ in walk(store, store.commit(tip).tree)] if tip else []


def spread(oid: str, *widths: int) -> str:
    """The path of a note: `spread(oid, 2, 2)` is `ab/cd/…`."""
    path = ""
    for width in widths:
        path, oid = f"{path}{oid[:width]}/", oid[width:]
    return path + oid


def set_tree(store: GitStore, places: dict[str, bytes]) -> None:
    edits = {path: (BLOB, store.put_blob(data)) for path, data in places.items()}
    tree = edit_tree(store, None, edits)
    assert tree
    store.move(Move(REF, store.ref(REF), store.put_commit(Commit(tree, (), ADA, ADA, "x\n"))))


def test_git_reads_what_we_write(store: GitStore, repo_path: Path) -> None:
    commits = [Oid(name) for name in make_commits(repo_path, 3)]
    for commit in commits:
        write(store, commit, f"on {commit}\n".encode())
    for commit in commits:
        assert git(repo_path, "notes", f"--ref={REF}", "show", commit) == f"on {commit}"
    assert len(git(repo_path, "notes", f"--ref={REF}", "list").splitlines()) == 3
    assert sorted(files(store)) == sorted(spread(commit, 2) for commit in commits)
    git(repo_path, "fsck", "--strict")


def test_we_read_what_git_writes(store: GitStore, repo_path: Path) -> None:
    """Few notes, which git keeps flat, and many, which it spreads."""
    git(repo_path, "notes", f"--ref={REF}", "add", "-m", "from git")
    assert read_note(store, REF, head(repo_path)) == b"from git\n"
    targets = [store.put_blob(b"%d" % number) for number in range(300)]
    pairs = "".join(f"{head(repo_path)} {target}\n" for target in targets)
    git(repo_path, "notes", f"--ref={REF}", "copy", "--stdin", input=pairs.encode())
    assert all("/" in path for path in files(store))
    assert read_note(store, REF, targets[7]) == b"from git\n"
    append(store, targets[7], b"from us\n")
    assert git(repo_path, "notes", f"--ref={REF}", "show", targets[7]) == "from git\nfrom us"
    assert len(files(store)) == 301


@pytest.mark.parametrize("widths", [(), (2,), (2, 2), (2, 2, 2)])
def test_every_spread_is_read_and_its_place_is_kept(
    store: GitStore, repo_path: Path, widths: tuple[int, ...]
) -> None:
    oid, path = head(repo_path), spread(head(repo_path), *widths)
    set_tree(store, {path: b"old\n", spread("0" * 40, *widths): b"another's\n"})
    assert read_note(store, REF, oid) == b"old\n"
    assert append(store, oid, b"new\n") == b"old\nnew\n"
    assert git(repo_path, "notes", f"--ref={REF}", "show", oid) == "old\nnew"
    assert path in files(store)
    assert len(files(store)) == 2


@pytest.mark.parametrize(
    ("there", "placed"), [((), ()), ((2,), (2,)), ((2, 2), (2,))], ids=["flat", "one", "two"]
)
def test_a_new_note_goes_where_the_tree_has_its_notes(
    store: GitStore, repo_path: Path, there: tuple[int, ...], placed: tuple[int, ...]
) -> None:
    set_tree(store, {spread("0" * 40, *there): b"x\n", "README": b"not a note\n"})
    write(store, head(repo_path), b"mine\n")
    assert spread(head(repo_path), *placed) in files(store)
    assert git(repo_path, "notes", f"--ref={REF}", "show", "HEAD") == "mine"


def test_a_tree_that_is_both_flat_and_spread_is_spread_further(
    store: GitStore, repo_path: Path
) -> None:
    set_tree(store, {"0" * 40: b"flat\n", spread("1" * 40, 2): b"spread\n"})
    write(store, head(repo_path), b"mine\n")
    assert spread(head(repo_path), 2) in files(store)


def test_a_note_in_two_places_is_joined_into_one(store: GitStore, repo_path: Path) -> None:
    """A merge of a spread tree with a flat one leaves such trees."""
    oid = head(repo_path)
    set_tree(store, {oid: b"both\nflat\rx\n", spread(oid, 2): b"both\nspread\n"})
    joined = read_note(store, REF, oid)
    assert joined and sorted(joined.split(b"\n")) == [b"", b"both", b"flat\rx", b"spread"]
    append(store, oid, b"new\n")
    assert len(files(store)) == 1
    shown = git(repo_path, "notes", f"--ref={REF}", "show", oid)
    assert sorted(shown.split("\n")) == ["both", "flat\rx", "new", "spread"]


def test_no_note_is_not_an_empty_one(store: GitStore, repo_path: Path) -> None:
    oid = head(repo_path)
    assert read_note(store, REF, oid) is None
    write(store, oid, b"")
    assert read_note(store, REF, oid) == b""
    write(store, oid, None)
    assert read_note(store, REF, oid) is None
    assert files(store) == []
    git(repo_path, "fsck", "--strict")


def test_no_change_writes_no_commit(store: GitStore, repo_path: Path) -> None:
    write(store, head(repo_path), b"same\n")
    tip = store.ref(REF)
    write(store, head(repo_path), b"same\n")
    assert store.ref(REF) == tip


def test_bytes_of_any_kind_survive(store: GitStore, repo_path: Path) -> None:
    data = bytes(range(256)) + b"\r\n"
    write(store, head(repo_path), data)
    assert read_note(store, REF, head(repo_path)) == data


def test_the_history_of_the_notes_is_kept(store: GitStore, repo_path: Path) -> None:
    append(store, head(repo_path), b"1\n")
    append(store, head(repo_path), b"2\n")
    assert git(repo_path, "rev-list", "--count", REF) == "2"


def test_edits_for_a_larger_transaction(store: GitStore, repo_path: Path) -> None:
    oid = head(repo_path)
    tree = edit_tree(store, None, note_edits(store, None, oid, b"x\n"))
    assert note_in(store, tree, oid) == b"x\n"
    assert edit_tree(store, tree, note_edits(store, tree, oid, None)) is None


def test_sha256_notes(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "r", object_format="sha256")
    store = open_store(repository(path))
    append(store, head(path), b"x\n")
    assert git(path, "notes", f"--ref={REF}", "show", "HEAD") == "x"
    store.close()


WRITER = """
import sys
from relay_git.git.notes import update_note
from relay_git.git.open import open_store
from relay_git.git.repo import discover
from relay_git.git.store import Ident
from relay_git.names import Oid, notes_ref
store = open_store(discover())
line = sys.argv[2].encode() + b"\\n"
update_note(store, notes_ref("2026-04"), Oid(sys.argv[1]), lambda old: (old or b"") + line,
            Ident("Ada", "ada@example.com", 1), "note\\n")
store.close()
"""


@pytest.mark.parametrize("same", [False, True], ids=["16 commits", "one commit"])
def test_sixteen_parallel_writers_lose_nothing(
    store: GitStore, repo_path: Path, same: bool
) -> None:
    """Hazard 1: `git notes add` reports 16 successes here and keeps 4."""
    commits = make_commits(repo_path, 16)
    targets = commits[:1] * 16 if same else commits
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, oid, f"w{n}"], cwd=repo_path, env=env)
        for n, oid in enumerate(targets)
    ]
    assert [process.wait(120) for process in running] == [0] * 16
    notes = {git(repo_path, "notes", f"--ref={REF}", "show", oid) for oid in targets}
    assert sorted(line for note in notes for line in note.split()) == sorted(
        f"w{n}" for n in range(16)
    )
    git(repo_path, "fsck", "--strict")
