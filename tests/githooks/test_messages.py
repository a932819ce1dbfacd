"""commit-msg, by the shim, which asks git alone, and by the program that pre-commit calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow import copy_of, done
from hooking import Done, hooked, program, run, write_hook
from support import git

SCISSORS = "# ------------------------ >8 ------------------------\n"


@pytest.fixture(params=["shim", "program"])
def message_hook(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:

    def build(path: Path) -> None:
        done(hooked(path), "start", "--slug", "mail")

    return copy_of("hooked-and-mail", build, tmp_path / "project"), str(request.param)


def edited(message_hook: tuple[Path, str], text: bytes) -> bytes:
    path, by = message_hook
    file = path / ".git" / "COMMIT_EDITMSG"
    file.write_bytes(text)
    said: Done
    if by == "shim":
        said = run(path, ".git/hooks/commit-msg", str(file))
    else:
        said = program(path, "hook", "commit-msg", str(file))
    assert said == (0, "", "")
    return file.read_bytes()


def trailer(path: Path) -> bytes:
    return f"Relay-Run: {(path / '.git/relay/current').read_text().strip()}\n".encode()


@pytest.mark.parametrize(
    "text", ["subject\n", "subject\n\nbody\n", "s\n\n# a comment\n", "\n\ns\n", "\xe9t\xe9\n"]
)
def test_the_run_is_named_once(message_hook: tuple[Path, str], text: str) -> None:
    path, _ = message_hook
    named = edited(message_hook, text.encode("latin-1"))
    assert trailer(path) in named
    assert edited(message_hook, named) == named


def test_a_run_whose_ref_is_packed_is_named_too(message_hook: tuple[Path, str]) -> None:
    path, _ = message_hook
    git(path, "pack-refs", "--all")
    assert edited(message_hook, b"subject\n") == b"subject\n\n" + trailer(path)


def test_it_goes_above_the_diff_of_a_verbose_commit(message_hook: tuple[Path, str]) -> None:
    path, _ = message_hook
    named = edited(message_hook, f"subject\n{SCISSORS}diff --git a b\n".encode())
    assert named.index(trailer(path)) < named.index(b">8")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# only a comment\n",
        f"{SCISSORS}diff --git a b\n",
        "fixup! subject\n",
        "squash! subject\n",
        "amend! subject\n",
    ],
)
def test_what_git_will_refuse_or_join_stays_as_it_is(
    message_hook: tuple[Path, str], text: str
) -> None:
    assert edited(message_hook, text.encode()) == text.encode()


@pytest.mark.parametrize("mark", ["MERGE_HEAD", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD"])
def test_a_message_that_git_has_made_stays_as_it_is(
    message_hook: tuple[Path, str], mark: str
) -> None:
    path, _ = message_hook
    (path / ".git" / mark).write_text(git(path, "rev-parse", "HEAD") + "\n")
    assert edited(message_hook, b"subject\n") == b"subject\n"


def test_without_a_run_nothing_is_added(message_hook: tuple[Path, str]) -> None:
    path, _ = message_hook
    git(path, "update-ref", "-d", git(path, "for-each-ref", "--format=%(refname)", "refs/relay"))
    assert edited(message_hook, b"subject\n") == b"subject\n"


@pytest.mark.parametrize("char", [";", "auto"])
@pytest.mark.parametrize("options", [("-v",), ("--cleanup=scissors",)])
def test_whatever_the_editor_shows(tmp_path: Path, char: str, options: tuple[str, ...]) -> None:
    path = hooked(tmp_path / "project")
    done(path, "start")
    git(path, "config", "core.commentChar", char)
    script = '#!/bin/sh\n{ echo subject; cat "$1"; } >"$1.new" && mv "$1.new" "$1"\n'
    editor = write_hook(tmp_path / "editor", script)
    command = ("git", "commit", "-q", "--allow-empty", "--edit", *options)
    for more in ((), ("--amend",)):
        made = run(path, *command, *more, GIT_EDITOR=str(editor))
        assert made.code == 0, made.err
        assert git(path, "log", "-1", "--format=%B").count("Relay-Run: ") == 1
