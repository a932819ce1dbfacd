"""What is told to every tool: names that no two roles share, and templates of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from exported import agents, role_project
from flow import LOOP, call, done, everything, make_project

from relay_git.yamlio import dump_mapping


def renamed(path: Path, author: str, critic: str) -> Path:
    """A project whose two roles have these names."""
    text = LOOP.replace("{rules: roles/author.yml", f"{{rules: roles/{author}.yml")
    text = text.replace("{rules: roles/critic.yml", f"{{rules: roles/{critic}.yml")
    text = text.replace("  author: {", f"  {author}: {{").replace("  critic: {", f"  {critic}: {{")
    text = text.replace("role: author", f"role: {author}").replace(
        "role: critic", f"role: {critic}"
    )
    make_project(path)
    folder = path / ".relay/workflows/loop"
    (folder / "workflow.yml").write_text(text)
    for role in (author, critic):
        values = dump_mapping([("name", role), ("system_prompt", "Do.")])
        (folder / f"roles/{role}.yml").write_text(values)
    return path


@pytest.mark.parametrize(
    ("role", "agent"), [("Plan.Author", "plan-author"), ("a__b", "a-b"), ("v2", "v2")]
)
def test_an_agent_is_called_what_every_tool_takes(tmp_path: Path, role: str, agent: str) -> None:
    path = renamed(tmp_path / "p", role, "critic")
    done(path, "export", "gemini")
    assert agents(path, "gemini")[role].name == agent


@pytest.mark.parametrize(
    ("author", "critic", "both"),
    [
        ("a_b", "a-b", "the role a_b and the role a-b would both be called a-b"),
        ("v1.one", "V1_one", "the role v1.one and the role V1_one would both be called v1-one"),
        ("git-relay", "b", "git-relay's own rules and the role git-relay would both be called"),
    ],
)
def test_roles_that_would_be_one_agent_are_refused(
    tmp_path: Path, author: str, critic: str, both: str
) -> None:
    path = renamed(tmp_path / "p", author, critic)
    before = everything(path)
    answer = call(path, "export", "cursor")
    assert answer.code == 1
    assert f".relay/workflows/loop/workflow.yml: {both}" in answer.err
    assert everything(path) == before


@pytest.mark.parametrize(
    ("description", "described"),
    [
        ("Plans.", "Plans. Use when"),
        ("Plans", "Plans. Use when"),
        ("  Plans\n  well! ", "Plans well! Use when"),
    ],
)
def test_a_description_is_one_line_of_sentences(
    tmp_path: Path, description: str, described: str
) -> None:
    path = role_project(tmp_path / "p", description)
    done(path, "export", "codex")
    assert agents(path, "codex")["author"].description.startswith(described)


def test_a_team_may_have_a_template_of_its_own(tmp_path: Path) -> None:
    path = role_project(tmp_path / "p")
    override = path / ".relay/templates/role.md.j2"
    override.parent.mkdir()
    override.write_text("{{ system_prompt }} As {{ role }} in {{ workflow }}.\n")
    done(path, "export", "codex")
    assert agents(path, "codex")["author"].page == "Write. As author in loop.\n"
    override.write_text("{{ system_prompt.__class__.__mro__ }}")
    answer = call(path, "export", "codex")
    assert answer.code == 1
    assert ".relay/templates/role.md.j2: the template reaches for what it must not" in answer.err
