"""The README is true: commands are run, shown output is compared, links and tables are checked.

How its blocks are run is told in `pages.py`; lines of a ```sh block are commands for the checkout.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from pages import BLOCK, ROOT, Command, Session, acts, links
from support import git, make_repo

from relay_git.commands import COMMANDS
from relay_git.workflow.definition import load_workflow

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_does_what_it_shows(tmp_path: Path) -> None:
    project = make_repo(tmp_path / "project")
    commands = [act for act in acts(README) if isinstance(act, Command)]
    assert sum(command.output is not None for command in commands) >= 10
    Session(project, tmp_path).follow(README)
    assert git(project, "status", "--short") == "?? issue.md"


def checkout_commands() -> list[str]:
    blocks = [block["body"] for block in BLOCK.finditer(README) if block["language"] == "sh"]
    return [line for body in blocks for line in body.splitlines()]


def test_the_checkout_has_what_its_commands_need() -> None:
    """make's targets are only looked up, since `make test` runs this; the wheel's test installs."""
    assert checkout_commands() == ["make demo", "make test", "pip install ."]
    for target in ("demo", "test", "soak", "lint", "bench", "man"):
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)
    assert "pip install ." in (ROOT / "tests" / "test_wheel.py").read_text()


def test_every_fence_is_run_or_is_plain_text() -> None:
    languages = {block["language"] for block in BLOCK.finditer(README) if not block["hidden"]}
    assert languages == {"sh", "console", ""}
    plain = [b["body"] for b in BLOCK.finditer(README) if b["body"] and not b["language"]]
    assert not [line for body in plain for line in body.splitlines() if line.startswith("$")]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_relative_links_lead_somewhere(page: str) -> None:
    targets = links(ROOT / page)
    assert targets
    assert not [target for target in targets if not ((ROOT / page).parent / target).exists()]


def rows(heading: str, text: str = README) -> list[list[str]]:
    """The cells of the table below a heading, without its first two lines."""
    part = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_table_of_commands_is_complete() -> None:
    assert rows("Commands") == [[f"`git relay {name}`", what] for name, what in COMMANDS.items()]


def test_the_table_of_extras_is_complete() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    told = [extra.strip("` ") for cell, _ in rows("As a library") for extra in cell.split(",")]
    assert sorted(told) == sorted(project["optional-dependencies"].keys() - {"dev"})


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


@pytest.mark.parametrize("heading", ["At run time", "Extras", "For development", "For benchmarks"])
def test_every_dependency_has_its_reason(heading: str) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, groups = settings["project"], settings["dependency-groups"]
    extras = project["optional-dependencies"]
    dev = extras.pop("dev")
    optional = [one for needed in extras.values() for one in needed]
    needed = {"At run time": project["dependencies"], "Extras": optional, "For development": dev}
    needed["For benchmarks"] = groups["bench"]
    page = (ROOT / "docs" / "dependencies.md").read_text()
    named = [re.split(r"[<>=;\[]", one)[0] for one in needed[heading]]
    assert sorted(name for name, reason in rows(heading, page) if reason) == sorted(named)
