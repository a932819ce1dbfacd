"""The examples of pipelines do what they say, each as a program in a fresh repository."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from flow import done
from pages import ROOT, links

FOLDER = ROOT / "examples"
SAID = {
    "two_agents": """\
rejected: PIN_DROPPED, FACTS: FACTS is pinned and was changed
but kept: One ticket: The retry timer fires twice.
accepted: 2 tickets: The retry timer fires twice. An upload cannot be cancelled.
in all 4 steps, 133 of 8000 tokens
""",
    "fork_join_vote": """\
thorough: accepted, 100 %
wordless: accepted, 0 %
vague: rejected, 67 % (FIX: the section: type is not met)
chosen: {'change': 'store the deadline, not the delay', 'file': 'courier/retry.py'}
""",
    "langchain_chain": """\
Uploads resume, and listings show sizes.
read 25 tokens, wrote 16
""",
}
EVENTS = {
    "two_agents": ["start", "step", "rollback", "step"],
    "fork_join_vote": ["start", "join"],
    "langchain_chain": ["start", "step"],
}


def run(name: str, path: Path) -> str:
    program = [sys.executable, str(FOLDER / f"{name}.py")]
    ended = subprocess.run(program, cwd=path, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    return ended.stdout


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def test_every_example_is_run_here_and_listed() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == SAID.keys()
    listed = [link for link in links(FOLDER / "README.md") if link.endswith(".py")]
    assert listed == [f"{name}.py" for name in SAID]
    assert all((FOLDER / link).exists() for link in links(FOLDER / "README.md"))


@pytest.mark.parametrize("name", SAID)
def test_an_example_does_what_it_says(name: str, repo_path: Path) -> None:
    assert run(name, repo_path) == SAID[name]
    (command,) = re.findall(r"`git relay (inspect [a-z-]+)`", text_of(name))
    shown = json.loads(done(repo_path, *command.split(), "--json"))
    assert [step["event"] for step in shown["steps"]] == EVENTS[name]
    assert " ok in 1 run" in done(repo_path, "verify")


@pytest.mark.parametrize("name", SAID)
def test_an_example_fits_a_page(name: str) -> None:
    assert len(text_of(name).splitlines()) <= 60
