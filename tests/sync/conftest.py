"""Two clones of one server."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import make_clone, make_server, neighbours


def build(folder: Path) -> None:
    server = make_server(folder / "server")
    for name in ("ada", "bob"):
        make_clone(server, folder / name)


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the rounds of a sync in this process: nobody else is at work then."""
    monkeypatch.setattr("relay_git.sync.exchange._LONGEST", 0.0)


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """With its clones beside it, on which nothing has happened yet."""
    return neighbours("server-ada-and-bob", build, tmp_path)


@pytest.fixture
def ada(server: Path) -> Path:
    return server.with_name("ada")


@pytest.fixture
def bob(server: Path) -> Path:
    return server.with_name("bob")
