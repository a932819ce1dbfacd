"""What is done for the repository after our commands, so that the user's stay fast."""

from __future__ import annotations

from pathlib import Path

import histories
import pytest
from flow import copy_of, done
from histories import Size
from support import git, make_commits, make_repo, processes, repository

from relay_git.git.open import open_store
from relay_git.upkeep import is_due, upkeep
from relay_git.workspace import Workspace


def keep(path: Path) -> None:
    upkeep(Workspace(repository(path)))


def add_refs(path: Path, count: int) -> None:
    lines = [f"create refs/relay-local/x/{number} HEAD\n" for number in range(count)]
    git(path, "update-ref", "--stdin", input="".join(lines).encode())


def packed(path: Path) -> int:
    file = path / ".git" / "packed-refs"
    return file.read_text().count("refs/relay-local") if file.exists() else 0


@pytest.mark.parametrize(("count", "after"), [(50, 0), (51, 51)])
def test_refs_are_packed_when_they_are_many(repo_path: Path, count: int, after: int) -> None:
    add_refs(repo_path, count)
    keep(repo_path)
    assert packed(repo_path) == after
    assert len(git(repo_path, "for-each-ref", "refs/relay-local").splitlines()) == count


def test_objects_are_packed_when_git_thinks_that_they_are_many(repo_path: Path) -> None:
    git(repo_path, "config", "gc.auto", "256")
    git(repo_path, "config", "gc.autoDetach", "false")
    make_commits(repo_path, 1)
    store = open_store(repository(repo_path))
    for number in range(1500):
        store.put_blob(f"{number}\n".encode())
    keep(repo_path)
    assert "packs: 1" in git(repo_path, "count-objects", "-v")


