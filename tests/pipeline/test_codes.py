"""Every code is provoked here, one after the other, and says what is at fault."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from chains import RUN
from pipelining import WRITER, place, saying
from support import git, repository

from relay_git import canonical, clock, names
from relay_git.chain.chain import Draft, append, read_step
from relay_git.chain.merge import merge_chains
from relay_git.git.store import BLOB, Move
from relay_git.git.trees import edit_tree
from relay_git.names import STEP_RECORD, Word
from relay_git.pipeline import (
    Checked,
    Code,
    Failure,
    Fork,
    JoinStrategy,
    Manifest,
    Pipeline,
    PipelineError,
    Policy,
    RolledBack,
    critical,
    entity_drift,
    memory_steps,
    pinned,
    retry,
    schemas,
    size_bounds,
)
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.memory import MemoryKeys, MemoryStore
from relay_git.workspace import Workspace

TOKENS = [f"ghp_{part * 9}" for part in ("aB1c", "xY2z")]
FACTS = {"FACTS": {"customer": "Ada", "order": 7}}
Provoked = Failure | RolledBack | PipelineError


def opened(**options: Any) -> Pipeline:
    return Pipeline.open(memory_steps(), "demo", **{"payload": FACTS, **options})


def stepped(agent: Any, manifest: Manifest = WRITER, **options: Any) -> Provoked:
    result = opened(**options).step_sync(manifest, agent)
    assert isinstance(result, Failure | RolledBack), result
    return result


def fork(name: str, agent: Any) -> Fork:
    return Fork(name, WRITER, agent)


def forked(forks: list[Fork], join: JoinStrategy = JoinStrategy.UNION) -> Provoked:
    result = opened().fork_sync(forks, join)
    assert isinstance(result, Failure | RolledBack), result
    return result


def raised(call: Callable[[], object]) -> PipelineError:
    with pytest.raises(PipelineError) as found:
        call()
    return found.value


def failed(result: object) -> Failure:
    assert isinstance(result, Failure), result
    return result


def unasked(given: object, manifest: object) -> Mapping[str, Any]:
    raise AssertionError("the agent was asked")


def broken(*given: object, **named: object) -> Any:
    raise ZeroDivisionError("by zero")


class Broken:
    pack = embed = count = broken


class Adding:
    def pack(self, sections: Any, manifest: Any, counter: Any) -> Any:
        return {**sections, "SECRETS": "all of them"}


class Minus:
    def count(self, text: str) -> int:
        return -1


def moving_on() -> Failure:
    """Another step is made whenever this one is to be."""
    steps = memory_steps()
    other = Pipeline.open(steps, "demo", payload=FACTS, token_budget=100_000)

    def interfere(*given: object) -> Checked:
        made = other.step_sync(WRITER, saying(FACTS={"order": os.urandom(3).hex()}))
        assert made.unwrap().step
        return Checked(1)

    pipeline = Pipeline.open(steps, "demo", rules=[interfere])
    return failed(pipeline.step_sync(WRITER, saying(FACTS={"order": 1})))


def gone_back() -> Failure:
    port = MemoryStore()
    pipeline = Pipeline.open(ChainSteps(port, MemoryKeys(), tuple), "demo", payload=FACTS)
    first = pipeline.head
    pipeline.step_sync(WRITER, saying(FACTS={"order": 8})).unwrap()
    port.tips[names.run_ref(first.run)] = first.id
    return failed(pipeline.step_sync(WRITER, unasked))


def split(port: MemoryStore, keys: MemoryKeys) -> None:
    """The run goes on in two places, which are then joined."""
    first = Pipeline.open(ChainSteps(port, keys, tuple), "demo").head
    tips = []
    for order in (8, 9):
        port.tips[names.run_ref(first.run)] = first.id
        apart = Pipeline.open(ChainSteps(port, keys, tuple), "demo")
        tips.append(apart.step_sync(WRITER, saying(FACTS={"order": order})).unwrap().id)
    port.tips[names.run_ref(first.run)] = merge_chains(port, *tips)


def diverged() -> Failure:
    port, keys = MemoryStore(), MemoryKeys()
    pipeline = Pipeline.open(ChainSteps(port, keys, tuple), "demo", payload=FACTS)
    split(port, keys)
    result = failed(pipeline.step_sync(WRITER, unasked))
    assert pipeline.rollback(1).unwrap().payload == FACTS
    assert pipeline.step_sync(WRITER, saying(FACTS={"order": 10})).unwrap().step == 5
    return result


def diverged_meanwhile() -> Failure:
    port, keys = MemoryStore(), MemoryKeys()
    pipeline = Pipeline.open(ChainSteps(port, keys, tuple), "demo", payload=FACTS)

    def slow(given: object, manifest: object) -> Mapping[str, Any]:
        split(port, keys)
        return {"FACTS": {"order": 10}}

    return failed(pipeline.step_sync(WRITER, slow))


def with_record(change: Callable[[dict[str, Any]], Any]) -> Failure:
    """The record of the first step is another, and signed again where that is possible."""
    port, keys = MemoryStore(), MemoryKeys()
    pipeline = Pipeline.open(ChainSteps(port, keys, tuple), "demo", payload=FACTS)
    head = pipeline.step_sync(WRITER, saying(FACTS={"order": 8})).unwrap()
    record = canonical.loads(_record(port, head.record.commit.tree), STEP_RECORD)
    record.pop("signature")
    change(record)
    signature = keys.signer.sign(canonical.dumps(record), names.STEP_NAMESPACE)
    data = canonical.dumps({**record, "signature": signature})
    blob = port.put_blob(data)
    tree = edit_tree(port, head.record.commit.tree, {STEP_RECORD: (BLOB, blob)})
    assert tree
    forged = port.put_commit(head.record.commit.replace(tree=tree))
    port.move(Move(names.run_ref(head.run), head.id, forged))
    return failed(pipeline.step_sync(WRITER, unasked))


def _record(port: MemoryStore, tree: names.Oid) -> bytes:
    return port.blob(next(e.oid for e in port.tree(tree) if e.name == STEP_RECORD))


def stranger() -> Failure:
    port = MemoryStore()
    Pipeline.open(ChainSteps(port, MemoryKeys(), tuple), "demo", payload=FACTS)
    opening = raised(lambda: Pipeline.open(ChainSteps(port, MemoryKeys(), tuple), "demo"))
    return Failure(opening.code, opening.what)


def no_repository() -> PipelineError:
    return raised(lambda: Pipeline.open("/nowhere/at/all", "demo"))


VOTE = JoinStrategy.VOTE
PROVOKED: dict[Code, Callable[[], Provoked]] = {
    Code.INVALID_NAME: lambda: raised(lambda: Pipeline.open(memory_steps(), "../demo")),
    Code.INVALID_MANIFEST: lambda: raised(lambda: Manifest("writer", reads="FACTS")),
    Code.INVALID_PAYLOAD: lambda: raised(lambda: opened(payload={"FACTS": {1: 2}})),
    Code.INVALID_SETTING: lambda: raised(lambda: retry(-1)),
    Code.PIPELINE_MISMATCH: lambda: _other_budget(),
    Code.INVALID_SLICE: lambda: stepped(unasked, packer=Adding()),
    Code.INVALID_TOKEN_COUNT: lambda: stepped(unasked, counter=Minus()),
    Code.BUDGET_EXCEEDED: lambda: stepped(unasked, token_budget=1_000),
    Code.AGENT_FAILED: lambda: stepped(broken),
    Code.INVALID_OUTPUT: lambda: stepped(saying(FACTS={"at": object()})),
    Code.UNDECLARED_WRITE: lambda: stepped(saying(PLAN="a plan")),
    Code.OUTPUT_TOO_LARGE: lambda: stepped(saying(FACTS="x" * 4_000)),
    Code.SECTION_TOO_LARGE: lambda: stepped(saying(FACTS="x" * 41), rules=[size_bounds(40)]),
    Code.SCHEMA_VIOLATED: lambda: stepped(
        saying(FACTS=7), rules=[schemas({"FACTS": {"type": "object"}})]
    ),
    Code.PIN_DROPPED: lambda: stepped(saying(FACTS={"order": 7}), rules=[pinned("FACTS")]),
    Code.CRITICAL_REMOVED: lambda: stepped(saying(FACTS=None), rules=[critical("FACTS")]),
    Code.ENTITY_DRIFT: lambda: stepped(
        saying(FACTS=["one", "two", "three"]), rules=[entity_drift()]
    ),
    Code.RULE_FAILED: lambda: stepped(saying(FACTS=1), rules=[broken]),
    Code.INVALID_FORK: lambda: forked([]),
    Code.MERGE_CONFLICT: lambda: forked([fork("f", saying(FACTS=1)), fork("g", saying(FACTS=2))]),
    Code.ALL_FORKS_FAILED: lambda: forked([fork("f", broken), fork("g", broken)], VOTE),
    Code.HEAD_MOVED: moving_on,
    Code.DIVERGED: diverged,
    Code.NO_SUCH_STEP: lambda: failed(opened().rollback(7)),
    Code.TAMPERED: lambda: with_record(lambda record: record.update(commit="0" * 64)),
    Code.BROKEN_PARENT: lambda: with_record(lambda record: record.update(parent="0" * 64)),
    Code.STALE_NONCE: gone_back,
    Code.UNKNOWN_SIGNER: stranger,
    Code.NEWER_FORMAT: lambda: with_record(lambda record: record.update(relay_version=2)),
    Code.STORE_FAILED: no_repository,
}

NAMED = {
    Code.BUDGET_EXCEEDED: ("step 2", "writer", "limit of 1000"),
    Code.AGENT_FAILED: ("writer", "step 2", "ZeroDivisionError: by zero"),
    Code.INVALID_OUTPUT: ("writer", "step 2", "'FACTS'"),
    Code.UNDECLARED_WRITE: ("PLAN", "writer"),
    Code.OUTPUT_TOO_LARGE: ("writer", "limit of 1000"),
    Code.SECTION_TOO_LARGE: ("FACTS", "41 bytes", "limit of 40"),
    Code.SCHEMA_VIOLATED: ("FACTS", "type"),
    Code.PIN_DROPPED: ("FACTS",),
    Code.INVALID_SLICE: ("writer", "SECRETS"),
    Code.PIPELINE_MISMATCH: ("8000", "9000"),
    Code.NO_SUCH_STEP: ("demo", "step 7"),
    Code.RULE_FAILED: ("broken", "by zero"),
    Code.MERGE_CONFLICT: ("FACTS",),
    Code.ALL_FORKS_FAILED: ("2 forks", "fork f", "fork g", "writer at step 2", "by zero"),
}


def _other_budget() -> PipelineError:
    steps = memory_steps()
    Pipeline.open(steps, "demo")
    return raised(lambda: Pipeline.open(steps, "demo", token_budget=9_000))


@pytest.mark.parametrize("code", list(Code))
def test_every_code_can_be_provoked(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "pause", lambda attempt: None)
    found = PROVOKED[code]()
    assert found.code == code
    reason = found.what if isinstance(found, PipelineError) else found.reason
    assert reason
    for part in NAMED.get(code, ()):
        assert part in reason


@pytest.mark.parametrize(
    ("code", "provoke"),
    [
        (Code.INVALID_SLICE, lambda: stepped(unasked, packer=Broken())),
        (Code.INVALID_TOKEN_COUNT, lambda: stepped(unasked, counter=Broken())),
        (Code.INVALID_OUTPUT, lambda: stepped(lambda given, manifest: "text")),
        (Code.INVALID_OUTPUT, lambda: stepped(saying(**{"a/b": 1}))),
        (Code.INVALID_OUTPUT, lambda: stepped(saying(FACTS=float("nan")))),
        (Code.INVALID_OUTPUT, lambda: stepped(saying(FACTS="\ud800"))),
        (Code.INVALID_SETTING, lambda: raised(lambda: opened(token_budget=-1))),
        (Code.INVALID_SETTING, lambda: raised(lambda: Policy(0))),
        (Code.INVALID_OUTPUT, lambda: stepped(saying(FACTS=dict.fromkeys(TOKENS, 1)))),
        (Code.INVALID_SETTING, lambda: raised(lambda: schemas({"FACTS": 7}))),
        (Code.INVALID_SETTING, lambda: raised(lambda: schemas({"FACTS": {"type": "no"}}))),
        (Code.INVALID_MANIFEST, lambda: raised(lambda: Manifest("writer", max_tokens=-1))),
        (Code.INVALID_MANIFEST, lambda: raised(lambda: Manifest("a b"))),
        (Code.INVALID_FORK, lambda: forked([fork("a b", broken)])),
        (Code.INVALID_FORK, lambda: forked([fork(7, broken)])),  # type: ignore[arg-type]
        (Code.INVALID_FORK, lambda: forked([WRITER])),  # type: ignore[list-item]
        (Code.INVALID_FORK, lambda: forked([fork("f", broken), fork("F", broken)])),
        (Code.INVALID_FORK, lambda: forked([fork("f", broken)], "VOTE or so")),  # type: ignore[arg-type]
        (Code.AGENT_FAILED, lambda: forked([fork("f", broken)])),
        (Code.INVALID_OUTPUT, lambda: forked([fork("f", lambda given, manifest: 7)])),
        (Code.BUDGET_EXCEEDED, lambda: forked([fork(n, unasked) for n in "abcdefghi"])),
        (Code.DIVERGED, diverged_meanwhile),
        (Code.STALE_NONCE, lambda: with_record(lambda record: record.update(nonce=1))),
        (Code.BROKEN_PARENT, lambda: with_record(lambda record: record.update(step=9))),
    ],
)
def test_a_code_has_other_causes_too(code: Code, provoke: Callable[[], Provoked]) -> None:
    assert provoke().code == code


def test_a_stranger_is_refused_in_git_only_where_a_file_says_who_signs(repo_path: Path) -> None:
    Pipeline.open(repo_path, "demo", payload=FACTS).close()
    keys = git(repo_path, "rev-parse", "--git-common-dir")
    (repo_path / keys / "relay" / "keys" / "current").unlink()
    with Pipeline.open(repo_path, "demo") as pipeline:
        assert pipeline.step_sync(WRITER, saying(FACTS={"order": 8})).unwrap().step == 2
    signers = repo_path / ".relay" / "allowed_signers"
    signers.parent.mkdir()
    line = Workspace(repository(repo_path)).signer.public.line
    signers.write_text(f"ada@example.com {line}\n")
    git(repo_path, "add", "-f", ".relay")
    git(repo_path, "commit", "-qm", "signers")
    with Pipeline.open(repo_path, "demo") as pipeline:
        assert failed(pipeline.snapshot_at(1)).code == Code.UNKNOWN_SIGNER


def test_a_run_of_something_else_is_no_pipeline(repo_path: Path) -> None:
    here = place("git", repo_path)
    who = here.keys.idents()
    draft = Draft(RUN, None, {"stage": "plan"}, {}, "a step\n", *who)
    step = append(here.port, names.run_ref(RUN), None, draft, here.keys.signer)
    with pytest.raises(Exception, match="not a step of a pipeline"):
        here.steps.load(Word("demo"), step.oid)
    assert read_step(here.port, step.oid).envelope.run == RUN
