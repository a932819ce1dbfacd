"""What every store on a server does when the server is not as it should be, on the real ones."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import servers
from behind import behind
from pipelining import SERVERS, WRITER, Place, on_server, port, saying

from relay_git import names
from relay_git.errors import Conflict, Corrupt, MissingObject, NewerFormat
from relay_git.git import keyed
from relay_git.git.keyed import KeyedStore
from relay_git.git.store import Move
from relay_git.git.trees import walk
from relay_git.names import Oid, RefName, RunId, Word
from relay_git.pipeline import (
    Agent,
    Code,
    Failure,
    Fork,
    Manifest,
    Pipeline,
    PipelineError,
    Result,
    Slice,
    Snapshot,
)
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.stores import KeyFolder

NAME = Word("demo")
PATIENT = 12
"""Seconds after which a call must have ended that waits for a server for one."""


@pytest.fixture(params=SERVERS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def here(kind: str, tmp_path: Path) -> Iterator[Place]:
    made = on_server(kind, tmp_path / "none")
    yield made
    made.close()


@pytest.fixture
def part(tmp_path: Path) -> str:
    """What is `here` on the server."""
    return f"part-{tmp_path.name}"


@pytest.fixture
def back(kind: str, part: str) -> Any:
    return behind(kind, part)


@pytest.fixture
def impatient(kind: str, tmp_path: Path, part: str) -> Iterator[Pipeline]:
    """A pipeline that waits for its server for a second."""
    with waiting(kind, tmp_path, part, 1) as pipeline:
        yield pipeline


@pytest.fixture
def patient(kind: str, tmp_path: Path, part: str) -> Iterator[Pipeline]:
    """One that waits for half a minute."""
    with waiting(kind, tmp_path, part, 30) as pipeline:
        yield pipeline


def waiting(kind: str, keys: Path, part: str, seconds: float) -> Pipeline:
    reached = port(kind, servers.shared(kind).address, part, seconds)
    return Pipeline.open(ChainSteps(reached, KeyFolder(keys), tuple), "demo", payload={"FACTS": 1})


def keyed_store(here: Place) -> KeyedStore:
    assert isinstance(here.port, KeyedStore)
    return here.port


def failed(result: object, *words: str) -> Failure:
    """It failed in the store, by its name, without its password."""
    assert isinstance(result, Failure), result
    assert result.code == Code.STORE_FAILED
    assert servers.SECRET not in result.reason and "Traceback" not in result.reason
    for word in words:
        assert word in result.reason
    return result


def ended(call: Callable[[], object]) -> object:
    began = time.monotonic()
    result = call()
    assert time.monotonic() - began < PATIENT
    return result


# Servers that go and come back


def test_a_server_killed_in_the_middle_of_a_step_loses_none_that_was_made(
    kind: str, impatient: Pipeline
) -> None:
    server = servers.shared(kind)
    first = impatient.step_sync(WRITER, saying(FACTS=2)).unwrap()

    def fatal(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        server.kill()
        return {"FACTS": 3}

    try:
        failed(ended(lambda: impatient.step_sync(WRITER, fatal)))
        failed(ended(lambda: impatient.step_sync(WRITER, saying(FACTS=4))))
        failed(ended(lambda: impatient.snapshot_at(1)))
    finally:
        server.restart()
    assert impatient.head == first
    last = impatient.step_sync(WRITER, saying(FACTS=5)).unwrap()
    assert [step.payload["FACTS"] for step in impatient.history()] == [5, 2, 1]
    assert last.step == first.step + 1


def test_a_server_that_hangs_is_not_waited_for_for_ever(kind: str, impatient: Pipeline) -> None:
    server = servers.shared(kind)

    def fatal(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        server.hang()
        return {"FACTS": 2}

    try:
        failed(ended(lambda: impatient.step_sync(WRITER, fatal)))
        failed(ended(lambda: impatient.step_sync(WRITER, saying(FACTS=3))))
    finally:
        server.hang(False)
    again = impatient.step_sync(WRITER, saying(FACTS=4)).unwrap()
    assert again.payload["FACTS"] == 4
    assert [step.step for step in impatient.history()] == list(range(again.step, 0, -1))


async def ticking(step: Coroutine[Any, Any, Result]) -> Result:
    """What comes of it, if the loop turned all the time."""
    task, began, turns = asyncio.ensure_future(step), time.monotonic(), 0
    while not task.done():
        await asyncio.sleep(0.01)
        turns += 1
    assert time.monotonic() - began < PATIENT
    assert turns > 20
    return task.result()


@pytest.mark.parametrize("forked", [False, True])
def test_a_server_that_hangs_holds_up_no_event_loop(
    kind: str, forked: bool, impatient: Pipeline
) -> None:
    server = servers.shared(kind)

    async def fatal(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        server.hang()
        return {"FACTS": 2}

    def step(agent: Agent) -> Coroutine[Any, Any, Result]:
        if forked:
            return impatient.fork([Fork("one", WRITER, agent)])
        return impatient.step(WRITER, agent)

    try:
        failed(asyncio.run(ticking(step(fatal))))
        failed(asyncio.run(ticking(step(saying(FACTS=3)))))
    finally:
        server.hang(False)
    assert asyncio.run(step(saying(FACTS=4))).unwrap().payload["FACTS"] in (2, 4)


@pytest.mark.parametrize("forked", [False, True])
def test_whoever_is_cancelled_waits_for_no_server(
    kind: str, forked: bool, patient: Pipeline
) -> None:
    server = servers.shared(kind)

    async def fatal(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        server.hang()
        asyncio.get_running_loop().call_later(0.2, tasks[0].cancel)
        return {"FACTS": 2}

    async def cancelled() -> float:
        one = [Fork("one", WRITER, fatal)]
        step = patient.fork(one) if forked else patient.step(WRITER, fatal)
        tasks.append(asyncio.ensure_future(step))
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]
        return time.monotonic() - began

    tasks: list[asyncio.Future[Result]] = []
    try:
        assert asyncio.run(cancelled()) < PATIENT
    finally:
        server.hang(False)
    last = asyncio.run(patient.step(WRITER, saying(FACTS=4))).unwrap()
    assert last.payload["FACTS"] == 4
    assert [step.step for step in patient.history()] == list(range(last.step, 0, -1))


def test_a_connection_that_the_server_ended_is_made_again(here: Place, back: Any) -> None:
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": 1})
    back.hang_up()
    assert pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap().step == 2


@pytest.mark.parametrize("wrong", ["password", "address"])
def test_who_is_not_let_in_is_told_by_which_server(kind: str, wrong: str, tmp_path: Path) -> None:
    address, secret = servers.shared(kind).address, servers.SECRET
    who = {"secret": "barley"} if kind == "s3" and wrong == "password" else {}
    if wrong == "password":
        secret, address = "barley", address.replace(secret, "barley")
    else:
        address = re.sub(r"\.sock|:\d{4,5}", lambda found: found[0][0] + "9", address)
    store = port(kind, address, "part", 1, **who)
    with pytest.raises(PipelineError) as refused:
        ended(lambda: Pipeline.open(ChainSteps(store, KeyFolder(tmp_path), tuple), "demo"))
    assert refused.value.code == Code.STORE_FAILED
    assert str(refused.value).startswith(store.where)
    assert secret not in str(refused.value)


def test_what_is_read_only_can_be_read(kind: str, here: Place, part: str, back: Any) -> None:
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": 1})
    head = pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap()
    with back.read_only() as who:
        steps = ChainSteps(port(kind, part=part, **who), here.keys, tuple)
        reading = Pipeline.open(steps, "demo")
        assert reading.head == head and len(reading.history()) == 2
        failed(reading.step_sync(WRITER, saying(FACTS=3)))
    assert pipeline.step_sync(WRITER, saying(FACTS=4)).unwrap().step == 3


PROCESS = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from pipelining import port
from relay_git.pipeline import Manifest, Pipeline, pinned
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.stores import KeyFolder
kind, address, part, keys, me = sys.argv[2:]
steps = ChainSteps(port(kind, address, part), KeyFolder(keys), tuple)
pipeline = Pipeline.open(steps, "shared", token_budget=10**6, rules=[pinned("FACTS")])
manifest = Manifest(me, reads=["FACTS"], writes=["FACTS"])
print("ready", flush=True)
sys.stdin.readline()
for number in range(8):
    def agent(given, manifest):
        return {"FACTS": [*given.sections.get("FACTS", []), f"{me}{number}"]}
    print(type(pipeline.step_sync(manifest, agent)).__name__, flush=True)
"""


