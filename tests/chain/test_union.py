"""Merging histories: a pure function of two trees, in whatever order clones do it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from chains import OTHER, RUN, add_step, add_steps, opened, signer
from hypothesis import given, settings
from hypothesis import strategies as st
from support import git, make_repo

from relay_git import canonical
from relay_git.chain import history
from relay_git.chain.chain import Step
from relay_git.chain.union import merge_histories, winner
from relay_git.errors import MissingObject, RelayError
from relay_git.git.open import ENGINES, GitStore
from relay_git.git.revisions import reaches
from relay_git.git.store import BLOB, SYMLINK, TREE, Commit, Ident, Move, TreeEntry
from relay_git.git.trees import Leaf, edit_tree, read_path
from relay_git.names import Oid, RunId, history_path, history_ref, run_ref

APRIL = history_ref("2026-04")
NEXT_DAY = RunId("20260429-0930-fix-bug-3f9a")
RUNS = (RUN, OTHER, NEXT_DAY)
REPLICAS = 3


class Bench(NamedTuple):
    """A repository with four tips of each run: three in a row, and one beside the second."""

    path: Path
    store: GitStore
    tips: dict[RunId, list[Step]]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    path = make_repo(tmp_path_factory.mktemp("union") / "repo")
    store, by = opened(path), signer(path)
    tips = {run: add_steps(store, by, 3, run=run) for run in RUNS}
    for run, steps in tips.items():
        git(path, "update-ref", run_ref(run), steps[0].oid)
        steps.append(add_step(store, by, steps[0], {"artifacts/plan.md": b"beside\n"}, run=run))
        git(path, "update-ref", f"refs/kept/{run}", steps[2].oid)
    yield Bench(path, store, tips)
    store.close()


class Known(NamedTuple):
    """What a history must hold: each tip that was filed, and the runs that were hidden."""

    filed: frozenset[tuple[RunId, int]]
    hidden: frozenset[RunId]

    def with_all(self, other: Known) -> Known:
        return Known(self.filed | other.filed, self.hidden | other.hidden)

    def shown(self, bench: Bench) -> dict[RunId, Oid]:
        """The latest tip of each run that is not hidden."""
        best: dict[RunId, Step] = {}
        for run, number in self.filed:
            tip = bench.tips[run][number]
            if run not in self.hidden:
                best[run] = max(best.get(run, tip), tip, key=rank)
        return {run: step.oid for run, step in best.items()}


def rank(step: Step) -> tuple[int, str]:
    return step.envelope.nonce, step.digest


class Act(NamedTuple):
    """What a replica does: `file` the tip of that number, `hide` the run, or `merge` with the
    replica of that number."""

    kind: str
    at: int
    run: RunId
    number: int


scripts = st.lists(
    st.builds(
        Act,
        st.sampled_from(["file", "hide", "merge"]),
        st.integers(0, REPLICAS - 1),
        st.sampled_from(RUNS),
        st.integers(0, 3),
    ),
    max_size=14,
)


def play(bench: Bench, script: list[Act]) -> list[tuple[Oid, Known]]:
    """What the replicas have in the end; all of them began with one filing."""
    begun = file(bench, None, RUN, 0), Known(frozenset({(RUN, 0)}), frozenset())
    replicas = [begun] * REPLICAS
    for act in script:
        replicas[act.at] = done(bench, replicas, act)
    return replicas


def done(bench: Bench, replicas: list[tuple[Oid, Known]], act: Act) -> tuple[Oid, Known]:
    tip, known = replicas[act.at]
    if act.kind == "merge":
        other, also = replicas[act.number % REPLICAS]
        return joined(bench, tip, other), known.with_all(also)
    if act.kind == "file":
        filed = known.filed | {(act.run, act.number)}
        return file(bench, tip, act.run, act.number), known._replace(filed=filed)
    if all(run != act.run for run, _ in known.filed):
        return tip, known
    return hide(bench, tip, act.run), known._replace(hidden=known.hidden | {act.run})


def joined(bench: Bench, ours: Oid, theirs: Oid) -> Oid:
    """As sync does it: a merge only where neither has the other."""
    for tip, other in ((ours, theirs), (theirs, ours)):
        if reaches(bench.store.repo, tip, other):
            return tip
    return merge_histories(bench.store, ours, theirs)


def file(bench: Bench, on: Oid | None, run: RunId, number: int) -> Oid:
    stand(bench.store, on)
    move = history.filing_move(bench.store, bench.tips[run][number], "done")
    return after(move, on)


def hide(bench: Bench, on: Oid, *runs: RunId) -> Oid:
    stand(bench.store, on)
    return after(history.hiding_move(bench.store, "2026-04", runs), on)


def after(move: Move | None, on: Oid | None) -> Oid:
    new = move.new if move else on
    assert new
    return new


def stand(store: GitStore, tip: Oid | None) -> None:
    """The month's ref at that tip."""
    before = store.ref(APRIL)
    if before != tip:
        store.move(Move(APRIL, before, tip))


