"""Merge steps: pure functions of the tips that they join, on random chains and on real clones."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from chains import NOON, OTHER, RUN, Scratch, add_step, add_steps, opened, signer
from hypothesis import given, settings
from hypothesis import strategies as st
from support import SOAK, git, make_repo, repository

from relay_git import canonical
from relay_git.chain.chain import Step, read_step, walk
from relay_git.chain.envelope import Signer, check_derived, derive, read, seal
from relay_git.chain.merge import heads_of, merge_chains
from relay_git.chain.signers import KnownSigners
from relay_git.chain.verify import Judgement, verify_chain
from relay_git.errors import Corrupt, MissingObject, Refused
from relay_git.git.merging import MERGER
from relay_git.git.open import ENGINES
from relay_git.git.store import (
    BLOB,
    EXECUTABLE,
    GITLINK,
    SYMLINK,
    TREE,
    Commit,
    Ident,
    Move,
    Store,
)
from relay_git.git.trees import Leaf, edit_tree
from relay_git.git.trees import walk as files_of
from relay_git.names import STEP_RECORD, Oid, run_ref
from relay_git.workspace import Workspace

REF = run_ref(RUN)
Change = Callable[[Commit], Commit]


@pytest.fixture
def store(repo_path: Path) -> Scratch:
    return Scratch(repository(repo_path))


@pytest.fixture
def by(repo_path: Path) -> Signer:
    return signer(repo_path)


def after(store: Scratch, by: Signer, parent: Step | None, text: str, at: int = NOON) -> Step:
    """One more step on any step, wherever the run's ref stands."""
    store.tips = {REF: parent.oid} if parent else {}
    state = {"status": "open", "text": text}
    files: dict[str, bytes | None] = {"artifacts/plan.md": text.encode()}
    return add_step(store, by, parent, files, at=at, state=state)


def two_sides(store: Scratch, by: Signer) -> tuple[Step, Step]:
    """Two steps on the same one; the second side is one step longer."""
    base = after(store, by, None, "base")
    short = after(store, by, base, "short", NOON + 600)
    return short, after(store, by, after(store, by, base, "long"), "longer", NOON + 60)


def merged(store: Store, ours: Oid, theirs: Oid) -> Step:
    return read_step(store, merge_chains(store, ours, theirs))


def contents(store: Store, step: Step) -> dict[str, bytes]:
    return {path: store.blob(entry.oid) for path, entry in files_of(store, step.commit.tree)}


def judge(path: Path, store: Store, tip: Oid, grafts: Sequence[str] = ()) -> list[Judgement]:
    return list(verify_chain(store, RUN, tip, signers(path), Known(), grafts=grafts))


def signers(path: Path) -> KnownSigners:
    return KnownSigners(Workspace(repository(path)))


class Known(dict[Oid, str]):
    """A cache of sound steps that ends with the test."""

    def put(self, oid: Oid, fingerprint: str) -> None:
        self[oid] = fingerprint


# What a merge is


def test_a_merge_has_the_winners_files_and_a_record_that_lists_the_heads(
    store: Scratch, by: Signer
) -> None:
    short, long = two_sides(store, by)
    merge = merged(store, short.oid, long.oid)
    record = json.loads(contents(store, merge)[STEP_RECORD])
    assert record["heads"] == sorted([short.digest, long.digest])
    assert (record["step"], record["nonce"]) == (4, 4)
    assert record["state"] == {"status": "diverged", "text": "longer"}
    assert record["timestamp"] == "2026-04-28T12:10:00Z", "the latest, which is not the winner's"
    assert (record["key"], record["role"], record["parent"]) == ("", None, None)
    assert "signature" not in record
    assert merge.envelope.first == long.envelope.first
    files = contents(store, merge)
    assert {**contents(store, long), STEP_RECORD: files[STEP_RECORD]} == files


def test_a_merge_is_a_commit_by_nobody_with_sorted_parents_and_the_later_date(
    store: Scratch, by: Signer
) -> None:
    short, long = two_sides(store, by)
    commit = merged(store, long.oid, short.oid).commit
    assert commit.parents == tuple(sorted([short.oid, long.oid]))
    assert commit.author == commit.committer == Ident(*MERGER, NOON + 600)
    assert commit.message == "merge what was done apart\n"


