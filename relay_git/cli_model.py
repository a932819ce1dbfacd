"""The command line as plain data, read from the parsers: for completions and the man page."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from relay_git.commands import COMMANDS
from relay_git.main import command, parser_for
from relay_git.workflow.setup import template_names

_COMPLETES = {
    "run": "run",
    "step": "run",
    "workflow": "workflow",
    "lesson": "lesson",
    "remote": "remote",
    "file": "file",
    "context": "file",
    "directory": "directory",
}
"""What a shell offers for an argument or an option's value, by the name that `run` reads it by."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A positional argument, or what an option takes.

    `arity` is argparse's: empty (exactly one), `?`, `*` or `+`. `completes` is run, workflow,
    lesson, remote, file or directory, empty for free words.
    """

    name: str
    help: str = ""
    arity: str = ""
    choices: tuple[str, ...] = ()
    completes: str = ""

    @property
    def many(self) -> bool:
        return self.arity in ("*", "+")

    @property
    def optional(self) -> bool:
        return self.arity in ("*", "?")


@dataclass(frozen=True, slots=True)
class Option:
    """`value` is None for a switch. One that `repeats` may be given several times."""

    flags: tuple[str, ...]
    help: str
    value: Argument | None = None
    required: bool = False
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Verb:
    """A command, one of its verbs, or the program itself, whose verbs are the commands."""

    name: str
    summary: str
    options: tuple[Option, ...] = ()
    arguments: tuple[Argument, ...] = ()
    verbs: tuple[Verb, ...] = ()
    example: str = ""


HELP = Option(("--help", "-h"), "show this help and exit")


def program() -> Verb:
    """`git relay` itself: `main.dispatch` reads its few options without a parser."""
    return Verb(
        "relay",
        "keep the work of coding agents in git, and let the next run learn from it",
        options=(
            Option(("-C",), "run in DIR", Argument("DIR", completes="directory")),
            Option(("--json",), "print JSON for programs"),
            Option(("--version",), "print the version and exit"),
            HELP,
        ),
        verbs=tuple(_command(name, summary) for name, summary in COMMANDS.items()),
    )


def walk(verb: Verb, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Verb]]:
    """The verb and all below it, each with the words that lead there."""
    yield path, verb
    for below in verb.verbs:
        yield from walk(below, (*path, below.name))


def _command(name: str, summary: str) -> Verb:
    example = getattr(command(name), "EXAMPLE", "").strip()
    return _verb(name, summary, parser_for(name), example)


def _verb(name: str, summary: str, parser: argparse.ArgumentParser, example: str = "") -> Verb:
    """The only place that looks inside argparse."""
    options, arguments, verbs = [], [], []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            verbs = [_verb(verb, helps[verb], sub) for verb, sub in action.choices.items()]
        elif isinstance(action, argparse._HelpAction):
            options.append(HELP)
        elif action.option_strings:
            options.append(_option(action))
        else:
            arguments.append(_argument(action))
    return Verb(name, summary, tuple(options), tuple(arguments), tuple(verbs), example)


def _option(action: argparse.Action) -> Option:
    return Option(
        tuple(sorted(action.option_strings, key=len, reverse=True)),
        _help(action),
        _argument(action) if action.nargs != 0 else None,
        action.required,
        isinstance(action, argparse._AppendAction),
    )


def _argument(action: argparse.Action) -> Argument:
    shown = action.metavar if isinstance(action.metavar, str) else None
    choices = template_names() if action.dest == "template" else action.choices or ()
    return Argument(
        shown or (action.dest.upper() if action.option_strings else action.dest),
        _help(action),
        str(action.nargs or ""),
        tuple(map(str, choices)),
        _COMPLETES.get(action.dest, ""),
    )


def _help(action: argparse.Action) -> str:
    return (action.help or "") % vars(action)
