"""Claude Code's settings, to which our hooks are added, and the heads of its own files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from exported import FORMS, agents, head, role_project
from flow import call, done, draft, everything, run_ref, started
from support import git

SETTINGS = ".claude/settings.json"
THEIRS = """\
{
    "model": "opus",
    "permissions": { "allow": ["Bash(make test)"], "deny": [] },
    "hooks": {
        "Stop": [{ "hooks": [{ "type": "command", "command": "say \\"done\\"" }] }],
        "SessionStart": [
            { "matcher": "startup", "hooks": [{ "type": "command", "command": "date" }] }
        ]
    },
    "ratio": 1.50
}
"""


def settings(path: Path) -> Any:
    return head(path / SETTINGS)


def commands(path: Path, event: str) -> list[str]:
    groups = settings(path)["hooks"][event]
    return [handler["command"] for group in groups for handler in group["hooks"]]


def existing(path: Path, text: str) -> Path:
    role_project(path)
    (path / ".claude").mkdir()
    (path / SETTINGS).write_bytes(text.encode())
    return path


def test_a_session_begins_with_status_and_ends_with_settle(tmp_path: Path) -> None:
    path = role_project(tmp_path / "p")
    done(path, "export", "claude-code")
    assert [c.rpartition(" ")[2] for c in commands(path, "SessionStart")] == ["status"]
    assert [c.rpartition(" ")[2] for c in commands(path, "SessionEnd")] == ["settle"]
    assert set(settings(path)["hooks"]) == {"SessionStart", "SessionEnd"}


def hook(path: Path, event: str, cwd: Path, programs: str) -> subprocess.CompletedProcess[str]:
    """As Claude Code runs it: by a shell, wherever the session happens to be."""
    [command] = commands(path, event)
    env = os.environ | {"PATH": programs, "CLAUDE_PROJECT_DIR": str(path)}
    shell = ["/bin/sh", "-c", command]
    return subprocess.run(shell, cwd=cwd, env=env, capture_output=True, text=True, timeout=60)


def test_the_hooks_say_where_the_run_stands_and_move_nothing(tmp_path: Path) -> None:
    path = started(tmp_path / "a project")
    draft(path)
    done(path, "export", "claude-code")
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    before = git(path, "rev-parse", run_ref(path))
    begun = hook(path, "SessionStart", tmp_path, programs)
    assert (begun.returncode, begun.stderr) == (0, "")
    assert "▶ review" in begun.stdout and ".relay/artifacts/review.md" in begun.stdout
    ended = hook(path, "SessionEnd", tmp_path, programs)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "nothing to settle\n", "")
    assert git(path, "rev-parse", run_ref(path)) == before


@pytest.mark.parametrize("event", ["SessionStart", "SessionEnd"])
def test_who_has_no_git_relay_notices_nothing(tmp_path: Path, event: str) -> None:
    path = role_project(tmp_path / "p")
    done(path, "export", "claude-code")
    bare = tmp_path / "bin"
    bare.mkdir()
    (bare / "git").symlink_to(shutil.which("git") or "")
    found = hook(path, event, path, str(bare))
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_the_settings_of_people_keep_every_character(tmp_path: Path) -> None:
    path = existing(tmp_path / "p", THEIRS)
    done(path, "export", "claude-code")
    text = (path / SETTINGS).read_text()
    before, middle, _ = THEIRS.partition('"date" }] }')
    assert text.startswith(before + middle + ",\n            {\n")
    assert text.endswith('    },\n    "ratio": 1.50\n}\n')
    assert commands(path, "SessionStart")[0] == "date"
    assert len(commands(path, "SessionStart")) == 2 and len(commands(path, "SessionEnd")) == 1
    assert commands(path, "Stop") == ['say "done"']
    shown = {key: value for key, value in settings(path).items() if key != "hooks"}
    assert shown == {k: v for k, v in json.loads(THEIRS).items() if k != "hooks"}
    form = FORMS[SETTINGS]["properties"]["hooks"]
    jsonschema.validate(settings(path)["hooks"], form, jsonschema.Draft202012Validator)
    assert done(path, "export", "claude-code").startswith("nothing to change")
    assert (path / SETTINGS).read_text() == text


def test_a_hook_that_a_person_changed_is_theirs(tmp_path: Path) -> None:
    mine = '{"hooks": {"SessionStart": [{"hooks": [{"command": "git relay status --json"}]}]}}'
    path = existing(tmp_path / "p", mine)
    done(path, "export", "claude-code", "--force")
    assert commands(path, "SessionStart") == ["git relay status --json"]
    assert len(commands(path, "SessionEnd")) == 1


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_file_is_filled(tmp_path: Path, text: str) -> None:
    path = existing(tmp_path / "p", text)
    done(path, "export", "claude-code")
    assert set(settings(path)) == {"hooks"}


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{\n  // ours\n  "model": "opus"\n}', "line 2 column 3"),
        ('{"hooks": {},}', "line 1"),
        ('["hooks"]', "not an object"),
        ('{"hooks": []}', "'hooks' is not an object"),
        ('{"hooks": {"SessionStart": {}}}', "'hooks.SessionStart' is not a list"),
        ('{"hooks": {}, "hooks": {}}', "'hooks' occurs twice"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_settings_that_cannot_be_added_to_are_left_alone(
    tmp_path: Path, text: str, why: str, force: list[str]
) -> None:
    path = existing(tmp_path / "p", text)
    before = everything(path)
    answer = call(path, "export", "claude-code", *force)
    assert answer.code == 1
    assert f"{SETTINGS}: not what Claude Code reads as settings: " in answer.err
    assert why in answer.err
    assert everything(path) == before


def test_settings_in_another_encoding_are_left_alone(tmp_path: Path) -> None:
    path = existing(tmp_path / "p", "")
    (path / SETTINGS).write_bytes(b'{"model": "caf\xe9"}')
    assert call(path, "export", "claude-code").code == 1
    assert (path / SETTINGS).read_bytes() == b'{"model": "caf\xe9"}'


def test_tools_are_a_list_as_claude_code_writes_it(tmp_path: Path) -> None:
    path = role_project(tmp_path / "p", tools=["Read", "Agent(a, b)", "Bash(git log:*)"])
    done(path, "export", "claude-code")
    found = agents(path, "claude-code")
    assert found["author"].tools == "Read, Agent(a, b), Bash(git log:*)"
    assert found["critic"].tools is None


@pytest.mark.parametrize("verb", ["next", "advance", "status"])
def test_a_command_may_run_just_what_it_is_for(tmp_path: Path, verb: str) -> None:
    path = role_project(tmp_path / "p")
    done(path, "export", "claude-code")
    data = head(path / f".claude/commands/relay-{verb}.md")
    assert data["allowed-tools"] == f"Bash(git relay {verb})"
