"""The options that every command and every verb of a command has."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace


def common() -> ArgumentParser:
    """A parent parser. It sets nothing that was not given, so that a verb's own parser does not
    undo what stood before the verb: `defaults` go first."""
    parser = ArgumentParser(add_help=False)
    parser.add_argument("--json", action="store_true", default=SUPPRESS, help="JSON for programs")
    parser.add_argument("-C", dest="directory", default=SUPPRESS, metavar="DIR", help="run in DIR")
    return parser


def defaults() -> Namespace:
    return Namespace(json=False, directory=".")