def test_of_two_sides_of_one_length_the_greater_digest_wins(store: Scratch, by: Signer) -> None:
    base = after(store, by, None, "base")
    sides = [after(store, by, base, text) for text in ("one", "two")]
    winner = max(sides, key=lambda step: step.digest)
    assert merged(store, sides[0].oid, sides[1].oid).envelope.files == winner.envelope.files


def test_numbers_and_nonces_go_beyond_those_of_all_heads(
    store: Scratch, by: Signer, repo_path: Path
) -> None:
    """A nonce may have jumped, so that the winner is not the side with the most steps."""
    short, long = two_sides(store, by)
    data = seal(short.envelope.replace(nonce=10), by)
    leaf = BLOB, store.put_blob(data)
    tree = edit_tree(store, short.commit.tree, {STEP_RECORD: leaf})
    jumped = store.put_commit(short.commit.replace(tree=tree))
    merge = merged(store, jumped, long.oid)
    assert (merge.envelope.nonce, merge.envelope.step) == (11, 4)
    assert merge.envelope.state["text"] == "short"
    assert all(item.ok for item in judge(repo_path, store, after(store, by, merge, "on").oid))


def test_what_follows_is_the_merge_of_both(store: Scratch, by: Signer) -> None:
    short, long = two_sides(store, by)
    base = long.commit.parents[0]
    assert merge_chains(store, base, long.oid) == merge_chains(store, long.oid, base) == long.oid
    assert merge_chains(store, short.oid, short.oid) == short.oid
    merge = merge_chains(store, short.oid, long.oid)
    assert merge_chains(store, merge, short.oid) == merge_chains(store, long.oid, merge) == merge


def test_a_step_on_a_merge_follows_it(store: Scratch, by: Signer, repo_path: Path) -> None:
    short, long = two_sides(store, by)
    merge = merged(store, short.oid, long.oid)
    chosen = after(store, by, merge, "short")
    assert chosen.envelope.parent == merge.digest
    assert (chosen.envelope.step, chosen.envelope.nonce) == (5, 5)
    assert chosen.envelope.first == long.envelope.first
    assert merge_chains(store, chosen.oid, long.oid) == chosen.oid
    assert [item.detail for item in judge(repo_path, store, chosen.oid)] == [
        *["ada@example.com"] * 4,
        "merge",
        "ada@example.com",
    ]


def test_merges_are_replaced_by_their_heads(store: Scratch, by: Signer) -> None:
    base = after(store, by, None, "base")
    one, two, three = (after(store, by, base, text) for text in ("one", "two", "three"))
    pair = merge_chains(store, one.oid, two.oid)
    left = merged(store, pair, three.oid)
    right = merged(store, one.oid, merge_chains(store, two.oid, three.oid))
    assert left.oid != right.oid
    assert left.commit.tree == right.commit.tree
    assert left.envelope.heads == tuple(sorted(step.digest for step in (one, two, three)))
    assert left.envelope.nonce == 3, "the merge below has that nonce too"
    assert merge_chains(store, left.oid, pair) == left.oid, "it follows, though of one nonce"
    both = merged(store, left.oid, right.oid)
    assert both.commit.tree == left.commit.tree
    told = [step.digest for step in walk(store, both.oid)]
    assert told.count(both.digest) == 1, "three commits, one step"


