"""How a slice is put to somebody who reads text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.sections import encode

Prompt: TypeAlias = Callable[[Slice, Manifest], Any]
"""What is asked about a slice: a text, or whatever else the framework takes."""

Message: TypeAlias = dict[str, Any]


def prompt_of(given: Slice, manifest: Manifest) -> str:
    """The task, the form of the reply, and every section as JSON under its name."""
    sections = [f"# {name}\n\n{_json(value)}" for name, value in given.sections.items()]
    return "\n\n".join(filter(None, [manifest.task.strip(), _form(manifest), *sections]))


def messages_of(prompt: Any) -> Sequence[Message]:
    """A text as what a user says; messages as they are."""
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt


def _form(manifest: Manifest) -> str:
    if manifest.text_section:
        return f"Your reply becomes {manifest.text_section} as it is, so write nothing else."
    if not manifest.writes:
        return ""
    named = ", ".join(manifest.writes)
    return f"Reply with one JSON object and nothing else. Its keys are what you write, of: {named}."


def _json(value: Any) -> str:
    return encode(value).decode().rstrip()
