"""Cursor's rules: one for everybody that always applies, the roles' own when they are asked for."""

from __future__ import annotations

from pathlib import Path

from exported import agents, body, head, role_project
from flow import done


def test_a_role_is_a_rule_and_an_agent_of_the_same_words(tmp_path: Path) -> None:
    path = role_project(tmp_path / "p", "Writes.")
    done(path, "export", "cursor")
    agent, rule = agents(path, "cursor")["author"], path / ".cursor/rules/author.mdc"
    assert head(rule) == {"description": agent.description, "alwaysApply": False}
    assert body(rule) == agent.page


def test_the_rule_for_everybody_always_applies(tmp_path: Path) -> None:
    path = role_project(tmp_path / "p", "Writes.")
    done(path, "export", "cursor")
    rule = path / ".cursor/rules/git-relay.mdc"
    assert head(rule)["alwaysApply"] is True
    assert "- **author**: Writes.\n" in body(rule)


def test_a_command_is_its_text_alone(tmp_path: Path) -> None:
    path = role_project(tmp_path / "p")
    done(path, "export", "cursor")
    assert (path / ".cursor/commands/relay-status.md").read_text().startswith("Run `git relay ")
