"""What people install: the wheel holds everything, and the demo runs from it, far from the tree."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.xdist_group("wheel")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once a session."""
    directory = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(directory), str(ROOT))
    [path] = directory.glob("git_relay-*.whl")
    return path


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and what it depends on, nothing else: its pip is ours."""
    directory = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(directory)
    pip = directory / "bin" / "pip"
    python = pip.with_name("python")
    pip.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pip --python "{python}" "$@"\n')
    pip.chmod(0o755)
    run(str(pip), "install", "--quiet", str(wheel))
    return directory


def run(*argv: str, cwd: Path | None = None, path: Path | None = None) -> str:
    """What it prints; `path` comes first on PATH. The tree is on no import path.

    What is installed is compiled when it is imported, as most of it never is.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env["PIP_NO_COMPILE"] = "1"
    if path:
        env["PATH"] = os.pathsep.join([str(path), env["PATH"]])
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(argv)}\n{done.stdout}{done.stderr}"
    return done.stdout


def shipped(folder: str) -> set[str]:
    """The files of a folder that git tracks or would track, relative to the root."""
    listed = run("git", "ls-files", "-co", "--exclude-standard", folder, cwd=ROOT)
    return set(listed.splitlines())


def test_templates_and_hooks_are_inside(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "hooks"):
        files = shipped(folder)
        assert files
        assert {f"relay_git/_data/{name}" for name in files} <= names
    assert "relay_git/_data/templates/bug-rca-fix/workflow.yml" in names


def test_the_package_is_typed_and_brings_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "relay_git/py.typed" in names
    tops = {name.partition("/")[0] for name in names}
    assert {top.partition("-")[0] for top in tops} == {"relay_git", "git_relay"}


def test_the_man_page_lies_where_man_looks(installed: Path) -> None:
    page = installed / "share" / "man" / "man1" / "git-relay.1"
    assert page.read_bytes() == (ROOT / "man" / "git-relay.1").read_bytes()


def test_the_program_is_git_relay(installed: Path) -> None:
    version = run("git", "relay", "--version", path=installed / "bin")
    assert version.startswith("git-relay ")
    program = "import relay_git; print(relay_git.__file__)"
    where = run(str(installed / "bin" / "python"), "-c", program, cwd=installed)
    assert str(installed) in where


def test_the_demo_runs_and_ends_with_the_lessons_of_the_first_run(installed: Path) -> None:
    output = run("sh", str(ROOT / "tools" / "demo.sh"), path=installed / "bin")
    prompt = output.rpartition("$ git relay next\n")[2]
    assert prompt.startswith("# You are the planner")
    lessons = prompt.partition("# Lessons from past runs")[2].partition("\n# ")[0]
    first = [line for line in lessons.splitlines() if line.startswith("> [") and "-first-" in line]
    assert len(first) >= 5
    assert "An `asyncio.Lock` in `RetryTimer`" in lessons
    assert "Highly relevant" in lessons


def test_it_installs_from_a_checkout_as_the_readme_says(installed: Path) -> None:
    """The dependencies are there already: this builds and installs the tree."""
    run("sh", "-c", "pip install .", cwd=ROOT, path=installed / "bin")
    assert run("git", "relay", "--version", path=installed / "bin")


TEST_OF_A_PIPELINE = """
from relay_git.pipeline import Manifest

def test_a_step(relay_pipeline, assert_clean_handoff):
    made = relay_pipeline.step_sync(Manifest("a", writes=["A"]), lambda *given: {"A": 1})
    assert assert_clean_handoff(made).payload == {"A": 1}
"""


def test_pytest_finds_the_plugin_where_it_is_installed(installed: Path, tmp_path: Path) -> None:
    python = str(installed / "bin" / "python")
    run(str(installed / "bin" / "pip"), "install", "--quiet", "pytest>=8.2")
    (tmp_path / "test_it.py").write_text(TEST_OF_A_PIPELINE)
    assert "1 passed" in run(python, "-m", "pytest", "-W", "error", cwd=tmp_path)
    without = run(python, "-m", "pytest", "-p", "no:relay", "--fixtures", cwd=tmp_path)
    assert "relay_pipeline" not in without
