"""Notes of runs and of code commits: what a merge of two makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import git, make_commits, repository

from relay_git import canonical
from relay_git.git.notes import update_note
from relay_git.git.notes_merge import merge_notes
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import Ident, Move
from relay_git.lessons.occurrences import occurrences
from relay_git.lessons.provenance import combine, is_settled, read_lines, settled_once
from relay_git.names import Oid, notes_ref

ADA = Ident("Ada", "ada@example.com", 1777368600)
REF = notes_ref("2026-04")
RUN = "20260428-0930-fix-bug-3f9a"


def line(kind: str, **fields: object) -> bytes:
    return canonical.dumps({"v": 1, "kind": kind, **fields}) + b"\n"


def settled(distiller: int, **fields: object) -> bytes:
    return line("settled", run=RUN, distiller=distiller, **fields)


def lesson(claim: str, step: int = 3) -> bytes:
    return line("lesson", lesson=claim, claim=claim, step=step)


def code(step: int) -> bytes:
    return line("commit", run=RUN, step=step, stage="draft", visit=1, role=None)


FOREIGN = b"Reviewed-by: Bob\n"
NEWER = canonical.dumps({"v": 2, "kind": "settled", "run": RUN, "distiller": 1}) + b"\n"
LINES = (
    *(settled(version) for version in (1, 2, 10)),
    settled(2, llm=True),
    settled(2, distiller_of="x"),
    line("settled", run=RUN, distiller="9"),
    lesson("a"),
    lesson("b"),
    lesson("a", step=5),
    code(2),
    code(3),
    FOREIGN,
    NEWER,
    b"{\n",
    b"\r\n",
    b"\n",
)

notes = st.lists(st.sampled_from(LINES), max_size=6).map(b"".join)
unended = notes.map(lambda note: note.removesuffix(b"\n"))
any_note = st.one_of(notes, unended)


@given(any_note, any_note, any_note)
def test_combining_is_commutative_associative_and_idempotent(a: bytes, b: bytes, c: bytes) -> None:
    ab = combine(a, b)
    assert combine(b, a) == ab
    assert combine(ab, ab) == combine(ab, a) == combine(b, ab) == ab
    assert combine(ab, c) == combine(a, combine(b, c))


@given(any_note, any_note)
def test_no_line_but_that_of_a_lesser_settlement_is_lost(a: bytes, b: bytes) -> None:
    both = set(combine(a, b).split(b"\n"))
    ours, theirs = ({part for part in note.split(b"\n") if part} for note in (a, b))
    settlements = [{part for part in side if settles(part)} for side in (ours, theirs)]
    assert both >= (ours | theirs) - settlements[0] - settlements[1]
    assert both & (settlements[0] | settlements[1]) in settlements
    assert both - {b""} <= ours | theirs


def settles(part: bytes) -> bool:
    return any(record["kind"] in ("settled", "lesson") for record in read_lines(part))


def test_of_two_settlements_the_newer_distillers_wins_with_its_lessons() -> None:
    old = lesson("a") + lesson("z") + settled(2) + code(2)
    new = lesson("a") + lesson("b") + settled(10) + FOREIGN
    assert lines(combine(old, new)) == lines(
        lesson("a"), lesson("b"), settled(10), code(2), FOREIGN
    )


def test_of_two_settlements_by_one_distiller_the_greater_bytes_win() -> None:
    by_model = lesson("b") + settled(2, llm=True)
    plain = lesson("b", step=5) + settled(2)
    winner = max(by_model, plain, key=lambda note: sorted(note.splitlines()))
    assert lines(combine(plain, by_model)) == lines(winner)


def test_a_settlement_wins_over_lessons_that_nobody_settled() -> None:
    assert lines(combine(lesson("z"), lesson("a") + settled(1))) == lines(lesson("a"), settled(1))
    assert lines(combine(lesson("z"), code(1))) == lines(lesson("z"), code(1))


def test_what_a_newer_version_wrote_stays_as_it_is() -> None:
    assert lines(combine(NEWER, settled(1))) == lines(NEWER, settled(1))
    assert not is_settled(NEWER)


@pytest.mark.parametrize("before", [b"hand-written", b"hand-written\n", b"two\n\nparagraphs\n"])
def test_settling_keeps_the_lines_that_are_there(before: bytes) -> None:
    """Also where the last has no end."""
    content = lesson("a") + settled(1)
    note = settled_once(before, content)
    assert lines(note) == lines(before, content)
    assert settled_once(note, settled(2)) == note


def lines(*notes: bytes) -> list[bytes]:
    return sorted(part for note in notes for part in note.split(b"\n") if part)


# Counted over merged notes

A, B, C = ("a" * 64, "b" * 64, "c" * 64)


@pytest.fixture
def store(repo_path: Path) -> Iterator[GitStore]:
    store = open_store(repository(repo_path))
    yield store
    store.close()


def test_a_run_that_two_clones_settled_counts_once(
    store: GitStore, repo_path: Path, tmp_path: Path
) -> None:
    """Hazard 6: the union of both settlements would count claims that one of them worded anew."""
    target = Oid(make_commits(repo_path, 1)[0])
    old = written(store, {target: [lesson(A), lesson(B), settled(1)]})
    new = written(store, {target: [lesson(A), lesson(C), settled(2)]})
    stand(store, merge_notes(store, old, new, combine))
    assert dict(occurrences(store, str(tmp_path / "cache"))) == {A: 1, C: 1}
    assert git(repo_path, "notes", f"--ref={REF}", "show", target).count("settled") == 1


def test_a_run_that_was_filed_again_counts_once(
    store: GitStore, repo_path: Path, tmp_path: Path
) -> None:
    """It has a note on each of its last steps."""
    first, second = (Oid(name) for name in make_commits(repo_path, 2))
    note = [lesson(A), settled(1)]
    stand(store, written(store, {first: note, second: [*note, lesson(B)]}))
    assert dict(occurrences(store, str(tmp_path / "cache"))) == {A: 1, B: 1}


def written(store: GitStore, contents: dict[Oid, Iterable[bytes]]) -> Oid:
    """The tip of notes that hold these, made on nothing."""
    stand(store, None)
    for target, parts in contents.items():
        update_note(store, REF, target, partial(settled_once, content=b"".join(parts)), ADA, "x\n")
    tip = store.ref(REF)
    assert tip
    return tip


def stand(store: GitStore, tip: Oid | None) -> None:
    before = store.ref(REF)
    if before != tip:
        store.move(Move(REF, before, tip))
