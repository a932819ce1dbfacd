"""What single parts of a review show about themselves: fields, ticks, denials, lead-ins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from relay_git.lessons import severity as severities
from relay_git.lessons.decisions import labelled
from relay_git.lessons.headings import names_group, only_group_words, read_heading, says_nothing
from relay_git.lessons.label_words import (
    FIX_LABELS,
    NAMING_LABEL,
    OTHER_LABELS,
    PRIMARY_LABELS,
    RISK_LABELS,
    SEVERITY_LABELS,
)
from relay_git.lessons.lead import Lead, plain, read_lead, size
from relay_git.lessons.markdown import BOLD_LEVEL, Block, Item, List, Paragraph, Section, Table
from relay_git.lessons.model import Severity
from relay_git.lessons.vocabulary import DOMAINS, SETTLED, fold

_TAIL = 300
_BARE_TITLE_WORDS = 4
_LETTERS = re.compile(r"[^\W\d_]")
_PARENTHESIS = re.compile(r"\s*\([^)]*\)$")
_BOLD_LABEL = re.compile(r"\s*\*\*[^*\n]{1,40}(?:[:：]\*\*|\*\*\s?[:：])")
_BOLD_TITLE = re.compile(r"\W{0,8}\*\*([^*\n]+)\*\*(?:\s*([(\[][^()\[\]]{1,30}[)\]]))?")


# One statement


def is_nothing(lead: Lead) -> bool:
    """`None.`, and a severity followed by a count or by no more than a noun."""
    words = fold(plain(lead.rest))
    empty = lead.marked and (only_group_words(words) or not _LETTERS.search(words))
    return empty or says_nothing(words)


def is_outcome(lead: Lead) -> bool:
    return labelled(lead.label, lead.value) is not None


def is_field(lead: Lead) -> bool:
    """A part of some finding, such as its location or fix, but not the problem itself."""
    if lead.marked or lead.ident:
        return False
    label = _PARENTHESIS.sub("", lead.label)
    return any(part.fullmatch(label) for part in (FIX_LABELS, OTHER_LABELS, SEVERITY_LABELS))


def is_primary(lead: Lead) -> bool:
    return PRIMARY_LABELS.fullmatch(lead.label) is not None


def names_fault(lead: Lead) -> bool:
    """`Doc nit: …`, `Gap (not blocking): …`, `Issue 3: …`."""
    return lead.fault or NAMING_LABEL.fullmatch(lead.label) is not None


def is_ticked(lead: Lead) -> bool:
    """A tick says that all is well, unless it ticks off something that was wrong."""
    value = read_lead(lead.value) if lead.label else lead
    settled = SETTLED.search(fold(value.rest[:40]))
    return (lead.praised or value.praised) and not settled


def ends_open(text: str) -> bool:
    return plain(text[-_TAIL:]).endswith((":", "："))


def is_bold_led(text: str) -> bool:
    return text.lstrip().startswith(("**", "__"))


def is_record(text: str) -> bool:
    """Several lines of `**Label:** value`, as at the head of a document."""
    lines = text.split("\n")
    return len(lines) > 1 and all(_BOLD_LABEL.match(line) for line in lines)


def title_severity(text: str) -> Severity | None:
    """A severity in brackets after the bold title or at the end of the first line."""
    bold = _BOLD_TITLE.match(text)
    title = " ".join(filter(None, bold.groups())) if bold else ""
    return severities.trailing(title) or severities.trailing(text.split("\n", 1)[0])


# Items


def is_finding(item: Item, lead: Lead) -> bool:
    """By its own evidence, wherever it stands."""
    return lead.marked or names_fault(lead) or has_fields(item.blocks)


def agree(items: Sequence[tuple[Item, Lead]]) -> bool:
    """When several items of a list show to be findings, its other items are taken for ones."""
    own = sum(is_finding(item, lead) for item, lead in items)
    return own >= 2 and own * 3 >= len(items)


def is_in_order(lead: Lead, details: Sequence[Block]) -> bool:
    """Whether a tick stands before it, or before the first thing said about it."""
    if lead.marked:
        return False
    first = next((block for block in details if isinstance(block, List)), None)
    return lead.praised or (first is not None and is_ticked(read_lead(first.items[0].text)))


def is_area(item: Item) -> bool:
    """`Backend`: an item that only names the area of the list inside it."""
    return not _LETTERS.search(DOMAINS.sub(" ", fold(plain(item.text[:_TAIL]))))


# What stands below a heading or item


def has_fields(blocks: Sequence[Block]) -> bool:
    """Whether the body has the parts of one finding: a problem and something about it."""
    labels = [label for label in _labels(blocks) if _is_label(label)]
    primary = sum(PRIMARY_LABELS.fullmatch(label) is not None for label in labels)
    fixes = sum(FIX_LABELS.fullmatch(label) is not None for label in labels)
    return bool(primary and (fixes or len(labels) > primary)) or bool(fixes and len(labels) > 1)


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
    for lead in _field_leads(blocks):
        if SEVERITY_LABELS.fullmatch(lead.label):
            return severities.field_value(lead.value)
        if RISK_LABELS.fullmatch(lead.label):
            level = severities.stated(lead.value.partition(" ")[0])
            if level is not None:
                return level
    return None


def holds_findings(section: Section) -> bool:
    """Whether what is below are findings themselves, so that this heading only groups them."""
    for child in section.sections:
        heading = read_heading(child.title, among_findings=False)
        if heading.announces == "finding" or heading.lead.ident:
            return True
    paragraphs = (block for block in section.blocks if isinstance(block, Paragraph))
    return sum(is_primary(read_lead(paragraph.text)) for paragraph in paragraphs) > 1


def only_lists(section: Section) -> bool:
    """`3.1 Suggestions on content`, numbered, over bare lists: several findings, not one."""
    bare = all(isinstance(block, List | Table) for block in section.blocks)
    return bare and names_group(section.title) and not has_fields(section.blocks)


def denies(blocks: Sequence[Block]) -> bool:
    """Whether the body opens by saying that there is nothing."""
    first = blocks[0] if blocks else None
    return isinstance(first, Paragraph) and is_nothing(read_lead(first.text))


def passes(blocks: Sequence[Block]) -> bool:
    """Whether the body says that nothing is wrong: a denial, or only ticks."""
    lists = (block for block in blocks if isinstance(block, List))
    ticks = [is_ticked(read_lead(item.text)) for block in lists for item in block.items]
    return denies(blocks) or (bool(ticks) and all(ticks))


def explains(section: Section) -> bool:
    """A title of several words or before prose is one finding; before a bare list, a topic."""
    first = section.blocks[0] if section.blocks else None
    if isinstance(first, Paragraph):
        after = section.blocks[1] if len(section.blocks) > 1 else None
        return not leads_in(first, after)
    words = size(plain(section.title[:_TAIL]))
    return words > _BARE_TITLE_WORDS and not any(section.sections)


def leads_in(paragraph: Paragraph, after: Block | None) -> bool:
    return isinstance(after, List | Table) and ends_open(paragraph.text)
