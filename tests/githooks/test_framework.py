"""The hooks that we offer to pre-commit, run by pre-commit itself from this checkout.

They are of `language: system`, so nothing is installed: pre-commit clones the repository that
holds `.pre-commit-hooks.yaml`, and the hooks call the git-relay on PATH.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from flow import APPROVED, copy_of, done, draft, make_project, write
from hooking import Done, hooks_of, program, run, with_program
from ruamel.yaml import YAML
from support import git, make_repo, repository

from relay_git.githooks.install import install, status

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
STAGES = (
    *("pre-commit", "commit-msg", "post-commit", "post-merge", "post-checkout", "post-rewrite"),
    "pre-push",
)
SECRET = "ghp_" + "a1B2c3D4e5" * 4
CONFIG = """\
repos:
- repo: {repo}
  rev: {rev}
  hooks:
  - {{id: relay-check}}
  - {{id: relay-lessons}}
  - {{id: relay-redact}}
  - {{id: relay-trailer}}
  - {{id: relay-settle, verbose: true}}
  - {{id: relay-push, verbose: true}}
"""


@pytest.fixture(autouse=True)
def on_path(monkeypatch: pytest.MonkeyPatch, sealed: Path) -> None:
    """git-relay is found, and pre-commit keeps its clones among the homes of these tests."""
    monkeypatch.setenv("PATH", with_program())
    monkeypatch.setenv("PRE_COMMIT_HOME", str(sealed.with_name("pre-commit")))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with pre-commit in charge of every hook that we have something for."""
    return copy_of("in-charge-of-pre-commit", build, tmp_path / "project")


@pytest.fixture
def gated(project: Path) -> Path:
    """Where it is called before a commit alone."""
    for stage in STAGES[1:]:
        (hooks_of(project) / stage).unlink()
    return project


def build(path: Path) -> None:
    offered = make_repo(path.parent.parent / "offered to pre-commit", commit=False)
    shutil.copy(MANIFEST, offered)
    git(offered, "add", ".")
    git(offered, "commit", "-q", "-m", "hooks")
    make_project(path)
    done(path, "init", "--no-hooks")
    config = CONFIG.format(repo=offered, rev=git(offered, "rev-parse", "HEAD"))
    (path / ".pre-commit-config.yaml").write_text(config)
    git(path, "add", ".pre-commit-config.yaml")
    git(path, "commit", "-q", "-m", "pre-commit")
    types = [word for stage in STAGES for word in ("-t", stage)]
    assert framework(path, "install", *types).code == 0


def framework(path: Path, *words: str) -> Done:
    return run(path, sys.executable, "-m", "pre_commit", *words)


def commit(path: Path, *words: str) -> Done:
    git(path, "add", ".")
    return run(path, "git", "commit", "-m", "work", *words)


def test_the_manifest_offers_six_hooks_with_their_stages() -> None:
    assert framework(ROOT, "validate-manifest", str(MANIFEST)).code == 0
    offered = YAML(typ="safe").load(MANIFEST)
    stages = {hook["id"]: set(hook["stages"]) for hook in offered}
    assert stages.keys() == {
        "relay-check",
        "relay-lessons",
        "relay-redact",
        "relay-trailer",
        "relay-settle",
        "relay-push",
    }
    assert stages["relay-trailer"] == {"commit-msg"}
    assert stages["relay-push"] == {"pre-push"}
    assert stages["relay-settle"] == {"post-commit", "post-merge", "post-checkout", "post-rewrite"}


def test_run_over_all_files_finds_what_is_wrong_and_passes_when_mended(gated: Path) -> None:
    assert framework(gated, "run", "--all-files").code == 0
    settings = gated / ".relay/relay.yml"
    settings.write_text("version: 1\nmax_artefact_chars: 3\n")
    (gated / ".relay/notes.txt").write_text(f"{SECRET}\n")
    git(gated, "add", ".relay")
    found = framework(gated, "run", "--all-files")
    assert found.code == 1
    assert ".relay/relay.yml:2: " in found.out
    assert ".relay/notes.txt:1: a secret (github-token)" in found.out
    assert SECRET not in found.out
    assert commit(gated).code == 1
    assert program(gated, "hook", "pre-commit").code == 1
    assert program(gated, "hook", "pre-commit", GIT_RELAY="0") == (0, "", "")
    settings.write_text("version: 1\n")
    (gated / ".relay/notes.txt").write_text("fine\n")
    assert commit(gated).code == 0


