"""`git relay run` as a person meets it: what it prints, what it refuses, how it is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from agents import prompts, scripted, writing
from chat import completion, service
from flow import (
    APPROVED,
    Answer,
    artifact,
    call,
    done,
    everything,
    outcome,
    run_ref,
    spawn,
    started,
)
from support import git, is_gone
from terminal import Terminal

WAITS = "pathlib.Path('waiting').write_text(str(subprocess.os.getpid())); time.sleep(60)"
QUICK = """
import sys
from relay_git.backends import manual
from relay_git.main import main
manual._LOOK = manual._STILL = 0.1
sys.exit(main(sys.argv[1:]))
"""
"""The program, which looks again soon."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return started(tmp_path / "p")


def until(file: Path) -> None:
    deadline = time.monotonic() + 30
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert file.exists()


# What it prints


def test_json_is_one_document_of_all_steps(path: Path) -> None:
    scripted(path, draft=writing("draft.md", "A draft.\n"), review=writing("review.md", APPROVED))
    told = json.loads(done(path, "run", "--loop", "--json"))
    assert (told["status"], told["error"]) == ("done", None)
    first, last = told["steps"]
    assert (first["stage"], first["status"], first["rerun"]) == ("review", "open", False)
    assert last["settled"]["status"] == "done"
    assert not last["by_itself"] and last["warnings"] == []


def test_json_tells_a_failure_beside_what_was_done(path: Path) -> None:
    scripted(path, draft=writing("draft.md", "A draft.\n"), review="sys.exit('no more')")
    answer = call(path, "run", "--loop", "--json")
    assert answer.code == 1
    told = json.loads(answer.out)
    assert len(told["steps"]) == 1
    assert told["error"]["what"] == "agent failed with exit code 1: no more"
    assert answer.err.count("\n") == 1


def test_a_program_is_played_that_only_the_command_line_names(path: Path) -> None:
    scripted(path, "mine", draft=writing("draft.md", "A draft.\n"))
    git(path, "config", "relay.backend", "manual")
    assert "draft → review" in done(path, "run", "--backend", "mine")


# What it refuses


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (
            ("--backend", "oracle"),
            1,
            "--backend: no backend is called 'oracle'; use manual, claude",
        ),
        (("--backend", "openai"), 1, "no key in the environment variable OPENAI_API_KEY"),
        (("--backend", "anthropic"), 1, "no key in the environment variable ANTHROPIC_API_KEY"),
        (("--backend", "codex"), 1, "cannot start codex: No such file or directory"),
        (("--max-steps", "3"), 2, "--max-steps goes with --loop"),
        (("--loop", "--max-steps", "0"), 2, "'0' is not a number of steps"),
        (("--loop", "--max-steps", "many"), 2, "'many' is not a number of steps"),
    ],
)
def test_bad_input_gets_a_clear_line_and_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, why: str
) -> None:
    git_only = path.parent / "bin"
    git_only.mkdir()
    (git_only / "git").symlink_to(next(filter(os.path.exists, ("/usr/bin/git", "/bin/git"))))
    before = everything(path)
    monkeypatch.setenv("PATH", str(git_only))
    answer = call(path, "run", *words)
    monkeypatch.undo()
    assert (answer.code, answer.out) == (code, "")
    assert why in answer.err
    assert answer.err.count("\n") == 1
    assert {k: v for k, v in everything(path).items() if k in before} == before


def test_a_tracked_file_names_no_program(path: Path) -> None:
    (path / ".relay/relay.yml").write_text("version: 1\nbackend: 'touch evil'\n")
    answer = call(path, "run")
    assert answer.code == 1
    assert ".relay/relay.yml:2: 'touch evil' is not a valid name" in answer.err
    (path / ".relay/relay.yml").write_text("version: 1\nbackend: touch\n")
    assert ".relay/relay.yml: no backend is called 'touch'" in call(path, "run").err


def test_a_role_names_its_backend(tmp_path: Path) -> None:
    path = started(tmp_path / "p")
    scripted(path, "one", draft=writing("draft.md", "A draft.\n"))
    role = path / ".relay/workflows/loop/roles/critic.yml"
    role.write_text("name: critic\nsystem_prompt: Judge.\nbackend: openai\nmodel: small\n")
    done(path, "start")
    with service(completion(APPROVED)) as server:
        git(path, "config", "relay.openai.url", server.url)
        assert "is done and filed" in done(path, "run", "--loop")
    assert server.questions[0].body["model"] == "small"


