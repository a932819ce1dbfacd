"""`kill -9` at any moment of forks and their join: nothing is lost, and nobody asked twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pipelining import saying
from support import git

from relay_git import names
from relay_git.names import RunId, Word
from relay_git.pipeline import Code, Failure, Fork, Manifest, Pipeline, PipelineError, stepping

FORKS = ("f", "g", "h", "i")

PROGRAM = """
import random, sys, time
from relay_git.pipeline import Fork, Manifest, Pipeline
path, log, step, *forks = sys.argv[1:]

def agent(given, manifest):
    with open(log, "a") as asked:
        asked.write(manifest.agent_id + "\\n")
    time.sleep(random.uniform(0, 0.03))
    return {manifest.agent_id.upper(): f"of step {given.step}"}

pipeline = Pipeline.open(path, "demo")
print("ready", flush=True)
sys.stdin.readline()
made = [Fork(n, Manifest(n, writes=[n.upper()], max_output=50), agent) for n in forks]
if pipeline.head.step == int(step):
    print(pipeline.fork_sync(made).unwrap().step, flush=True)
"""


def begun(path: Path, log: Path, step: int) -> subprocess.Popen[str]:
    """A process that forks from that step if it is the head still, once it is told to."""
    words = [sys.executable, "-P", "-c", PROGRAM, str(path), str(log), str(step), *FORKS]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin and process.stdout
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    process.stdin.write("\n")
    process.stdin.flush()
    return process


def finished(path: Path, log: Path, step: int) -> None:
    process = begun(path, log, step)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err


def kept(path: Path) -> dict[str, str]:
    """The commit of each fork that no join has, by its name."""
    listed = git(path, "for-each-ref", "--format=%(objectname) %(refname)", names.FORKS)
    lines = [line.split() for line in listed.splitlines()]
    return {ref.rpartition("/")[2].rpartition("-")[0]: oid for oid, ref in lines}


def asked(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def head_step(path: Path) -> int:
    with Pipeline.open(path, "demo") as pipeline:
        return pipeline.head.step


def test_a_kill_at_any_time(repo_path: Path, tmp_path: Path, soak: bool) -> None:
    with Pipeline.open(repo_path, "demo", token_budget=10**6):
        pass
    log, chance, states = tmp_path / "log", random.Random(6), set()
    started = time.monotonic()
    finished(repo_path, log, 1)
    lasts = max(0.05, (time.monotonic() - started) / 3)
    for step in range(2, 202 if soak else 14):
        log.unlink(missing_ok=True)
        killed = begun(repo_path, log, step)
        time.sleep(chance.uniform(0, lasts))
        killed.kill()
        killed.communicate()
        before, joined, once = kept(repo_path), head_step(repo_path) > step, asked(log)
        states.add((len(before), joined))
        finished(repo_path, log, step)
        again = asked(log)[len(once) :]
        assert again == [] if joined else sorted(again) == sorted(set(FORKS) - before.keys())
        assert_joined(repo_path, step, {} if joined else before)
    git(repo_path, "fsck", "--strict", "--no-dangling")
    assert len(states) > 1, "every kill came at the same moment"


def assert_joined(path: Path, step: int, before: dict[str, str]) -> None:
    """All forks are in the one step that follows, those with them that were kept before."""
    with Pipeline.open(path, "demo") as pipeline:
        assert pipeline.head.step == step + 1
        outputs = pipeline.forks_at(step + 1)
    assert set(outputs) == set(FORKS)
    assert {name: str(outputs[name].id) for name in before} == before
    assert kept(path) == {}


def test_what_another_process_finished_is_taken_and_not_made_again(repo_path: Path) -> None:
    """Two fork from the same step at once: of each output one is kept, and one join is made."""

    def overtaken(given: object, manifest: object) -> dict[str, str]:
        with Pipeline.open(repo_path, "demo") as other:
            steps = other._stepper
            failing = Fork("g", Manifest("g", writes=["G"]), _fails)
            other.fork_sync([Fork("f", manifest_f, saying(F="theirs")), failing])
            assert steps.store.kept(steps.name, other.head)
        return {"F": "mine"}

    manifest_f = Manifest("f", writes=["F"])
    with Pipeline.open(repo_path, "demo") as pipeline:
        head = pipeline.fork_sync([Fork("f", manifest_f, overtaken)]).unwrap()
        assert head.payload == {"F": "theirs"}
    assert kept(repo_path) == {}


def test_a_lock_that_a_killed_git_left_keeps_no_output_from_being_joined(repo_path: Path) -> None:
    asked = []

    def counted(given: object, manifest: Manifest) -> dict[str, str]:
        asked.append(manifest.agent_id)
        return {"F": "mine"}

    manifest = Manifest("f", writes=["F"])
    with Pipeline.open(repo_path, "demo") as pipeline:
        base = pipeline.head
        ref = names.fork_ref(base.run, base.id, Word("f"), manifest.digest)
        lock = repo_path / ".git" / f"{ref}.lock"
        lock.parent.mkdir(parents=True)
        lock.touch()
        failing = Fork("g", Manifest("g", writes=["G"]), _fails)
        failed = pipeline.fork_sync([Fork("f", manifest, counted), failing])
        assert isinstance(failed, Failure) and failed.code == Code.AGENT_FAILED
        head = pipeline.fork_sync([Fork("f", manifest, counted)]).unwrap()
    assert (head.payload, asked, kept(repo_path)) == ({"F": "mine"}, ["f"], {})


@pytest.mark.parametrize("part", ["run", "pointer", "fresh"])
def test_a_lock_that_a_killed_git_left_is_named(
    repo_path: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stepping, "_TRIES", 3)
    with Pipeline.open(repo_path, "demo") as pipeline:
        refs = {
            "run": names.run_ref(RunId(pipeline.head.run)),
            "pointer": names.pipeline_ref(Word("demo")),
            "fresh": names.pipeline_ref(Word("new")),
        }
        lock = repo_path / ".git" / f"{refs[part]}.lock"
        lock.touch()
        if part == "fresh":
            with pytest.raises(PipelineError) as refused:
                Pipeline.open(repo_path, "new")
            failed = Failure(refused.value.code, str(refused.value))
        else:
            result = pipeline.step_sync(Manifest("f", writes=["F"]), saying(F=1))
            assert isinstance(result, Failure)
            failed = result
        assert failed.code == Code.HEAD_MOVED
        assert f"locked by {lock} (for " in failed.reason
        assert "remove that file" in failed.reason
        lock.unlink()
        assert pipeline.step_sync(Manifest("f", writes=["F"]), saying(F=1)).unwrap().step == 2


def _fails(given: object, manifest: object) -> dict[str, str]:
    raise ValueError("no answer")
