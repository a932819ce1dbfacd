"""What Gemini CLI's loader refuses or replaces does not reach it."""

from __future__ import annotations

from pathlib import Path

import pytest
from exported import agents, check_forms, role_project
from flow import done


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        (["Read", "Edit", "MultiEdit", "Bash"], ["read_file", "replace", "run_shell_command"]),
        (["read_file", "mcp_linear_search", "*"], ["read_file", "mcp_linear_search", "*"]),
        (["Read", "Telepathy"], ["read_file"]),
        (["Bash(git log:*)"], []),
        ([], None),
    ],
)
def test_tools_have_its_names_and_never_grant_more(
    tmp_path: Path, tools: list[str], expected: list[str] | None
) -> None:
    path = role_project(tmp_path / "p", tools=tools)
    done(path, "export", "gemini")
    assert agents(path, "gemini")["author"].tools == expected
    check_forms(path)


def test_a_placeholder_is_none(tmp_path: Path) -> None:
    path = role_project(tmp_path / "p", system_prompt="Set ${HOME}, ${query}, ${a-b} and $x.")
    done(path, "export", "gemini")
    page = agents(path, "gemini")["author"].page
    assert page.startswith("Set $\\{HOME}, $\\{query}, ${a-b} and $x.\n")
