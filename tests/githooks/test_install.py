from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flow import call, done, make_project
from hooking import HOOKS, commit, hooks_of, run, write_hook
from support import git, make_repo, repository

from relay_git.githooks import shims
from relay_git.githooks.install import find_place, install, status, uninstall

FAILING = "#!/bin/sh\n# our gate\nif grep -q forbidden *.txt; then\n  exit 3\nfi\n"
CURIOUS = """\
#!/bin/bash -e
here=$(cd "$(dirname "$0")" && pwd)
echo "$(basename "$0") $* in $here" >>"$here/../seen"
cat >>"$here/../seen"
exit 0
"""
PYTHON = """\
#!/usr/bin/env python3
import os, sys
with open(os.path.join(os.path.dirname(sys.argv[0]), "..", "python"), "a") as file:
    file.write(f"{os.path.basename(sys.argv[1])} {sys.stdin.read()!r}\\n")
sys.exit("no ticket" if "ticket" not in open(sys.argv[1]).read() else 0)
"""


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.name: (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        for path in folder.iterdir()
    }


def foreign_hooks(path: Path) -> dict[str, tuple[bytes, int]]:
    hooks = hooks_of(path)
    write_hook(hooks / "pre-commit", FAILING, 0o750)
    write_hook(hooks / "post-rewrite", CURIOUS, 0o775)
    write_hook(hooks / "commit-msg", PYTHON, 0o711)
    return contents(hooks)


def test_ten_installs_over_three_foreign_hooks_leave_all_as_they_were(repo_path: Path) -> None:
    before = foreign_hooks(repo_path)
    done(repo_path, "hooks", "install")
    once = contents(hooks_of(repo_path))
    for _ in range(9):
        assert done(repo_path, "hooks", "install") == "no change\n"
    assert contents(hooks_of(repo_path)) == once

    (repo_path / "a.txt").write_text("forbidden\n")
    git(repo_path, "add", "a.txt")
    refused = run(repo_path, "git", "commit", "-m", "ticket 1")
    assert refused.code == 1, "git's own code for a hook that failed"
    (repo_path / "a.txt").write_text("allowed\n")
    git(repo_path, "add", "a.txt")
    assert "no ticket" in run(repo_path, "git", "commit", "-m", "nothing").err
    old = git(repo_path, "rev-parse", "HEAD")
    git(repo_path, "commit", "-q", "-m", "ticket 1")
    assert git(repo_path, "rev-parse", "HEAD^") == old
    middle = git(repo_path, "rev-parse", "HEAD")
    git(repo_path, "commit", "-q", "--amend", "-m", "ticket 2")
    new = git(repo_path, "rev-parse", "HEAD")
    told = (repo_path / ".git" / "seen").read_text()
    assert told == f"post-rewrite amend in {hooks_of(repo_path)}\n{middle} {new}\n"
    assert (repo_path / ".git" / "python").read_text().count("COMMIT_EDITMSG ''") == 3

    done(repo_path, "hooks", "uninstall")
    assert contents(hooks_of(repo_path)) == before
    assert done(repo_path, "hooks", "uninstall") == "no change\n"


def test_stdin_reaches_both_us_and_the_hook_behind_us(repo_path: Path, tmp_path: Path) -> None:
    """Rewritten commits are told on standard input, which can be read only once."""
    write_hook(hooks_of(repo_path) / "post-rewrite", CURIOUS)
    install(repository(repo_path))
    ours = write_hook(tmp_path / "git-relay", f'#!/bin/sh\ncat >"{tmp_path}/ours"\n')
    hook = hooks_of(repo_path) / "post-rewrite"
    hook.write_text(hook.read_text().replace(shims.program(), str(ours)))
    (repo_path / ".git" / "relay").mkdir()
    (repo_path / ".git" / "relay" / "noted").touch()
    pairs = "".join(f"{n:040x} {n + 1:040x}\n" for n in range(3000))
    assert run(repo_path, str(hook), "rebase", input=pairs) == (0, "", "")
    assert (tmp_path / "ours").read_text() == pairs
    assert (repo_path / ".git" / "seen").read_text().partition("\n")[2] == pairs


def test_a_hook_without_shebang_and_one_without_newline_come_back(repo_path: Path) -> None:
    hooks = hooks_of(repo_path)
    write_hook(hooks / "pre-commit", "exit 7")
    write_hook(hooks / "post-merge", "#!/bin/sh")
    write_hook(hooks / "post-commit", "")
    before = contents(hooks)
    install(repository(repo_path))
    assert run(repo_path, "git", "commit", "--allow-empty", "-m", "x").code == 1
    assert run(repo_path, "sh", str(hooks / "pre-commit")).code == 7
    assert run(repo_path, str(hooks / "post-merge")).code == 0
    uninstall(repository(repo_path))
    assert contents(hooks) == before


