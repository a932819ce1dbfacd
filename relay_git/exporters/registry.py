"""The tools that the workflow can be exported for, by the names that people give them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relay_git.exporters.book import Book
    from relay_git.exporters.part import Part

TARGETS: dict[str, str] = {
    "claude-code": "relay_git.exporters.claude_code",
    "cursor": "relay_git.exporters.cursor",
    "codex": "relay_git.exporters.codex",
    "gemini": "relay_git.exporters.gemini",
    "agents-md": "relay_git.exporters.agents_md",
}
"""Modules by name, imported when asked for."""


def parts_for(target: str, book: Book) -> list[Part]:
    """The files of one tool, each at a path of its own."""
    made: Iterable[Part] = importlib.import_module(TARGETS[target]).parts(book)
    return list(made)
