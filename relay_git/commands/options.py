"""The options that every command and every verb of a command has."""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import NoReturn

from relay_git.errors import UsageError


class Parser(ArgumentParser):
    """Raises instead of exiting, so that there is one error boundary."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"see `{self.prog} --help`")


class Formatter(RawDescriptionHelpFormatter):
    """Knows its width: argparse imports shutil, and with it three compressors, to find out."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_width())


def _width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns) - 2
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns - 2
    except (OSError, ValueError):
        return 78


def common() -> ArgumentParser:
    """A parent parser. It sets nothing that was not given, so that a verb's own parser does not
    undo what stood before the verb: `defaults` go first."""
    parser = ArgumentParser(add_help=False, formatter_class=Formatter)
    parser.add_argument("--json", action="store_true", default=SUPPRESS, help="JSON for programs")
    parser.add_argument("-C", dest="directory", default=SUPPRESS, metavar="DIR", help="run in DIR")
    return parser


def step_name(text: str) -> str:
    """The number of a step, or the beginning of its commit's object id. Raises `UsageError`."""
    if not text or text.strip("0123456789abcdefABCDEF"):
        raise UsageError(
            f"{text!r} is neither the number of a step nor the beginning of an object id",
            hint="see `git relay log`",
        )
    return text


def defaults() -> Namespace:
    return Namespace(json=False, directory=".")
