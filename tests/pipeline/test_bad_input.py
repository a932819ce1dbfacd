"""Whatever the public interface is given: a `PipelineError` from what is made or opened, a result
from what makes a step, and in both a line that can be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pipelining import WRITER, saying
from support import git

from relay_git.pipeline import (
    AgentOutput,
    Checked,
    Code,
    Failure,
    Finding,
    Fork,
    HeuristicCounter,
    Manifest,
    Pipeline,
    PipelineError,
    Policy,
    Recency,
    Relevance,
    Result,
    Slice,
    TikTokenCounter,
    critical,
    entity_drift,
    git_steps,
    memory_steps,
    pinned,
    retry,
    schemas,
    size_bounds,
)


class Nasty:
    """Nothing can be asked of it, as of the proxies of some frameworks."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"nothing is bound to it: {name}")

    def __repr__(self) -> str:
        raise RuntimeError("nothing is bound to it")


class Unread(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("it cannot be read")


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


VALUES = {
    "none": None,
    "true": True,
    "minus one": -1,
    "half": 0.5,
    "not a number": float("nan"),
    "of five thousand digits": 10**5_000,
    "minus that": -(10**5_000),
    "empty": "",
    "control": "a\x1b[31mb\x00",
    "surrogate": "\ud800",
    "long": "x" * 1_000,
    "bytes": b"FACTS",
    "deep": nested(100_000),
    "itself": itself(),
    "tuple": ("FACTS",),
    "numbers as keys": {1: 2},
    "object": object(),
    "nasty": Nasty(),
    "a list of it": [Nasty()],
    "unread": Unread(["FACTS"]),
    "class": int,
    "function": lambda: None,
}


AGENT = saying(FACTS=["b"])


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In no repository: an empty path is where the tests run."""
    monkeypatch.chdir(tmp_path)


def opened(**options: Any) -> Pipeline:
    return Pipeline.open(memory_steps(), "demo", **{"payload": {"FACTS": ["a"]}, **options})


def asked(agent: Any = AGENT, **options: Any) -> Result:
    return opened(**options).step_sync(WRITER, agent)


def ruled(*rules: Any) -> Result:
    return asked(rules=rules)


def forked(*given: Any, name: Any = "f", manifest: Any = WRITER, agent: Any = AGENT) -> Result:
    return opened().fork_sync(*(given or ([Fork(name, manifest, agent)],)))


class Giving:
    """A packer, a counter, an embedder and a runner that all give the same."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def pack(self, *given: Any) -> Any:
        return self._value

    def count(self, text: str) -> Any:
        return self._value

    def embed(self, texts: Any) -> Any:
        return self._value

    async def run(self, given: Slice, manifest: Manifest, /) -> Any:
        return self._value


def option(name: str) -> Callable[[Any], Any]:
    return lambda value: opened(**{name: value})


def field(name: str) -> Callable[[Any], Any]:
    return lambda value: Manifest(**{"agent_id": "writer", name: value})


MADE: dict[str, Callable[[Any], Any]] = {
    **{
        f"open {name}": option(name)
        for name in (
            *("token_budget", "payload", "packer", "counter", "rules", "on_reject", "run"),
            "observers",
        )
    },
    "open a store": lambda value: Pipeline.open(value, "demo"),
    "open a name": lambda value: Pipeline.open(memory_steps(), value),
    "open a section": lambda value: opened(payload={"FACTS": value}),
    "open a key": lambda value: opened(payload={"FACTS": {hashed(value): 1}}),
    "open a rule": lambda value: opened(rules=[value]),
    "open an observer": lambda value: opened(observers=[value]),
    **{
        f"manifest {name}": field(name)
        for name in (
            *("agent_id", "reads", "writes", "max_tokens", "max_output", "task"),
            "text_section",
        )
    },
    "manifest a read": lambda value: Manifest("writer", reads=[value]),
    "pinned": lambda value: pinned(value),
    "critical": lambda value: critical(value),
    "size_bounds": lambda value: size_bounds(value),
    "schemas": lambda value: schemas(value),
    "schemas one": lambda value: schemas({"FACTS": value}),
    "entity_drift": lambda value: entity_drift(value),
    "entity_drift lost": lambda value: entity_drift(lost=value),
    "retry": lambda value: retry(value),
    "Policy": lambda value: Policy(value),
    "Relevance": lambda value: Relevance(value),
    "git_steps": lambda value: git_steps(value),
    "git_steps durability": lambda value: git_steps(".", value),
    "TikTokenCounter": lambda value: TikTokenCounter(value, timeout=5),
    "TikTokenCounter timeout": lambda value: TikTokenCounter("none", value),
    "output adapter": lambda value: AgentOutput(value, "text"),
    "output tokens": lambda value: AgentOutput("model", "text", token_count=value),
    "forks_at": lambda value: opened().forks_at(value),
}

STEPS: dict[str, Callable[[Any], Any]] = {
    "manifest": lambda value: opened().step_sync(value, saying()),
    "manifest awaited": lambda value: asyncio.run(opened().step(value, saying())),
    "agent": asked,
    "agent awaited": lambda value: asyncio.run(opened().step(WRITER, value)),
    "output": lambda value: asked(lambda given, manifest: value),
    "section": lambda value: asked(saying(FACTS=value)),
    "runner": lambda value: asked(Giving(value)),
    "packer": lambda value: asked(packer=Giving(value)),
    "packed section": lambda value: asked(packer=Giving({"FACTS": value})),
    "counter": lambda value: asked(counter=Giving(value)),
    "embedder": lambda value: asked(packer=Relevance(Giving(value))),
    "vectors": lambda value: asked(packer=Relevance(Giving([value, value]))),
    "numbers": lambda value: asked(packer=Relevance(Giving([[value], [value]]))),
    "rule gives": lambda value: ruled(lambda *given: value),
    "things": lambda value: ruled(lambda *given: Checked(value)),
    "findings": lambda value: ruled(lambda *given: Checked(1, value)),
    "weight": lambda value: ruled(lambda *given: Checked(1, (), value)),
    "finding": lambda value: ruled(lambda *given: Checked(1, (Finding(value, None, ""),))),
    "found in": lambda value: ruled(
        lambda *given: Checked(1, (Finding(Code.PIN_DROPPED, value, ""),))
    ),
    "found why": lambda value: ruled(
        lambda *given: Checked(1, (Finding(Code.PIN_DROPPED, None, value),))
    ),
    "forks": lambda value: forked([value]),
    "forks awaited": lambda value: asyncio.run(opened().fork([value])),
    "join": lambda value: forked([Fork("f", WRITER, saying())], value),
    "fork name": lambda value: forked(name=value),
    "fork manifest": lambda value: forked(manifest=value),
    "fork agent": lambda value: forked(agent=value),
    "fork output": lambda value: forked(agent=lambda given, manifest: value),
    "rollback": lambda value: opened().rollback(value),
    "snapshot_at": lambda value: opened().snapshot_at(value),
    "rejected_at": lambda value: opened().rejected_at(value),
}


def hashed(value: Any) -> Any:
    """What may be a key."""
    try:
        hash(value)
    except TypeError:
        return type(value)
    return value


def readable(said: str) -> bool:
    return 0 < len(said) < 1_200 and "\n" not in said


@pytest.mark.parametrize("what", MADE)
def test_what_is_made_or_opened_with_anything_raises_nothing_else(what: str) -> None:
    refused = 0
    for value in VALUES.values():
        try:
            MADE[what](value)
        except PipelineError as error:
            refused += 1
            assert readable(error.what)
    assert refused


@pytest.mark.parametrize("what", STEPS)
def test_a_step_with_anything_raises_nothing_at_all(what: str) -> None:
    failed = 0
    for value in VALUES.values():
        result = STEPS[what](value)
        assert isinstance(result, get_args(Result))
        if isinstance(result, Failure):
            failed += 1
            assert readable(result.reason)
    assert failed


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: pinned("FACTS/"), "'FACTS/' has a part without a name"),
        (lambda: pinned("/FACTS"), "no section is called"),
        (lambda: pinned(["FACTS"]), "no section is called ['FACTS']"),  # type: ignore[arg-type]
        (lambda: critical("FACTS/customer"), "no section is called"),
        (lambda: schemas({"FACTS/customer": {}}), "no section is called"),
        (lambda: size_bounds("10"), "at most '10' bytes"),  # type: ignore[arg-type]
        (lambda: entity_drift("2"), "a limit of '2' names"),  # type: ignore[arg-type]
        (lambda: git_steps(".", "always"), "'always' is no durability"),  # type: ignore[arg-type]
        (lambda: opened(packer=Recency), "Recency is no packer but a class; give an instance"),
        (lambda: opened(on_reject=2), "int is no Policy: give `SURFACE`, or `retry`"),
        (lambda: opened(rules=pinned("FACTS")), "function is no list of rules"),
    ],
)
def test_what_would_do_nothing_without_a_word_is_refused(
    make: Callable[[], object], says: str
) -> None:
    with pytest.raises(PipelineError) as refused:
        make()
    assert refused.value.code == Code.INVALID_SETTING
    assert says in str(refused.value)