def test_two_processes_on_one_pipeline_never_commit_what_its_parent_forbids(
    kind: str, here: Place, part: str, tmp_path: Path
) -> None:
    tests, address = str(Path(__file__).parents[1]), servers.shared(kind).address
    command = [sys.executable, "-c", PROCESS, tests, kind, address, part, str(tmp_path / "keys")]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([*command, me], **pipe) for me in "ab"]  # type: ignore[call-overload]
    assert [process.stdout.readline() for process in both] == ["ready\n"] * 2
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    results = [result for p in both for result in p.communicate(timeout=120)[0].split()]
    assert len(results) == 16 and set(results) <= {"Success", "RolledBack"}
    steps = Pipeline.open(here.again(), "shared").history()[::-1]
    assert len(steps) == 17
    facts: list[Any] = [step.payload.get("FACTS", []) for step in steps]
    assert all(after[: len(before)] == before for before, after in pairwise(facts))
    assert len(facts[-1]) == results.count("Success")


# What lies there


def two_steps(here: Place) -> Snapshot:
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": {"a": [1, "é"]}})
    return pipeline.step_sync(WRITER, saying(FACTS={"a": 2})).unwrap()


def objects_of(store: KeyedStore, head: Snapshot) -> dict[Oid, bytes]:
    """The step's commit, trees and blobs as they lie there."""
    tree = head.record.commit.tree
    inner = [entry.oid for entry in store.tree(tree) if entry.is_tree]
    oids = [head.id, tree, *inner, *(entry.oid for _, entry in walk(store, tree))]
    return {oid: store._read(oid, keyed.MAX_OBJECT) or b"" for oid in oids}