def tree(bench: Bench, tip: Oid) -> Oid:
    return bench.store.commit(tip).tree


@settings(max_examples=40, deadline=None)
@given(script=scripts)
def test_merging_is_commutative_associative_and_idempotent(bench: Bench, script: list[Act]) -> None:
    a, b, c = (tip for tip, _ in play(bench, script))

    def merged(ours: Oid, theirs: Oid) -> Oid:
        return merge_histories(bench.store, ours, theirs)

    ab = merged(a, b)
    assert merged(b, a) == ab
    assert merged(a, a) == a
    assert tree(bench, merged(ab, c)) == tree(bench, merged(a, merged(b, c)))
    for known in (a, b, ab):
        assert tree(bench, merged(ab, known)) == tree(bench, ab)


@settings(max_examples=40, deadline=None)
@given(script=scripts)
def test_a_merged_history_has_all_that_was_filed_and_hides_all_that_was_hidden(
    bench: Bench, script: list[Act]
) -> None:
    old, *others = play(bench, script)
    new, known = old
    for tip, also in others:
        known = known.with_all(also)
        new = joined(bench, new, tip)
    stand(bench.store, new)
    shown = known.shown(bench)
    listed = {f.run: f.tip for f in history.filings(bench.store, new)}
    assert listed == shown
    assert history.filed_runs(bench.store) == sorted(shown)
    assert history.hidden_runs(bench.store) == sorted(known.hidden)
    assert {run: history.tip_of(bench.store, run) for run in shown} == shown
    for run, number in known.filed:
        assert reaches(bench.store.repo, new, bench.tips[run][number].oid)

    tips_before = {bench.tips[run][number].oid for run, number in old[1].filed}
    fresh = [f.tip for f in history.filings(bench.store, new, since=old[0])]
    assert sorted(fresh) == sorted(tip for tip in shown.values() if tip not in tips_before)


@settings(max_examples=15, deadline=None)
@given(script=scripts)
def test_the_same_pair_merged_in_two_clones_is_one_commit(
    bench: Bench, twin: GitStore, script: list[Act]
) -> None:
    a, b, _ = (tip for tip, _ in play(bench, script))
    assert merge_histories(twin, b, a) == merge_histories(bench.store, a, b)


