"""What commands print: lines for people, coloured on a terminal only, or JSON for programs."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any, TextIO

from relay_git.names import spelled

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]"


class Output:
    """`text` writes lines, `json` one document; a command does one or the other."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        self.colours = wants_colour(self.stream)

    def text(self, line: str = "") -> None:
        self.stream.write(spelled(line) + "\n")

    def raw(self, text: str) -> None:
        """Byte for byte, without markup or a newline of ours; on a terminal made safe for it."""
        self.stream.write(spelled(plain(text) if self.stream.isatty() else text))

    def clear(self) -> None:
        """The terminal's screen."""
        self.stream.write("\x1b[H\x1b[2J")

    def json(self, value: Any) -> None:
        """Where a terminal would read more into a character than its shape, it is escaped."""
        text = json.dumps(value, ensure_ascii=False, indent=2)
        text = re.sub(_CONTROL, lambda found: f"\\u{ord(found[0]):04x}", text)
        self.stream.write(spelled(text) + "\n")

    def style(self, text: str, *styles: str) -> str:
        if not self.colours or not styles:
            return text
        codes = ";".join(_STYLES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"


def wants_colour(stream: TextIO) -> bool:
    """A terminal that was not asked to stay plain (no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def plain(text: str) -> str:
    """Text from elsewhere, made safe for a terminal: no escapes, no direction overrides."""
    return re.sub(_CONTROL, "\N{REPLACEMENT CHARACTER}", text)


def count(number: int, noun: str) -> str:
    """`1 lesson`, `2 lessons`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
