"""Two clones of one server."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import make_clone, make_server
from flow import copy_of
from support import git


def build(folder: Path) -> None:
    server = make_server(folder / "server")
    for name in ("ada", "bob"):
        make_clone(server, folder / name)


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """With its clones beside it, on which nothing has happened yet."""
    for made in copy_of("server-ada-and-bob", build, tmp_path / "made").iterdir():
        made.rename(tmp_path / made.name)
    for name in ("ada", "bob"):
        git(tmp_path / name, "remote", "set-url", "origin", str(tmp_path / "server"))
    return tmp_path / "server"


@pytest.fixture
def ada(server: Path) -> Path:
    return server.with_name("ada")


@pytest.fixture
def bob(server: Path) -> Path:
    return server.with_name("bob")
