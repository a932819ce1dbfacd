"""Every test runs sealed: its own home, configuration, identity, time zone and git environment."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import flow
import pytest
from support import SOAK, make_repo

_FOREIGN = ("GIT_", "RELAY_", "XDG_", "OPENAI_", "ANTHROPIC_", "OTEL_", "AWS_", "PG")
_NUMBERS = itertools.count()

_GITCONFIG = """\
[user]
	name = Ada
	email = ada@example.com
[init]
	defaultBranch = main
[commit]
	gpgSign = false
[protocol "file"]
	allow = always
"""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """More than there are cores: a third of their time tests wait for processes and servers."""
    return (os.cpu_count() or 1) * 2


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A long text is called by its length, since the name of a test travels between processes."""
    return f"{argname} of {len(val)}" if isinstance(val, str | bytes) and len(val) > 200 else None


@pytest.fixture(scope="session", autouse=True)
def configured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For what is made once for the tests of a module, before the first of them is sealed."""
    config = tmp_path_factory.mktemp("configured") / ".gitconfig"
    config.write_text(_GITCONFIG)
    flow.originals = tmp_path_factory.mktemp("originals")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield


@pytest.fixture(autouse=True)
def sealed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a fixed configuration; nothing of the caller's git reaches a test.

    Nor does anything wait for the disk, as no test cuts the power.
    """
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(_NUMBERS))
    home.mkdir(parents=True)
    (home / ".gitconfig").write_text(_GITCONFIG)
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        monkeypatch.delenv(name)
    for name in ("EMAIL", "EDITOR", "VISUAL", "PAGER", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(home.parent.parent))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("GIT_TEST_FSYNC", "0")
    monkeypatch.setattr(os, "fsync", lambda _: None)
    return home


@pytest.fixture
def repo_path(tmp_path: Path) -> Path:
    """A repository with one commit."""
    return flow.copy_of("repo", make_repo, tmp_path / "repo")


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`at(seconds)` stops our clock there."""

    def stop(seconds: int) -> None:
        monkeypatch.setenv("GIT_RELAY_NOW", str(seconds))

    return stop


@pytest.fixture(scope="session")
def soak() -> bool:
    """Whether sweeps run in full size: `GIT_RELAY_SOAK=1`."""
    return SOAK
