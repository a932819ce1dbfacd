"""Every contract of a step store, on every store. A new one passes by being added to `STORES`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pipelining import STORES, Place, new_step, place, start

from relay_git import names
from relay_git.errors import Conflict, RelayError
from relay_git.git.store import BLOB, Commit, Move
from relay_git.git.trees import edit_tree
from relay_git.names import STEP_RECORD, Oid, Word
from relay_git.pipeline import Code, NewStep, Pipeline, PipelineError, Snapshot
from relay_git.pipeline.codes import code_of
from relay_git.pipeline.state import Event

NAME = Word("demo")
REFUSALS = {Code.TAMPERED, Code.BROKEN_PARENT, Code.PIPELINE_MISMATCH, Code.NEWER_FORMAT}


@pytest.fixture(params=STORES)
def here(request: pytest.FixtureRequest, repo_path: Path) -> Iterator[Place]:
    made = place(request.param, repo_path)
    yield made
    made.close()


def begun(here: Place) -> Snapshot:
    return here.steps.append(NAME, None, start(FACTS=b'[\n"a"\n]\n'))


def test_a_name_that_nobody_took_has_no_head_and_no_steps(here: Place) -> None:
    assert here.steps.head(NAME) is None
    assert list(here.steps.list(NAME)) == []


def test_what_is_appended_is_the_head_here_and_for_everybody(here: Place) -> None:
    first = begun(here)
    made = here.steps.append(NAME, first, new_step(7, PLAN=b'"p"\n', FACTS=None))
    for steps in (here.steps, here.again()):
        head = steps.head(NAME)
        assert head == made
        assert head is not None and head.contents == {"PLAN": b'"p"\n'}
        assert (head.step, head.nonce, head.budget_used, head.budget_total) == (2, 2, 7, 1_000)
        assert head.run == first.run and head.run.startswith("20")


def test_steps_are_listed_from_the_last_one_to_the_first(here: Place) -> None:
    made = [begun(here)]
    for number in range(3):
        made.append(here.steps.append(NAME, made[-1], new_step(PLAN=f"{number}\n".encode())))
    assert list(here.again().list(NAME)) == made[::-1]


def test_a_step_is_loaded_by_its_id_as_it_was_made(here: Place) -> None:
    first = begun(here)
    here.steps.append(NAME, first, new_step(FACTS=b"1\n"))
    assert here.again().load(NAME, first.id) == first


def test_a_step_after_one_that_is_the_head_no_more_is_refused_and_invisible(here: Place) -> None:
    first = begun(here)
    second = here.steps.append(NAME, first, new_step(FACTS=b"1\n"))
    with pytest.raises(Conflict):
        here.again().append(NAME, first, new_step(FACTS=b"2\n"))
    assert [step.id for step in here.again().list(NAME)] == [second.id, first.id]


def test_a_store_says_whether_it_has_to_wait_for_another_machine(
    here: Place, request: pytest.FixtureRequest
) -> None:
    kind = request.node.callspec.params["here"]
    assert here.steps.on_server is (kind not in ("git", "memory"))


def test_a_second_beginning_is_refused(here: Place) -> None:
    first = begun(here)
    with pytest.raises(Conflict):
        here.again().append(NAME, None, start())
    assert here.again().head(NAME) == first


def test_of_many_at_once_one_appends(here: Place) -> None:
    first = begun(here)
    ready, won = threading.Barrier(6), []

    def race(number: int) -> None:
        steps = here.again()
        ready.wait()
        try:
            won.append(steps.append(NAME, first, new_step(FACTS=f"{number}\n".encode())))
        except Conflict:
            pass
        finally:
            if here.port is not steps._store:
                steps.close()

    threads = [threading.Thread(target=race, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert here.again().head(NAME) == won[0]


def test_a_rejected_output_hangs_beside_the_step_that_keeps_it(here: Place) -> None:
    first = begun(here)
    output = new_step(FACTS=b"0\n")
    output = output.replace(event=output.event.replace(kind="output"))
    back = output.event.replace(kind="rollback", to=1)
    made = here.steps.append(NAME, first, output.replace(event=back, changes={}, rejected=output))
    kept = here.again().load(NAME, made.record.commit.parents[1])
    assert kept.contents == {"FACTS": b"0\n"}
    assert made.event.rejected == kept.record.digest
    assert made.contents == first.contents
    assert list(here.again().list(NAME)) == [made, first]


def test_a_name_that_was_given_up_can_be_taken_again_and_loses_no_step(here: Place) -> None:
    first, beside = begun(here), here.again()
    assert beside.head(NAME) == first
    here.steps.delete(NAME)
    assert here.steps.head(NAME) is None
    with pytest.raises(Conflict):
        beside.append(NAME, first, new_step(FACTS=b"1\n"))
    other = here.steps.append(NAME, None, start())
    assert other.run != first.run
    assert here.steps.load(NAME, first.id) == first
    here.steps.delete(Word("nobody"))


def test_a_run_that_ended_has_no_head_and_frees_its_name(here: Place) -> None:
    first = begun(here)
    end = new_step().replace(event=Event("end"))
    last = here.steps.append(NAME, first, end)
    assert here.steps.head(NAME) is None
    here.steps.settle(NAME, last)
    other = here.again().append(NAME, None, start())
    here.steps.settle(NAME, last)
    assert here.again().head(NAME) == other, "the name is another run's by now"
    assert here.steps.load(NAME, last.id) == last


def test_a_name_stands_for_the_run_that_it_is_given(here: Place) -> None:
    first = begun(here)
    here.steps.delete(NAME)
    other = here.steps.append(NAME, None, start())
    beside = here.again()
    assert beside.head(NAME) == other
    here.steps.adopt(NAME, first.run)
    assert here.again().head(NAME) == here.steps.head(NAME) == first
    with pytest.raises(Conflict):
        beside.append(NAME, other, new_step(FACTS=b"1\n"))
    assert beside.head(NAME) == first


def test_the_step_of_another_pipeline_is_refused(here: Place) -> None:
    first = begun(here)
    with pytest.raises(PipelineError) as refused:
        here.steps.load(Word("other"), first.id)
    assert refused.value.code == Code.PIPELINE_MISMATCH


def test_after_a_key_is_rotated_old_steps_and_new_ones_verify(here: Place) -> None:
    first = begun(here)
    fingerprint = here.steps.rotate_key()
    second = here.steps.append(NAME, first, new_step(FACTS=b"1\n"))
    assert second.key == fingerprint != first.key
    assert list(here.again().list(NAME)) == [second, first]


# Tampering


def rebuilt(here: Place, step: Snapshot, path: str, data: bytes) -> Oid:
    """The same commit with another file in it, and every object id right."""
    tree = edit_tree(here.port, step.record.commit.tree, {path: (BLOB, here.port.put_blob(data))})
    assert tree is not None
    return here.port.put_commit(step.record.commit.replace(tree=tree))


@pytest.mark.parametrize("path", [STEP_RECORD, "artifacts/FACTS.json"])
def test_any_byte_of_a_record_or_a_section_that_was_changed_is_refused(
    here: Place, path: str
) -> None:
    begun(here)
    head = here.steps.append(NAME, here.steps.head(NAME), new_step(FACTS=b'{\n"a": [1, "x"]\n}\n'))
    tree = head.record.commit.tree
    entries = {entry.name: entry.oid for entry in here.port.tree(tree)}
    folder = here.port.tree(entries["artifacts"])
    data = here.port.blob(entries[path] if path in entries else folder[0].oid)
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
        with pytest.raises(RelayError) as refused:
            here.steps.load(NAME, rebuilt(here, head, path, changed))
        assert code_of(refused.value) in REFUSALS, (at, refused.value)


def test_a_signed_step_is_not_therefore_the_last_one_of_a_run(here: Place) -> None:
    """What an agent wrote and nobody accepted, and the last step of another run of that name."""
    first = begun(here)
    output = new_step(FACTS=b"0\n")
    output = output.replace(event=output.event.replace(kind="output"))
    back = output.event.replace(kind="rollback", to=1)
    head = here.steps.append(NAME, first, output.replace(event=back, changes={}, rejected=output))
    fork = here.steps.beside(NAME, head, forked())
    here.steps.keep(NAME, head, [fork])
    here.steps.delete(NAME)
    other = here.steps.append(NAME, None, start(FACTS=b"2\n"))
    here.steps.adopt(NAME, first.run)
    ref = names.run_ref(first.run)
    for false in (head.record.commit.parents[1], fork.id, other.id):
        here.port.move(Move(ref, head.id, false))
        for steps in (here.steps, here.again()):
            with pytest.raises(PipelineError) as refused:
                steps.head(NAME)
            assert refused.value.code == Code.BROKEN_PARENT
        here.port.move(Move(ref, false, head.id))
    assert here.again().head(NAME) == head


def forked() -> NewStep:
    event = Event("fork", agent="writer", manifest="f" * 64, fork="f")
    return new_step(FACTS=b"1\n").replace(event=event)


def test_an_output_of_another_step_is_not_found_as_that_of_a_fork(here: Place) -> None:
    first = begun(here)
    old = here.steps.beside(NAME, first, forked())
    here.steps.keep(NAME, first, [old])
    head = here.steps.append(NAME, first, new_step(PLAN=b"1\n"))
    assert here.steps.kept(NAME, first) == [old]
    ref = names.fork_ref(head.run, head.id, Word("f"), "f" * 64)
    for false in (old.id, head.id):
        here.port.move(Move(ref, None, false))
        with pytest.raises(PipelineError) as refused:
            here.again().kept(NAME, head)
        assert refused.value.code == Code.BROKEN_PARENT
        here.port.move(Move(ref, false, None))


def test_what_waits_to_be_joined_is_kept_by_the_last_step(here: Place) -> None:
    first = begun(here)
    fork = here.steps.beside(NAME, first, forked())
    here.steps.keep(NAME, first, [fork])
    head = here.steps.append(NAME, first, new_step(PLAN=b"1\n"))
    later = here.steps.beside(NAME, head, forked())
    here.steps.keep(NAME, head, [later])
    last = Pipeline.open(here.steps, NAME).end().unwrap()
    assert here.port.refs(names.FORKS) == {}
    _, *kept = last.record.commit.parents
    assert set(kept) == {fork.id, later.id}
    assert [here.again().load(NAME, oid).record.digest for oid in kept] == [*last.event.waiting]


def test_a_commit_that_says_otherwise_is_refused(here: Place) -> None:
    first = begun(here)
    head = here.steps.append(NAME, first, new_step(FACTS=b"1\n"))
    commit = head.record.commit
    other = here.steps.append(NAME, head, new_step(FACTS=b"2\n"))
    forged: list[Commit] = [
        commit.replace(message=commit.message.replace("writer", "nobody")),
        commit.replace(author=commit.author.replace(name="Eve")),
        commit.replace(parents=(other.id,)),
        commit.replace(parents=()),
    ]
    for commit in forged:
        with pytest.raises(RelayError) as refused:
            here.steps.load(NAME, here.port.put_commit(commit))
        assert code_of(refused.value) in REFUSALS, commit
