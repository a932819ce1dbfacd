"""The disk fills up, or takes nothing, at every point of what a pipeline writes.

What there was stays, a `Failure` says what is wrong and where, and with room the same pipeline goes
on: an agent that has answered is not asked again.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from disks import SmallDisk, read_only, small_disk
from flow import copy_of, done
from pipelining import WRITER, forks, saying
from support import git, make_repo

from relay_git.pipeline import (
    Code,
    Failure,
    Fork,
    JoinStrategy,
    Manifest,
    Moment,
    Notice,
    Pipeline,
    PipelineError,
    Result,
    RolledBack,
    Slice,
    Success,
)

FULL = "the disk is full: make room, then do it again"
Deed = Callable[[Pipeline], Result]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", files=220) as found:
        yield found


@pytest.fixture(params=["native", "libgit"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_RELAY_ENGINE", request.param)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """A pipeline of two steps."""

    def build(path: Path) -> None:
        make_repo(path)
        with Pipeline.open(path, "demo", payload={"FACTS": ["a"]}) as pipeline:
            pipeline.step_sync(WRITER, saying(FACTS=["b"])).unwrap()

    return copy_of("pipeline", build, tmp_path / "pipeline")


def rooms(disk: SmallDisk, soak: bool) -> Iterator[AbstractContextManager[None]]:
    """With room for no file, for some more, …; then for no byte, for some more, …"""
    yield from (disk.full(files=files) for files in range(0, 45, 1 if soak else 11))
    yield from (disk.full(bytes=4096 * blocks) for blocks in range(0, 30, 1 if soak else 9))


def tried(
    disk: SmallDisk, original: Path, deed: Deed, soak: bool, *observers: Callable[[Notice], None]
) -> Iterator[tuple[Path, Pipeline, Result]]:
    """A fresh copy each time. There is room again when it is looked at."""
    path = disk.path / original.name
    for room in rooms(disk, soak):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(original, path, symlinks=True)
        with Pipeline.open(path, "demo", observers=observers) as pipeline:
            with room:
                result = deed(pipeline)
            assert_sound(path)
            yield path, pipeline, result


def assert_sound(path: Path) -> None:
    git(path, "fsck", "--strict", "--no-dangling")
    left = [file for file in path.rglob("*") if file.suffix in (".lock", ".tmp")]
    assert [*left, *path.rglob("tmp_obj*")] == []


def assert_told(result: object, path: Path, why: str = FULL) -> Failure:
    assert isinstance(result, Failure), result
    assert result.code == Code.STORE_FAILED
    assert str(path) in result.reason or "'refs/relay" in result.reason
    assert result.reason.endswith(f"; {why}")
    return result


@pytest.mark.parametrize(
    ("deed", "kind"),
    [
        (lambda pipeline: pipeline.step_sync(WRITER, saying(FACTS=["c"])), Success),
        (lambda pipeline: pipeline.step_sync(WRITER, saying(OTHER="x" * 5_000)), RolledBack),
        (lambda pipeline: pipeline.rollback(1), Success),
    ],
    ids=["step", "rejected", "rollback"],
)
def test_a_step_is_made_or_not(
    engine: None, disk: SmallDisk, original: Path, deed: Deed, kind: type, soak: bool
) -> None:
    failures = 0
    for path, pipeline, result in tried(disk, original, deed, soak):
        if isinstance(result, Failure):
            assert_told(result, path)
            assert pipeline.head.step == 2
            result = deed(pipeline)
            failures += 1
        assert isinstance(result, kind)
        assert pipeline.head.step == 3
    assert failures


class Agents:
    """Those of three forks. The second and the third wait until what the first said was kept, or
    could not be."""

    def __init__(self, strategy: JoinStrategy, failing: bool = False) -> None:
        self.asked: list[str] = []
        self._strategy, self._failing = strategy, failing
        self._first = threading.Event()

    def observe(self, notice: Notice) -> None:
        if notice.event is Moment.FORK_FINISHED and notice.fork == "f":
            self._first.set()

    def __call__(self, pipeline: Pipeline) -> Result:
        if not self.asked:
            self._first.clear()
        made = forks(f=self._answer, g=self._answer, h=self._answer)
        return pipeline.fork_sync(made, self._strategy)

    def _answer(self, given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        name = manifest.writes[0].lower()
        self.asked.append(name)
        if name != "f":
            assert self._first.wait(20)
        if self._failing and name == "h" and self.asked.count("h") == 1:
            raise ValueError("no answer")
        return {name.upper(): [name]}


@pytest.mark.parametrize("strategy", JoinStrategy)
def test_forks_that_answered_are_not_asked_again(
    disk: SmallDisk, original: Path, strategy: JoinStrategy, soak: bool
) -> None:
    agents, failures = Agents(strategy), 0
    for path, pipeline, result in tried(disk, original, agents, soak, agents.observe):
        if isinstance(result, Failure):
            assert_told(result, path)
            assert pipeline.head.step == 2
            failures += 1
            result = agents(pipeline)
        assert isinstance(result, Success)
        heard = {"f"} if strategy is JoinStrategy.FIRST_WINS else {"f", "g", "h"}
        assert heard <= set(pipeline.forks_at(3)) <= set(agents.asked)
        assert len(agents.asked) == len(set(agents.asked))
        agents.asked.clear()
    assert failures > 1


def test_what_forks_said_beside_one_that_failed_is_held_until_there_is_room(
    disk: SmallDisk, original: Path, soak: bool
) -> None:
    agents = Agents(JoinStrategy.UNION, failing=True)
    for _, pipeline, result in tried(disk, original, agents, soak, agents.observe):
        assert isinstance(result, Failure)
        assert result.code in (Code.AGENT_FAILED, Code.STORE_FAILED)
        head = agents(pipeline).unwrap()
        assert head.payload == {"FACTS": ["b"], "F": ["f"], "G": ["g"], "H": ["h"]}
        assert sorted(agents.asked) == ["f", "g", "h", "h"]
        agents.asked.clear()


def test_what_is_held_is_for_the_step_that_was_forked_from(disk: SmallDisk, original: Path) -> None:
    agents = Agents(JoinStrategy.UNION)
    path = disk.path / original.name
    shutil.copytree(original, path, symlinks=True)
    with Pipeline.open(path, "demo", observers=[agents.observe]) as pipeline:
        with disk.full(files=0):
            assert_told(agents(pipeline), path)
        pipeline.step_sync(WRITER, saying(FACTS=["c"])).unwrap()
        again = [Fork("f", Manifest("other", writes=["F"]), saying(F=["other"]))]
        assert pipeline.fork_sync(again).unwrap().payload["F"] == ["other"]
        assert agents(pipeline).unwrap().step == 5
    assert sorted(agents.asked) == sorted("fgh" * 2)


def test_an_end_is_made_or_not_and_filed_with_room(
    disk: SmallDisk, original: Path, soak: bool
) -> None:
    states = set()
    for path, pipeline, result in tried(disk, original, Pipeline.end, soak):
        made = isinstance(pipeline.snapshot_at(1), Failure)
        if isinstance(result, Failure):
            assert_told(result, path)
            assert (" has ended, but cannot be put away yet: " in result.reason) == made
        states.add((made, isinstance(result, Success)))
        if not made:
            pipeline.end().unwrap()
        with Pipeline.open(path, "demo") as fresh:
            assert fresh.head.step == 1
        (ended,) = [line for line in done(path, "runs", "--all").splitlines() if "filed" in line]
        assert "pipeline demo, done" in done(path, "log", ended.split()[0])
    assert states == {(False, False), (True, False), (True, True)}


def test_one_that_cannot_be_begun_is_begun_with_room(
    disk: SmallDisk, tmp_path: Path, soak: bool
) -> None:
    fresh, path, failures = make_repo(tmp_path / "fresh"), disk.path / "fresh", 0
    for room in rooms(disk, soak):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(fresh, path, symlinks=True)
        with room:
            try:
                Pipeline.open(path, "demo", payload={"FACTS": 1}).close()
            except PipelineError as error:
                assert_told(Failure(error.code, str(error)), path)
                failures += 1
        assert_sound(path)
        with Pipeline.open(path, "demo", payload={"FACTS": 1}) as pipeline:
            assert pipeline.head.payload == {"FACTS": 1}
    assert failures > 1


DEEDS: Mapping[str, Deed] = {
    "step": lambda pipeline: pipeline.step_sync(WRITER, saying(FACTS=["c"])),
    "rollback": lambda pipeline: pipeline.rollback(1),
    "end": lambda pipeline: pipeline.end(),
}


@pytest.mark.parametrize("part", ["objects", "refs", "."])
def test_what_is_read_only_is_told_and_can_be_read(engine: None, original: Path, part: str) -> None:
    agents, why = Agents(JoinStrategy.UNION), "the file system is read-only"
    with Pipeline.open(original, "demo", observers=[agents.observe]) as pipeline:
        with read_only(original / ".git" / part):
            deeds: tuple[Deed, ...] = (*DEEDS.values(), agents)
            for deed in deeds:
                assert_told(deed(pipeline), original, why)
            assert [step.step for step in pipeline.history()] == [2, 1]
            with pytest.raises(PipelineError, match=why):
                Pipeline.open(original, "another")
        assert_sound(original)
        assert agents(pipeline).unwrap().step == 3
        assert sorted(agents.asked) == ["f", "g", "h"]
        steps = [deed(pipeline).unwrap().step for deed in DEEDS.values()]
        assert steps == [4, 5, 6]
