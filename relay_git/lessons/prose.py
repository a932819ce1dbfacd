"""The findings of a review that is prose alone: its paragraphs that blame, one finding each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from relay_git.lessons import evidence
from relay_git.lessons.blocks import Paragraph, Section
from relay_git.lessons.decisions import voiced
from relay_git.lessons.drafts import Draft
from relay_git.lessons.headings import read_heading
from relay_git.lessons.lead import plain, read_lead
from relay_git.lessons.scopes import Scope
from relay_git.lessons.tone import tone

_LONGEST = 4000
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")


def paragraphs(section: Section) -> Iterator[Draft]:
    """Of the section and all below it, but those that praise, deny or answer a question."""
    for block in section.blocks:
        if isinstance(block, Section):
            if read_heading(block.title, among_findings=False).announces != "closed":
                yield from paragraphs(block)
        elif isinstance(block, Paragraph) and not evidence.is_about_outcome(section.title):
            yield from _paragraph(block)


def _paragraph(block: Paragraph) -> Iterator[Draft]:
    """What it says is its sentence that blames most; one that decides the outcome says nothing."""
    whole = read_lead(block.text)
    if evidence.is_record(block.text) or evidence.is_nothing(whole) or evidence.is_outcome(whole):
        return
    worst = max(_SENTENCE.split(plain(block.text[:_LONGEST])), key=_blame)
    if _blame(worst) >= evidence.ENOUGH:
        lead = read_lead(worst)
        yield Draft(block.line, block.end, lead, lead.severity or Scope().default(lead))


def _blame(sentence: str) -> int:
    return 0 if voiced(sentence) else tone(sentence)
