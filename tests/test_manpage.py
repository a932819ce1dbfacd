"""git-relay(1) says what the parsers say, and everything that a user can set."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from relay_git.cli_model import program, walk
from relay_git.settings import LessonSettings, OrchestratorSettings, Settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "man" / "git-relay.1"


@pytest.fixture(scope="module")
def shown() -> str:
    """The page as it is read, in lines that are wide enough for one sentence."""
    if not shutil.which("man"):
        pytest.skip("man is not installed")
    done = subprocess.run(
        ["man", "--warnings", "-P", "cat", "-l", str(PAGE)],
        env={"MANWIDTH": "500", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return re.sub(r".\x08|\x1b\[[\d;]*m", "", done.stdout)


def test_is_what_the_parsers_say() -> None:
    made = runpy.run_path(str(ROOT / "tools" / "manpage.py"))["page"]()
    assert PAGE.read_text() == made, "run `python tools/manpage.py`"


def test_groff_has_nothing_to_say() -> None:
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", str(PAGE)], capture_output=True, check=True, timeout=60
    )
    assert done.stderr == b""


def test_names_every_command_verb_and_option(shown: str) -> None:
    for path, verb in walk(program()):
        assert " ".join(("git relay", *path)) in shown
        for option in verb.options:
            assert re.search(rf"{option.flags[0]}[] ,\n]", shown), option


def test_quotes_the_examples_as_they_are_typed(shown: str) -> None:
    examples = [line for verb in program().verbs for line in verb.example.splitlines()]
    assert examples and all(f" {line}\n" in shown for line in examples)


def test_names_every_setting_and_variable(shown: str) -> None:
    keys = set(Settings.__annotations__) - {"lessons", "orchestrator"}
    keys |= {f"lessons.{name}" for name in LessonSettings.__annotations__}
    keys |= {f"orchestrator.{name}" for name in OrchestratorSettings.__annotations__}
    sources = [path.read_text() for path in (ROOT / "relay_git").rglob("*.py")]
    keys |= set(re.findall(r"\bGIT_RELAY_[A-Z_]+|\bNO_COLOR\b", "".join(sources)))
    asked = r'(?:config\.(?:get|int|bool)\(|setting\(config,)\s*"(relay\.\w+)"'
    keys |= set(re.findall(asked, "".join(sources)))
    of_backends = set(re.findall(r'\.(?:setting|number)\("(\w+)"', "".join(sources)))
    assert {"command", "url", "timeout", "maxTokens"} <= of_backends
    keys |= {f"relay.<backend>.{key}" for key in of_backends} | {"relay.<backend>.keyVariable"}
    keys |= set(re.findall(r'"((?:OPENAI|ANTHROPIC)_[A-Z_]+)"', "".join(sources)))
    assert len(keys) > 12
    told = re.findall(r"^ +(\S+)(?:\n|  )", shown.lower(), re.MULTILINE)
    assert [key for key in sorted(keys) if key.lower() not in told] == []


def test_tells_every_exit_code(shown: str) -> None:
    listed = shown.partition("EXIT STATUS")[2].partition("EXAMPLES")[0]
    assert re.findall(r"^ +(\d+) ", listed, re.MULTILINE) == ["0", "1", "2", "3", "130"]
