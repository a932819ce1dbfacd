from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import git, make_repo, processes

from relay_git.errors import GitError, RelayError
from relay_git.git import process


def test_an_error_holds_command_code_and_both_streams(tmp_path: Path) -> None:
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    with pytest.raises(GitError) as caught:
        process.run(sys.executable, "-c", script, cwd=str(tmp_path))
    text = str(caught.value)
    assert "exit code 3" in text
    assert "stdout: out" in text
    assert "stderr: err" in text
    assert sys.executable in text


def test_unchecked_failure_is_returned(tmp_path: Path) -> None:
    result = process.git("rev-parse", "HEAD", cwd=str(tmp_path), check=False)
    assert result.code == 128
    assert b"not a git repository" in result.stderr


def test_bytes_pass_unchanged(tmp_path: Path) -> None:
    data = bytes(range(256)) * 500
    assert process.run("cat", cwd=str(tmp_path), input=data).stdout == data


def test_git_speaks_english_and_never_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    env = process.environment(foreign=False)
    assert env["LC_ALL"] == "C"
    assert env["GIT_TERMINAL_PROMPT"] == "0"


def test_a_deadline_ends_the_process_and_names_it(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(GitError, match=r"sleep 30.*0\.2 seconds"):
        process.run("sleep", "30", cwd=str(tmp_path), timeout=0.2)
    assert time.monotonic() - started < 10


def test_a_deadline_lets_git_remove_its_locks(repo_path: Path) -> None:
    """A reference-transaction hook that hangs: git holds the ref's lock meanwhile."""
    hook = repo_path / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\nexec sleep 30\n")
    hook.chmod(0o755)
    with pytest.raises(GitError):
        process.git("update-ref", "refs/x/y", "HEAD", cwd=str(repo_path), timeout=0.5)
    assert not list(repo_path.rglob("*.lock"))


def test_missing_git_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RelayError, match=r"cannot start git.*install git"):
        process.git("version", cwd=str(tmp_path))


def test_missing_directory_is_not_taken_for_missing_git(tmp_path: Path) -> None:
    with pytest.raises(RelayError, match="no such directory"):
        process.git("version", cwd=str(tmp_path / "gone"))


def test_a_foreign_repository_is_the_one_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hazard 2: in a hook of a linked worktree, GIT_DIR would send us to the caller's."""
    mine, other = make_repo(tmp_path / "mine"), make_repo(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(mine / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(mine / ".git/index"))
    ask = ("rev-parse", "--absolute-git-dir")
    kept = process.git(*ask, cwd=str(other)).stdout.decode().strip()
    scrubbed = process.git(*ask, cwd=str(other), foreign=True).stdout.decode().strip()
    assert kept == str(mine / ".git")
    assert scrubbed == str(other / ".git")


def test_foreign_scrubs_every_name_that_git_lists(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = git(repo_path, "rev-parse", "--local-env-vars").split()
    for name in names:
        monkeypatch.setenv(name, "x")
    assert len(names) > 10
    assert not set(names) & process.environment(foreign=True).keys()
    assert set(names) <= process.environment(foreign=False).keys()


def test_the_trace_has_one_line_a_process(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
    process.git("version", cwd=str(repo_path))
    process.git("config", "a.b", "two\nlines", cwd=str(repo_path))
    assert [json.loads(line)[:2] for line in trace.read_text().splitlines()] == [
        ["git", "version"],
        ["git", "config"],
    ]
    assert len(processes(trace)) == 2


def test_a_child_answers_many_requests(repo_path: Path) -> None:
    child = process.spawn("cat-file", "--batch-check", cwd=str(repo_path))
    for _ in range(3):
        child.send(b"HEAD\n")
        assert b" commit " in child.line()
    assert child.alive
    child.close()
    assert not child.alive


def test_a_child_that_ends_tells_its_last_words(repo_path: Path) -> None:
    child = process.spawn("update-ref", "--stdin", cwd=str(repo_path))
    child.send(b"nonsense\n")
    with pytest.raises(process.Ended) as caught:
        child.line()
    assert b"unknown command" in caught.value.stderr
    assert "exit code 128" in str(caught.value)


def test_a_silent_child_meets_its_deadline(repo_path: Path) -> None:
    child = process.spawn("cat-file", "--batch", cwd=str(repo_path))
    with pytest.raises(GitError, match="did not answer in time"):
        child.line(timeout=0.1)
    assert not child.alive


def test_a_fork_does_not_share_the_conversation(repo_path: Path) -> None:
    child = process.spawn("cat-file", "--batch", cwd=str(repo_path))
    pid = os.fork()
    if pid == 0:
        os._exit(1 if child.alive else 0)
    assert os.waitpid(pid, 0)[1] == 0
    assert child.alive
    child.close()


def test_an_interrupt_leaves_no_child(tmp_path: Path) -> None:
    script = (
        "from relay_git.git import process\n"
        "print('ready', flush=True)\n"
        "process.run('sh', '-c', 'echo $$ > pid; exec sleep 60', cwd='.')\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, env=env, stderr=subprocess.PIPE
    )
    pid_file = tmp_path / "pid"
    for _ in range(200):
        if pid_file.exists() and pid_file.read_text():
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=20)
    assert b"KeyboardInterrupt" in stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
