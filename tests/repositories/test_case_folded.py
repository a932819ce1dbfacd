"""Where files whose names differ in case alone are one file, as git finds out when it makes a
repository there (`core.ignorecase`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipelining import WRITER, saying
from support import git

from relay_git.pipeline import Code, Pipeline, PipelineError


def folded(path: Path) -> Path:
    git(path, "config", "core.ignorecase", "true")
    return path


def test_a_pipeline_whose_ref_would_be_anothers_is_refused(repo_path: Path) -> None:
    path = folded(repo_path)
    with Pipeline.open(path, "Demo", payload={"FACTS": 1}) as pipeline:
        run = pipeline.head.run
        for adopted in (None, run):
            with pytest.raises(PipelineError, match="Demo is there, and only case") as refused:
                Pipeline.open(path, "demo", run=adopted)
            assert refused.value.code == Code.INVALID_NAME
        assert pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap().step == 2
        with Pipeline.open(path, "demo2") as other:
            assert other.head.step == 1
        pipeline.end().unwrap()
    with Pipeline.open(path, "demo") as fresh:
        assert (fresh.head.step, fresh.head.run != run) == (1, True)


def test_elsewhere_it_is_another_pipeline(repo_path: Path) -> None:
    if git(repo_path, "config", "--default", "false", "--get", "core.ignorecase") == "true":
        pytest.skip("this file system ignores case")
    with Pipeline.open(repo_path, "Demo") as one, Pipeline.open(repo_path, "demo") as other:
        assert one.head.run != other.head.run
