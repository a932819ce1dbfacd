"""After uninit nothing of ours runs, what stays is named, and its drops work."""

from __future__ import annotations

from pathlib import Path

from flow import call, done
from hooking import commit, hooked, hooks_of, run
from support import git


def test_uninit_leaves_no_hook_no_setting_and_names_the_rest(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    done(project, "start")
    commit(project, "a.txt")
    told = done(project, "uninit")
    assert [path for path in hooks_of(project).iterdir() if path.suffix != ".sample"] == []
    assert "relay" not in git(project, "config", "--list", "--local")
    before = git(project, "for-each-ref", "refs/relay", "refs/notes")
    commit(project, "b.txt")
    assert "Relay-Run" not in git(project, "log", "-1", "--format=%B")
    assert git(project, "for-each-ref", "refs/relay", "refs/notes") == before
    drops = [line.partition(": ")[2] for line in told.splitlines() if "to drop it: " in line]
    assert len(drops) == 4
    for drop in drops:
        assert run(project, "sh", "-c", drop).code == 0
    assert git(project, "for-each-ref", "refs/relay", "refs/notes") == ""
    assert not (project / ".git/relay").exists()
    git(project, "checkout", "-q", "-b", "other")


def test_hooks_pass_over_what_a_newer_version_wrote_and_keep_it(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    (project / ".relay/relay.yml").write_text("version: 99\nfuture: true\n")
    git(project, "add", ".relay")
    refused = run(project, "git", "commit", "-m", "x")
    assert refused.code == 1
    assert "version 99 is newer" in refused.err
    assert "upgrade git-relay" in refused.err
    assert run(project, "git", "commit", "-q", "-m", "x", GIT_RELAY="0").code == 0
    commit(project, "a.txt")
    assert (project / ".relay/relay.yml").read_text() == "version: 99\nfuture: true\n"
    assert "newer" in call(project, "validate").err