def test_one_head_keeps_its_own_tree_and_the_run_goes_on_from_it(
    store: Scratch, by: Signer, repo_path: Path
) -> None:
    """The same three steps were merged in two orders, and resolved in one clone."""
    base = after(store, by, None, "base")
    one, two, three = (after(store, by, base, text) for text in ("one", "two", "three"))
    left = merged(store, merge_chains(store, one.oid, two.oid), three.oid)
    right = merged(store, one.oid, merge_chains(store, two.oid, three.oid))
    chosen = after(store, by, left, "one")
    both = merged(store, chosen.oid, right.oid)
    assert both.commit.tree == chosen.commit.tree
    assert heads_of(store, both.oid) == [chosen]
    assert merge_chains(store, both.oid, chosen.oid) == both.oid
    later = after(store, by, both, "later")
    assert later.envelope.parent == chosen.digest
    assert later.envelope.step == chosen.envelope.step + 1
    told = [step for step in walk(store, later.oid) if not step.envelope.heads]
    assert told[:2] == [later, chosen]
    assert {step.oid for step in told} == {s.oid for s in (later, chosen, base, one, two, three)}
    assert len(told) == 6
    assert all(item.ok for item in judge(repo_path, store, later.oid))


def test_two_runs_of_one_name_are_refused(store: Scratch, by: Signer) -> None:
    one, two = after(store, by, None, "one"), after(store, by, None, "two")
    longer = after(store, by, two, "three")
    for theirs in (two, longer):
        with pytest.raises(Refused, match="two runs go by this name") as refused:
            merge_chains(store, one.oid, theirs.oid)
        assert refused.value.where == REF


def test_two_runs_of_two_names_are_refused(store: Scratch, by: Signer) -> None:
    one = after(store, by, None, "one")
    other = add_step(store, by, None, {}, run=OTHER)
    with pytest.raises(Refused, match="two runs"):
        merge_chains(store, one.oid, other.oid)


def test_walk_goes_through_both_sides_newest_first_each_step_once(
    store: Scratch, by: Signer
) -> None:
    short, long = two_sides(store, by)
    merge = merged(store, short.oid, long.oid)
    told = list(walk(store, merge.oid))
    assert told[:2] == [merge, long]
    assert told[-1].envelope.parent is None
    assert [step.order for step in told] == sorted((step.order for step in told), reverse=True)
    assert len({step.oid for step in told}) == len(told) == 5


# Random chains


Wish = tuple[str, int, int, int]
WISHES = st.lists(
    st.tuples(
        st.sampled_from(["step", "step", "back", "sync", "sync", "choose"]),
        st.integers(0, 3),
        st.integers(0, 9),
        st.integers(-7200, 7200),
    ),
    min_size=1,
    max_size=24,
)
"""What a clone does, which clone, to what, and how wrong its clock is."""


class Clones:
    """Up to four clones of one run that go on apart, meet, roll back and choose."""

    def __init__(self, store: Scratch, by: Signer, count: int) -> None:
        self.store, self.by = store, by
        self.made = [after(store, by, None, "base")]
        self.tips = [self.made[0].oid] * count

    def play(self, wishes: Sequence[Wish]) -> None:
        for kind, clone, choice, skew in wishes:
            here = clone % len(self.tips)
            if kind == "sync":
                there = self.tips[choice % len(self.tips)]
                self.tips[here] = merge_chains(self.store, self.tips[here], there)
            elif kind == "choose":
                self._choose(here, choice, skew)
            else:
                past = list(walk(self.store, self.tips[here]))
                like = past[choice % len(past)] if kind == "back" else None
                self._add(here, like, skew)

    def _choose(self, here: int, choice: int, skew: int) -> None:
        """Resolve, where there is anything to choose."""
        tip = read_step(self.store, self.tips[here])
        if tip.envelope.heads:
            heads = heads_of(self.store, tip.oid)
            self._add(here, heads[choice % len(heads)], skew)

    def _add(self, here: int, like: Step | None, skew: int) -> None:
        """A step with a text of its own, or with an earlier step's."""
        parent = read_step(self.store, self.tips[here])
        text = str(like.envelope.state["text"]) if like else f"text {len(self.made)}"
        step = after(self.store, self.by, parent, text, NOON + 60 * len(self.made) + skew)
        self.made.append(step)
        self.tips[here] = step.oid


def ancestors(store: Store, tip: Oid) -> set[Oid]:
    """All commits that git reaches from a tip, itself included."""
    found, ahead = {tip}, [tip]
    while ahead:
        above = set(store.commit(ahead.pop()).parents) - found
        found |= above
        ahead += above
    return found


