"""Completion scripts, generated from the parsers for `git relay completion`."""

from __future__ import annotations

from relay_git.cli_model import program
from relay_git.completions import bash, fish, zsh

_SHELLS = {"bash": bash.render, "zsh": zsh.render, "fish": fish.render}


def script(shell: str) -> str:
    """The script for `bash`, `zsh` or `fish`. It asks git and the file system, never Python."""
    return _SHELLS[shell](program())
