"""Masks secrets in text before it becomes an object, a note, a row or a log line.

Lines stay lines: a secret over several lines is masked line by line, so that line numbers in
the masked text are those of the text. A prefilter made of the rules' own heads decides whether
any rule runs; it looks back from characters that are rare in prose, which keeps it cheap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from relay_git.record import Record
from relay_git.secretforms import ASSIGNED, HEADS, NAME_WORDS

if TYPE_CHECKING:
    from relay_git.secretfinder import Span

_MARK = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
_KEPT = re.compile(rf"{_MARK.pattern}|[\r\n]+[ \t>|*#]*")
_REACH = 64
"""No mark is longer."""
_SHOWN = 300
_IDLE = " \t\"'`,;\\+"
_NAMED = re.compile(ASSIGNED)


class Secret(Record):
    """What kind of secret began on which line (1-based); never the secret itself."""

    kind: str
    line: int


def redact(text: str, literals: Sequence[str] = ()) -> tuple[str, tuple[Secret, ...]]:
    """The text with `[redacted:<kind>]` in place of secrets; `literals` are the project's own.

    Repeats until nothing is found, so that redacting the result changes nothing.
    """
    secrets: list[Secret] = []
    while spans := _uncovered(text, _detect(text, literals)):
        secrets += _secrets(text, spans)
        text = _rewrite(text, spans)
    return text, tuple(sorted(secrets, key=lambda secret: secret.line))


def excerpt(said: str, *secrets: str) -> str:
    """What somebody complained of last, as one line of an error: short, and without secrets."""
    line = " ".join(redact(said, secrets)[0].split())
    return line if len(line) <= _SHOWN else f"…{line[-_SHOWN:]}"


def _detect(text: str, literals: Sequence[str]) -> list[Span]:
    """The finder is loaded for texts that may have something to find: few have."""
    if not suspicious(text) and not any(map(str.strip, literals)):
        return []
    from relay_git.secretfinder import exact, find

    return [*exact(text, literals), *find(text)]


def suspicious(text: str) -> bool:
    """Whether a rule may find something: the prefilter. Values are assigned with `:` or `=`."""
    if any(character in text and _head(character).search(text) for character in HEADS):
        return True
    if ":" not in text and "=" not in text:
        return False
    folded = text.lower()
    return any(word in folded for word in NAME_WORDS) and _NAMED.search(text) is not None


@cache
def _head(character: str) -> re.Pattern[str]:
    return re.compile(HEADS[character])


# Findings


def _uncovered(text: str, spans: list[Span]) -> list[Span]:
    """Merged and in order, without line breaks, indentation and what is masked already."""
    pieces = [piece for span in spans for piece in _split(text, span)]
    merged: list[Span] = []
    for piece in sorted(pieces, key=lambda piece: (piece.start, -piece.end)):
        if merged and piece.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last.replace(end=max(last.end, piece.end))
        else:
            merged.append(piece)
    return merged


def _split(text: str, span: Span) -> Iterator[Span]:
    start, first = span.start, True
    window = max(0, span.start - _REACH), min(len(text), span.end + _REACH)
    gaps = [gap.span() for gap in _KEPT.finditer(text, *window)]
    for kept, resume in [*gaps, (span.end, span.end)]:
        end = min(kept, span.end)
        if text[start:end].strip(_IDLE):
            yield span.replace(start=start, end=end, first=first)
            first = False
        start = max(start, resume)


def _secrets(text: str, spans: Sequence[Span]) -> Iterator[Secret]:
    line, seen = 1, 0
    for span in spans:
        line += len(re.findall(r"\r\n|\n|\r", text[seen : span.start]))
        seen = span.start
        if span.first:
            yield Secret(span.kind, line)


def _rewrite(text: str, spans: Sequence[Span]) -> str:
    parts: list[str] = []
    done = 0
    for span in spans:
        parts += text[done : span.start], f"[redacted:{span.kind}]"
        done = span.end
    return "".join([*parts, text[done:]])