def test_a_hook_that_is_a_link_is_moved_and_its_target_left_alone(repo_path: Path) -> None:
    target = write_hook(repo_path / "scripts" / "check", "#!/bin/sh\nexit 5\n")
    link = hooks_of(repo_path) / "pre-commit"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to("../../scripts/check")
    install(repository(repo_path))
    assert target.read_text() == "#!/bin/sh\nexit 5\n"
    assert run(repo_path, str(link)).code == 5
    uninstall(repository(repo_path))
    assert os.readlink(link) == "../../scripts/check"


def test_a_hook_that_git_passes_over_stays_passed_over(repo_path: Path) -> None:
    hook = write_hook(hooks_of(repo_path) / "pre-commit", "#!/bin/sh\nexit 1\n", 0o644)
    before = contents(hook.parent)
    install(repository(repo_path))
    assert not [state for state in status(repository(repo_path)) if state.problem]
    commit(repo_path, "a.txt")
    uninstall(repository(repo_path))
    assert contents(hook.parent) == before


@pytest.mark.parametrize("text", [b"#!/bin/sh\r\nexit 0\r\n", b"\xef\xbb\xbf#!/bin/sh\nexit 0\n"])
def test_a_hook_that_no_sh_can_run_is_refused_and_the_others_go_in(
    repo_path: Path, text: bytes
) -> None:
    hook = write_hook(hooks_of(repo_path) / "post-merge", text)
    refused = call(repo_path, "hooks", "install")
    assert refused.code == 1
    assert str(hook) in refused.err
    assert "save it as plain UTF-8" in refused.err
    assert hook.read_bytes() == text
    assert {s.hook for s in status(repository(repo_path)) if s.problem} == {"post-merge"}


def test_lines_added_to_a_hook_of_ours_stay(repo_path: Path) -> None:
    install(repository(repo_path))
    hook = hooks_of(repo_path) / "post-checkout"
    hook.write_text(hook.read_text() + "echo mine\n")
    install(repository(repo_path))
    uninstall(repository(repo_path))
    assert hook.read_text() == "#!/bin/sh\necho mine\n"


def test_a_copy_that_another_tool_made_of_ours_runs_once_and_goes_too(repo_path: Path) -> None:
    """As pre-commit does: it moves a hook to `.legacy` and calls it."""
    install(repository(repo_path))
    hook = hooks_of(repo_path) / "pre-commit"
    hook.rename(hook.with_name("pre-commit.legacy"))
    write_hook(hook, '#!/bin/sh\n"$0.legacy" "$@" || exit 9\necho theirs >>ran\n')
    before = hook.read_bytes()
    install(repository(repo_path))
    assert run(repo_path, str(hook)).code == 0
    assert (repo_path / "ran").read_text() == "theirs\n"
    uninstall(repository(repo_path))
    assert contents(hook.parent).keys() >= {"pre-commit"}
    assert hook.read_bytes() == before
    assert not hook.with_name("pre-commit.legacy").exists()


def test_another_hook_over_ours_is_named_and_nothing_is_lost(repo_path: Path) -> None:
    hook = write_hook(hooks_of(repo_path) / "commit-msg", PYTHON)
    install(repository(repo_path))
    write_hook(hook, "#!/usr/bin/env ruby\n")
    report = install(repository(repo_path))
    [problem] = report.problems
    assert problem.what == "another hook was moved aside already"
    assert hook.read_text() == "#!/usr/bin/env ruby\n"
    assert hook.with_name(f"commit-msg{shims.KEPT}").read_text() == PYTHON
    [problem] = uninstall(repository(repo_path)).problems
    assert "has taken its place" in problem.what


def test_many_installs_at_once_lose_nobodys_hook(repo_path: Path) -> None:
    before = foreign_hooks(repo_path)
    command = [sys.executable, "-P", "-m", "relay_git", "hooks", "install"]
    with ThreadPoolExecutor(6) as pool:
        codes = pool.map(lambda _: subprocess.run(command, cwd=repo_path).returncode, range(6))
    assert set(codes) == {0}
    assert not [state for state in status(repository(repo_path)) if state.problem]
    uninstall(repository(repo_path))
    assert contents(hooks_of(repo_path)) == before


