"""What an orchestrator replies: lines `KEY: value`, of a few known keys. Pure.

A reply of another form never stops a run: whatever is not said clearly is what changes nothing.
"""

from __future__ import annotations

import re

from relay_git.output import plain
from relay_git.record import Record

MOST = 2000
"""Characters of one value that are kept."""

_LINE = re.compile(r"[\s>#*_-]*(?P<key>[A-Z]{3,})[\s*_]*[:：][\s*_]*(?P<value>.*)")
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


class Advice(Record):
    """What is said before a step. `reasoning` is the whole reply where it had no form."""

    proceed: bool = True
    enrichment: str = ""
    reasoning: str = ""


class Opinion(Record):
    """What is said after a step."""

    rerun: bool = False
    concerns: str = ""
    summary: str = ""
    reasoning: str = ""
    aligned: bool = True


def read_advice(reply: str) -> Advice:
    said = _values(reply, ("PROCEED", "ENRICHMENT", "REASONING"))
    proceed = _word(said.get("PROCEED", ""))
    if proceed is None:
        return Advice(reasoning=line(reply))
    return Advice(proceed, _text(said, "ENRICHMENT"), _text(said, "REASONING"))


def read_opinion(reply: str) -> Opinion:
    """A rerun without a reason is none: the role would not know what to change."""
    said = _values(reply, ("ALIGNED", "RERUN", "CONCERNS", "SUMMARY", "REASONING"))
    rerun = _word(said.get("RERUN", ""))
    if rerun is None:
        return Opinion(reasoning=line(reply))
    concerns = _text(said, "CONCERNS")
    return Opinion(
        rerun and bool(concerns),
        concerns,
        _text(said, "SUMMARY"),
        _text(said, "REASONING"),
        _word(said.get("ALIGNED", "")) is not False,
    )


def line(text: str) -> str:
    """As one line that a message can hold."""
    flat = plain(" ".join(text.split()))
    return flat if len(flat) <= MOST else f"{flat[:MOST]}…"


def _values(reply: str, keys: tuple[str, ...]) -> dict[str, str]:
    """A value goes on until the next key. A key that comes twice says nothing."""
    found: dict[str, list[str]] = {}
    twice: set[str] = set()
    current: list[str] = []
    for part in reply.splitlines():
        match = _LINE.fullmatch(part)
        if match and match["key"] in keys:
            twice |= {match["key"]} & found.keys()
            current = found[match["key"]] = [match["value"]]
        else:
            current.append(part)
    return {key: " ".join(parts) for key, parts in found.items() if key not in twice}


def _word(value: str) -> bool | None:
    """Yes or no, where that is the first word."""
    words = re.findall(r"\w+", value)
    return _WORDS.get(words[0].lower()) if words else None


def _text(said: dict[str, str], key: str) -> str:
    """Empty for the ways to say nothing."""
    text = line(said.get(key, "")).strip(" *_`")
    return "" if text.lower().rstrip(".") in ("none", "n/a", "no", "-", "nothing") else text
