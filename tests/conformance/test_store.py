"""Every contract of the port, on every engine, with git itself as the judge.

A new engine passes by being added to `ENGINES`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import kinds
import pytest
from support import git, make_commits, make_repo, processes, repository

from relay_git.errors import Conflict, Corrupt, InvalidName, MissingObject, RelayError
from relay_git.git.open import ENGINES, GitStore, open_store
from relay_git.git.store import BLOB, EXECUTABLE, SYMLINK, TREE, Commit, Ident, Move, TreeEntry
from relay_git.names import Oid, RefName, RunId, run_ref

ADA = Ident("Ada", "ada@example.com", 1777368600, "+0200")
REF = run_ref(RunId("20260428-0930-fix-bug-3f9a"))
OTHER = run_ref(RunId("20260428-0931-fix-bug-3f9b"))
NOWHERE = Oid("1" * 40)

Opener = Callable[..., GitStore]


@pytest.fixture(params=ENGINES)
def opener(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Opens stores of one engine, and closes them."""
    opened = []

    def make(path: Path, durability: str = "os") -> GitStore:
        repo = repository(path)
        opened.append(open_store(repo, engine=request.param, durability=durability))  # type: ignore[arg-type]
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Opener, repo_path: Path) -> GitStore:
    return opener(repo_path)


def put_step(store: GitStore, text: str, parents: tuple[Oid, ...] = ()) -> Oid:
    """A commit with a file and a directory."""
    blob = store.put_blob(text.encode())
    inner = store.put_tree([TreeEntry(BLOB, "plan.md", blob)])
    root = store.put_tree([TreeEntry(BLOB, "step.json", blob), TreeEntry(TREE, "artifacts", inner)])
    return store.put_commit(Commit(root, parents, ADA, ADA, f"{text}\n"))


def cat(path: Path, kind: str, name: str) -> bytes:
    return subprocess.check_output(["git", "cat-file", kind, name], cwd=path)


def fsck(path: Path) -> None:
    git(path, "fsck", "--strict", "--no-dangling")


# Objects


@pytest.mark.parametrize(
    "data",
    [b"", b"text\n", b"\x00\xff\r\n", "ünïcödé".encode("gbk", "replace"), b"x" * 3_000_000],
    ids=["empty", "text", "binary", "gbk", "large"],
)
def test_a_blob_is_byte_for_byte_what_was_put(
    store: GitStore, repo_path: Path, data: bytes
) -> None:
    oid = store.put_blob(data)
    assert store.blob(oid) == data
    assert cat(repo_path, "blob", oid) == data
    assert git(repo_path, "hash-object", "--stdin", input=data) == oid


def test_a_tree_in_any_order_is_written_in_gits(store: GitStore, repo_path: Path) -> None:
    blob, empty = store.put_blob(b"x"), store.put_tree([])
    names = ["a.b", "a-", "a0", "B", "bläh", "sp ace", 'quo"te', "n\nl", "\udcff", "日本語", "-x"]
    entries = [TreeEntry(BLOB, name, blob) for name in names]
    entries += [TreeEntry(TREE, "a", empty), TreeEntry(EXECUTABLE, "run", blob)]
    entries += [TreeEntry(SYMLINK, "link", blob)]
    oid = store.put_tree(entries)
    assert store.put_tree(reversed(entries)) == oid
    assert set(store.tree(oid)) == set(entries)
    listed = subprocess.check_output(["git", "ls-tree", "-z", oid], cwd=repo_path)
    assert git(repo_path, "mktree", "-z", input=listed) == oid
    fsck(repo_path)


def test_a_commit_is_one_that_git_reads(store: GitStore, repo_path: Path) -> None:
    parent = Oid(git(repo_path, "rev-parse", "HEAD"))
    message = "Subject: ünï\n\nbody\n\nRelay-Run: x\n"
    author = ADA.replace(name="Grace", time=5)
    commit = Commit(store.put_tree([]), (parent,), author, ADA, message)
    oid = store.put_commit(commit)
    assert store.commit(oid) == commit
    shown = git(repo_path, "log", "-1", "--format=%P %an %at %cn %ci%n%B", oid)
    assert shown.startswith(f"{parent} Grace 5 Ada 2026-04-28 11:30:00 +0200\nSubject: ünï\n")
    fsck(repo_path)


