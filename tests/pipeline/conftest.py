from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pipelining import STORES, Place, place


@pytest.fixture(params=STORES)
def here(request: pytest.FixtureRequest, repo_path: Path) -> Iterator[Place]:
    """Where pipelines can be kept, one kind of store after the other."""
    made = place(request.param, repo_path)
    yield made
    made.close()
