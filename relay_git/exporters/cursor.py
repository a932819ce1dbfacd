"""Cursor: a subagent and a rule a role, commands, and one rule that always applies.

The rule is for who plays the role in the chat itself, where a subagent cannot be asked. Cursor
lets nobody say which tools an agent may use, so the text does.
"""

from __future__ import annotations

from collections.abc import Iterator

from relay_git.exporters.book import RULE, Book
from relay_git.exporters.frontmatter import page
from relay_git.exporters.part import Generated, Part


def parts(book: Book) -> Iterator[Part]:
    for role in book.roles:
        model = role.model_of("cursor-agent") or "inherit"
        agent = [("name", role.agent), ("description", role.description), ("model", model)]
        rule = [("description", role.description), ("alwaysApply", False)]
        for path, head in (
            (f".cursor/agents/{role.name}.md", agent),
            (f".cursor/rules/{role.name}.mdc", rule),
        ):
            yield Generated(path, book.source, page(head, role.page))
    for command in book.commands:
        path = f".cursor/commands/relay-{command.name}.md"
        yield Generated(path, book.source, command.text)
    head = [("description", f"The git-relay workflow {book.workflow}"), ("alwaysApply", True)]
    yield Generated(f".cursor/rules/{RULE}.mdc", book.source, page(head, book.rules))