# How it is stopped


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_agent_and_leaves_the_run_as_it_was(
    path: Path, number: signal.Signals
) -> None:
    half = writing("draft.md", "Half a dr")
    child = "subprocess.Popen(['sleep', '60']).pid"
    line = f"{half}; pathlib.Path('child').write_text(str({child})); {WAITS}"
    scripted(path, draft=line)
    before = git(path, "rev-parse", run_ref(path))
    program = spawn(path, "run", "--loop")
    until(path / "waiting")
    os.killpg(program.pid, number)
    answer = outcome(program)
    assert (answer.code, answer.err) == (130, "git relay: interrupted\n")
    assert is_gone(int((path / "waiting").read_text()))
    assert is_gone(int((path / "child").read_text()))
    assert git(path, "rev-parse", run_ref(path)) == before
    assert artifact(path, "draft.md").read_text() == "Half a dr"
    scripted(path, draft=writing("draft.md", "A draft.\n"))
    assert "draft → review" in done(path, "run")


def test_an_agent_that_ignores_the_signal_is_killed(path: Path) -> None:
    scripted(path, draft=f"import signal; signal.signal(15, signal.SIG_IGN); {WAITS}")
    program = spawn(path, "run")
    until(path / "waiting")
    started = time.monotonic()
    os.killpg(program.pid, signal.SIGINT)
    assert outcome(program).code == 130
    assert time.monotonic() - started < 10
    assert is_gone(int((path / "waiting").read_text()))


def test_a_service_is_left_at_once(path: Path) -> None:
    with service(completion("late")._replace(wait=60)) as server:
        git(path, "config", "relay.openai.url", server.url)
        git(path, "config", "relay.openai.model", "small")
        program = spawn(path, "run", "--backend", "openai")
        while not server.questions:
            assert program.poll() is None
            time.sleep(0.02)
        os.killpg(program.pid, signal.SIGINT)
        answer = outcome(program)
    assert (answer.code, answer.err) == (130, "git relay: interrupted\n")
    assert not artifact(path, "draft.md").exists()


# By hand, and on a terminal


def test_by_hand_the_prompt_is_shown_and_enter_goes_on(path: Path) -> None:
    terminal = Terminal(path, "run")
    terminal.until("waiting for the files, or for Enter")
    assert b"\r\x1b[K# You are the author" in terminal.shown
    artifact(path, "draft.md").write_text("By hand.\n")
    terminal.press("\n")
    terminal.until("draft → review")
    assert terminal.end() == 0
    assert "Made by" not in done(path, "log")


def by_hand(path: Path, *words: str) -> Answer:
    """The file is written when the prompt is there."""
    program = subprocess.Popen(
        [sys.executable, "-c", QUICK, "run", *words],
        cwd=path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stderr
    heard = list(iter(program.stderr.readline, "git relay: waiting for the files, or for Enter\n"))
    artifact(path, "draft.md").write_text("By hand.\n")
    answer = outcome(program)
    return answer._replace(err="".join(heard) + answer.err)


def test_by_hand_it_goes_on_when_the_file_is_written(path: Path) -> None:
    answer = by_hand(path)
    assert answer.code == 0
    assert "draft → review" in answer.out
    assert answer.out.startswith("# You are the author")


def test_by_hand_json_stays_json(path: Path) -> None:
    answer = by_hand(path, "--json")
    assert json.loads(answer.out)["status"] == "open"
    assert "# You are the author" in answer.err


def test_a_terminal_shows_who_is_at_work_and_what_is_heard(path: Path) -> None:
    line = "print('reading \\x1b[31mcode', file=sys.stderr, flush=True); time.sleep(1.1)"
    scripted(path, draft=f"{line}; {writing('draft.md', 'A draft.')}")
    terminal = Terminal(path, "run")
    terminal.until("draft: author (agent): 1 s")
    terminal.until("reading \N{REPLACEMENT CHARACTER}[31mcode")
    terminal.until("draft → review")
    assert terminal.end() == 0


def test_elsewhere_nothing_is_shown_of_it(path: Path) -> None:
    log = scripted(path, draft=f"print('x', file=sys.stderr); {writing('draft.md', 'A draft.')}")
    answer = call(path, "run")
    assert answer.err == ""
    assert len(prompts(log)) == 1