def test_reading_what_is_not_there(store: GitStore) -> None:
    for read in (store.blob, store.tree, store.commit):
        with pytest.raises(MissingObject) as caught:
            read(NOWHERE)
        assert caught.value.oid == NOWHERE


def test_reading_another_kind(store: GitStore) -> None:
    blob, tree = store.put_blob(b"x"), store.put_tree([])
    with pytest.raises(Corrupt, match="a blob where a tree was expected"):
        store.tree(blob)
    with pytest.raises(Corrupt, match="a blob where a commit was expected"):
        store.commit(blob)
    with pytest.raises(Corrupt, match="a tree where a blob was expected"):
        store.blob(tree)


def test_reading_what_git_wrote(store: GitStore, repo_path: Path) -> None:
    (repo_path / "file").write_bytes(b"caf\xe9\r\n")
    git(repo_path, "add", "file")
    git(repo_path, "commit", "-q", "-m", "made by git")
    commit = store.commit(Oid(git(repo_path, "rev-parse", "HEAD")))
    (entry,) = store.tree(commit.tree)
    assert (entry.name, entry.mode, store.blob(entry.oid)) == ("file", BLOB, b"caf\xe9\r\n")
    assert commit.message == "made by git\n"


def test_a_replaced_object_is_read_as_what_it_is(store: GitStore, repo_path: Path) -> None:
    (repo_path / "file").write_bytes(b"real")
    git(repo_path, "add", "file")
    git(repo_path, "commit", "-q", "-m", "x")
    real = Oid(git(repo_path, "rev-parse", "HEAD:file"))
    git(repo_path, "replace", real, store.put_blob(b"fake"))
    git(repo_path, "repack", "-adq")
    assert cat(repo_path, "blob", real) == b"fake"
    assert store.blob(real) == b"real"