def heads_by_force(store: Store, tips: Sequence[Oid]) -> list[Step]:
    """Signed steps that no other signed step reaches, the newest first."""
    every = {oid for tip in tips for oid in ancestors(store, tip)}
    real = [oid for oid in every if store.commit(oid).committer.email == "ada@example.com"]
    below = {oid: ancestors(store, oid) - {oid} for oid in real}
    last = [oid for oid in real if not any(oid in below[other] for other in real)]
    steps = [read_step(store, oid) for oid in last]
    return sorted(steps, key=lambda s: (s.envelope.nonce, s.digest), reverse=True)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repo(tmp_path_factory.mktemp("bench") / "repo")


@given(st.integers(2, 4), WISHES, st.integers(0, 99))
@settings(max_examples=120 if SOAK else 60, deadline=None)
def test_merging_is_commutative_associative_and_idempotent(
    bench: Path, count: int, wishes: list[Wish], seed: int
) -> None:
    """Any order, any grouping, any repetition: one tree, a function of the heads alone."""
    clones = Clones(Scratch(repository(bench)), signer(bench), count)
    clones.play(wishes)
    store, tips, chance = clones.store, clones.tips, random.Random(seed)
    for ours, theirs in itertools.combinations(tips, 2):
        assert merge_chains(store, ours, theirs) == merge_chains(store, theirs, ours)
    ends = [in_any_order(store, tips, chance) for _ in range(6)]
    trees = {store.commit(end).tree for end in ends}
    assert len(trees) == 1, "commutative and associative"
    for end, tip in itertools.product(ends, [*tips, *ends]):
        made = merge_chains(store, end, tip)
        assert store.commit(made).tree in trees, "idempotent"
        assert made == end or tip not in ancestors(store, end), "what follows is the merge"

    heads = heads_by_force(store, tips)
    step = read_step(store, ends[0])
    assert step.envelope.files == heads[0].envelope.files
    assert step.envelope.state["text"] == heads[0].envelope.state["text"]
    assert set(step.envelope.heads) == ({h.digest for h in heads} if len(heads) > 1 else set())


def in_any_order(store: Store, tips: Sequence[Oid], chance: random.Random) -> Oid:
    """Merge two of what is left until one is, now and then with something once more."""
    left = list(tips)
    while len(left) > 1:
        chance.shuffle(left)
        left.append(merge_chains(store, left.pop(), left.pop()))
        if chance.random() < 0.3:
            left.append(chance.choice(tips))
    return left[0]


@given(st.integers(2, 4), WISHES)
@settings(max_examples=60, deadline=None)
def test_the_same_pair_in_two_clones_is_one_commit(
    bench: Path, count: int, wishes: list[Wish]
) -> None:
    clones = Clones(Scratch(repository(bench)), signer(bench), count)
    clones.play(wishes)
    for ours, theirs in itertools.combinations(clones.tips, 2):
        here, there = clones.store.copy(), clones.store.copy()
        assert merge_chains(here, ours, theirs) == merge_chains(there, theirs, ours)


@given(st.integers(2, 4), WISHES)
@settings(max_examples=60, deadline=None)
def test_whatever_was_merged_verifies_and_every_step_is_told_once(
    bench: Path, count: int, wishes: list[Wish]
) -> None:
    clones = Clones(Scratch(repository(bench)), signer(bench), count)
    clones.play(wishes)
    store, end = clones.store, clones.tips[0]
    for tip in clones.tips[1:]:
        end = merge_chains(store, end, tip)
    judged = judge(bench, store, end)
    assert [item for item in judged if not item.ok] == []
    assert {item.oid for item in judged} == ancestors(store, end)
    told = list(walk(store, end))
    real = [step.oid for step in told if not step.is_merge]
    assert sorted(real) == sorted(step.oid for step in clones.made)
    assert len({step.digest for step in told}) == len(told)
    for child, step in enumerate(told):
        above = [at for at, other in enumerate(told) if other.oid in step.commit.parents]
        assert all(child < at for at in above if not step.is_merge)


