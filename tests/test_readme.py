"""The README is true: commands are run, shown output is compared, links and tables are checked.

In a ```console block, lines after `$ ` are commands, run in order in one scratch repository, and
the lines below are their output: `…` stands for any text in a line, and for any lines when it
stands alone. The `$ ` lines of an HTML comment are run too; they play the agents between two
blocks. Lines of a ```sh block are commands for the checkout. `$CHECKOUT` is its path.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import git, make_repo

from relay_git.commands import COMMANDS
from relay_git.workflow.definition import load_workflow

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

_BLOCK = re.compile(
    r"^```(?P<language>\w*)\n(?P<body>.*?)^```$|^<!--(?P<hidden>.*?)-->", re.M | re.S
)


@dataclass
class Command:
    """One command; `output` is what the README shows, None where it shows nothing."""

    line: str
    output: str | None = None


def test_the_example_does_what_it_shows(tmp_path: Path) -> None:
    project = make_repo(tmp_path / "project")
    environment = os.environ | {"PATH": scripts_first(), "CHECKOUT": str(ROOT)}
    commands = list(session(README))
    assert sum(command.output is not None for command in commands) >= 10
    for command in commands:
        done = subprocess.run(
            ["sh", "-e", "-c", command.line],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, f"$ {command.line}\n{done.stdout}{done.stderr}"
        if command.output is not None:
            assert fits(command.output, done.stdout), (
                f"$ {command.line}\nsays\n{done.stdout}\nand the README\n{command.output}"
            )
    assert git(project, "status", "--short") == "?? issue.md"


def scripts_first() -> str:
    """A PATH on which git finds this environment's git-relay."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def session(text: str) -> Iterator[Command]:
    """The commands of all console blocks and hidden comments, in order."""
    for block in _BLOCK.finditer(text):
        if block["language"] == "console":
            yield from shown(block["body"])
        elif block["hidden"] and "$ " in block["hidden"]:
            lines = re.findall(r"\$ (.*\S)", block["hidden"])
            yield Command("\n".join(lines))


def shown(body: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        line, _, output = part.partition("\n")
        yield Command(line, output)


def fits(pattern: str, output: str) -> bool:
    """Whether the output is what the README shows, with `…` for what it leaves out."""
    lines = [
        r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in pattern.splitlines()
    ]
    return re.fullmatch("".join(lines), output) is not None


@pytest.mark.parametrize(
    ("pattern", "output", "expected"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("…\nc\n", "a\nb\nc\n", True),
        ("a … c\n", "a b c\n", True),
        ("a … c\n", "a b\nc\n", False),
        ("a.\n", "ab\n", False),
        ("", "a\n", False),
    ],
)
def test_output_fits_only_what_is_shown(pattern: str, output: str, expected: bool) -> None:
    assert fits(pattern, output) is expected


def checkout_commands() -> list[str]:
    blocks = [block["body"] for block in _BLOCK.finditer(README) if block["language"] == "sh"]
    return [line for body in blocks for line in body.splitlines()]


def test_the_checkout_has_what_its_commands_need() -> None:
    """make's targets are only looked up, since `make test` runs this; the wheel's test installs."""
    assert checkout_commands() == ["make demo", "make test", "pip install ."]
    for target in ("demo", "test", "soak", "lint", "bench", "man"):
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)
    assert "pip install ." in (ROOT / "tests" / "test_wheel.py").read_text()


def test_every_fence_is_run_or_is_plain_text() -> None:
    languages = {block["language"] for block in _BLOCK.finditer(README) if not block["hidden"]}
    assert languages == {"sh", "console", ""}
    plain = [b["body"] for b in _BLOCK.finditer(README) if b["body"] and not b["language"]]
    assert not [line for body in plain for line in body.splitlines() if line.startswith("$")]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_relative_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    missing = [
        target
        for target in targets
        if "://" not in target and not ((ROOT / page).parent / target).exists()
    ]
    assert targets
    assert not missing


def rows(heading: str, text: str = README) -> list[list[str]]:
    """The cells of the table below a heading, without its first two lines."""
    part = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_table_of_commands_is_complete() -> None:
    assert rows("Commands") == [[f"`git relay {name}`", what] for name, what in COMMANDS.items()]


def test_the_table_of_templates_names_their_stages() -> None:
    for name, stages, example in rows("Templates"):
        directory = ROOT / "templates" / name[1:].partition("]")[0]
        workflow = load_workflow(str(directory)).workflow
        working = {stage.name for stage in workflow.stages.values() if not stage.terminal}
        assert {word for word in re.findall(r"\w+", stages) if "_" in word or word in working} == (
            working
        )
        assert f"]({directory.relative_to(ROOT)}/example/README.md)" in example
    shipped = {path.parent.name for path in (ROOT / "templates").glob("*/workflow.yml")}
    assert {name[1:].partition("]")[0] for name, _, _ in rows("Templates")} == shipped


@pytest.mark.parametrize(("heading", "key"), [("At run time", None), ("For development", "dev")])
def test_every_dependency_has_its_reason(heading: str, key: str | None) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = project["optional-dependencies"][key] if key else project["dependencies"]
    page = (ROOT / "docs" / "dependencies.md").read_text()
    named = [re.split(r"[<>=]", one)[0] for one in needed]
    assert [name for name, reason in rows(heading, page) if reason] == named
