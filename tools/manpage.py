"""Writes man/git-relay.1 from man/git-relay.1.in and the parsers of the commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from relay_git import __version__
from relay_git.cli_model import HELP, Argument, Option, Verb, program

MAN = Path(__file__).resolve().parent.parent / "man"

_ROFF = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
_SPECIAL = re.compile(r"[\\'`^~-]|[^\x00-\x7f]")

_MORE = "...\\&"
"""The mark keeps roff from taking the dots for the end of a sentence."""


def page() -> str:
    source = (MAN / "git-relay.1.in").read_text(encoding="utf-8")
    commands = program().verbs
    shared = _shared(commands)
    parts = {
        "VERSION": __version__,
        "OPTIONS": _joined(map(_option, (*shared, HELP))),
        "COMMANDS": _joined(_command(verb, shared) for verb in commands),
    }
    return re.sub(r"@([A-Z]+)@", lambda match: parts[match[1]], source)


def _shared(commands: tuple[Verb, ...]) -> list[Option]:
    """The options that every command has, told once."""
    first, *others = commands
    return [o for o in first.options if o is not HELP and all(o in v.options for v in others)]


def _command(verb: Verb, shared: list[Option]) -> str:
    lines = [f".SS {_escaped(verb.name)}", *_verb(("git relay", verb.name), verb, shared)]
    for below in verb.verbs:
        words = ("git relay", verb.name, below.name)
        synopsis, *told = _verb(words, below, shared)
        lines += [".PP", synopsis, ".RS", *told, ".RE"]
    if verb.example:
        code = map(_escaped, verb.example.splitlines())
        lines += [".PP", "For example:", ".PP", ".RS 4", ".EX", *code, ".EE", ".RE"]
    return _joined(lines)


def _verb(words: Iterable[str], verb: Verb, shared: list[Option]) -> Iterator[str]:
    """The synopsis, the summary, and what there is to say about arguments and options."""
    own = [option for option in verb.options if option is not HELP and option not in shared]
    yield _joined(_synopsis(words, verb, own))
    yield f".PP\n{_sentence(verb.summary)}"
    yield from (_argument(one) for one in verb.arguments if one.help or one.choices)
    yield from (_option(one) for one in own if one.help or (one.value and one.value.choices))


def _synopsis(words: Iterable[str], verb: Verb, options: Iterable[Option]) -> Iterator[str]:
    yield f".B {_escaped(' '.join(words))}"
    for option in options:
        usage = _flag(option, option.flags[0])
        usage = usage if option.required else f"[{usage}]"
        yield usage + _MORE * option.repeats
    if verb.verbs:
        yield "[\\fIVERB\\fP]"
    for argument in verb.arguments:
        name = _value(argument)
        yield f"[{name}]" if argument.optional else name


def _option(option: Option) -> str:
    flags = ", ".join(_flag(option, flag) for flag in option.flags)
    choices = option.value.choices if option.value else ()
    return f".TP\n{flags}\n{_told(option.help, choices)}"


def _argument(argument: Argument) -> str:
    return f".TP\n{_value(argument)}\n{_told(argument.help, argument.choices)}"


def _told(text: str, choices: tuple[str, ...]) -> str:
    lines = [_sentence(text)] if text else []
    if choices:
        lines.append(f"One of {_escaped(', '.join(choices))}.")
    return _joined(lines)


def _flag(option: Option, flag: str) -> str:
    value = f" {_value(option.value)}" if option.value else ""
    return f"\\fB{_escaped(flag)}\\fP{value}"


def _value(argument: Argument) -> str:
    return f"\\fI{_escaped(argument.name)}\\fP" + _MORE * argument.many


def _sentence(text: str) -> str:
    return _escaped(f"{text[0].upper()}{text[1:]}.")


def _escaped(text: str) -> str:
    """Text as it is, whatever it begins with."""
    escaped = _SPECIAL.sub(lambda match: _ROFF.get(match[0]) or f"\\[u{ord(match[0]):04X}]", text)
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(parts)


if __name__ == "__main__":
    (MAN / "git-relay.1").write_text(page(), encoding="utf-8")