def test_any_byte_of_any_object_that_was_changed_on_the_server_is_refused(
    here: Place, back: Any
) -> None:
    """Every byte of the record and the section, and every seventh of the commit and the trees."""
    head, store = two_steps(here), keyed_store(here)
    raws = objects_of(store, head)
    assert len(raws) == 5 and all(raws.values())
    for oid, raw in raws.items():
        for at in range(0, len(raw), 1 if raw.startswith(b"blob") else 7):
            back.put(oid, raw[:at] + bytes([raw[at] ^ 1 << at % 8]) + raw[at + 1 :])
            store._known._raw.pop(oid, None)
            with pytest.raises(Corrupt):
                here.steps.load(NAME, head.id)
        back.put(oid, raw)
    assert here.again().load(NAME, head.id) == head


def test_an_object_that_is_gone_is_named(here: Place, back: Any) -> None:
    head = two_steps(here)
    back.drop(head.record.commit.tree)
    with pytest.raises(PipelineError) as missing:
        Pipeline.open(here.again(), "demo")
    assert missing.value.code == Code.TAMPERED
    assert str(missing.value).startswith(keyed_store(here).where)
    assert head.record.commit.tree in str(missing.value)


def test_an_object_is_read_only_as_far_as_it_may_be_long(
    here: Place, back: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = two_steps(here)
    back.put(head.id, b"x" * 50_000)
    assert keyed_store(here)._read(head.id, 2_001) == b"x" * 2_001
    monkeypatch.setattr(keyed, "MAX_OBJECT", 2_000)
    with pytest.raises(PipelineError, match="over 2000 bytes") as refused:
        Pipeline.open(here.again(), "demo")
    assert refused.value.code == Code.TAMPERED
    pipeline = Pipeline.open(here.steps, "long")
    failed(pipeline.step_sync(WRITER, saying(FACTS="x" * 2_000)), "more than the 2000")


def test_what_a_newer_git_relay_keeps_is_neither_read_nor_changed(here: Place, back: Any) -> None:
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": 1})
    back.make_newer()
    result = pipeline.step_sync(WRITER, saying(FACTS=2))
    assert isinstance(result, Failure) and result.code == Code.NEWER_FORMAT
    again = here.again()
    for _ in range(2):
        with pytest.raises(NewerFormat):
            again.head(NAME)
    with pytest.raises(NewerFormat):
        here.port.move(Move(REF, None, here.port.put_blob(b"1")))


def test_a_ref_that_names_no_object_is_refused(here: Place, back: Any) -> None:
    head = two_steps(here)
    back.set_ref(names.run_ref(head.run), "../../other")
    with pytest.raises(PipelineError, match="names no object") as refused:
        Pipeline.open(here.again(), "demo")
    assert refused.value.code == Code.TAMPERED


# Refs

RUN = RunId("20260428-0930-demo-3f9a")
REF, BESIDE, OTHER = names.run_ref(RUN), names.pipeline_ref(NAME), names.pipeline_ref(Word("demO"))


def test_several_refs_move_together_or_none_does(here: Place) -> None:
    store = here.port
    a, b, c = (store.put_blob(data) for data in (b"a", b"b", b"c"))
    store.move(Move(REF, None, a), Move(BESIDE, None, b))
    for wrong in (
        Move(BESIDE, None, c),
        Move(BESIDE, a, c),
        Move(BESIDE, a, a),
        Move(BESIDE, a, None),
        Move(OTHER, a, c),
        Move(OTHER, a, None),
    ):
        with pytest.raises(Conflict) as conflict:
            store.move(Move(REF, a, c), wrong)
        assert (conflict.value.ref, conflict.value.expected) == (wrong.ref, wrong.old)
        assert conflict.value.found == (b if wrong.ref == BESIDE else None)
    assert store.refs("refs/") == {BESIDE: b, REF: a}
    store.move(Move(REF, a, c), Move(BESIDE, b, b), Move(OTHER, None, None))
    store.move(Move(BESIDE, b, None), Move(OTHER, None, b))
    again = here.port_again()
    assert again.refs("refs/") == {OTHER: b, REF: c}
    assert again.ref(REF) == c and again.ref(BESIDE) is None
    assert again.blob(c) == b"c"


def test_refs_are_listed_below_prefixes(here: Place) -> None:
    store = here.port
    tip = store.put_blob(b"tip")
    fork = RefName(f"{names.FORKS}{RUN}/{'0' * 64}/one-1")
    elsewhere = RefName(f"{names.RUNS}20260428-0930-other-3f9a")
    for ref in (REF, fork, elsewhere):
        store.move(Move(ref, None, tip))
    assert list(store.refs(f"{names.FORKS}{RUN}/")) == [fork]
    assert list(store.refs(names.RUNS)) == [REF, elsewhere]
    assert list(store.refs(names.FORKS, names.RUNS)) == [fork, REF, elsewhere]
    assert list(store.refs(f"{names.FORKS}20260428-0930-demo-0000/", f"{names.PIPELINES}")) == []


def test_an_object_waits_for_the_move_that_leads_to_it(here: Place) -> None:
    store = here.port
    early, late = store.put_blob(b"early"), store.put_blob(b"late")
    assert store.blob(early) == b"early"
    with pytest.raises(Conflict):
        store.move(Move(REF, early, late))
    store.move(Move(REF, None, late))
    again = here.port_again()
    assert again.blob(late) == b"late"
    with pytest.raises(MissingObject):
        again.blob(early)
    store.move(Move(REF, late, early))
    assert here.port_again().blob(early) == b"early"
