"""The command line: parsers, the one error boundary, exit codes.

0 ok, 1 refused or invalid, 2 usage, 3 a bug of ours, 130 interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from relay_git import __version__, files
from relay_git.commands import COMMANDS
from relay_git.commands.context import Context
from relay_git.errors import Invalid, RelayError, UsageError
from relay_git.output import plain

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

OK, REFUSED, USAGE, BUG, INTERRUPTED = 0, 1, 2, 3, 130


class Command(Protocol):
    """A module of `relay_git.commands`."""

    def add_parser(self, parser: ArgumentParser) -> None: ...

    def run(self, args: Namespace, ctx: Context) -> int: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    ctx = Context(json="--json" in words)
    try:
        code = dispatch(words, ctx)
        sys.stdout.flush()
        return code
    except RelayError as error:
        return _report(error, ctx)
    except KeyboardInterrupt:
        sys.stderr.write("git relay: interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return OK
    except Exception as error:
        if isinstance(error, OSError) and (hint := files.remedy(error)):
            return _report_disk(error, hint, ctx)
        return _report_bug(error, words)


def dispatch(words: Sequence[str], ctx: Context) -> int:
    """Find the command in `[-C DIR] COMMAND …` and run it."""
    rest = list(words)
    directory = "."
    while rest and rest[0] in ("-C", "--json"):
        option = rest.pop(0)
        if option == "-C":
            if not rest:
                raise UsageError("-C needs a directory", hint="see `git relay --help`")
            directory = os.path.join(directory, rest.pop(0))
    if not rest or rest[0] in ("-h", "--help", "help"):
        ctx.out.text(overview())
        return OK
    if rest[0] == "--version":
        ctx.out.text(f"git-relay {__version__}")
        return OK
    name = rest.pop(0)
    ctx.directory = directory
    if name == "hook":
        from relay_git.commands import hook

        if hook.is_plain(rest):
            return hook.call(rest[0], rest[1:], ctx)
    args = _parsed(name, rest)
    ctx.directory = os.path.join(directory, args.directory)
    ctx.json = ctx.json or args.json
    return command(name).run(args, ctx)


def command(name: str) -> Command:
    if name not in COMMANDS:
        raise UsageError(f"unknown command {name!r}{_nearest(name)}", hint="see `git relay --help`")
    return cast(Command, importlib.import_module(f"relay_git.commands.{name}"))


def parser_for(name: str) -> ArgumentParser:
    """The parser of one command, with the options that every command has."""
    from relay_git.commands.options import Formatter, Parser, common

    module = command(name)
    parser = Parser(
        prog=f"git relay {name}",
        description=(COMMANDS[name][0].upper() + COMMANDS[name][1:] + "."),
        epilog=f"example:\n{_indented(getattr(module, 'EXAMPLE', ''))}",
        formatter_class=Formatter,
        parents=[common()],
        allow_abbrev=False,
    )
    module.add_parser(parser)
    return parser


def _parsed(name: str, words: Sequence[str]) -> Namespace:
    from relay_git.commands.options import defaults

    return parser_for(name).parse_args(words, defaults())


def overview() -> str:
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {what}" for name, what in COMMANDS.items())
    return (
        "usage: git relay [-C DIR] COMMAND [options]\n\n"
        "Keep the work of coding agents in git, and let the next run learn from it.\n\n"
        f"commands:\n{listed}\n\n"
        "`git relay COMMAND --help` shows options and an example."
    )


def _report(error: RelayError, ctx: Context) -> int:
    """Errors quote what they are about, so they pass redaction like everything else."""
    from relay_git.redact import redact

    if ctx.json:
        found = error.problems if isinstance(error, Invalid) else [error]
        parts = [{"what": e.what, "where": e.where, "hint": e.hint} for e in found]
        listed = [
            {key: redact(text)[0] if text else None for key, text in p.items()} for p in parts
        ]
        ctx.out.json({"error": listed[0] if len(listed) == 1 else listed})
    for line in redact(str(error))[0].splitlines():
        sys.stderr.write(f"git relay: {plain(line)}\n")
    return error.exit_code


def _report_disk(error: OSError, hint: str, ctx: Context) -> int:
    """Without a file name it was our own output."""
    if error.filename is None:
        _forget_output()
        ctx.json = False
    where = "standard output" if error.filename is None else os.fsdecode(error.filename)
    return _report(RelayError(f"cannot write it: {error.strerror}", where=where, hint=hint), ctx)


def _forget_output() -> None:
    """What is left in the buffer must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_bug(error: Exception, words: Sequence[str]) -> int:
    import platform
    import traceback

    from relay_git.redact import redact

    trace = "".join(traceback.format_exception(error))
    log = f"git-relay {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    log += f"command: {' '.join(words)}\n{trace}"
    sys.stderr.write(
        "git relay: this is a bug in git-relay; nothing of yours is lost. "
        f"Please report it with this log:\n\n{redact(log)[0]}"
    )
    return BUG


def _nearest(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, COMMANDS, 1)
    return f", did you mean {close[0]!r}?" if close else ""


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())