def test_a_crash_between_moving_aside_and_putting_in_is_made_good(repo_path: Path) -> None:
    hook = write_hook(hooks_of(repo_path) / "commit-msg", PYTHON)
    before = contents(hook.parent)
    os.link(hook, hook.with_name(f"commit-msg{shims.KEPT}"))
    uninstall(repository(repo_path))
    assert contents(hook.parent) == before
    os.link(hook, hook.with_name(f"commit-msg{shims.KEPT}"))
    assert not install(repository(repo_path)).problems
    uninstall(repository(repo_path))
    assert contents(hook.parent) == before


@pytest.mark.parametrize("place", ["inside", "outside"])
def test_hooks_of_another_tool_are_left_alone_and_the_line_is_named(
    repo_path: Path, tmp_path: Path, place: str
) -> None:
    theirs = repo_path / ".husky" if place == "inside" else tmp_path / "global-hooks"
    theirs.mkdir()
    git(repo_path, "config", "core.hooksPath", ".husky" if place == "inside" else str(theirs))
    told = done(repo_path, "hooks", "install")
    assert os.listdir(theirs) == []
    line = next(line for line in told.splitlines() if "add to pre-commit: " in line)
    added = line.partition(": ")[2]
    write_hook(theirs / "pre-commit", f"#!/usr/bin/env sh\n{added}\necho theirs >ran\n")
    (repo_path / ".relay").mkdir()
    (repo_path / ".relay" / "relay.yml").write_text("version: [\n")
    git(repo_path, "add", ".relay")
    refused = run(repo_path, "git", "commit", "-m", "x")
    assert refused.code == 1
    assert ".relay/relay.yml" in refused.err
    assert not (repo_path / "ran").exists()
    git(repo_path, "rm", "-q", "--cached", "-r", ".relay")
    commit(repo_path, "a.txt")
    assert (repo_path / "ran").exists()
    done(repo_path, "hooks", "uninstall")
    assert os.listdir(theirs) == ["pre-commit"]
    assert not (repo_path / ".git" / "relay" / "hooks").exists()
    commit(repo_path, "b.txt")


def test_a_hooks_folder_that_is_a_link_into_the_project_is_somebody_elses(repo_path: Path) -> None:
    (repo_path / "githooks").mkdir()
    shutil.rmtree(hooks_of(repo_path), ignore_errors=True)
    (repo_path / ".git" / "hooks").symlink_to("../githooks")
    assert find_place(repository(repo_path)).managed
    install(repository(repo_path))
    assert os.listdir(repo_path / "githooks") == []


def test_hooks_go_where_git_looks_from_a_worktree_a_submodule_and_below_a_bare_repository(
    tmp_path: Path,
) -> None:
    main = make_repo(tmp_path / "main")
    git(main, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked" / "below").mkdir()
    assert find_place(repository(tmp_path / "linked" / "below")).directory == str(hooks_of(main))

    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(main), "sub")
    expected = main / ".git" / "modules" / "sub" / "hooks"
    assert find_place(repository(main / "sub")).directory == str(expected)

    git(tmp_path, "clone", "-q", "--bare", str(main), "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "tree"))
    assert find_place(repository(tmp_path / "tree")).directory == str(tmp_path / "bare.git/hooks")


def test_init_puts_the_hooks_in_and_uninit_takes_them_out(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    samples = contents(hooks_of(project))
    told = done(project, "init")
    assert f"set up {len(HOOKS)} hooks in {hooks_of(project)}" in told
    assert done(project, "init") == "everything is set up already\n"
    told = done(project, "uninit")
    assert f"took out {len(HOOKS)} hooks" in told
    assert contents(hooks_of(project)) == samples
    done(project, "init", "--no-hooks")
    assert contents(hooks_of(project)) == samples


def test_status_names_what_is_wrong(repo_path: Path, tmp_path: Path) -> None:
    install(repository(repo_path))
    hooks = hooks_of(repo_path)
    (hooks / "pre-commit").unlink()
    (hooks / "commit-msg").chmod(0o644)
    write_hook(hooks / "post-merge", "#!/bin/sh\n")
    gone = (hooks / "post-commit").read_text().replace(shims.program(), f"{tmp_path}/gone")
    (hooks / "post-commit").write_text(gone)
    older = (hooks / "post-rewrite").read_text().replace("relay_at", "relay_old")
    (hooks / "post-rewrite").write_text(older)
    found = {state.hook: state.state for state in status(repository(repo_path)) if state.problem}
    assert found == {
        "pre-commit": "missing",
        "commit-msg": "not executable",
        "post-merge": "replaced by another hook",
        "post-commit": f"calling {tmp_path}/gone, which is gone",
        "post-rewrite": "of another version",
    }
    install(repository(repo_path))
    assert {s.hook for s in status(repository(repo_path)) if s.problem} == {"commit-msg"}
