"""What a step's message says of how it was made: by which backend, and with which advice.

So `git log` tells it, `git relay log` shows it, and the signature covers it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from relay_git.chain import chain
from relay_git.drive.asking import Answer, Backend
from relay_git.drive.crew import described
from relay_git.drive.replies import Advice, Opinion, line
from relay_git.record import Record
from relay_git.workflow.runs import Run
from relay_git.workspace import Workspace

_HEAD = "Orchestrator: "
_CONCERNS = "Concerns: "
_PARAGRAPH = re.compile(rf"^{_HEAD}.+(?:\n.+)*", re.MULTILINE)


class Note(Record):
    """What the orchestrator did about a visit, in its words before and after it.

    `unheard` says why it could not be asked.
    """

    action: str
    advice: Advice = Advice()
    opinion: Opinion = Opinion()
    unheard: str = ""


class Past(Record):
    """A note as an earlier step has it: the step's subject, the note in one line, its concerns."""

    subject: str
    text: str
    concerns: str


def body(backend: Backend, spent: Answer, note: Note | None) -> str:
    """For a step's message."""
    parts = [_made(backend, spent)] if backend.name != "manual" else []
    parts += [_paragraph(note)] if note else []
    return "\n\n".join(parts)


def past(ws: Workspace, run: Run, most: int) -> list[Past]:
    """The last so many notes of a run, the newest first."""
    found: list[Past] = []
    for one in _past(ws, run):
        found.append(one)
        if len(found) == most:
            break
    return found


def _made(backend: Backend, spent: Answer) -> str:
    tokens = f": {spent.tokens_in:,} tokens read, {spent.tokens_out:,} written"
    return f"Made by {described(backend)}{tokens if spent.tokens else ''}."


def _paragraph(note: Note) -> str:
    said = {
        _HEAD: note.action,
        "Unheard: ": note.unheard,
        "Before: ": note.advice.reasoning,
        "Enrichment: ": note.advice.enrichment,
        "Summary: ": note.opinion.summary,
        _CONCERNS: note.opinion.concerns,
        "After: ": note.opinion.reasoning,
    }
    return "\n".join(f"{key}{line(value)}" for key, value in said.items() if value)


def _past(ws: Workspace, run: Run) -> Iterator[Past]:
    for step in chain.walk(ws.store, run.tip.oid):
        subject, _, rest = step.commit.message.partition("\n")
        for found in _PARAGRAPH.finditer(rest.rpartition("\n\n")[0]):
            lines = found[0].split("\n")
            concerns = next((one for one in lines if one.startswith(_CONCERNS)), "")
            text = line(" | ".join(lines))
            yield Past(line(subject), text, concerns.removeprefix(_CONCERNS))
