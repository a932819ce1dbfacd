"""The pytest plugin. It is loaded in every run of pytest where git-relay is installed, so nothing
of pipelines is imported before a test asks for a fixture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from relay_git.pipeline import Pipeline
    from relay_git.testing.handoffs import CleanHandoff, Handoffs, RollBack, SnapshotAt


def pytest_configure(config: pytest.Config) -> None:
    what = "relay_pipeline(**options): options of Pipeline.open for the fixture of that name"
    config.addinivalue_line("markers", what)


@pytest.fixture
def relay_pipeline(request: pytest.FixtureRequest) -> Iterator[Pipeline]:
    """A new pipeline in memory, with the options that the marker `relay_pipeline` names."""
    from relay_git.pipeline import Pipeline, memory_steps

    marker = request.node.get_closest_marker("relay_pipeline")
    given = (marker.args, marker.kwargs) if marker else ((), {})
    with Pipeline.open(memory_steps(), "test", *given[0], **given[1]) as pipeline:
        yield pipeline


@pytest.fixture
def _relay_handoffs(relay_pipeline: Pipeline) -> Handoffs:
    from relay_git.testing.handoffs import Handoffs

    return Handoffs(relay_pipeline)


@pytest.fixture
def assert_clean_handoff(_relay_handoffs: Handoffs) -> CleanHandoff:
    """Fails unless the step, a number or a result, was accepted; gives its snapshot."""
    return _relay_handoffs.assert_clean


@pytest.fixture
def assert_rolled_back(_relay_handoffs: Handoffs) -> RollBack:
    """Fails unless the step, a number or a result, was rolled back, with the code if one is given;
    gives its snapshot."""
    return _relay_handoffs.assert_rolled_back


@pytest.fixture
def snapshot_at(_relay_handoffs: Handoffs) -> SnapshotAt:
    """The step of `relay_pipeline` that has the number; fails if none has."""
    return _relay_handoffs.snapshot_at
