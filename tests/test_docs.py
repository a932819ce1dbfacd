"""Each page of docs/ works as written in a fresh clone (see `pages.py`), and its text holds."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from pages import BLOCK, ROOT, Command, Session, acts, links
from support import git, make_repo

from relay_git import main, pipeline
from relay_git.backends.presets import PRESETS
from relay_git.cli_model import program, walk

DOCS = ROOT / "docs"
TASKS = (
    *("by-hand", "agent-cli", "review-lessons", "own-workflow", "team", "pipeline"),
    "troubleshooting",
)


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Ada's, of a small project on a server beside it."""
    first = make_repo(tmp_path / "first", commit=False)
    (first / "README.md").write_text("# A project\n")
    git(first, "add", ".")
    git(first, "commit", "-q", "-m", "first")
    git(tmp_path, "clone", "-q", "--bare", "first", "origin.git")
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), "project")
    return tmp_path / "project"


@pytest.mark.parametrize("name", TASKS)
def test_a_page_works_as_written_in_a_fresh_clone(name: str, clone: Path, tmp_path: Path) -> None:
    text = page(name)
    shown = [act for act in acts(text) if isinstance(act, Command) and act.output]
    assert len(shown) >= 4
    Session(clone, tmp_path).follow(text)


def test_every_page_is_tested_and_linked_from_the_readme() -> None:
    pages = {path.stem for path in DOCS.glob("*.md")} - {"dependencies"}
    assert pages == set(TASKS)
    linked = links(ROOT / "README.md")
    assert [link for link in linked if link[:5] == "docs/" and link[5:-3] in pages] == [
        f"docs/{name}.md" for name in TASKS
    ]


@pytest.mark.parametrize("name", TASKS)
def test_links_lead_somewhere(name: str) -> None:
    assert not [link for link in links(DOCS / f"{name}.md") if not (DOCS / link).exists()]


@pytest.mark.parametrize("name", TASKS)
def test_links_into_a_page_find_their_heading(name: str) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", page(name)):
        headings = re.findall(r"^#+ (.*)$", (DOCS / target).read_text(), re.M)
        assert anchor in {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("name", TASKS)
def test_a_fence_is_run_or_written_to_a_file(name: str) -> None:
    for block in BLOCK.finditer(page(name)):
        assert block["hidden"] or block["file"] or block["language"] == "console", block[0]


def _mentioned(text: str) -> list[list[str]]:
    """The words of every command of ours that the prose names."""
    prose = BLOCK.sub("", text)
    spans = re.findall(r"`(git relay [^`]*)`", prose, re.S)
    return [shlex.split(" ".join(span.split()))[2:] for span in spans]


@pytest.mark.parametrize("name", TASKS)
def test_commands_and_options_in_the_text_exist(name: str) -> None:
    options = {
        path: {flag for option in verb.options for flag in option.flags}
        for path, verb in walk(program())
    }
    mentioned = _mentioned(page(name))
    assert mentioned
    for words in mentioned:
        path = tuple(words[: 2 if tuple(words[:2]) in options else 1])
        assert path in options, words
        assert {word for word in words if word.startswith("--")} <= options[path], words


def _rows(text: str, first: str) -> list[list[str]]:
    """The cells of the table whose first heading that is."""
    table = text.partition(f"\n| {first} |")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n")[2:]]


def test_the_table_of_backends_is_what_is_run() -> None:
    shown = {name.strip("`"): line.strip("`") for name, line in _rows(page("agent-cli"), "backend")}
    lines = {n: " ".join((*p.argv, *p.editing, *p.last)) for n, p in PRESETS.items()}
    assert shown == lines


def test_the_table_of_exit_codes_is_complete() -> None:
    codes = [int(row[0]) for row in _rows(page("troubleshooting"), "code")]
    assert codes == [main.OK, main.REFUSED, main.USAGE, main.BUG, main.INTERRUPTED]


def test_the_table_of_pipeline_codes_is_complete() -> None:
    cells = [row[0] for row in _rows(page("pipeline"), "code") if len(row) == 2]
    assert [code for cell in cells for code in cell.split(", ")] == list(pipeline.Code)


def test_every_name_of_the_pipeline_library_is_explained_once() -> None:
    named = [row[0] for row in _rows(page("pipeline"), "of `relay_git.pipeline`")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(named))) == sorted(pipeline.__all__)


def test_every_method_of_a_pipeline_is_named() -> None:
    public = {name for name in vars(pipeline.Pipeline) if not name.startswith("_")}
    told = _rows(page("pipeline"), "of `relay_git.pipeline`")[0][1]
    assert set(re.findall(r"`(\w+)`", told)) == public - {"name"}


def test_the_refusals_that_are_explained_are_said() -> None:
    source = "".join(path.read_text() for path in (ROOT / "relay_git").rglob("*.py"))
    told = [re.findall(r"`([^`]+)`", row[0]) for row in _rows(page("troubleshooting"), "it says")]
    assert len(told) >= 5
    assert all(said in source for row in told for said in row)
