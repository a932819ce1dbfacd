"""Two clones of one server."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import make_clone, make_server


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return make_server(tmp_path / "server")


@pytest.fixture
def ada(server: Path, tmp_path: Path) -> Path:
    return make_clone(server, tmp_path / "ada")


@pytest.fixture
def bob(server: Path, tmp_path: Path) -> Path:
    return make_clone(server, tmp_path / "bob")