# Both engines, both hashes, real clones


@pytest.mark.parametrize("engine", ENGINES)
def test_two_clones_make_the_same_merge_and_git_finds_nothing_wrong(
    repo_path: Path, tmp_path: Path, by: Signer, engine: str
) -> None:
    store = opened(repo_path, engine)
    base, _, last = add_steps(store, by, 3)
    store.move(Move(REF, last.oid, base.oid))
    (other,) = add_steps(store, by, 1, base, message="another\n")
    there = make_repo(tmp_path / "clone")
    git(repo_path, "update-ref", "refs/heads/side", last.oid)
    git(there, "fetch", "-q", str(repo_path), "refs/heads/side", REF)
    made = merge_chains(store, last.oid, other.oid)
    assert merge_chains(opened(there, "native"), other.oid, last.oid) == made
    git(there, "fsck", "--strict", "--full", "--no-dangling")
    shown = git(there, "log", "-1", "--format=%an <%ae> %cI %P", made)
    parents = " ".join(sorted([last.oid, other.oid]))
    assert shown == f"git-relay <merge@git-relay.invalid> 2026-04-28T12:02:00+00:00 {parents}"


def test_a_sha256_repository_merges_as_well(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "sha256", object_format="sha256")
    store, by = Scratch(repository(path)), signer(path)
    short, long = two_sides(store, by)
    merge = merge_chains(store, short.oid, long.oid)
    assert len(merge) == 64
    assert all(item.ok for item in judge(path, store, merge))


# The derived record


def test_an_ordinary_record_does_not_name_the_heads(store: Scratch, by: Signer) -> None:
    step = after(store, by, None, "base")
    assert step.envelope.heads == ()
    assert b"heads" not in contents(store, step)[STEP_RECORD]


def test_a_derived_record_is_read_as_it_was_written(store: Scratch, by: Signer) -> None:
    short, long = two_sides(store, by)
    merge = merged(store, short.oid, long.oid)
    data = contents(store, merge)[STEP_RECORD]
    assert derive(read(data)) == data
    check_derived(data)


@pytest.mark.parametrize(
    "change",
    [
        {"heads": ["1" * 64]},
        {"heads": []},
        {"heads": ["2" * 64, "1" * 64]},
        {"heads": ["1" * 64, "1" * 64]},
        {"heads": [1, 2]},
        {"heads": None},
        {"key": "SHA256:" + "A" * 43},
        {"signature": "x"},
    ],
    ids=str,
)
def test_a_record_with_heads_that_cannot_be_a_merges_is_refused(
    store: Scratch, by: Signer, change: dict[str, object]
) -> None:
    short, long = two_sides(store, by)
    record = json.loads(contents(store, merged(store, short.oid, long.oid))[STEP_RECORD])
    with pytest.raises(Corrupt, match="not the record of a step"):
        read(canonical.dumps({**record, **change}))


@pytest.mark.parametrize("extra", [b" ", b"\n"])
def test_a_derived_record_in_another_spelling_is_refused(
    store: Scratch, by: Signer, extra: bytes
) -> None:
    short, long = two_sides(store, by)
    data = contents(store, merged(store, short.oid, long.oid))[STEP_RECORD]
    for changed in (data + extra, extra + data, data.replace(b'{"', b'{"more":1,"', 1)):
        with pytest.raises(Corrupt, match="canonical"):
            check_derived(changed)
    with pytest.raises(Corrupt, match="joins nothing"):
        check_derived(contents(store, long)[STEP_RECORD])


# Changed merges