@pytest.fixture(scope="module", params=ENGINES)
def twin(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[GitStore]:
    """Another repository, which reads the first one's objects and writes its own."""
    path = make_repo(tmp_path_factory.mktemp("twin") / "repo")
    alternates = path / ".git/objects/info/alternates"
    alternates.write_text(f"{bench.path}/.git/objects\n")
    store = opened(path, request.param)
    yield store
    store.close()


def test_git_finds_nothing_wrong_with_a_merge(bench: Bench) -> None:
    first = file(bench, None, RUN, 0)
    ours, theirs = file(bench, first, OTHER, 2), hide(bench, file(bench, first, NEXT_DAY, 1), RUN)
    merge = merge_histories(bench.store, ours, theirs)
    stand(bench.store, merge)
    git(bench.path, "fsck", "--strict", "--no-dangling")
    shown = git(bench.path, "log", "-1", "--format=%an <%ae>|%P|%s|%ct", merge)
    who, parents, subject, date = shown.split("|")
    assert who == "git-relay <merge@git-relay.invalid>"
    assert parents.split() == sorted([ours, theirs])
    assert subject == "merge two histories"
    dates = git(bench.path, "log", "--no-walk", "--format=%ct", ours, theirs).split()
    assert date == max(dates)


def test_a_merge_writes_only_the_trees_that_it_changes(bench: Bench) -> None:
    base = file(bench, None, RUN, 0)
    for day in range(1, 20):
        base = with_entries(bench, base, {f"{day:02}/x": leaf(bench, b"x\n")})
    ours, theirs = file(bench, base, OTHER, 0), file(bench, base, NEXT_DAY, 0)
    before = objects(bench.path)
    merge = merge_histories(bench.store, ours, theirs)
    made = objects(bench.path) - before
    assert merge in made
    assert made <= {merge, tree(bench, merge)}

    theirs = file(bench, base, RUN, 1)
    before = objects(bench.path)
    merge = merge_histories(bench.store, ours, theirs)
    made = objects(bench.path) - before
    assert made <= {merge, tree(bench, merge), oid_at(bench, merge, "28")}


def test_a_tree_that_one_side_has_is_not_written_again(bench: Bench) -> None:
    """Not even where it lies in a pack."""
    ours = file(bench, None, RUN, 0)
    theirs = with_entries(bench, ours, {"note": leaf(bench, b"x\n")})
    stand(bench.store, theirs)
    git(bench.path, "repack", "-adq")
    for pair in ((ours, theirs), (theirs, ours)):
        merge = merge_histories(bench.store, *pair)
        loose = [p.parent.name + p.name for p in bench.path.glob(".git/objects/??/*")]
        assert merge in loose
        assert tree(bench, merge) == tree(bench, theirs)
        assert tree(bench, theirs) not in loose


def test_a_run_that_was_hidden_meanwhile_is_not_filed_again(bench: Bench) -> None:
    """Its later steps stay reachable, and it stays hidden."""
    hidden = hide(bench, file(bench, None, RUN, 0), RUN)
    filed = file(bench, hidden, RUN, 2)
    assert tree(bench, filed) == tree(bench, hidden)
    assert reaches(bench.store.repo, filed, bench.tips[RUN][2].oid)
    assert file(bench, filed, RUN, 2) == filed
    assert file(bench, filed, RUN, 1) == filed
    assert list(history.filings(bench.store, filed)) == []


def test_a_tip_that_is_not_the_latest_is_kept_and_does_not_replace_it(bench: Bench) -> None:
    latest = file(bench, None, RUN, 2)
    assert file(bench, latest, RUN, 0) == latest
    beside = file(bench, latest, RUN, 3)
    assert tree(bench, beside) == tree(bench, latest)
    assert reaches(bench.store.repo, beside, bench.tips[RUN][3].oid)
    assert [f.tip for f in history.filings(bench.store, beside)] == [bench.tips[RUN][2].oid]
    assert history_tip(bench, beside, RUN) == bench.tips[RUN][2].oid


def test_a_run_filed_again_with_a_later_tip_is_new_once(bench: Bench) -> None:
    first = file(bench, None, RUN, 0)
    second = file(bench, first, RUN, 2)
    assert [f.tip for f in history.filings(bench.store, second)] == [bench.tips[RUN][2].oid]
    assert [f.tip for f in history.filings(bench.store, second, first)] == [bench.tips[RUN][2].oid]
    assert history_tip(bench, second, RUN) == bench.tips[RUN][2].oid


def test_a_run_that_two_clones_filed_is_listed_once(bench: Bench) -> None:
    base = file(bench, None, RUN, 0)
    ours = file(bench, file(bench, base, OTHER, 2), NEXT_DAY, 2)
    theirs = file(bench, file(bench, base, NEXT_DAY, 2), OTHER, 2)
    assert ours != theirs
    merge = merge_histories(bench.store, ours, theirs)
    assert sorted(f.run for f in history.filings(bench.store, merge, base)) == [OTHER, NEXT_DAY]
    assert list(history.filings(bench.store, merge, ours)) == []
    assert list(history.filings(bench.store, merge, theirs)) == []


def test_a_step_that_looks_like_a_filing_is_none(bench: Bench) -> None:
    step = bench.tips[RUN][3]
    who = step.commit.committer
    feigned = f"file {NEXT_DAY}: done\n\nRelay-Run: {NEXT_DAY}\n"
    parents = (step.oid, bench.tips[NEXT_DAY][2].oid)
    liar = bench.store.put_commit(Commit(step.commit.tree, parents, who, who, feigned))
    filed = file(bench, None, NEXT_DAY, 0)
    entry = (TREE, bench.tips[NEXT_DAY][2].commit.tree)
    edits = {history_path(RUN): (TREE, step.commit.tree), history_path(NEXT_DAY): entry}
    edited = edit_tree(bench.store, tree(bench, filed), edits)
    assert edited
    message = f"file {RUN}: done\n\nRelay-Run: {RUN}\n"
    tip = bench.store.put_commit(Commit(edited, (filed, liar), who, who, message))
    assert [f.run for f in history.filings(bench.store, tip)] == [RUN]


def test_hiding_the_same_runs_is_the_same_commit_in_two_clones(
    bench: Bench, twin: GitStore
) -> None:
    filed = file(bench, file(bench, None, RUN, 0), OTHER, 0)
    here = hide(bench, filed, RUN, OTHER)
    stand(twin, filed)
    there = history.hiding_move(twin, "2026-04", [OTHER, RUN])
    assert there and there.new == here
    assert hide(bench, here, RUN) == here
    entry = read_path(bench.store, tree(bench, here), history_path(RUN))
    assert entry and entry.mode == BLOB
    assert (
        bench.store.blob(entry.oid)
        == canonical.dumps({"v": 1, "kind": "pruned", "run": RUN}) + b"\n"
    )


@pytest.mark.parametrize("run", RUNS)
def test_the_last_step_of_a_hidden_run_is_found_wherever_it_was_filed(
    bench: Bench, run: RunId
) -> None:
    base = file(bench, None, run, 0)
    hidden = file(bench, hide(bench, base, run), run, 1)
    stand(bench.store, merge_histories(bench.store, hidden, file(bench, base, run, 2)))
    assert history.hidden_tip_of(bench.store, run) == bench.tips[run][2].oid


def test_a_run_that_is_shown_or_was_never_filed_has_no_hidden_tip(bench: Bench) -> None:
    stand(bench.store, hide(bench, file(bench, file(bench, None, RUN, 0), OTHER, 0), OTHER))
    assert history.hidden_tip_of(bench.store, RUN) is None
    assert history.hidden_tip_of(bench.store, NEXT_DAY) is None
    with pytest.raises(RelayError, match=f"the run {OTHER} is pruned"):
        history.tip_of(bench.store, OTHER)
    assert history.is_filed(bench.store, OTHER)


# Entries that nobody of ours writes


def test_of_two_tombstones_the_smaller_stays(bench: Bench) -> None:
    mine = hide(bench, file(bench, None, RUN, 2), RUN)
    for strange in (b"1\n", b"2\n", b"3\n"):
        other = leaf(bench, strange)
        theirs = with_entries(bench, file(bench, None, OTHER, 0), {history_path(RUN): other})
        merge = merge_histories(bench.store, mine, theirs)
        smaller = min(other[1], oid_at(bench, mine, history_path(RUN)))
        assert oid_at(bench, merge, history_path(RUN)) == smaller


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"28": b"a file"}, {"28/x": b"in a directory"}),
        ({"28/x": b"a file"}, {"28/x/y": b"in a directory"}),
        ({"x/y/z": b"1"}, {"x/y/z": b"2"}),
        ({"README": b"1"}, {"README": b"2", "28/x": b"3"}),
        ({history_path(RUN): b"1"}, {history_path(RUN) + "/step.json": b"2"}),
    ],
    ids=lambda entries: " ".join(entries),
)
def test_whatever_lies_there_merges_the_same_way_in_any_order(
    bench: Bench, first: dict[str, bytes], second: dict[str, bytes]
) -> None:
    base = file(bench, None, OTHER, 0)
    a, b = (
        with_entries(bench, base, {path: leaf(bench, data) for path, data in entries.items()})
        for entries in (first, second)
    )
    c = file(bench, base, RUN, 1)
    ab = merge_histories(bench.store, a, b)
    assert merge_histories(bench.store, b, a) == ab
    left = merge_histories(bench.store, ab, c)
    right = merge_histories(bench.store, a, merge_histories(bench.store, b, c))
    assert tree(bench, left) == tree(bench, right)


