"""In how many runs a claim was raised: counted a little at a time, as if counted at once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import git, make_repo, repository

from relay_git import canonical
from relay_git.git.notes import update_note
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import Ident
from relay_git.git.trees import walk
from relay_git.lessons import occurrences as module
from relay_git.lessons.occurrences import Counts, occurrences
from relay_git.lessons.provenance import read_lines
from relay_git.names import NOTES, Oid, notes_ref

ADA = Ident("Ada", "ada@example.com", 1777368600)
APRIL, MAY = "2026-04", "2026-05"


def claim(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def tip(number: int) -> Oid:
    return Oid(hashlib.sha1(str(number).encode()).hexdigest())


def note(run: str, *claims: int) -> bytes:
    records = [{"v": 1, "kind": "lesson", "claim": claim(c), "lesson": f"{c}"} for c in claims]
    records += [{"v": 1, "kind": "settled", "run": run, "distiller": 1}]
    return b"".join(canonical.dumps(record) + b"\n" for record in records)


def put(store: GitStore, month: str, on: int, content: bytes | None) -> None:
    update_note(store, notes_ref(month), tip(on), lambda _: content, ADA, "note\n")


def counted_at_once(store: GitStore) -> dict[str, int]:
    """The definition: distinct runs of each claim, over all notes."""
    raised = set()
    for month, ref_tip in store.refs(NOTES).items():
        for path, entry in walk(store, store.commit(ref_tip).tree):
            records = read_lines(store.blob(entry.oid))
            runs = [r["run"] for r in records if r["kind"] == "settled"]
            run = min(runs, default=path.replace("/", ""))
            raised |= {(month, run, r["claim"]) for r in records if r["kind"] == "lesson"}
    return dict(Counter(found for _, _, found in raised))


@pytest.fixture
def store(repo_path: Path) -> Iterator[GitStore]:
    store = open_store(repository(repo_path))
    yield store
    store.close()


@pytest.fixture
def cache(tmp_path: Path) -> str:
    return str(tmp_path / "cache")


def test_without_notes_nothing_occurred_and_nothing_is_written(store: GitStore, cache: str) -> None:
    assert dict(occurrences(store, cache)) == {}
    assert not Path(cache).exists()


def test_runs_count_and_not_lines_or_notes(store: GitStore, cache: str) -> None:
    put(store, APRIL, 1, note("one", 7, 7, 8))
    put(store, APRIL, 2, note("one", 7))
    put(store, MAY, 3, note("two", 7))
    found = occurrences(store, cache)
    assert dict(found) == {claim(7): 2, claim(8): 1} == counted_at_once(store)
    assert (found.get("no hash", 0), found.get(claim(9), 0)) == (0, 0)


CHANGES = st.lists(
    st.tuples(
        st.sampled_from([APRIL, MAY]),
        st.integers(0, 5),
        st.none() | st.tuples(st.sampled_from("abc"), st.lists(st.integers(0, 4), max_size=3)),
        st.booleans(),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(changes=CHANGES)
def test_a_little_at_a_time_is_as_all_at_once(
    tmp_path_factory: pytest.TempPathFactory,
    changes: list[tuple[str, int, tuple[str, list[int]] | None, bool]],
) -> None:
    path = tmp_path_factory.mktemp("r")
    store = open_store(repository(make_repo(path)))
    for month, on, said, counted in changes:
        put(store, month, on, note(said[0], *said[1]) if said else None)
        if counted:
            assert dict(occurrences(store, f"{path}/cache")) == counted_at_once(store)
    assert dict(occurrences(store, f"{path}/cache")) == counted_at_once(store)
    store.close()


def test_one_more_note_is_one_note_read(
    store: GitStore, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        put(store, APRIL, number, note(f"run {number}", number % 7))
    read: list[bytes] = []

    def counting(data: bytes) -> list[dict[str, object]]:
        read.append(data)
        return read_lines(data)

    monkeypatch.setattr(module, "read_lines", counting)
    occurrences(store, cache)
    assert len(read) == 60
    put(store, APRIL, 60, note("run 60", 3))
    assert occurrences(store, cache)[claim(3)] == 10
    assert len(read) == 61
    occurrences(store, cache)
    assert len(read) == 61


@pytest.mark.parametrize("name", ["sums", f"{APRIL}.json", f"{MAY}.json"])
@pytest.mark.parametrize("damage", [None, b"", b"{", b'{"v":2,"tip":1,"notes":[]}', b"\xff\n123"])
def test_a_cache_that_is_gone_or_damaged_is_made_again(
    store: GitStore, cache: str, name: str, damage: bytes | None
) -> None:
    put(store, APRIL, 1, note("one", 1, 2))
    put(store, MAY, 2, note("two", 2))
    occurrences(store, cache)
    file = Path(cache, "occurrences", name)
    assert file.read_bytes()
    file.unlink() if damage is None else file.write_bytes(damage)
    put(store, APRIL, 3, note("three", 2, 3))
    assert dict(occurrences(store, cache)) == counted_at_once(store)
    put(store, MAY, 4, note("four", 3))
    assert dict(occurrences(store, cache)) == counted_at_once(store)


def test_a_month_whose_old_notes_are_gone_is_read_anew(
    store: GitStore, cache: str, repo_path: Path
) -> None:
    put(store, APRIL, 1, note("one", 1))
    occurrences(store, cache)
    git(repo_path, "update-ref", "-d", notes_ref(APRIL))
    git(repo_path, "reflog", "expire", "--expire=all", "--all")
    git(repo_path, "gc", "-q", "--prune=now")
    put(store, APRIL, 2, note("two", 2))
    assert dict(occurrences(store, cache)) == {claim(2): 1}


def test_a_month_that_is_gone_counts_no_more(store: GitStore, cache: str, repo_path: Path) -> None:
    put(store, APRIL, 1, note("one", 1))
    put(store, MAY, 2, note("two", 1))
    occurrences(store, cache)
    git(repo_path, "update-ref", "-d", notes_ref(MAY))
    assert dict(occurrences(store, cache)) == {claim(1): 1}
    git(repo_path, "update-ref", "-d", notes_ref(APRIL))
    assert dict(occurrences(store, cache)) == {}


def test_where_no_cache_can_be_written_the_numbers_are_the_same(
    store: GitStore, tmp_path: Path
) -> None:
    put(store, APRIL, 1, note("one", 1))
    (tmp_path / "file").write_text("in the way\n")
    assert dict(occurrences(store, str(tmp_path / "file"))) == {claim(1): 1}


@given(
    before=st.dictionaries(st.integers(0, 30).map(claim), st.integers(1, 2**20)),
    more=st.dictionaries(st.integers(0, 30).map(claim), st.integers(-(2**20), 2**20)),
)
def test_counts_are_a_sorted_mapping(before: dict[str, int], more: dict[str, int]) -> None:
    known = Counts().plus(before)
    assert dict(known) == before
    expected = {c: before.get(c, 0) + more.get(c, 0) for c in before.keys() | more.keys()}
    after = known.plus(more)
    assert list(after) == sorted(c for c, number in expected.items() if number > 0)
    assert all(after[c] == expected[c] for c in after)