class Forge:
    """One merge with a step on it, to be changed and judged again and again."""

    def __init__(self, path: Path, store: Scratch, by: Signer, one_head: bool) -> None:
        self.store, self.known, self.cache = store, signers(path), Known()
        short, long = two_sides(store, by)
        self.merge = merged(store, short.oid, long.oid)
        if one_head:
            third = after(store, by, read_step(store, short.commit.parents[0]), "third")
            left = merge_chains(store, self.merge.oid, third.oid)
            right = merge_chains(store, short.oid, merge_chains(store, long.oid, third.oid))
            chosen = after(store, by, read_step(store, left), "longer")
            self.merge = merged(store, chosen.oid, right)
        self.last = after(store, by, self.merge, "longer")
        assert all(item.ok for item in self.judge(self.last.oid))

    def judge(self, tip: Oid) -> list[Judgement]:
        return list(verify_chain(self.store, RUN, tip, self.known, self.cache))

    def first_wrong(self, commit: Commit) -> tuple[Judgement, Oid]:
        """Of a chain with another merge; and the id of that."""
        changed = self.store.put_commit(commit)
        tip = self.store.put_commit(self.last.commit.replace(parents=(changed,)))
        return next(item for item in self.judge(tip) if not item.ok), changed

    def with_leaf(self, path: str, leaf: Leaf | None) -> Commit:
        tree = edit_tree(self.store, self.merge.commit.tree, {path: leaf})
        return self.merge.commit.replace(tree=tree)


@pytest.fixture(params=[False, True], ids=["two heads", "one head"])
def forge(request: pytest.FixtureRequest, repo_path: Path, store: Scratch, by: Signer) -> Forge:
    return Forge(repo_path, store, by, request.param)


def mutations(data: bytes) -> Iterator[bytes]:
    """Each byte changed, one left out, one more."""
    for at in range(len(data)):
        yield data[:at] + bytes([data[at] ^ (1 + at % 255)]) + data[at + 1 :]
    yield data[:-1]
    yield data + b"\n"


def test_any_changed_byte_of_a_merge_is_found(forge: Forge) -> None:
    count = 0
    for path, data in contents(forge.store, forge.merge).items():
        for changed in mutations(data):
            commit = forge.with_leaf(path, (BLOB, forge.store.put_blob(changed)))
            wrong, oid = forge.first_wrong(commit)
            assert (wrong.oid, wrong.status) == (oid, "tampered"), (path, changed)
            assert wrong.detail.startswith(f"{path}: "), wrong.detail
            count += 1
    assert count > 500


def test_a_file_more_or_less_or_of_another_kind_is_found_in_a_merge(forge: Forge) -> None:
    blob, empty = forge.store.put_blob(b"stray\n"), forge.store.put_tree(())
    leaves: list[tuple[str, Leaf | None]] = [
        ("stray.md", (BLOB, blob)),
        ("artifacts/stray.md", (BLOB, blob)),
        ("vendor", (GITLINK, forge.merge.oid)),
        ("nothing", (TREE, empty)),
        ("artifacts", None),
        ("artifacts/plan.md", (EXECUTABLE, blob)),
        ("artifacts/plan.md", (SYMLINK, blob)),
    ]
    for path, leaf in leaves:
        wrong, oid = forge.first_wrong(forge.with_leaf(path, leaf))
        assert (wrong.oid, wrong.status) == (oid, "tampered"), path


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.replace(message=c.message + "\n"),
        lambda c: c.replace(message="merge what was done by me\n"),
        lambda c: c.replace(author=Ident("Eve", c.author.email, c.author.time)),
        lambda c: c.replace(author=Ident(*MERGER, c.author.time + 1)),
        lambda c: c.replace(committer=Ident("Eve", MERGER[1], c.author.time)),
        lambda c: c.replace(committer=Ident(*MERGER, c.author.time - 1)),
        lambda c: c.replace(committer=Ident(*MERGER, c.author.time, "+0200")),
        lambda c: c.replace(committer=Ident("Eve", "eve@example.com", c.author.time)),
        lambda c: c.replace(parents=c.parents[::-1]),
        lambda c: c.replace(parents=(c.parents[0], c.parents[0])),
        lambda c: c.replace(parents=c.parents[:1]),
        lambda c: c.replace(parents=(*c.parents, c.parents[0])),
    ],
)
def test_a_changed_commit_of_a_merge_is_found(forge: Forge, change: Change) -> None:
    wrong, oid = forge.first_wrong(change(forge.merge.commit))
    assert (wrong.oid, wrong.status) == (oid, "tampered"), wrong


