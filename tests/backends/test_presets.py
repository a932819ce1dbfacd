"""Known agent programs, played by scripts of their names: what they are given, how they are read.

What the scripts print is what the programs printed when they were tried: claude 2.1, codex 0.171,
gemini 0.61.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from support import git, repository

from relay_git.backends.registry import open_backend
from relay_git.drive.asking import Answer, Backend, Nobody, Question
from relay_git.drive.choice import Choice
from relay_git.errors import BackendError
from relay_git.git.config import read_config

SCRIPT = """#!{python}
import json, sys
given = {{"argv": sys.argv[1:], "stdin": sys.stdin.read()}}
open({log!r}, "w").write(json.dumps(given))
sys.stdout.write({said!r})
sys.exit({code})
"""
PROMPT = "Plan list[int].\r\n"

CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "# Plan\n\nA fine plan.",
    "usage": {
        "input_tokens": 25,
        "cache_creation_input_tokens": 3,
        "cache_read_input_tokens": 2,
        "output_tokens": 24,
    },
}
CODEX = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "item.completed", "item": {"id": "i0", "type": "error", "message": "no metadata"}},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "I shall see."}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "# Plan\n\nA fine plan."}},
    {"type": "turn.completed", "usage": {"input_tokens": 30, "output_tokens": 24}},
]
TOKENS = {"input": 30, "prompt": 30, "candidates": 20, "total": 54, "cached": 5, "thoughts": 4}
GEMINI = {
    "session_id": "s",
    "response": "# Plan\n\nA fine plan.",
    "stats": {"models": {"gemini-2.5-pro": {"tokens": TOKENS}}, "files": {}},
}
PRINTED = {
    "claude": json.dumps(CLAUDE),
    "codex": "\n".join(map(json.dumps, CODEX)),
    "gemini": "a warning\n" + json.dumps(GEMINI, indent=2),
    "cursor-agent": "# Plan\n\nA fine plan.",
    "aider": "chatter",
}


@pytest.fixture
def bin_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    return path


def play(bin_path: Path, name: str, said: str, code: int = 0) -> Path:
    """Put a program of that name on PATH; the file in which it keeps what it was given."""
    log = bin_path / f"{name}.json"
    fields = {"python": sys.executable, "log": str(log), "said": said, "code": code}
    (bin_path / name).write_text(SCRIPT.format(**fields))
    (bin_path / name).chmod(0o755)
    return log


def opened(path: Path, name: str, model: str | None = None, *, answers: bool = False) -> Backend:
    return open_backend(Choice(name, model, ""), read_config(repository(path)), answers=answers)


def ask(path: Path, backend: Backend) -> Answer:
    return backend.ask(Question(PROMPT, str(path), writes=(".relay/artifacts/a.md",)), Nobody())


def given(log: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(log.read_text())
    return found


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("claude", "--print --output-format json --permission-mode acceptEdits --model m"),
        ("codex", "exec --json --sandbox workspace-write --model m -"),
        ("gemini", "--output-format json --approval-mode auto_edit --model m"),
        ("cursor-agent", "--print --output-format text --force --model m"),
    ],
)
def test_each_may_edit_files_and_reads_its_prompt(
    repo_path: Path, bin_path: Path, name: str, argv: str
) -> None:
    log = play(bin_path, name, PRINTED[name])
    backend = opened(repo_path, name, "m")
    assert backend.writes_files and not backend.takes_system
    assert ask(repo_path, backend).text == ""
    assert given(log) == {"argv": argv.split(), "stdin": PROMPT}
    ask(repo_path, opened(repo_path, name))
    assert given(log)["argv"] == argv.replace(" --model m", "").split()


def test_aider_is_told_which_files_to_write(repo_path: Path, bin_path: Path) -> None:
    log = play(bin_path, "aider", PRINTED["aider"])
    ask(repo_path, opened(repo_path, "aider", "m"))
    argv = given(log)["argv"]
    assert argv[-3:] == [".relay/artifacts/a.md", "--model", "m"]
    assert argv[argv.index("--message-file") + 1].endswith("/prompt.md")
    assert {"--yes-always", "--no-auto-commits", "--add-gitignore-files"} <= set(argv)


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("claude", "--print --output-format json"),
        ("codex", "exec --json --sandbox read-only -"),
        ("gemini", "--output-format json --approval-mode plan"),
        ("cursor-agent", "--print --output-format text --mode ask"),
    ],
)
def test_one_that_is_to_answer_may_edit_nothing(
    repo_path: Path, bin_path: Path, name: str, argv: str
) -> None:
    log = play(bin_path, name, PRINTED[name])
    answer = ask(repo_path, opened(repo_path, name, answers=True))
    assert answer.text == "# Plan\n\nA fine plan."
    assert answer.tokens == (0 if name == "cursor-agent" else 54)
    assert given(log)["argv"] == argv.split()


def test_aider_cannot_answer(repo_path: Path) -> None:
    with pytest.raises(BackendError, match="aider works on files"):
        opened(repo_path, "aider", answers=True)


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_tokens_are_counted_where_they_are_told(repo_path: Path, bin_path: Path, name: str) -> None:
    play(bin_path, name, PRINTED[name])
    assert ask(repo_path, opened(repo_path, name)) == Answer("", 30, 24)


@pytest.mark.parametrize("said", ["", "done", "{", "[" * 99999, '{"usage": 3, "stats": []}'])
@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_work_counts_whatever_is_printed(
    repo_path: Path, bin_path: Path, name: str, said: str
) -> None:
    play(bin_path, name, said)
    assert ask(repo_path, opened(repo_path, name)) == Answer()


@pytest.mark.parametrize("said", ["", "done", "{", "{}"])
@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_an_answer_in_another_form_is_none(
    repo_path: Path, bin_path: Path, name: str, said: str
) -> None:
    play(bin_path, name, said)
    with pytest.raises(BackendError, match=f"{name} answered (nothing|in another form)"):
        ask(repo_path, opened(repo_path, name, answers=True))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("claude", json.dumps({**CLAUDE, "is_error": True, "result": "no such model"})),
        ("codex", json.dumps({"type": "turn.failed", "error": {"message": "no such model"}})),
        ("gemini", json.dumps({"error": {"message": "no such model", "code": 41}})),
    ],
)
@pytest.mark.parametrize("code", [0, 1])
def test_a_failure_is_read_where_it_is_told(
    repo_path: Path, bin_path: Path, name: str, said: str, code: int
) -> None:
    play(bin_path, name, said, code)
    for answers in (True, False):
        with pytest.raises(BackendError, match=f"the backend {name}: {name} .*no such model"):
            ask(repo_path, opened(repo_path, name, answers=answers))


def test_a_command_of_ones_own_goes_before_the_known_one(repo_path: Path) -> None:
    git(repo_path, "config", "relay.claude.command", "echo mine")
    assert ask(repo_path, opened(repo_path, "claude", answers=True)).text == "mine\n"


def test_a_program_that_is_not_installed_is_told(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = opened(repo_path, "claude")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendError, match=r"the backend claude: cannot start claude.*; install"):
        ask(repo_path, backend)
