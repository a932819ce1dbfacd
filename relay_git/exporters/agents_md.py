"""AGENTS.md, which most agent tools read: a block with the rules and the roles.

The system prompts are not in it, since every session would read them all; `git relay next`
prints the one that is needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from relay_git.exporters.book import Book
from relay_git.exporters.part import Block, Part

PATH = "AGENTS.md"


def parts(book: Book) -> Iterator[Part]:
    yield Block(PATH, book.source, book.rules)
