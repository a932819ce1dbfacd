"""These frameworks would like to tell somebody that they are used: here nothing leaves the machine,
and what tries to fails the test."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from answering import OWN, demo

from relay_git.pipeline import Pipeline

if find_spec("crewai"):
    os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["CREWAI_TESTING"] = "true"
    os.environ["CREWAI_TRACING_ENABLED"] = "false"


@pytest.fixture(autouse=True)
def nothing_leaves(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] != "127.0.0.1":
            tried.append(address)
            raise OSError("this test reaches nobody")
        reach(self, address)

    def resolve(host: Any, *given: Any, **named: Any) -> Any:
        if host not in (None, "localhost", "127.0.0.1"):
            tried.append(host)
            raise socket.gaierror("this test resolves nobody")
        return found(host, *given, **named)

    tried: list[Any] = []
    reach, found = socket.socket.connect, socket.getaddrinfo
    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    yield
    assert tried == []


@pytest.fixture(params=OWN)
def pipeline(request: pytest.FixtureRequest, repo_path: Path) -> Iterator[Pipeline]:
    with demo(request.param, repo_path) as opened:
        yield opened
