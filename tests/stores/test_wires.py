"""Connections that end between any two words, on the real servers: a `Failure` made no step, and
what was made is told, even if the server's answer to it was lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import servers
from behind import behind
from pipelining import SERVERS, WRITER, Place, forks, on_server, port, saying
from wires import Wire, wire

from relay_git.git.keyed import KeyedStore
from relay_git.pipeline import (
    Code,
    Failure,
    Manifest,
    Moment,
    Notice,
    Pipeline,
    Result,
    Slice,
)
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.stores import KeyFolder


@pytest.fixture(params=SERVERS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


STRIDES = {"redis": 1, "postgres": 5, "s3": 6}
"""Of the words of a step, which are more the more a server is told for it."""


class Forks:
    """Three, of which two wait until what the first said was kept, or could not be."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._first = threading.Event()

    def observe(self, notice: Notice) -> None:
        if notice.event is Moment.FORK_FINISHED and notice.fork == "f":
            self._first.set()

    def __call__(self, pipeline: Pipeline) -> Result:
        return pipeline.fork_sync(forks(f=self.answer, g=self.answer, h=self.answer))

    def answer(self, given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        name = manifest.writes[0]
        self.asked.append(name)
        if name != "F":
            assert self._first.wait(20)
        return {name: [name]}


class Cuts:
    """Pipelines on one server, each over a wire that is cut at another word."""

    def __init__(self, kind: str, folder: Path) -> None:
        self._kind, self._folder, self._keys = kind, folder, KeyFolder(folder / "keys")

    def steps(self, address: str) -> ChainSteps:
        return ChainSteps(port(self._kind, address, self._folder.name, 2), self._keys, tuple)

    def each(
        self, deed: Callable[[Pipeline], Result], heard: bool, times: int, *observers: Any
    ) -> Iterator[tuple[Pipeline, Pipeline, Result]]:
        """The pipeline, another one on the same steps whose wire is whole, and what came of it.
        `times` is how much more of its words are passed over than of a step's; 0: none are."""
        stride = STRIDES[self._kind] * times or 1
        address = servers.shared(self._kind).address
        with wire(address) as (line, through):
            for at in count(1, stride):
                name, steps = f"demo{at}", self.steps(through)
                options: dict[str, Any] = {"payload": {"FACTS": 1}, "token_budget": 10**6}
                with Pipeline.open(steps, name, observers=observers, **options) as pipeline:
                    result, was_cut = cut(line, at, heard, partial(deed, pipeline))
                    with Pipeline.open(self.steps(address), name) as other:
                        yield pipeline, other, result
                if not was_cut:
                    return


def cut(line: Wire, at: int, heard: bool, deed: Callable[[], Result]) -> tuple[Result, bool]:
    line.cut(at, heard)
    result = deed()
    was_cut = line.is_cut
    line.cut(0, False)
    return result, was_cut


@pytest.fixture
def cuts(kind: str, tmp_path: Path) -> Cuts:
    return Cuts(kind, tmp_path)


def keyed_store(here: Place) -> KeyedStore:
    assert isinstance(here.port, KeyedStore)
    return here.port


def assert_failed(result: object) -> Failure:
    assert isinstance(result, Failure), result
    assert result.code == Code.STORE_FAILED
    assert "127.0.0.1" in result.reason and servers.SECRET not in result.reason
    return result


@pytest.mark.parametrize("heard", [False, True], ids=["unheard", "heard"])
def test_a_step_is_made_once(cuts: Cuts, heard: bool, soak: bool) -> None:
    def deed(pipeline: Pipeline) -> Result:
        return pipeline.step_sync(WRITER, saying(FACTS=2))

    failures = 0
    for pipeline, other, result in cuts.each(deed, heard, not soak):
        if isinstance(result, Failure):
            assert_failed(result)
            assert other.head.step == pipeline.head.step == 1
            result = deed(pipeline)
            failures += 1
        assert result.unwrap() == other.head
        assert [step.event.kind for step in other.history()] == ["step", "start"]
    assert failures


@pytest.mark.parametrize("heard", [False, True], ids=["unheard", "heard"])
def test_forks_are_asked_once(cuts: Cuts, heard: bool, soak: bool) -> None:
    deed, failures = Forks(), 0
    for pipeline, other, result in cuts.each(deed, heard, 0 if soak else 2, deed.observe):
        if isinstance(result, Failure):
            assert_failed(result)
            assert other.head.step == 1
            result = deed(pipeline)
            failures += 1
        assert result.unwrap().payload == {"FACTS": 1, "F": ["F"], "G": ["G"], "H": ["H"]}
        assert [step.event.kind for step in other.history()] == ["join", "start"]
        assert sorted(deed.asked) == ["F", "G", "H"]
        deed.__init__()  # type: ignore[misc]
    assert failures


@pytest.mark.parametrize("heard", [False, True], ids=["unheard", "heard"])
def test_an_end_is_made_once(cuts: Cuts, heard: bool, soak: bool) -> None:
    ended = " has ended, but cannot be put away yet: "
    failures = 0
    for pipeline, other, result in cuts.each(Pipeline.end, heard, not soak):
        fresh = other.head.run
        if isinstance(result, Failure):
            run, told, _ = assert_failed(result).reason.partition(ended)
            assert run != fresh if told else pipeline.end().unwrap().run == fresh
            failures += 1
        else:
            assert result.unwrap().run != fresh
    assert failures


@pytest.mark.parametrize("kind", SERVERS[:2], indirect=True)
def test_a_server_killed_while_forks_are_awaited_loses_none_that_was_kept(
    kind: str, tmp_path: Path
) -> None:
    """Another process goes on once the server is back, with its data."""
    server, deed = servers.shared(kind), Forks()

    def fatal(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        said = deed.answer(given, manifest)
        server.kill()
        return said

    here = on_server(kind, tmp_path / "none")
    observers = [deed.observe]
    with Pipeline.open(here.steps, "demo", payload={"FACTS": 1}, observers=observers) as pipeline:
        try:
            failed = pipeline.fork_sync(forks(f=deed.answer, g=fatal))
        finally:
            server.restart()
        assert isinstance(failed, Failure) and failed.code == Code.STORE_FAILED
        with Pipeline.open(here.again(), "demo") as other:
            head = other.fork_sync(forks(f=deed.answer, g=deed.answer)).unwrap()
        assert (head.step, head.payload["F"], head.payload["G"]) == (2, ["F"], ["G"])
        assert sorted(deed.asked) == ["F", "G", "G"]
        assert pipeline.head == head
    here.close()


def test_what_forks_said_while_the_server_refused_writes_is_held(kind: str, tmp_path: Path) -> None:
    here, deed = on_server(kind, tmp_path / "none"), Forks()
    back = behind(kind, f"part-{tmp_path.name}")
    observers = [deed.observe]
    with Pipeline.open(here.steps, "demo", payload={"FACTS": 1}, observers=observers) as pipeline:
        with back.refusing(here.port):
            failed = deed(pipeline)
            assert isinstance(failed, Failure) and failed.code == Code.STORE_FAILED
            assert back.refusal in failed.reason
            assert failed.reason.startswith(keyed_store(here).where)
            assert pipeline.head.step == 1
        assert deed(pipeline).unwrap().step == 2
        assert sorted(deed.asked) == ["F", "G", "H"]
    here.close()