def test_a_record_that_cannot_be_read_loses_and_one_of_a_newer_format_does_not(
    bench: Bench,
) -> None:
    sound = entry_with(bench, b'{"nonce":3,"relay_version":1}')
    newer = entry_with(bench, b'{"nonce":4,"relay_version":9}')
    for broken in (b"", b"{", b"[]", b'{"nonce":"9"}', b'{"nonce":true}', b'{"relay_version":1}'):
        damaged = entry_with(bench, broken)
        assert winner(bench.store, sound, damaged) == winner(bench.store, damaged, sound) == sound
    assert winner(bench.store, sound, newer) == winner(bench.store, newer, sound) == newer
    empty = TreeEntry(TREE, RUN, bench.store.put_tree(()))
    link = TreeEntry(SYMLINK, "step.json", bench.store.put_blob(b'{"nonce":9}'))
    linked = TreeEntry(TREE, RUN, bench.store.put_tree([link]))
    for strange in (empty, linked):
        assert winner(bench.store, sound, strange) == winner(bench.store, strange, sound) == sound


def test_a_record_that_is_missing_is_not_guessed(bench: Bench) -> None:
    lost = TreeEntry(BLOB, "step.json", Oid("1" * 40))
    entry = TreeEntry(TREE, RUN, bench.store.put_tree([lost]))
    with pytest.raises(MissingObject):
        winner(bench.store, entry_with(bench, b'{"nonce":3}'), entry)


def entry_with(bench: Bench, record: bytes) -> TreeEntry:
    made = bench.store.put_tree([TreeEntry(BLOB, "step.json", bench.store.put_blob(record))])
    return TreeEntry(TREE, RUN, made)


def leaf(bench: Bench, data: bytes) -> Leaf:
    return BLOB, bench.store.put_blob(data)


def with_entries(bench: Bench, tip: Oid, entries: dict[str, Leaf]) -> Oid:
    """A commit of somebody's that puts these into the history."""
    edited = edit_tree(bench.store, tree(bench, tip), entries)
    assert edited
    who = Ident("Eve", "eve@example.com", 1777377600)
    return bench.store.put_commit(Commit(edited, (tip,), who, who, "strange\n"))


def oid_at(bench: Bench, tip: Oid, path: str) -> Oid:
    entry = read_path(bench.store, tree(bench, tip), path)
    assert entry
    return entry.oid


def history_tip(bench: Bench, tip: Oid, run: RunId) -> Oid:
    stand(bench.store, tip)
    return history.tip_of(bench.store, run)


def objects(path: Path) -> set[str]:
    listed = git(path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())
