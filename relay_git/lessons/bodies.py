"""What stands below a heading or item: the fields of one finding, or several findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, zip_longest

from relay_git.lessons import evidence
from relay_git.lessons import severity as severities
from relay_git.lessons.blocks import BOLD_LEVEL, Block, List, Paragraph, Section, Table
from relay_git.lessons.headings import names_area, names_group, read_heading
from relay_git.lessons.label_words import (
    FIX_LABELS,
    OTHER_GRADES,
    OTHER_LABELS,
    PRIMARY_LABELS,
    RISK_LABELS,
    SEVERITY_LABELS,
)
from relay_git.lessons.lead import Lead, plain, read_lead, size
from relay_git.lessons.model import Severity
from relay_git.lessons.tables import columns
from relay_git.lessons.tone import tone
from relay_git.lessons.vocabulary import PRAISE_MARKS, fold

_TAIL = 300
_LONGEST_GROUP = 6
_SEVERAL = 3
_REMARKS = re.compile(r"[(（][^()（）]*[)）]")
_PAUSE = re.compile(r"[,.;:(（，。—–]|\s-\s")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n|(?<=[。！？])")
_COUNTED = re.compile(r"[(（]\s*\d{1,3}\s*\w*[)）]\W*$")


def is_title(section: Section) -> bool:
    """Whether it heads the document rather than one finding."""
    return section.level == 1 and any(section.sections) and not has_fields(section.blocks)


def is_titled(section: Section, lead: Lead) -> bool:
    """Whether the title says more than where or in which area something is."""
    words = fold(plain(lead.rest))
    return not (evidence.is_place(lead.rest) or names_area(words) or names_group(section.title))


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
    primary = sum(label in PRIMARY_LABELS for label in labels)
    fixes = sum(label in FIX_LABELS for label in labels)
    told = (primary and (fixes or len(labels) > primary)) or (fixes and len(labels) > 1)
    return bool(told) or _is_form(blocks)


def _is_form(blocks: Sequence[Block]) -> bool:
    """Whether all it has are labelled bullets, one of which tells the harm: `Impact: …`."""
    lists = [block for block in blocks if isinstance(block, List)]
    if len(lists) != 1 or len(lists[0].items) < 2:
        return False
    items = lists[0].items
    leads = [read_lead(item.text) for item in items if evidence.is_bold_led(item.text)]
    if len(leads) < len(items) or not all(lead.label for lead in leads):
        return False
    harms = (lead for lead in leads if lead.label in RISK_LABELS)
    return any(size(lead.value) > evidence.SHORT_TITLE for lead in harms)


def is_one(blocks: Sequence[Block]) -> bool:
    """Whether the fields are of one finding only."""
    problems = [label for label in _labels(blocks) if label in PRIMARY_LABELS]
    return has_fields(blocks) and len(problems) < 2


def _is_label(label: str) -> bool:
    known = (PRIMARY_LABELS, FIX_LABELS, OTHER_LABELS, SEVERITY_LABELS)
    return any(label in names for names in known)


def _labels(blocks: Sequence[Block]) -> Iterator[str]:
    for lead in _field_leads(blocks):
        yield lead.label
    for block in blocks:
        if isinstance(block, Section) and block.level == BOLD_LEVEL:
            yield fold(plain(block.title)).strip(" :：")


def _field_leads(blocks: Sequence[Block]) -> Iterator[Lead]:
    """The lines of paragraphs and the first lines of items; `Severity:` may stand above a list."""
    for block, after in zip_longest(blocks, blocks[1:]):
        if isinstance(block, Paragraph) and isinstance(after, List):
            *lines, last = block.text.split("\n")
            yield from map(read_lead, (*lines, f"{last} {after.items[0].text}"))
        elif isinstance(block, Paragraph):
            yield from (read_lead(line) for line in block.text.split("\n"))
        elif isinstance(block, List):
            yield from (read_lead(item.text) for item in block.items)


def field_severity(blocks: Sequence[Block]) -> Severity | None:
    """The value of a `Severity:` line or bullet directly inside a finding."""
    stated = (lead for lead in _field_leads(blocks) if lead.label in SEVERITY_LABELS)
    return next((severities.field_value(lead.value) for lead in stated), None)


def grade(blocks: Sequence[Block]) -> Severity | None:
    """Of what is a finding: a field under any name whose value is nothing but a severity."""
    return field_severity(blocks) or next(filter(None, map(_grade, _field_leads(blocks))), None)


def _grade(lead: Lead) -> Severity | None:
    if not lead.label or lead.marked or _means_other(lead.label):
        return None
    return severities.stated(lead.value)


def _means_other(label: str) -> bool:
    known = (PRIMARY_LABELS, FIX_LABELS, OTHER_LABELS, OTHER_GRADES)
    return any(label in names for names in known)


def problem(blocks: Sequence[Block]) -> str:
    """What the body says is wrong: its field for that, else its first words."""
    for lead in _field_leads(blocks):
        if lead.value and lead.label in PRIMARY_LABELS:
            return lead.value
    first = blocks[0] if blocks else None
    if isinstance(first, List):
        return "" if evidence.is_field(read_lead(first.items[0].text)) else first.items[0].text
    prose = (block.text for block in blocks if isinstance(block, Paragraph))
    return next(filter(None, map(_beyond_fields, prose)), "")


def _beyond_fields(text: str) -> str:
    """What follows `Severity: High.` in the same paragraph."""
    parts = _SENTENCE.split(text)
    return " ".join(dropwhile(lambda part: evidence.is_field(read_lead(part)), parts))


def risk_severity(blocks: Sequence[Block]) -> Severity | None:
    """What `Impact: Low` says, where nothing says how bad the finding is."""
    risks = (lead for lead in _field_leads(blocks) if lead.label in RISK_LABELS)
    levels = (severities.stated(_PAUSE.split(lead.value, maxsplit=1)[0]) for lead in risks)
    return next(filter(None, levels), None)


def holds_findings(section: Section) -> bool:
    """Whether what is below are findings themselves, so that this heading only groups them."""
    for child in section.sections:
        heading = read_heading(child.title, among_findings=False)
        if heading.announces == "finding" or heading.lead.ident or heading.lead.numbered:
            return True
    if any(isinstance(b, Table) and columns(b).severity is not None for b in section.blocks):
        return True
    paragraphs = (block for block in section.blocks if isinstance(block, Paragraph))
    return sum(evidence.is_primary(read_lead(paragraph.text)) for paragraph in paragraphs) > 1


def is_ticked_off(section: Section, lead: Lead) -> bool:
    """`Motion preferences ✅`, where the words before the tick blame nothing."""
    ends = plain(section.title).rstrip().endswith(tuple(PRAISE_MARKS))
    return ends and lead.state is None and tone(lead.rest) < evidence.ENOUGH


def holds_titles(section: Section) -> bool:
    """Whether several bold lines below it are titles, rather than labels of one finding's parts."""
    bold = [child for child in section.sections if child.level == BOLD_LEVEL]
    labels = [fold(plain(child.title)).strip(" :：") for child in bold]
    return len(bold) > 1 and not any(map(_is_label, labels))


def holds_graded(section: Section) -> bool:
    """Whether a heading or table directly below states how bad something is."""
    titles = (read_heading(child.title, among_findings=False) for child in section.sections)
    tables = (block for block in section.blocks if isinstance(block, Table))
    return any(title.lead.marked for title in titles) or any(
        columns(table).severity is not None for table in tables
    )


def holds_statements(section: Section, lead: Lead) -> bool:
    """Whether a title that is no sentence heads bare lists of them: several findings, not one."""
    first = section.blocks[0] if section.blocks else None
    if not isinstance(first, List | Table):
        return False
    if isinstance(first, Table) and len(first.rows) > 1 and columns(first).blames:
        return True
    if _COUNTED.search(section.title):
        return True
    if has_fields(section.blocks):
        return False
    title = _REMARKS.sub(" ", plain(lead.rest))
    if names_area(fold(title)):
        return True
    if size(title) > _LONGEST_GROUP:
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
    if not isinstance(first, Paragraph) or evidence.ends_open(first.text):
        return False
    return evidence.is_nothing(read_lead(first.text))


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
