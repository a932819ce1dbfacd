"""How a pipeline's run ends: by a last step, and then in the history like a workflow's."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import in_step, make_clone, make_server
from flow import call, done
from pipelining import WRITER, Place, new_step, place, saying
from support import git, repository

from relay_git import names
from relay_git.chain import history
from relay_git.git.open import open_store
from relay_git.names import Oid, RunId, Word
from relay_git.pipeline import Code, Failure, Pipeline, PipelineError, Success
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.gitsteps import GitKeys
from relay_git.workspace import Workspace

RUNS = "refs/relay/runs/"


def refs(path: Path, prefix: str) -> list[str]:
    return git(path, "for-each-ref", "--format=%(refname)", prefix).splitlines()


def written(path: Path, name: str = "demo") -> RunId:
    with Pipeline.open(path, name, payload={"FACTS": ["a"]}) as pipeline:
        return pipeline.step_sync(WRITER, saying(FACTS=["b"])).unwrap().run


def unfiled(path: Path) -> RunId:
    """A run whose last step was made by a process that was killed before it could file it."""
    run = written(path)
    ws = Workspace(repository(path), "os")
    with Pipeline.open(ChainSteps(ws.store, GitKeys(ws), tuple), "demo") as pipeline:
        pointer = git(path, "rev-parse", "refs/relay-local/pipelines/demo")
        assert isinstance(pipeline.end(), Success)
    git(path, "update-ref", "refs/relay-local/pipelines/demo", pointer)
    return run


def test_after_its_last_step_a_pipeline_is_there_no_more(here: Place) -> None:
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": ["a"]})
    before = pipeline.head
    result = pipeline.end()
    assert isinstance(result, Success)
    last = result.value
    assert (last.step, last.state.status, last.event.kind) == (2, "done", "end")
    assert last.contents == before.contents
    for answer in (pipeline.end(), pipeline.step_sync(WRITER, saying(FACTS=1))):
        assert isinstance(answer, Failure) and answer.code == Code.NO_SUCH_STEP
    with pytest.raises(PipelineError):
        assert not pipeline.head
    again = Pipeline.open(here.again(), "demo")
    assert (again.head.run != last.run, again.head.payload) == (True, {})


def test_a_repository_files_it_in_its_history(repo_path: Path) -> None:
    run = written(repo_path)
    with Pipeline.open(repo_path, "demo") as pipeline:
        last = pipeline.end().unwrap()
    assert not refs(repo_path, RUNS)
    assert not refs(repo_path, "refs/relay-local/pipelines/")
    with Pipeline.open(repo_path, "other") as other:
        assert history.tip_of(open_store(repository(repo_path)), run) == last.id
        assert other.head.run != run
    assert f"{run}  pipeline demo, done" in done(repo_path, "log", run)
    assert f"  {run}  filed" in done(repo_path, "runs", "--all").splitlines()
    assert "3 of 3 steps ok" in done(repo_path, "verify", run)
    assert "no change" in done(repo_path, "distill"), "a pipeline teaches nothing, and is no error"


def test_what_a_crash_left_unfiled_the_next_to_open_files(repo_path: Path) -> None:
    run = unfiled(repo_path)
    assert refs(repo_path, RUNS) == [names.run_ref(run)]
    with Pipeline.open(repo_path, "demo") as pipeline:
        assert pipeline.head.run != run
        assert refs(repo_path, RUNS) == [names.run_ref(pipeline.head.run)]
    assert "demo, done" in done(repo_path, "log", run)


def test_what_a_crash_left_unfiled_settle_files(repo_path: Path) -> None:
    run = unfiled(repo_path)
    assert f"{run} is done and filed in history" in done(repo_path, "settle", run)
    assert not refs(repo_path, RUNS)
    assert f"{run} is done and filed in history" in done(repo_path, "settle", run)


def test_a_finished_run_that_is_fetched_is_settled_here(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server")
    ada, bob = make_clone(server, tmp_path / "ada"), make_clone(server, tmp_path / "bob")
    run = unfiled(ada)
    in_step([ada, bob])
    assert f"  {run}  filed" in done(bob, "runs", "--all").splitlines()
    assert not refs(ada, RUNS) + refs(bob, RUNS)
    assert "3 of 3 steps ok" in done(ada, "verify", run)


def test_nothing_follows_a_last_step(repo_path: Path) -> None:
    run = unfiled(repo_path)
    answer = call(repo_path, "rollback", run, "--to", "1")
    assert answer.code == 1 and f"the run {run} is done; the next" in answer.err


def test_a_step_that_somebody_put_after_the_last_one_is_found(repo_path: Path) -> None:
    run = unfiled(repo_path)
    here = place("git", repo_path)
    last = here.steps.load(Word("demo"), Oid(git(repo_path, "rev-parse", names.run_ref(run))))
    here.steps.append(Word("demo"), last, new_step().replace(total=last.budget_total))
    answer = call(repo_path, "verify", run)
    assert answer.code == 1 and "follows the last step of its run" in answer.out


# A run of another clone


def clones(tmp_path: Path) -> tuple[Path, Path, RunId]:
    server = make_server(tmp_path / "server")
    ada, bob = make_clone(server, tmp_path / "ada"), make_clone(server, tmp_path / "bob")
    run = written(ada)
    in_step([ada, bob])
    return ada, bob, run


def test_another_clones_run_goes_on_here_when_it_is_named(tmp_path: Path) -> None:
    ada, bob, run = clones(tmp_path)
    with Pipeline.open(bob, "demo", run=run) as pipeline:
        assert pipeline.step_sync(WRITER, saying(FACTS=["c"])).unwrap().step == 3
    with Pipeline.open(bob, "demo") as pipeline:
        assert pipeline.head.run == run, "from now on the name stands for it"
    in_step([bob, ada])
    with Pipeline.open(ada, "demo") as pipeline:
        assert pipeline.head.payload == {"FACTS": ["c"]}
    assert "3 of 3 steps ok" in done(ada, "verify")


def test_the_run_that_was_left_stays_open(tmp_path: Path) -> None:
    _, bob, run = clones(tmp_path)
    own = written(bob)
    with Pipeline.open(bob, "demo", run=run) as pipeline:
        assert pipeline.head.run == run
    with Pipeline.open(bob, "demo", run=own) as pipeline:
        assert pipeline.head.run == own


def test_of_two_that_went_on_with_it_both_sides_are_kept_until_one_is_chosen(
    tmp_path: Path,
) -> None:
    ada, bob, run = clones(tmp_path)
    for clone, facts in ((ada, "ada"), (bob, "bob")):
        with Pipeline.open(clone, "demo", run=run) as pipeline:
            chosen = pipeline.step_sync(WRITER, saying(FACTS=facts)).unwrap().id
    in_step([ada, bob])
    with Pipeline.open(ada, "demo") as pipeline:
        for refused in (pipeline.step_sync(WRITER, saying(FACTS=1)), pipeline.end()):
            assert isinstance(refused, Failure) and refused.code == Code.DIVERGED
            assert "git relay resolve" in refused.reason
    assert done(ada, "resolve", run, chosen[:12]) == "rollback to step 3\n"
    again = call(ada, "resolve", run, chosen[:12])
    assert again.code == 1 and "the run has not diverged" in again.err
    with Pipeline.open(ada, "demo") as pipeline:
        assert pipeline.head.payload == {"FACTS": "bob"}
        assert isinstance(pipeline.end(), Success)
    in_step([ada, bob])
    assert not refs(ada, RUNS) + refs(bob, RUNS)
    assert "demo, done" in done(bob, "log", run)
    assert "7 of 7 steps ok" in done(bob, "verify", run)


def test_only_an_open_run_of_that_pipeline_can_be_named(here: Place) -> None:
    first = Pipeline.open(here.steps, "demo").head
    other = Pipeline.open(here.steps, "other").head
    for run, code in (
        (other.run, Code.PIPELINE_MISMATCH),
        ("20260101-0000-demo-0000", Code.NO_SUCH_STEP),
        ("no run", Code.INVALID_NAME),
        (7, Code.INVALID_NAME),
    ):
        with pytest.raises(PipelineError) as refused:
            Pipeline.open(here.steps, "demo", run=run)  # type: ignore[arg-type]
        assert refused.value.code == code
    assert Pipeline.open(here.steps, "demo", run=first.run).head == first
