"""Any byte of any stored object of the head that was changed is refused with a code."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from pipelining import WRITER, place, saying

from relay_git.errors import RelayError
from relay_git.git.store import Store
from relay_git.git.trees import walk
from relay_git.names import Oid
from relay_git.pipeline import Code, Pipeline, Snapshot
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.codes import code_of
from relay_git.pipeline.memory import MemoryKeys, MemoryStore

REFUSED = (Code.TAMPERED, Code.STORE_FAILED)


def two_steps(steps: ChainSteps) -> Snapshot:
    pipeline = Pipeline.open(steps, "demo", payload={"FACTS": {"a": [1, "é"]}})
    return pipeline.step_sync(WRITER, saying(FACTS={"a": 2})).unwrap()


def objects_of(port: Store, head: Snapshot) -> list[Oid]:
    """Commit, trees and blobs."""
    commit = head.record.commit
    inner = [entry.oid for entry in port.tree(commit.tree) if entry.is_tree]
    return [head.id, commit.tree, *inner, *(e.oid for _, e in walk(port, commit.tree))]


def test_in_memory() -> None:
    port = MemoryStore()
    steps = ChainSteps(port, MemoryKeys(), tuple)
    head = two_steps(steps)
    for oid in objects_of(port, head):
        data = port.objects[oid]
        for at in range(len(data)):
            port.objects[oid] = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
            with pytest.raises(RelayError) as refused:
                steps.load(head.state.pipeline, head.id)
            assert code_of(refused.value) in REFUSED
        port.objects[oid] = data
    assert steps.load(head.state.pipeline, head.id) == head


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 4])
def test_in_git(repo_path: Path, kind: int) -> None:
    """Each file of an object in turn: 0 is the commit, then the two trees and the two blobs."""
    here = place("git", repo_path)
    head = two_steps(here.steps)
    oid = objects_of(here.port, head)[kind]
    file = repo_path / ".git" / "objects" / oid[:2] / oid[2:]
    data = file.read_bytes()
    os.chmod(file, 0o644)
    for at in range(2, len(data), 3):
        file.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        try:
            loaded = here.steps.load(head.state.pipeline, head.id)
        except RelayError as refused:
            assert code_of(refused) in REFUSED
        else:
            assert loaded == head, "a bit that the compression does not use"
    file.write_bytes(data)
    assert here.steps.load(head.state.pipeline, head.id) == head


def test_a_damaged_head_is_a_failure_and_not_a_traceback(repo_path: Path) -> None:
    with Pipeline.open(repo_path, "demo", payload={"FACTS": 1}) as pipeline:
        head = pipeline.head
    file = repo_path / ".git" / "objects" / head.id[:2] / head.id[2:]
    os.chmod(file, 0o644)
    file.write_bytes(b"no object")
    with pytest.raises(RelayError) as refused:
        Pipeline.open(repo_path, "demo")
    assert code_of(refused.value) in REFUSED
    shutil.rmtree(repo_path / ".git" / "refs" / "relay-local")
    with Pipeline.open(repo_path, "demo") as pipeline:
        assert pipeline.head.run != head.run