def test_the_page_is_rebuilt_and_the_commit_stopped_once(gated: Path) -> None:
    done(gated, "lessons", "add", "planner", "Name every file")
    page = gated / ".relay/LESSONS.md"
    page.write_text("old\n")
    stopped = commit(gated)
    assert stopped.code == 1
    assert ".relay/LESSONS.md: rebuilt" in stopped.err
    assert "Name every file" in page.read_text()
    assert commit(gated).code == 0


def test_a_deletion_is_seen_though_pre_commit_passes_over_it(gated: Path) -> None:
    done(gated, "lessons", "add", "planner", "Name every file")
    assert commit(gated).code == 0
    [lesson] = (gated / ".relay/lessons/planner").glob("*.md")
    lesson.unlink()
    git(gated, "add", "-A")
    stopped = run(gated, "git", "commit", "-m", "x")
    assert stopped.code == 1
    assert "write the reason there" in stopped.err


def test_a_run_is_recorded_settled_and_named_and_a_merge_settles_too(project: Path) -> None:
    done(project, "start")
    draft(project)
    (project / "code.py").write_text("code\n")
    assert commit(project).code == 0
    assert git(project, "log", "-1", "--format=%(trailers:key=Relay-Run,valueonly)")
    subjects = git(project, "log", "--format=%s", "--glob=refs/relay/runs").splitlines()
    assert subjects[0].startswith("commit ")
    write(project, "review.md", APPROVED)
    ended = commit(project, "--allow-empty", "-m", "Relay-Advance: review.1=approve")
    assert ended.code == 0
    assert "review: approve → done" in ended.err
    assert git(project, "for-each-ref", "refs/relay/runs") == ""

    git(project, "checkout", "-q", "-b", "side")
    (project / "side.py").write_text("side\n")
    assert commit(project).code == 0
    git(project, "checkout", "-q", "main")
    merged = run(project, "git", "merge", "--no-ff", "-m", "merge", "side")
    assert merged.code == 0
    assert "Passed" in merged.err
    assert run(project, "git", "commit", "-q", "--amend", "-m", "amended").code == 0


def test_our_own_hooks_and_pre_commit_stand_beside_each_other(project: Path) -> None:
    before = (hooks_of(project) / "pre-commit").read_bytes()
    assert not install(repository(project)).problems
    assert {state.state for state in status(repository(project))} == {"in front of your hook"}
    (project / ".relay/notes.txt").write_text(f"{SECRET}\n")
    assert commit(project).code == 1
    (project / ".relay/notes.txt").write_text("fine\n")
    done(project, "start")
    assert commit(project).code == 0
    subjects = git(project, "log", "--format=%s", "--glob=refs/relay/runs").splitlines()
    assert [subject.split()[0] for subject in subjects] == ["commit", "start"], "recorded once"
    done(project, "hooks", "uninstall")
    assert (hooks_of(project) / "pre-commit").read_bytes() == before
    assert framework(project, "uninstall").code == 0


def test_runs_go_along_with_a_push_where_that_is_asked_for(project: Path, tmp_path: Path) -> None:
    hub = tmp_path / "hub"
    git(tmp_path, "init", "-q", "--bare", str(hub))
    git(project, "remote", "add", "hub", str(hub))
    done(project, "start")
    assert run(project, "git", "push", "-q", "hub", "main").code == 0
    assert git(hub, "for-each-ref", "refs/relay") == ""
    git(project, "config", "relay.push", "auto")
    git(project, "commit", "-q", "--allow-empty", "--no-verify", "-m", "x")
    pushed = run(project, "git", "push", "-q", "hub", "main")
    assert pushed.code == 0
    assert "1 run to hub" in pushed.out + pushed.err
    assert git(hub, "for-each-ref", "refs/relay/runs") != ""