def test_nothing_is_done_where_maintenance_is_switched_off(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_refs(repo_path, 60)
    git(repo_path, "config", "maintenance.auto", "false")
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    keep(repo_path)
    assert packed(repo_path) == 0
    assert not [line for line in processes(tmp_path / "trace") if " gc" in line or "pack" in line]


# The small pack


@pytest.fixture
def loaded(tmp_path: Path) -> Path:
    """36 months of history and notes in one pack."""

    def build(path: Path) -> None:
        histories.build(make_repo(path), Size(72))
        git(path, "repack", "-qad")

    return copy_of("loaded", build, tmp_path / "p")


def packs(path: Path) -> dict[Path, set[str]]:
    """The objects of each pack."""
    found = {}
    for index in (path / ".git/objects/pack").glob("*.idx"):
        listed = git(path, "show-index", input=index.read_bytes()).splitlines()
        found[index] = {line.split()[1] for line in listed}
    return found


def tips(path: Path) -> set[str]:
    asked = ("--format=%(objectname)", "refs/relay/history", "refs/notes/relay")
    return set(git(path, "for-each-ref", *asked).split())


def test_the_tips_of_a_large_history_lie_together(loaded: Path) -> None:
    (large,) = packs(loaded)
    keep(loaded)
    after = packs(loaded)
    (small,) = [pack for pack in after if pack != large]
    assert after[small] == tips(loaded) and len(after[small]) == 72
    git(loaded, "fsck", "--strict", "--no-dangling")


def test_they_are_gathered_once_and_again_after_a_gc(loaded: Path) -> None:
    keep(loaded)
    first = packs(loaded)
    keep(loaded)
    assert packs(loaded) == first
    git(loaded, "gc", "-q")
    assert len(packs(loaded)) == 1
    keep(loaded)
    assert tips(loaded) in packs(loaded).values()


def graphed(path: Path) -> set[str]:
    """The commits that the commit-graph has, from the chunk of its file that lists them."""
    data = (path / ".git/objects/info/commit-graph").read_bytes()
    entries = [data[at : at + 12] for at in range(8, 8 + 12 * (data[6] + 1), 12)]
    starts = {entry[:4]: int.from_bytes(entry[4:], "big") for entry in entries}
    fan, listed = starts[b"OIDF"], starts[b"OIDL"]
    count = int.from_bytes(data[fan + 255 * 4 : fan + 256 * 4], "big")
    return {data[at : at + 20].hex() for at in range(listed, listed + 20 * count, 20)}


def test_the_commit_graph_is_of_the_users_own_commits(loaded: Path) -> None:
    make_commits(loaded, 3)
    git(loaded, "tag", "-a", "-m", "first", "v1", "HEAD^")
    mine = set(git(loaded, "rev-list", "HEAD").split())
    git(loaded, "gc", "-q")
    assert mine | tips(loaded) <= graphed(loaded)
    keep(loaded)
    assert graphed(loaded) == mine
    git(loaded, "commit-graph", "verify", "--no-progress")


def test_a_commit_graph_is_written_once_after_somebody_else_did(loaded: Path) -> None:
    keep(loaded)
    file = loaded / ".git/objects/info/commit-graph"
    assert not file.exists()
    git(loaded, "commit-graph", "write", "--reachable", "--no-progress")
    keep(loaded)
    written = file.stat()
    keep(loaded)
    assert file.stat() == written


def test_what_git_has_undone_is_due(loaded: Path) -> None:
    def due() -> bool:
        return is_due(Workspace(repository(loaded)))

    assert not due()
    keep(loaded)
    assert not due()
    git(loaded, "commit-graph", "write", "--reachable", "--no-progress")
    assert due()
    keep(loaded)
    assert not due()
    git(loaded, "repack", "-qad")
    assert due()


def test_a_commit_graph_in_layers_is_left_alone(loaded: Path) -> None:
    keep(loaded)
    git(loaded, "commit-graph", "write", "--reachable", "--no-progress")
    keep(loaded)
    make_commits(loaded, 1)
    git(loaded, "commit-graph", "write", "--reachable", "--split", "--no-progress")
    info = loaded / ".git/objects/info"
    layers = (info / "commit-graphs/commit-graph-chain").read_text()
    assert not is_due(Workspace(repository(loaded)))
    keep(loaded)
    assert not (info / "commit-graph").exists()
    assert (info / "commit-graphs/commit-graph-chain").read_text() == layers


def test_a_sync_without_news_does_what_is_due(loaded: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "server")
    git(loaded, "remote", "add", "origin", str(tmp_path / "server"))
    done(loaded, "sync")
    keep(loaded)
    git(loaded, "gc", "-q")
    assert done(loaded, "sync") == "in step with origin\n"
    assert tips(loaded) in packs(loaded).values()
    assert not graphed(loaded) & tips(loaded)


def test_a_graph_that_cannot_be_written_stops_nothing(loaded: Path) -> None:
    git(loaded, "commit-graph", "write", "--reachable", "--no-progress")
    lock = loaded / ".git/objects/info/commit-graph.lock"
    lock.write_bytes(b"")
    keep(loaded)
    assert tips(loaded) <= graphed(loaded)
    assert tips(loaded) in packs(loaded).values()


def test_a_few_that_moved_are_left_where_they_are(loaded: Path) -> None:
    keep(loaded)
    before = packs(loaded)
    for month in ("2026-03", "2026-04"):
        git(loaded, "update-ref", f"refs/relay/history/{month}", f"refs/relay/history/{month}^")
    keep(loaded)
    assert packs(loaded) == before


def test_a_few_tips_are_found_soon_enough(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "p")
    histories.build(path, Size(10))
    assert len(tips(path)) == 20
    before = packs(path)
    keep(path)
    assert packs(path) == before


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b'{"pack": "x", "tips": 3}'])
def test_a_record_that_is_damaged_is_made_again(loaded: Path, damage: bytes) -> None:
    record = loaded / ".git/relay/cache/tips"
    record.parent.mkdir(parents=True)
    record.write_bytes(damage)
    keep(loaded)
    assert tips(loaded) in packs(loaded).values()


def test_a_partial_clone_keeps_its_packs(loaded: Path, tmp_path: Path) -> None:
    git(loaded, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", loaded.as_uri(), "part")
    part = tmp_path / "part"
    git(part, "fetch", "-q", "origin", "refs/relay/*:refs/relay/*", "refs/notes/*:refs/notes/*")
    before = packs(part)
    keep(part)
    assert packs(part) == before
