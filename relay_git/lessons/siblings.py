"""What the parts of a review that stand beside each other say about one another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relay_git.lessons import bodies, evidence
from relay_git.lessons import severity as severities
from relay_git.lessons.blocks import Block, Item, List, Paragraph, Section
from relay_git.lessons.headings import names_area
from relay_git.lessons.lead import Lead, plain, read_lead
from relay_git.lessons.outcome_words import YES
from relay_git.lessons.tone import reassures
from relay_git.lessons.vocabulary import PRAISE_MARKS, fold

_TAIL = 300
_LONGEST_SAID = 1000
_LEVELS = 3
_LEVEL_NAME = 4
_ANSWERED = re.compile(
    rf"(?:.{{1,80}}?(?:\s[—–-]{{1,2}}\s|[:：]\s*))?(?:{YES.pattern}|n/a)\s*(?:[.,。、(（]|$)"
)


def is_finding(item: Item, lead: Lead) -> bool:
    """By its own evidence, wherever it stands."""
    return lead.marked or evidence.names_fault(lead) or bodies.is_one(item.blocks)


def agree(items: Sequence[tuple[Item, Lead]]) -> bool:
    """When several items of a list show to be findings, its other items are taken for ones."""
    own = sum(is_finding(item, lead) for item, lead in items)
    return own >= 2 and own * 3 >= len(items)


def blames(items: Sequence[tuple[Item, Lead]]) -> bool:
    """Whether most items of a list that nothing announced say that something is amiss."""
    return 2 * sum(evidence.speaks(item, lead) for item, lead in items) > len(items)


def all_well(items: Sequence[tuple[Item, Lead]]) -> bool:
    """Whether every item of a list says that all is well, whatever announced it."""
    return all(not (lead.marked or lead.placed) and reassures(lead.rest) for _, lead in items)


def is_in_order(lead: Lead, details: Sequence[Block]) -> bool:
    """Whether a tick or praise stands before it, or before the first thing said about it."""
    if lead.marked or lead.placed:
        return False
    if evidence.is_ticked(lead):
        return True
    said = plain(lead.rest[:_LONGEST_SAID]).rstrip(" .。|")
    if said.endswith(tuple(PRAISE_MARKS)) or reassures(said):
        return True
    if _ANSWERED.match(fold(plain(lead.rest[:_TAIL]))):
        return True
    first = next((block.items[0] for block in details if isinstance(block, List)), None)
    return lead.praised or (first is not None and evidence.is_ticked(read_lead(first.text)))


def is_area(item: Item) -> bool:
    """`Backend`: an item that only names the area of the list inside it."""
    return not item.ordered and names_area(fold(plain(item.text[:_TAIL])))


def names_several(item: Item) -> bool:
    """`**Reliability / bugs**`: no more than a title before a list of several statements."""
    lists = [block for block in item.blocks if isinstance(block, List)]
    several = evidence.is_bold_title(item.text) and not item.ordered and len(lists[0].items) > 1
    return several and bodies.are_statements(lists[0])


def blames_sections(sections: Sequence[Section]) -> bool:
    """Whether most of the listed titles say that something is amiss."""
    leads = [(section, read_lead(section.title)) for section in sections]
    listed = [(s, lead) for s, lead in leads if evidence.is_listed(lead) and lead.state != "void"]
    enough = sum(_blames(section, lead) for section, lead in listed)
    return len(listed) > 1 and 2 * enough >= len(listed)


def _blames(section: Section, lead: Lead) -> bool:
    """By its words, or by a severity at its end."""
    graded = lead.marked or severities.trailing(section.title) is not None
    return graded or bodies.weigh_title(section, lead) >= evidence.ENOUGH


def is_scale(items: Sequence[tuple[Item, Lead]]) -> bool:
    """Whether each item explains another severity, and none of them names code."""
    if len(items) < _LEVELS or any("`" in lead.rest or lead.ident for _, lead in items):
        return False
    levels = [lead.severity for _, lead in items]
    words = {fold(item.text)[:_LEVEL_NAME] for item, _ in items}
    return None not in levels and len(set(levels)) == _LEVELS and len(words) == len(items)


def blames_paragraphs(blocks: Sequence[Block]) -> bool:
    """Whether several paragraphs are numbered titles and one of them says what is amiss."""
    leads = [
        read_lead(block.text)
        for block in blocks
        if isinstance(block, Paragraph) and evidence.is_bold_led(block.text)
    ]
    weights = [evidence.weight(lead) for lead in leads if lead.numbered]
    return len(weights) > 1 and max(weights) >= evidence.ENOUGH
