"""Better claims for findings, from a model: what of its answer is believed. Pure.

A model sees text that anybody may have written, and makes things up. So an answer has one form,
and a claim is taken only if every path, symbol and URL in it occurs in its own evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from relay_git.errors import RelayError
from relay_git.lessons import claims
from relay_git.lessons.inject import is_visible
from relay_git.lessons.model import SEVERITIES, Finding, Lesson, Severity, normalise
from relay_git.lessons.paths import files_named
from relay_git.record import Record

_FENCE = re.compile(r"^(```+|~~~+)[ \t]*\w*[ \t]*\r?\n(.*?)^\1[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`+([^`]+)`+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s`\"'<>)]+")


class BadReply(RelayError):
    """An answer that does not have the form that was asked for."""


class Candidate(Record):
    """A finding as a model is shown it. `paths` are those that its run's commits touched."""

    role: str
    claim: str
    severity: Severity
    excerpt: str
    tags: tuple[str, ...]
    paths: tuple[str, ...] = ()

    def bears_out(self, name: str) -> bool:
        """Whether the evidence has this name, as a word of its own."""
        text = " ".join("\n".join((self.excerpt, self.claim, *self.tags, *self.paths)).split())
        bare = " ".join(name.split()).removesuffix("()")
        return bool(bare) and bool(re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", text))


class Wording(Record):
    """Another claim for a finding; severity and tags as they are to be with it."""

    claim: str
    severity: Severity
    tags: tuple[str, ...]


class Reply(Record):
    """Wordings by the position of their candidates, and why others were refused."""

    wordings: dict[int, Wording]
    refused: tuple[str, ...]


def read_reply(text: str, candidates: Sequence[Candidate]) -> Reply:
    """Raises `BadReply` for the wrong form; a claim that goes beyond its evidence is refused alone.

    Candidates are numbered from 1 there.
    """
    wordings: dict[int, Wording] = {}
    refused = []
    for number, entry in _entries(text, len(candidates)):
        candidate = candidates[number - 1]
        wording = _wording(entry, candidate, f"candidate {number}")
        problem = _problem(wording, candidate)
        if problem:
            refused.append(f"candidate {number} {problem}")
        else:
            tags = tuple(sorted({*candidate.tags, *wording.tags}))
            wordings[number - 1] = wording.replace(tags=tags)
    return Reply(wordings, tuple(refused))


def reworded(lesson: Lesson, wording: Wording) -> Lesson:
    """The same lesson in other words: it keeps its id, which the finding's own words make."""
    same = normalise(wording.claim) == normalise(lesson.claim)
    return lesson.replace(
        claim=wording.claim,
        severity=wording.severity,
        tags=wording.tags,
        finding="" if same else lesson.claim,
    )


def reworded_finding(finding: Finding, wording: Wording) -> Finding:
    return finding.replace(claim=wording.claim, severity=wording.severity, tags=wording.tags)


# Form


def _entries(text: str, count: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each with its candidate's number, which is one of `count` and occurs once."""
    seen = set()
    for entry in _array(text):
        number = entry.get("candidate") if isinstance(entry, dict) else None
        if type(number) is not int or not 1 <= number <= count:
            raise BadReply(f"it names candidate {number!r}, which it was not shown")
        if number in seen:
            raise BadReply(f"it names candidate {number} twice")
        seen.add(number)
        yield number, entry


def _array(text: str) -> list[Any]:
    """The answer's JSON, be it all of it or its only fenced block."""
    blocks = [found[2] for found in _FENCE.finditer(text)]
    source = blocks[0] if len(blocks) == 1 else text
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        raise BadReply("it is not JSON") from None
    if not isinstance(value, list):
        raise BadReply("it is not a JSON array")
    return value


def _wording(entry: dict[str, Any], candidate: Candidate, who: str) -> Wording:
    claim = entry.get("claim")
    severity, tags = entry.get("severity", candidate.severity), entry.get("tags", [])
    if not isinstance(claim, str):
        raise BadReply(f"{who} has no claim")
    if severity not in SEVERITIES:
        raise BadReply(f"{who} has the severity {severity!r}")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise BadReply(f"{who} has tags that are no list of texts")
    return Wording(claim.strip(), severity, tuple(tags))


# Evidence


def _problem(wording: Wording, candidate: Candidate) -> str | None:
    """What is wrong with it, for a sentence that begins with its candidate."""
    claim = wording.claim
    if not normalise(claim) or not claims.is_claim(claim):
        return "has a claim that is not one sentence of at most 300 characters"
    if not all(map(is_visible, claim)):
        return "has a claim with characters that nobody sees"
    for name in _names(claim):
        if not candidate.bears_out(name):
            return f"names `{name}`, which its evidence does not"
    for tag in wording.tags:
        if not candidate.bears_out(tag):
            return f"has the tag `{tag}`, which is not in its evidence"
    return None


def _names(claim: str) -> list[str]:
    """What a claim may not invent: whatever is in backticks, and paths and URLs anywhere."""
    found = {*_CODE.findall(claim), *claims.tags(claim), *files_named(claim)}
    return sorted({*found, *(url.rstrip(".,;:!?") for url in _URL.findall(claim))})
