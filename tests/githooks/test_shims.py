from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hooking import HOOKS, run, write_hook
from hypothesis import given
from hypothesis import strategies as st

from relay_git.githooks import shims

SHIMS = Path(__file__).parents[2] / "hooks"
AUTO = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "relay.push",
    "GIT_CONFIG_VALUE_0": "auto",
}
ALL = (*HOOKS, *shims.SERVER_HOOKS)
PATHS = [
    "/usr/bin/git-relay",
    "/opt/my tools (v2)/git-relay",
    "/home/o'brien/.venv/bin/git-relay",
    '/a "quoted" $HOME `x` \\path;/git-relay',
]


def test_there_is_a_shim_for_each_hook_and_nothing_else() -> None:
    assert sorted(os.listdir(SHIMS)) == sorted(ALL)


@pytest.mark.parametrize("hook", ALL)
def test_a_shim_is_short_plain_and_of_sh_alone(hook: str) -> None:
    text = (SHIMS / hook).read_bytes()
    assert len(text.splitlines()) <= 26
    assert b"\r" not in text
    assert text.isascii()
    assert text.startswith(shims.SHEBANG)
    assert os.access(SHIMS / hook, os.X_OK)
    for word in (b"[[", b"local ", b"function ", b"<<<<", b"&>", b"=~", b"echo -"):
        assert word not in text
    for shell in filter(shutil.which, ("sh", "dash", "bash", "ksh")):
        subprocess.run([shell, "-n", str(SHIMS / hook)], check=True)


@pytest.mark.parametrize("hook", ALL)
def test_a_shim_asks_nothing_of_shells_that_stop_at_the_first_doubt(
    hook: str, tmp_path: Path
) -> None:
    """`sh -eu`, and no variable of git or ours is set."""
    shutil.copy(SHIMS / hook, tmp_path / hook)
    (tmp_path / ".git").mkdir()
    done = run(tmp_path, "env", "-i", f"PATH={os.environ['PATH']}", "sh", "-eu", f"./{hook}", "x")
    assert done == (0, "", "") or hook == "pre-commit"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("hook", [hook for hook in ALL if hook != "commit-msg"])
def test_the_program_is_called_whatever_its_path_holds(
    hook: str, path: str, tmp_path: Path
) -> None:
    program = Path(f"{tmp_path}{path}")
    program.parent.mkdir(parents=True)
    write_hook(program, '#!/bin/sh\necho "$@" >called\n')
    own = shims.own_text(hook, str(program))
    assert shims.program_in(shims.block_of(own) or b"") == str(program)
    write_hook(tmp_path / hook, own)
    for mark in ("relay/pending/x", "relay/current", "relay/noted", "refs/relay/runs/x"):
        (tmp_path / ".git" / mark).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / ".git" / mark).touch()
    told = "old new refs/relay/runs/x\n" if hook == "pre-receive" else "old new\n"
    assert run(tmp_path, f"./{hook}", "a", "b", "1", input=told, **AUTO).code == 0
    given = "" if hook == "pre-receive" else " a b 1"
    assert (tmp_path / "called").read_text() == f"hook {hook}{given}\n"


@given(st.binary(max_size=200).map(lambda tail: tail.replace(b"git-relay", b"x")), st.booleans())
def test_what_is_put_in_comes_out_byte_for_byte(tail: bytes, shebang: bool) -> None:
    text = (b"#!/bin/bash -e" + b"\n" * bool(tail) + tail) if shebang else tail
    block = shims.guest_block(shims.own_text("post-commit", "/bin/x"))
    inserted = shims.insert(text, block)
    assert shims.block_of(inserted)
    assert not shims.is_own(inserted)
    assert shims.remove(inserted) == text
    renewed = shims.renew(inserted, shims.own_text("post-commit", "/bin/other"))
    assert shims.program_in(shims.block_of(renewed) or b"") == "/bin/other"
    assert shims.remove(renewed) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"#!/bin/sh\nexit 1\n", True),
        (b"#! /bin/sh -e\n", True),
        (b"#!/usr/bin/env bash\n", True),
        (b"#!/usr/bin/env -S bash -eu\n", True),
        (b"#!/usr/bin/env LANG=C dash\n", True),
        (b"echo no shebang\n", True),
        (b'#!/bin/sh\nexec "$(dirname "$0")/other" "$@"\n', True),
        (b"#!/usr/bin/env python3\nprint(1)\n", False),
        (b"#!/usr/bin/zsh\n", False),
        (b"#!/usr/bin/env fish\n", False),
        (b"#!/usr/bin/env\n", False),
        (b"\x7fELF\0\0", False),
        (b'#!/bin/sh\n"exec" "python3" "$0" "$@"\nprint(\'a polyglot\')\n', False),
        (b'#!/bin/sh\nexec tclsh $0 ${1+"$@"}\n', False),
    ],
)
def test_only_scripts_that_sh_runs_to_their_end_are_written_into(
    text: bytes, expected: bool
) -> None:
    assert shims.is_sh(text) is expected
