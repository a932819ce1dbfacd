"""What stands below a heading or item: the fields of one finding, or several findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from relay_git.lessons import evidence
from relay_git.lessons import severity as severities
from relay_git.lessons.headings import names_group, read_heading
from relay_git.lessons.label_words import (
    FIX_LABELS,
    OTHER_LABELS,
    PRIMARY_LABELS,
    RISK_LABELS,
    SEVERITY_LABELS,
)
from relay_git.lessons.lead import Lead, plain, read_lead, size
from relay_git.lessons.markdown import BOLD_LEVEL, Block, List, Paragraph, Section, Table
from relay_git.lessons.model import Severity
from relay_git.lessons.tone import tone
from relay_git.lessons.vocabulary import fold

_TAIL = 300
_LONGEST_GROUP = 6
_SEVERAL = 3
_REMARKS = re.compile(r"[(（][^()（）]*[)）]")
_COUNTED = re.compile(r"[(（]\s*\d{1,3}\s*\w*[)）]\W*$")


def is_title(section: Section) -> bool:
    """Whether it heads the document rather than one finding."""
    return section.level == 1 and any(section.sections) and not has_fields(section.blocks)


def weigh_title(section: Section, lead: Lead) -> int:
    """An id asks for the words below it: titles are short. A question says nothing."""
    if evidence.asks(section.title):
        return 0
    first = section.blocks[0] if lead.ident and section.blocks else None
    below = tone(first.text) if isinstance(first, Paragraph) else 0
    return evidence.weight(lead) + max(0, min(below, 1))


def has_fields(blocks: Sequence[Block]) -> bool:
    """Whether the body has the parts of one finding: a problem and something about it."""
    labels = [label for label in _labels(blocks) if _is_label(label)]
    primary = sum(PRIMARY_LABELS.fullmatch(label) is not None for label in labels)
    fixes = sum(FIX_LABELS.fullmatch(label) is not None for label in labels)
    return bool(primary and (fixes or len(labels) > primary)) or bool(fixes and len(labels) > 1)


def is_one(blocks: Sequence[Block]) -> bool:
    """Whether the fields are of one finding only."""
    problems = [label for label in _labels(blocks) if PRIMARY_LABELS.fullmatch(label)]
    return has_fields(blocks) and len(problems) < 2


def _is_label(label: str) -> bool:
    known = (PRIMARY_LABELS, FIX_LABELS, OTHER_LABELS, SEVERITY_LABELS)
    return any(pattern.fullmatch(label) for pattern in known)


def _labels(blocks: Sequence[Block]) -> Iterator[str]:
    for lead in _field_leads(blocks):
        yield lead.label
    for block in blocks:
        if isinstance(block, Section) and block.level == BOLD_LEVEL:
            yield fold(plain(block.title)).strip(" :：")


def _field_leads(blocks: Sequence[Block]) -> Iterator[Lead]:
    """The lines of paragraphs and the first lines of items."""
    for block in blocks:
        if isinstance(block, Paragraph):
            yield from (read_lead(line) for line in block.text.split("\n"))
        elif isinstance(block, List):
            yield from (read_lead(item.text) for item in block.items)


def field_severity(blocks: Sequence[Block]) -> Severity | None:
    """The value of a `Severity:` line or bullet directly inside a finding."""
    stated = (lead for lead in _field_leads(blocks) if SEVERITY_LABELS.fullmatch(lead.label))
    return next((severities.field_value(lead.value) for lead in stated), None)


def risk_severity(blocks: Sequence[Block]) -> Severity | None:
    """What `Impact: Low` says, where nothing says how bad the finding is."""
    risks = (lead for lead in _field_leads(blocks) if RISK_LABELS.fullmatch(lead.label))
    levels = (severities.stated(lead.value.partition(" ")[0]) for lead in risks)
    return next(filter(None, levels), None)


def holds_findings(section: Section) -> bool:
    """Whether what is below are findings themselves, so that this heading only groups them."""
    for child in section.sections:
        heading = read_heading(child.title, among_findings=False)
        if heading.announces == "finding" or heading.lead.ident or heading.lead.numbered:
            return True
    paragraphs = (block for block in section.blocks if isinstance(block, Paragraph))
    return sum(evidence.is_primary(read_lead(paragraph.text)) for paragraph in paragraphs) > 1


def holds_statements(section: Section, lead: Lead) -> bool:
    """Whether a title that is no sentence heads bare lists of them: several findings, not one."""
    first = section.blocks[0] if section.blocks else None
    if not isinstance(first, List | Table):
        return False
    if _COUNTED.search(section.title):
        return True
    if has_fields(section.blocks):
        return False
    if size(_REMARKS.sub(" ", plain(lead.rest))) > _LONGEST_GROUP:
        return False
    named = names_group(section.title) and not lead.marked
    return named or (isinstance(first, List) and are_statements(first))


def belongs(block: List, before: Block | None) -> bool:
    """Whether it has the fields of the one item before it, written beside and not inside it."""
    return isinstance(before, List) and len(before.items) == 1 and is_one([block])


def is_bare(section: Section) -> bool:
    """Whether nothing but a list of several items, which are no fields, stands below it."""
    lists = [block for block in section.blocks if isinstance(block, List)]
    if len(lists) != 1 or len(section.blocks) != 1 or len(lists[0].items) < _SEVERAL:
        return False
    return not any(evidence.is_field(read_lead(item.text)) for item in lists[0].items)


def are_statements(block: List) -> bool:
    """Whether most items bear marks of their own or say that something is amiss."""
    leads = [(item, read_lead(item.text)) for item in block.items]
    if any(evidence.is_field(lead) for _, lead in leads):
        own = [lead.ident or lead.marked or evidence.has_title(item.text) for item, lead in leads]
    else:
        own = [
            lead.ident
            or lead.marked
            or evidence.is_bold_led(item.text)
            or evidence.speaks(item, lead)
            for item, lead in leads
        ]
    return 2 * sum(own) > len(leads)


def denies(blocks: Sequence[Block]) -> bool:
    """Whether the body opens by saying that there is nothing."""
    first = blocks[0] if blocks else None
    return isinstance(first, Paragraph) and evidence.is_nothing(read_lead(first.text))


def passes(blocks: Sequence[Block]) -> bool:
    """Whether the body says that nothing is wrong: a denial, or only ticks."""
    lists = (block for block in blocks if isinstance(block, List))
    ticks = [evidence.is_ticked(read_lead(item.text)) for block in lists for item in block.items]
    return denies(blocks) or (bool(ticks) and all(ticks))


def explains(section: Section) -> bool:
    """A title of several words or before prose is one finding; before a bare list, a topic."""
    blocks = section.blocks
    if blocks and isinstance(blocks[0], Section) and evidence.is_place(blocks[0].title):
        blocks = blocks[0].blocks
    first, after = [*blocks, None, None][:2]
    if isinstance(first, Paragraph):
        return not evidence.leads_in(first, after)
    words = size(plain(section.title[:_TAIL]))
    return words > evidence.SHORT_TITLE and not any(section.sections)