def test_an_empty_path_is_not_where_the_program_runs(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo_path)
    with pytest.raises(PipelineError, match="an empty path") as refused:
        Pipeline.open("", "demo")
    assert refused.value.code == Code.INVALID_SETTING
    assert git(repo_path, "for-each-ref", "refs/relay*") == ""


def test_a_counter_and_a_packer_that_are_empty_are_asked_all_the_same() -> None:
    class Empty(Recency):
        def __len__(self) -> int:
            return 0

        def count(self, text: str) -> int:
            return 7

    step = opened(packer=Empty(), counter=Empty()).step_sync(WRITER, saying(FACTS=["b"]))
    assert step.unwrap().event.slice_tokens == 7


def test_a_packer_cannot_give_what_is_other_when_it_is_read_again() -> None:
    class Turning(dict[str, Any]):
        def items(self) -> Any:
            raise RuntimeError("it cannot be read")

    def agent(given: Slice, manifest: Manifest) -> Any:
        return {"FACTS": [*given["FACTS"], type(given["FACTS"]).__name__]}

    packer = Giving({"FACTS": Turning(a=1)})
    step = asked(agent, packer=packer).unwrap()
    assert step.payload["FACTS"] == ["a", "FrozenDict"]


def test_a_manifest_says_which_agent_it_is_of() -> None:
    with pytest.raises(PipelineError, match=r"^writer: reads is 'FACTS', not a list of names"):
        Manifest("writer", reads="FACTS")
    with pytest.raises(PipelineError, match=r"^agent_id: None is not a name$"):
        Manifest(None)  # type: ignore[arg-type]


def test_a_rule_is_called_as_who_gave_it_knows_it() -> None:
    def mine(*given: Any) -> Any:
        raise ValueError("no idea")

    failed = ruled(mine)
    assert isinstance(failed, Failure)
    assert "the rule mine failed: ValueError: no idea" in failed.reason
    failed = ruled(pinned)
    assert isinstance(failed, Failure)
    assert "the rule pinned failed" in failed.reason


def test_a_closed_pipeline_opens_what_it_needs_again() -> None:
    pipeline = opened(counter=HeuristicCounter())
    pipeline.close()
    assert pipeline.step_sync(WRITER, saying(FACTS=["b"])).unwrap().step == 2
    assert repr(pipeline) == "Pipeline(demo)"