def test_an_object_of_the_quarantine(
    opener: Opener, repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in pre-receive: new objects lie apart, old ones in the repository."""
    old = Oid(git(repo_path, "rev-parse", "HEAD"))
    (repo_path / "quarantine").mkdir()
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(repo_path / "quarantine"))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(repo_path / ".git/objects"))
    new = Oid(git(repo_path, "hash-object", "-w", "--stdin", input=b"new"))
    store = opener(repo_path)
    assert store.blob(new) == b"new"
    assert store.commit(old).message == "first\n"
    written = store.put_blob(b"written")
    assert (repo_path / "quarantine" / written[:2] / written[2:]).exists()


def test_a_corrupt_object_is_named_and_others_stay_readable(
    store: GitStore, repo_path: Path
) -> None:
    bad, good = store.put_blob(b"bad"), store.put_blob(b"good")
    path = repo_path / ".git/objects" / bad[:2] / bad[2:]
    path.chmod(0o644)
    path.write_bytes(b"")
    with pytest.raises(Corrupt) as caught:
        store.blob(bad)
    assert bad[2:] in str(caught.value)
    assert store.blob(good) == b"good"


def test_a_corrupt_pack_is_not_a_missing_object(opener: Opener, repo_path: Path) -> None:
    (repo_path / "file").write_bytes(os.urandom(5000))
    git(repo_path, "add", "file")
    git(repo_path, "commit", "-q", "-m", "x")
    blob = Oid(git(repo_path, "rev-parse", "HEAD:file"))
    git(repo_path, "repack", "-adq")
    (pack,) = repo_path.glob(".git/objects/pack/*.pack")
    pack.chmod(0o644)
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 255
    pack.write_bytes(data)
    with pytest.raises(Corrupt):
        opener(repo_path).blob(blob)


# Refs


def test_a_ref_from_birth_to_death(store: GitStore, repo_path: Path) -> None:
    one, two = put_step(store, "1"), put_step(store, "2")
    assert store.ref(REF) is None
    store.move(Move(REF, None, one))
    assert store.ref(REF) == one == git(repo_path, "rev-parse", REF)
    store.move(Move(REF, one, two))
    assert store.ref(REF) == two
    store.move(Move(REF, two, None))
    assert store.ref(REF) is None
    assert git(repo_path, "for-each-ref", REF) == ""


def test_refs_below_a_prefix(store: GitStore, repo_path: Path) -> None:
    one = put_step(store, "1")
    store.move(*(Move(ref, None, one) for ref in (OTHER, REF)))
    git(repo_path, "update-ref", "refs/relay/runs-of-others/x", one)
    git(repo_path, "update-ref", "refs/stash", one)
    assert store.refs("refs/relay/runs/") == {REF: one, OTHER: one}
    assert list(store.refs("refs/relay/runs/")) == [REF, OTHER]
    assert len(store.refs("refs/relay/")) == 3
    assert store.refs("refs/none/") == {}
    assert store.refs(REF + "/") == {}
    assert "refs/heads/main" in store.refs("refs/")


def test_every_wrong_expectation_is_a_conflict(store: GitStore) -> None:
    one, two = put_step(store, "1"), put_step(store, "2")
    store.move(Move(REF, None, one))
    cases = [
        Move(REF, None, two),  # must not exist, and does
        Move(REF, two, one),  # holds another value
        Move(REF, two, None),  # a deletion of another value
        Move(REF, None, None),  # must be absent, and is not
        Move(OTHER, one, two),  # must exist, and does not
        Move(OTHER, one, None),  # a deletion of what is not there
    ]
    for move in cases:
        with pytest.raises(Conflict) as caught:
            store.move(move)
        error = caught.value
        assert (error.ref, error.expected) == (move.ref, move.old)
        assert error.found == (one if move.ref == REF else None)
        assert store.refs("refs/relay/") == {REF: one}


def test_a_transaction_is_all_or_nothing(store: GitStore) -> None:
    one, two = put_step(store, "1"), put_step(store, "2")
    store.move(Move(REF, None, one))
    with pytest.raises(Conflict) as caught:
        store.move(Move(OTHER, None, two), Move(REF, two, one))
    assert caught.value.ref == REF
    assert store.refs("refs/relay/") == {REF: one}
    store.move(Move(OTHER, None, two), Move(REF, one, None))
    assert store.refs("refs/relay/") == {OTHER: two}


def test_a_move_to_where_it_is_still_checks(store: GitStore) -> None:
    one, two = put_step(store, "1"), put_step(store, "2")
    store.move(Move(REF, None, one))
    store.move(Move(REF, one, one))
    store.move(Move(OTHER, None, None))
    with pytest.raises(Conflict):
        store.move(Move(REF, two, two))


def test_one_process_serves_many_moves(
    store: GitStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tips = [put_step(store, str(number)) for number in range(5)]
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    for old, new in zip([None, *tips], tips, strict=False):
        store.move(Move(REF, old, new))
    (started,) = processes(tmp_path / "trace")
    assert "update-ref" in started


def test_a_ref_cannot_name_what_does_not_exist(store: GitStore) -> None:
    with pytest.raises(RelayError, match="nonexistent object"):
        store.move(Move(REF, None, NOWHERE))
    assert store.ref(REF) is None


def test_a_ref_in_the_way_of_another_is_no_race(store: GitStore) -> None:
    """Hazard 32: retrying would never help, so it is not called a conflict."""
    one = put_step(store, "1")
    store.move(Move(REF, None, one))
    with pytest.raises(RelayError, match="cannot create") as caught:
        store.move(Move(RefName(REF + "/below"), None, one))
    assert not isinstance(caught.value, Conflict)


@pytest.mark.parametrize(
    "name", ["a b", "a..b", "a.lock", ".h", "@{", "a:b", "a\nb", "", "a\\b", "a*", "a/", "é\x7f"]
)
def test_a_name_that_git_refuses_is_refused_at_birth(store: GitStore, name: str) -> None:
    """Hazard 31."""
    with pytest.raises(InvalidName):
        RefName("refs/relay/" + name)


@pytest.mark.parametrize(
    "name", ["é", "日本語", "a-x", "CON", "x|y", "HEAD", "e\u0301", "💡", "a'b", '"']
)
def test_odd_names_that_git_takes(store: GitStore, repo_path: Path, name: str) -> None:
    ref, one = RefName("refs/relay/" + name), put_step(store, "1")
    store.move(Move(ref, None, one))
    assert store.refs("refs/relay/") == {ref: one}
    assert store.ref(ref) == one
    assert git(repo_path, "rev-parse", "--verify", ref) == one
    store.move(Move(ref, one, None))
    assert store.ref(ref) is None


def test_a_broken_ref_is_not_an_absent_one(store: GitStore, repo_path: Path) -> None:
    """Hazard 38: it is named, and other runs stay readable."""
    one = put_step(store, "1")
    store.move(Move(REF, None, one), Move(OTHER, None, one))
    (repo_path / ".git" / REF).write_bytes(b"")
    with pytest.raises(Corrupt) as caught:
        store.ref(REF)
    assert caught.value.where == REF
    assert store.refs("refs/relay/") == {OTHER: one}
    assert store.broken_refs("refs/relay/") == (REF,)
    assert store.broken_refs("refs/heads/") == ()
    with pytest.raises(Corrupt):
        store.move(Move(REF, one, None))
    store.move(Move(OTHER, one, None))


def test_the_users_hook_can_refuse(store: GitStore, repo_path: Path) -> None:
    hook = repo_path / ".git/hooks/reference-transaction"
    hook.write_text('#!/bin/sh\n[ "$1" = prepared ] && echo not today >&2 && exit 1\nexit 0\n')
    hook.chmod(0o755)
    with pytest.raises(RelayError, match="not today") as caught:
        store.move(Move(REF, None, put_step(store, "1")))
    assert not isinstance(caught.value, Conflict)
    hook.unlink()
    store.move(Move(REF, None, put_step(store, "1")))


# Kinds of repository


def test_packed_refs(store: GitStore, repo_path: Path) -> None:
    one, two = put_step(store, "1"), put_step(store, "2")
    store.move(Move(REF, None, one))
    git(repo_path, "pack-refs", "--all", "--prune")
    assert not (repo_path / ".git" / REF).exists()
    assert store.ref(REF) == one
    with pytest.raises(Conflict):
        store.move(Move(REF, None, two))
    store.move(Move(REF, one, two))
    git(repo_path, "pack-refs", "--all", "--prune")
    store.move(Move(REF, two, None))
    assert store.refs("refs/relay/") == {}


def test_gc_while_we_are_alive(store: GitStore, repo_path: Path) -> None:
    """Hazard 59: repacked and pruned below an open store."""
    tip = None
    for number in range(4):
        new = put_step(store, str(number), (tip,) if tip else ())
        store.move(Move(REF, tip, new))
        tip = new
        assert store.commit(new).message == f"{number}\n"
        git(repo_path, "gc", "-q", "--prune=now")
        git(repo_path, "repack", "-adq")
        assert not (repo_path / ".git/objects" / new[:2] / new[2:]).exists()
        assert store.commit(new).message == f"{number}\n"
    assert tip and git(repo_path, "rev-list", "--count", tip) == "4"
    fsck(repo_path)


def test_an_object_pruned_before_it_is_named_is_written_again(
    store: GitStore, repo_path: Path
) -> None:
    blob = store.put_blob(b"nobody names me")
    git(repo_path, "gc", "-q", "--prune=now")
    with pytest.raises(MissingObject):
        store.blob(blob)
    assert store.put_blob(b"nobody names me") == blob
    assert cat(repo_path, "blob", blob) == b"nobody names me"


def test_a_linked_worktree_shares_all(opener: Opener, repo_path: Path, tmp_path: Path) -> None:
    git(repo_path, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    here, there = opener(repo_path), opener(tmp_path / "linked")
    one = put_step(there, "1")
    there.move(Move(REF, None, one))
    assert here.ref(REF) == one
    assert here.commit(one).message == "1\n"


def test_a_bare_repository_and_hostile_paths(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / 'it\'s a "bläh" $HOME'
    git(tmp_path, "init", "-q", "--bare", str(path))
    store = opener(path)
    one = put_step(store, "1")
    store.move(Move(REF, None, one))
    assert store.ref(REF) == one
    fsck(path)


def test_an_unborn_branch(opener: Opener, tmp_path: Path) -> None:
    path = make_repo(tmp_path / "r", commit=False)
    store = opener(path)
    store.move(Move(REF, None, put_step(store, "1")))
    assert git(path, "rev-list", "--count", REF) == "1"


def test_sha256(opener: Opener, tmp_path: Path) -> None:
    """libgit2 cannot open it; whatever was asked for, it works."""
    path = make_repo(tmp_path / "r", object_format="sha256")
    store = opener(path)
    one = put_step(store, "1")
    assert len(one) == 64
    store.move(Move(REF, None, one))
    with pytest.raises(Conflict):
        store.move(Move(REF, None, one))
    git(path, "repack", "-adq")
    assert [entry.name for entry in store.tree(store.commit(one).tree)] == [
        "artifacts",
        "step.json",
    ]
    store.move(Move(REF, one, None))
    fsck(path)


def test_reftable(opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds.use_git_with_reftable(monkeypatch, tmp_path)
    path = kinds.reftable(tmp_path / "r")
    store = opener(path)
    one, two = put_step(store, "1"), put_step(store, "2")
    store.move(Move(REF, None, one))
    with pytest.raises(Conflict):
        store.move(Move(REF, two, one))
    with pytest.raises(Conflict):
        store.move(Move(OTHER, None, two), Move(REF, two, one))
    assert store.refs("refs/relay/") == {REF: one}
    store.move(Move(REF, one, two), Move(OTHER, None, one))
    assert store.ref(REF) == two == git(path, "rev-parse", REF)
    git(path, "pack-refs", "--all")
    store.move(Move(REF, two, None))
    assert store.refs("refs/relay/") == {OTHER: one}
    assert not (path / ".git" / OTHER).exists()
    fsck(path)


def test_a_partial_clone_fetches_what_was_promised(
    opener: Opener, repo_path: Path, tmp_path: Path
) -> None:
    """Hazard 39: and when the other side is gone, that is not corruption."""
    git(repo_path, "config", "uploadpack.allowFilter", "true")
    git(repo_path, "config", "uploadpack.allowAnySHA1InWant", "true")
    for name in ("one", "two"):
        (repo_path / name).write_text(f"promised {name}")
    git(repo_path, "add", ".")
    git(repo_path, "commit", "-q", "-m", "files")
    clone = tmp_path / "clone"
    url = f"file://{repo_path}"
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", url, str(clone))
    store = opener(clone)
    head = Oid(git(clone, "rev-parse", "HEAD"))
    one, two = store.tree(store.commit(head).tree)
    assert store.blob(one.oid) == b"promised one"
    repo_path.rename(tmp_path / "offline")
    with pytest.raises(RelayError) as caught:
        store.blob(two.oid)
    assert not isinstance(caught.value, Corrupt)
    assert store.commit(head).message == "files\n"


def test_a_shallow_clone(opener: Opener, repo_path: Path, tmp_path: Path) -> None:
    make_commits(repo_path, 2)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo_path}", "shallow")
    store = opener(tmp_path / "shallow")
    tip = store.commit(Oid(git(tmp_path / "shallow", "rev-parse", "HEAD")))
    with pytest.raises(MissingObject):
        store.commit(tip.parents[0])
    store.move(Move(REF, None, put_step(store, "1")))


def test_damage_in_a_borrowed_object_is_not_absence(
    opener: Opener, repo_path: Path, tmp_path: Path
) -> None:
    blob = git(repo_path, "hash-object", "-w", "--stdin", input=b"over there")
    path = repo_path / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"")
    git(tmp_path, "clone", "-q", "--shared", str(repo_path), "borrower")
    with pytest.raises(Corrupt, match="is empty"):
        opener(tmp_path / "borrower").blob(Oid(blob))


def test_alternates(opener: Opener, repo_path: Path, tmp_path: Path) -> None:
    blob = git(repo_path, "hash-object", "-w", "--stdin", input=b"over there")
    git(tmp_path, "clone", "-q", "--shared", str(repo_path), "borrower")
    assert opener(tmp_path / "borrower").blob(Oid(blob)) == b"over there"


# Life of a store


def test_forks_do_not_mix_their_answers(store: GitStore, repo_path: Path) -> None:
    """Hazard 59, of a server that forks: each asks its own git."""
    steps = {number: put_step(store, str(number)) for number in range(40)}
    store.move(*(Move(RefName(f"refs/relay/x/{n}"), None, oid) for n, oid in steps.items()))
    git(repo_path, "repack", "-adq")
    store.commit(steps[0])
    children = []
    for _ in range(4):
        if not (pid := os.fork()):
            good = all(store.commit(oid).message == f"{n}\n" for n, oid in steps.items())
            os._exit(0 if good else 1)
        children.append(pid)
    assert all(store.commit(oid).message == f"{n}\n" for n, oid in steps.items())
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4


def test_a_synced_store_writes_the_same(opener: Opener, repo_path: Path) -> None:
    store = opener(repo_path, durability="fsync")
    one = put_step(store, "1")
    store.move(Move(REF, None, one))
    two = put_step(store, "2", (one,))
    store.move(Move(REF, one, two))
    assert git(repo_path, "rev-list", "--count", REF) == "2"
    fsck(repo_path)


def test_it_serves_again_after_close(store: GitStore, repo_path: Path) -> None:
    one = put_step(store, "1")
    store.move(Move(REF, None, one))
    git(repo_path, "gc", "-q")
    store.close()
    assert store.commit(one).message == "1\n"
    store.move(Move(REF, one, None))


LEAVES_NOTHING = """
import os, sys
from relay_git.errors import MissingObject
from relay_git.git.open import open_store
from relay_git.git.repo import discover
from relay_git.git.store import Commit, Ident, Move
from relay_git.names import Oid, run_ref, RunId

store = open_store(discover(), engine=sys.argv[1])
who = Ident("Ada", "ada@example.com", 0)
step = store.put_commit(Commit(store.put_tree([]), (), who, who, "1\\n"))
store.move(Move(run_ref(RunId("20260428-0930-fix-bug-3f9a")), None, step))
try:
    store.blob(Oid("1" * 40))
except MissingObject:
    store.close()
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no children")
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_it_leaves_no_process(engine: str, repo_path: Path) -> None:
    program = [sys.executable, "-c", LEAVES_NOTHING, engine]
    said = subprocess.run(program, cwd=repo_path, capture_output=True, text=True, check=True)
    assert said.stdout == "no children\n"


def test_both_engines_give_the_same_ids(tmp_path: Path) -> None:
    ids = set()
    for engine in ENGINES:
        store = open_store(repository(make_repo(tmp_path / engine)), engine=engine)
        ids.add(put_step(store, "same"))
        store.close()
    assert len(ids) == 1


def test_the_environment_chooses_the_engine(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repository(repo_path)
    monkeypatch.setenv("GIT_RELAY_ENGINE", "dulwich")
    with pytest.raises(RelayError, match="native or libgit"):
        open_store(repo)
    monkeypatch.setenv("GIT_RELAY_ENGINE", "libgit")
    store = open_store(repo, engine="native")
    assert "Libgit" in type(store._objects).__name__