def test_a_merge_of_other_steps_than_it_says_is_found(
    repo_path: Path, store: Scratch, by: Signer
) -> None:
    """A merge that drops one side, and one that joins a step with its own parent."""
    short, long = two_sides(store, by)
    base = read_step(store, short.commit.parents[0])
    merge = merged(store, short.oid, long.oid)
    for parents in ((base.oid, long.oid), (short.oid, base.oid)):
        forged = store.put_commit(merge.commit.replace(parents=tuple(sorted(parents))))
        (wrong,) = [item for item in judge(repo_path, store, forged) if not item.ok]
        assert (wrong.oid, wrong.status) == (forged, "tampered")
        assert wrong.detail == "the commit: one of its parents follows the other"


def test_a_merge_with_something_that_is_no_step_is_found(
    repo_path: Path, store: Scratch, by: Signer
) -> None:
    short, long = two_sides(store, by)
    merge = merged(store, short.oid, long.oid)
    head = Oid(git(repo_path, "rev-parse", "HEAD"))
    for parents in ((head, long.oid), (long.oid, store.put_blob(b"no commit"))):
        forged = store.put_commit(merge.commit.replace(parents=parents))
        wrong = [item for item in judge(repo_path, store, forged) if not item.ok]
        assert wrong[-1].oid == forged
        assert {item.status for item in wrong} == {"tampered"}


def test_a_merge_of_another_run_is_found(repo_path: Path, store: Scratch, by: Signer) -> None:
    short, long = two_sides(store, by)
    merge = merge_chains(store, short.oid, long.oid)
    judged = list(verify_chain(store, OTHER, merge, signers(repo_path), Known()))
    assert {item.status for item in judged} == {"broken parent"}
    assert len(judged) == 5


# Missing and shallow


def test_a_side_that_is_missing_is_named(repo_path: Path, store: Scratch, by: Signer) -> None:
    short, long = two_sides(store, by)
    merge = merged(store, short.oid, long.oid)
    del store.memory.made[short.oid]
    judged = judge(repo_path, store, merge.oid)
    assert [(item.status, item.detail) for item in judged if not item.ok] == [
        ("broken parent", "a step that it joins is missing")
    ]
    assert [step.oid for step in walk(store, merge.oid)][:2] == [merge.oid, long.oid]
    with pytest.raises(MissingObject):
        heads_of(store, merge.oid)


@pytest.mark.parametrize("one_head", [False, True])
def test_a_merge_where_a_shallow_clone_ends_is_judged_by_itself(
    repo_path: Path, tmp_path: Path, by: Signer, one_head: bool
) -> None:
    """Its files must be what its record says, though what it joins is not there."""
    forge = Forge(repo_path, Scratch(repository(repo_path)), by, one_head)
    tip = kept(repo_path, forge.store, forge.last.oid)
    shallow = make_repo(tmp_path / "shallow")
    git(shallow, "fetch", "-q", "--depth=2", repo_path.as_uri(), f"{tip}:{REF}")
    there = Scratch(repository(shallow))
    judged = judge(shallow, there, tip, grafts=list(there.repo.grafts()))
    assert [(item.oid, item.status) for item in judged] == [
        (forge.merge.oid, "ok"),
        (forge.last.oid, "ok"),
    ]
    assert judge(shallow, there, tip)[0].status == "broken parent", "no graft, but missing"
    for path, data in contents(there, forge.merge).items():
        leaf = BLOB, there.put_blob(data + b"\n")
        tree = edit_tree(there, forge.merge.commit.tree, {path: leaf})
        forged = there.put_commit(forge.merge.commit.replace(tree=tree))
        (wrong,) = judge(shallow, there, forged, grafts=[forged])
        assert wrong.status == "tampered"


def kept(path: Path, store: Scratch, tip: Oid) -> Oid:
    """Write what a scratch store holds into the repository, by git itself."""
    for kind, data in store.memory.made.values():
        git(path, "hash-object", "-w", "-t", kind, "--stdin", input=data)
    git(path, "update-ref", REF, tip)
    return tip
