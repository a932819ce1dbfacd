"""Real shells load the scripts and say what they offer for a line that ends at the cursor."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support import git

from relay_git.commands import COMMANDS
from relay_git.completions import script
from relay_git.workflow.setup import template_names

GIT_BASH = next(
    filter(
        os.path.exists,
        (
            "/usr/share/bash-completion/completions/git",
            "/usr/share/git-core/contrib/completion/git-completion.bash",
            "/opt/homebrew/etc/bash_completion.d/git-completion.bash",
        ),
    ),
    "",
)
BASH = """
[[ -z $GIT_BASH ]] || source "$GIT_BASH"
source "$SCRIPT"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
if [[ $1 == git ]]; then __git_wrap__git_main; else __git_relay_main; fi
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
autoload -Uz compinit; compinit -C -d "$DUMP"
source "$SCRIPT"
setopt extendedglob
record () {
  compadd () {
    local -a __hits
    if [[ " ${@[1,(i)(-|--)]} " != *' '-[a-zA-Z0-9]#[OAD]' '* ]]; then
      builtin compadd -A __hits "$@"
      print -rl -- $__hits >>$FOUND
    fi
    builtin compadd "$@"
  }
  _main_complete "$@"
  print END >>$FOUND
}
zle -C record complete-word record
bindkey '^I' record
"""
RUNS = ["20260428-0930-fix-bug-3f9a", "20260428-0931-slow-disk-00ff"]

Offers = Callable[..., list[str]]


@pytest.fixture
def house(repo_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with runs, a workflow, lessons and a file, and we stand in a directory of it."""
    for run in RUNS:
        git(repo_path, "update-ref", f"refs/relay/runs/{run}", "HEAD")
    for path in (
        ".relay/workflows/bug-fix/workflow.yml",
        ".relay/lessons/planner/name-the-timeout-0a1b2c3d4e5f.md",
        "src/issue.md",
    ):
        (repo_path / path).parent.mkdir(parents=True, exist_ok=True)
        (repo_path / path).touch()
    monkeypatch.chdir(repo_path / "src")
    return repo_path


def bash_offers(tmp_path: Path, line: str, git_bash: str = "") -> list[str]:
    path = tmp_path / "relay.bash"
    path.write_text(script("bash"))
    words = line.split(" ")
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH, "bash", *words],
        env={**os.environ, "SCRIPT": str(path), "GIT_BASH": git_bash},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert done.stderr == ""
    return sorted(done.stdout.split())


def fish_offers(tmp_path: Path, line: str) -> list[str]:
    path = tmp_path / "relay.fish"
    path.write_text(script("fish"))
    done = subprocess.run(
        ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", str(path), line],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert done.stderr == ""
    return sorted(offer.partition("\t")[0] for offer in done.stdout.splitlines())


def zsh_offers(tmp_path: Path, line: str) -> list[str]:
    """zsh completes only where somebody types, so it gets a terminal and a Tab.

    Where its own functions are is the same for all tests: only the first of them searches.
    """
    path, setup, found = tmp_path / "relay.zsh", tmp_path / "setup.zsh", tmp_path / "found"
    path.write_text(script("zsh"))
    setup.write_text(ZSH)
    found.write_text("")
    ours, theirs = pty.openpty()
    files = {"SCRIPT": path, "FOUND": found, "DUMP": tmp_path.with_name("zcompdump")}
    env = {**os.environ, **{name: str(file) for name, file in files.items()}, "TERM": "dumb"}
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, env=env, process_group=0
    )
    os.close(theirs)
    try:
        os.write(ours, f"source {setup}\n{line}\t".encode())
        shown = _until(ours, lambda: "END\n" in found.read_text())
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
        os.close(ours)
    offers, end, _ = found.read_text().partition("END\n")
    assert end, shown
    return sorted(filter(None, offers.split("\n")))


def _until(terminal: int, done: Callable[[], bool]) -> str:
    """Read what the terminal shows, or its program would block; give up after 20 seconds."""
    shown, deadline = b"", time.monotonic() + 20
    while time.monotonic() < deadline and not done():
        if select.select([terminal], [], [], 0.02)[0]:
            shown += os.read(terminal, 4096)
    return shown.decode("utf-8", "replace")


@pytest.fixture(params=["bash", "bash with git's", "zsh", "fish"])
def offers(request: pytest.FixtureRequest, tmp_path: Path) -> Offers:
    """What one of the shells offers, sorted."""
    shell = request.param.partition(" ")[0]
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    if shell != request.param:
        if not GIT_BASH:
            pytest.skip("git's completion for bash is not installed")
        return lambda line: bash_offers(tmp_path, line, GIT_BASH)
    in_shell = {"bash": bash_offers, "zsh": zsh_offers, "fish": fish_offers}[shell]
    return lambda line: in_shell(tmp_path, line)


@pytest.fixture
def program(request: pytest.FixtureRequest) -> str:
    """`git relay`, where the completion of git that calls ours can be had."""
    alone = request.node.callspec.params["offers"] == "bash"
    return "git-relay" if alone else "git relay"


def test_offers_every_command(offers: Offers, program: str) -> None:
    assert offers(f"{program} ") == sorted(COMMANDS)
    assert offers(f"{program} adv") == ["advance"]


def test_serves_the_program_under_both_names(offers: Offers) -> None:
    assert offers("git-relay lessons re") == ["render", "retire"]


def test_offers_the_options_of_a_command(offers: Offers, program: str) -> None:
    options = offers(f"{program} advance --")
    assert {"--verdict", "--message", "--force", "--allow-unchanged", "--json"} <= set(options)
    assert "--slug" not in options


def test_offers_the_verbs_and_their_own_options(offers: Offers, program: str) -> None:
    assert offers(f"{program} keys ") == ["accept", "list", "rotate"]
    options = offers(f"{program} lessons add --")
    assert {"--severity", "--tag"} <= set(options) and "--reason" not in options


def test_offers_what_an_option_or_argument_can_be(offers: Offers, program: str) -> None:
    assert offers(f"{program} completion ") == ["bash", "fish", "zsh"]
    assert offers(f"{program} lessons add planner claim --severity ") == ["error", "info", "warn"]
    assert offers(f"{program} init --template ") == template_names()


def test_offers_the_open_runs(offers: Offers, program: str, house: Path) -> None:
    assert offers(f"{program} switch ") == RUNS
    assert offers(f"{program} show ") == RUNS
    assert offers(f"{program} verify {RUNS[0]} ") == RUNS


def test_offers_a_run_only_where_one_belongs(offers: Offers, program: str, house: Path) -> None:
    assert offers(f"{program} diff ") == RUNS
    assert not set(offers(f"{program} diff {RUNS[0]} ")) & set(RUNS)
    assert not set(offers(f"{program} rollback --to ")) & set(RUNS)


def test_looks_in_the_directory_that_the_line_names(
    offers: Offers, program: str, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(house.parent)
    assert not set(offers(f"{program} log ")) & set(RUNS)
    assert offers(f"{program} -C {house} log ") == RUNS
    assert offers(f"{program} log -C {house} ") == RUNS
    if program == "git relay":
        assert offers(f"git -C {house} relay log ") == RUNS


def test_offers_workflows_and_lessons_of_the_work_tree(
    offers: Offers, program: str, house: Path
) -> None:
    assert offers(f"{program} start ") == ["bug-fix"]
    assert offers(f"{program} start --slug disk ") == ["bug-fix"]
    assert offers(f"{program} validate ") == ["bug-fix"]
    assert offers(f"{program} lessons retire ") == ["name-the-timeout-0a1b2c3d4e5f"]


def test_offers_remotes(offers: Offers, program: str, house: Path) -> None:
    git(house, "remote", "add", "origin", "/elsewhere")
    for command in ("sync", "fetch", "push"):
        assert offers(f"{program} {command} ") == ["origin"]


def test_offers_nothing_where_there_is_nothing(
    offers: Offers, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for command in ("start", "lessons show", "switch"):
        assert offers(f"{program} {command} ") == []


def test_offers_files_where_an_option_takes_them(
    request: pytest.FixtureRequest, offers: Offers, program: str, house: Path
) -> None:
    """bash adds the files itself where our function offers nothing (`-o default`)."""
    in_bash = "bash" in request.node.callspec.params["offers"]
    expected = [] if in_bash else ["issue.md"]
    assert offers(f"{program} start --context ") == expected
    assert offers(f"{program} start --context issue.md ") == expected
    assert offers(f"{program} distill --file ") == expected


def test_a_ref_name_is_never_run(offers: Offers, program: str, house: Path) -> None:
    tempting = "$(touch${IFS}bad)`touch${IFS}bad`"
    git(house, "update-ref", f"refs/relay/runs/{tempting}", "HEAD")
    assert len(offers(f"{program} switch ")) == 3
    assert not (house / "src" / "bad").exists()


def test_the_scripts_say_what_each_thing_is_for() -> None:
    for shell in ("zsh", "fish"):
        assert COMMANDS["advance"] in script(shell)
        assert "go beyond a stage" in script(shell)
