"""Gemini CLI: a subagent a role, commands as `/relay:next`, and the rules in GEMINI.md.

Its loader refuses an agent with a key or a tool that it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from relay_git.exporters import toml
from relay_git.exporters.book import Book, Sheet
from relay_git.exporters.frontmatter import page
from relay_git.exporters.part import Block, Generated, Part

_ALSO_CALLED = {
    "Read": "read_file",
    "LS": "list_directory",
    "Glob": "glob",
    "Grep": "grep_search",
    "Write": "write_file",
    "Edit": "replace",
    "MultiEdit": "replace",
    "Bash": "run_shell_command",
    "WebFetch": "web_fetch",
    "WebSearch": "google_web_search",
    "TodoWrite": "write_todos",
}
"""The tools of Gemini CLI by the names that role files commonly give them."""
_KNOWN = {*_ALSO_CALLED.values(), "read_many_files", "save_memory", "*"}
_PLACEHOLDER = re.compile(r"\$\{(?=\w+\})")


def parts(book: Book) -> Iterator[Part]:
    for role in book.roles:
        yield Generated(f".gemini/agents/{role.name}.md", book.source, _agent(role))
    for command in book.commands:
        text = toml.dump([("description", command.summary), ("prompt", command.text)])
        yield Generated(f".gemini/commands/relay/{command.name}.toml", book.source, text)
    yield Block("GEMINI.md", book.source, book.rules)


def _agent(role: Sheet) -> str:
    head = [
        ("name", role.agent),
        ("description", role.description),
        ("model", role.model_of("gemini")),
        ("tools", _tools(role)),
    ]
    return page(head, _PLACEHOLDER.sub(r"$\\{", role.page))


def _tools(role: Sheet) -> list[str] | None:
    """By Gemini CLI's names. What it has no name for is left out: rather too little than too much.

    None where the role names no tools, and so may use all.
    """
    if not role.tools:
        return None
    named = [_ALSO_CALLED.get(tool, tool) for tool in role.tools]
    known = [tool for tool in named if tool in _KNOWN or tool.startswith("mcp_")]
    return list(dict.fromkeys(known))
