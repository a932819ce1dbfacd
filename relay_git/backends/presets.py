"""How known agent programs are run without a person, and how what they print is read.

As their own documentation and `--help` have it. Who wants other options gives the command whole:
`git config relay.claude.command '…'`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from relay_git.drive.asking import Answer
from relay_git.errors import BackendError
from relay_git.record import Record


class Preset(Record):
    """`argv` and after it what lets the program edit files, or answer and edit none; then what
    names a model, and `last`. `read` makes an answer of what it prints, or raises `BackendError`
    for what it says of a failure, `ValueError` for what has another form.

    A program that cannot answer without editing has None there.
    """

    argv: tuple[str, ...]
    editing: tuple[str, ...]
    answering: tuple[str, ...] | None
    model: tuple[str, ...] = ("--model", "{model}")
    last: tuple[str, ...] = ()
    read: Callable[[str], Answer] = Answer


def _claude(text: str) -> Answer:
    """`--output-format json`: one object."""
    record = _object(text)
    if record.get("is_error"):
        raise BackendError(f"says: {record.get('result') or record.get('subtype')}")
    used = _map(record.get("usage"))
    read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Answer(
        str(record.get("result") or ""),
        sum(_count(used, name) for name in read),
        _count(used, "output_tokens"),
    )


def _gemini(text: str) -> Answer:
    """`--output-format json`: one object, with the tokens of each model that was used."""
    record = _object(text)
    if error := _map(record.get("error")):
        raise BackendError(f"says: {error.get('message')}")
    models = _map(_map(record.get("stats")).get("models"))
    used = [_map(_map(model).get("tokens")) for model in models.values()]
    read = sum(_count(tokens, "prompt") for tokens in used)
    total = sum(_count(tokens, "total") for tokens in used)
    return Answer(str(record.get("response") or ""), read, max(0, total - read))


def _codex(text: str) -> Answer:
    """`--json`: an event a line; the last message of the agent is its answer."""
    answer, read, written = "", 0, 0
    for event in _events(text):
        item, used = _map(event.get("item")), _map(event.get("usage"))
        if event.get("type") == "turn.failed":
            raise BackendError(f"says: {_map(event.get('error')).get('message')}")
        if event.get("type") == "item.completed" and item.get("type") == "agent_message":
            answer = str(item.get("text") or "")
        read += _count(used, "input_tokens")
        written += _count(used, "output_tokens")
    return Answer(answer, read, written)


PRESETS: dict[str, Preset] = {
    "claude": Preset(
        ("claude", "--print", "--output-format", "json"),
        editing=("--permission-mode", "acceptEdits"),
        answering=(),
        read=_claude,
    ),
    "codex": Preset(
        ("codex", "exec", "--json"),
        editing=("--sandbox", "workspace-write"),
        answering=("--sandbox", "read-only"),
        last=("-",),
        read=_codex,
    ),
    "gemini": Preset(
        ("gemini", "--output-format", "json"),
        editing=("--approval-mode", "auto_edit"),
        answering=("--approval-mode", "plan"),
        read=_gemini,
    ),
    "cursor-agent": Preset(
        ("cursor-agent", "--print", "--output-format", "text"),
        editing=("--force",),
        answering=("--mode", "ask"),
    ),
    "aider": Preset(
        (
            *("aider", "--yes-always", "--no-auto-commits", "--no-dirty-commits"),
            *("--no-pretty", "--no-gitignore", "--no-check-update", "--add-gitignore-files"),
            *("--message-file", "{prompt}"),
        ),
        editing=("{writes}",),
        answering=None,
    ),
}


def _object(text: str) -> dict[str, Any]:
    """Warnings may stand before it. Raises `ValueError` where there is none."""
    try:
        return _map(json.loads(text[max(0, text.find("{")) :]))
    except RecursionError:
        raise ValueError("too deep") from None


def _events(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            yield _map(json.loads(line))
        except (ValueError, RecursionError):
            continue


def _map(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(used: dict[str, Any], name: str) -> int:
    count = used.get(name)
    return count if isinstance(count, int) and count > 0 else 0
