"""Markdown with a YAML head, the form that most tools read agents, commands and rules in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relay_git import yamlio


def page(head: Iterable[tuple[str, Any]], body: str) -> str:
    """Keys with nothing to say are left out."""
    pairs = [(key, value) for key, value in head if value not in (None, "")]
    return f"---\n{yamlio.dump_mapping(pairs)}---\n\n{body}"
