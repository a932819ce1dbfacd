"""Codex: a TOML file an agent, a skill a command, and the rules in AGENTS.md.

Custom prompts would be the slash commands, but they lie in a person's home alone and are
deprecated in favour of skills.
"""

from __future__ import annotations

from collections.abc import Iterator

from relay_git.exporters import agents_md, toml
from relay_git.exporters.book import Book, Sheet
from relay_git.exporters.frontmatter import page
from relay_git.exporters.part import Generated, Part


def parts(book: Book) -> Iterator[Part]:
    for role in book.roles:
        yield Generated(f".codex/agents/{role.name}.toml", book.source, _agent(role))
    for command in book.commands:
        name = f"relay-{command.name}"
        head = [("name", name), ("description", f"{command.summary}.")]
        yield Generated(f".agents/skills/{name}/SKILL.md", book.source, page(head, command.text))
    yield from agents_md.parts(book)


def _agent(role: Sheet) -> str:
    model = role.model_of("codex")
    return toml.dump(
        [
            ("name", role.agent),
            ("description", role.description),
            *([("model", model)] if model else []),
            ("developer_instructions", role.page),
        ]
    )
