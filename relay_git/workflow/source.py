"""Where the files of one workflow are read from: the work tree, or what is staged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from relay_git import files


class Source(Protocol):
    """Files by their path below the workflow's directory."""

    def read(self, path: str) -> bytes | None:
        """None when there is no such file; `RelayError` when it may not be read."""

    def list(self, path: str) -> Sequence[str]:
        """Names of the files in a directory; none when it is absent."""


class DirectorySource:
    """The files as they lie in the work tree. A symbolic link is never followed."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def read(self, path: str) -> bytes | None:
        return files.read_in(self._directory, path)

    def list(self, path: str) -> Sequence[str]:
        return files.list_in(self._directory, path)
