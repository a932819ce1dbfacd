"""Claude Code: subagents, slash commands, a rule, and hooks in the project's settings.

When a session starts, what `git relay status` prints becomes part of its context. When it ends,
what finished runs left undone is completed; nothing is blocked, and no open run is moved. Whoever
has no git-relay notices neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from relay_git.errors import Refused
from relay_git.exporters import json_edit
from relay_git.exporters.book import RULE, Book, Command, Sheet
from relay_git.exporters.frontmatter import page
from relay_git.exporters.part import Generated, Part
from relay_git.record import Record

_ALLOWED = {
    "next": "Bash(git relay next)",
    "advance": "Bash(git relay advance)",
    "status": "Bash(git relay status)",
}
"""What a command may run unasked: never with `--force`."""
_RUN = 'command -v git-relay >/dev/null || exit 0; git -C "$CLAUDE_PROJECT_DIR" relay '
_HOOKS = {"SessionStart": ("status", 10), "SessionEnd": ("settle", 30)}
"""What runs at an event, and for how many seconds at most; without them the end has 1.5."""
_OURS = ("git relay", "git-relay")


def parts(book: Book) -> Iterator[Part]:
    for role in book.roles:
        yield Generated(f".claude/agents/{role.name}.md", book.source, _agent(role))
    for command in book.commands:
        path = f".claude/commands/relay-{command.name}.md"
        yield Generated(path, book.source, _command(command))
    yield Generated(f".claude/rules/{RULE}.md", book.source, book.rules)
    yield Settings(".claude/settings.json")


class Settings(Record):
    """The project's settings, with our hooks added where an event has none of them."""

    path: str

    def content(self, old: bytes | None, force: bool) -> bytes:
        """Raises `Refused` for what cannot be added to cleanly, forced or not."""
        if old is None or not old.strip():
            old = b"{}\n"
        try:
            return self._added(old.decode("utf-8")).encode("utf-8")
        except (ValueError, RecursionError) as error:
            raise Refused(
                f"not what Claude Code reads as settings: {error}",
                where=self.path,
                hint="mend it by hand; nothing was changed",
            ) from None

    def _added(self, text: str) -> str:
        hooks = json_edit.parse(text).get("hooks", {})
        for event, (verb, seconds) in _HOOKS.items():
            if not _is_hooked(hooks, event):
                handler = {"type": "command", "command": _RUN + verb, "timeout": seconds}
                text = json_edit.append(text, ("hooks", event), {"hooks": [handler]})
        return text


def _agent(role: Sheet) -> str:
    head = [
        ("name", role.agent),
        ("description", role.description),
        ("model", role.model_of("claude", "anthropic") or "inherit"),
        ("tools", ", ".join(role.tools)),
    ]
    return page(head, role.page)


def _command(command: Command) -> str:
    head = [("description", command.summary), ("allowed-tools", _ALLOWED[command.name])]
    return page(head, command.text)


def _is_hooked(hooks: Any, event: str) -> bool:
    """Whether a handler of the event runs git-relay already, in whatever words."""
    groups = hooks.get(event, []) if isinstance(hooks, Mapping) else []
    return any(ours in command for command in _commands(groups) for ours in _OURS)


def _commands(groups: Any) -> Iterator[str]:
    for group in groups if isinstance(groups, list) else []:
        handlers = group.get("hooks") if isinstance(group, Mapping) else None
        for handler in handlers if isinstance(handlers, list) else []:
            if isinstance(handler, Mapping):
                yield str(handler.get("command", ""))
