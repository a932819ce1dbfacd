"""Which parts of a review are findings: a walk over its sections, lists, tables, paragraphs.

A part is a finding by its own evidence (a severity mark, an id, fields such as Problem and Fix)
or by its place (a section that announces findings). Parts of a finding are never findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from relay_git.lessons import bodies, evidence, prose, sections, siblings, states
from relay_git.lessons import severity as severities
from relay_git.lessons.blocks import Block, Item, List, Paragraph, Section, Table
from relay_git.lessons.drafts import Draft, finish
from relay_git.lessons.headings import Announces, Heading, only_group_words, read_heading
from relay_git.lessons.label_words import FIX_LABELS, SEVERITY_LABELS
from relay_git.lessons.lead import Lead, is_dense, plain, read_lead
from relay_git.lessons.markdown import Tree
from relay_git.lessons.model import Finding, Severity
from relay_git.lessons.repeats import without_repeats
from relay_git.lessons.rows import rows
from relay_git.lessons.scopes import EXPECTING, Scope
from relay_git.lessons.state_words import PRAISE
from relay_git.lessons.vocabulary import fold

_LONGEST_TAIL = 2000
_LEAD_IN_WORDS = 7
_DENSE_LEAD_IN = 20
_LONGEST_GROUP_LABEL = 80


@dataclass(slots=True)
class _Place:
    """Where the walk stands among the blocks of one section."""

    scope: Scope
    alone: bool
    blames: bool = False
    asked: bool = False
    """Whether these blocks answer the question that heads them."""
    announced: Scope = field(init=False)
    inside: bool = False
    pending: Severity | None = None

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """After a heading: no lead-in, no open finding, no severity waiting for one."""
        self.announced, self.inside, self.pending = self.scope, False, None


def read_findings(tree: Tree) -> Iterator[Finding]:
    """The findings of a document, at most one a line, in the order of the walk.

    Next steps and action items say again what the findings said: they count where none did.
    """
    seen: set[int] = set()
    drafts = list(_blocks(tree.root.blocks, Scope())) or list(prose.paragraphs(tree.root))
    first = [draft for draft in drafts if not draft.repeats]
    for draft in without_repeats(first or drafts):
        finding = finish(draft, tree) if draft.line not in seen else None
        if finding is not None:
            seen.add(draft.line)
            yield finding


# Sections


def _section(section: Section, scope: Scope) -> Iterator[Draft]:
    """The findings of one section: itself, or what it holds."""
    heading = read_heading(section.title, among_findings=scope.expects)
    scope = scope.but(again=scope.again or sections.goes_over_again(section.title))
    announces = sections.announced_by(section, heading, scope)
    if announces == "finding":
        yield _draft(section, heading.lead, _level(section, heading), scope)
        return
    inner = below = sections.scope_below(section, announces, heading.severity, scope)
    if section.level == 1 and not only_group_words(section.title):
        below = Scope(again=scope.again)
        if announces == "topic" and any(section.sections):
            inner = inner.but(announces="aside")
    yield from _blocks(section.blocks, inner, below, asked=evidence.asks(section.title))


def _level(section: Section, heading: Heading) -> Severity | None:
    """What the heading says; but a field says it better than an emoji, which may be a state."""
    stated = bodies.grade(section.blocks)
    if heading.lead.coloured:
        return stated or heading.severity
    return heading.severity or stated


def _draft(part: Section | Item, lead: Lead, level: Severity | None, scope: Scope) -> Draft:
    body = bodies.problem(part.blocks)
    risk = None if scope.severity or lead.hint else bodies.risk_severity(part.blocks)
    severity = scope.own(lead, level) or risk or scope.default(lead)
    repeats = scope.announces == "plan"
    return Draft(part.line, part.end, lead, severity, body, repeats, graded=level is not None)


# Blocks


def _blocks(
    blocks: Sequence[Block], scope: Scope, below: Scope | None = None, asked: bool = False
) -> Iterator[Draft]:
    """Paragraphs announce the lists after them, or are findings with the lists as details.

    `below` is the scope for the sections among the blocks, where it differs.
    """
    alone = not any(isinstance(block, List | Table | Section) for block in blocks)
    place = _Place(scope, alone, siblings.blames_paragraphs(blocks), asked)
    below = sections.scope_of(blocks, below or scope)
    for at, block in enumerate(blocks):
        match block:
            case Section():
                place.restart()
                yield from _section(block, below)
            case Paragraph():
                after = blocks[at + 1] if at + 1 < len(blocks) else None
                yield from _paragraph(block, after, place)
            case List() if bodies.belongs(block, blocks[at - 1] if at else None):
                continue
            case List() if not (place.inside and place.announced is scope):
                yield from _list(block, place.announced)
                place.announced = scope
            case Table():
                yield from rows(block, place.announced)


def _paragraph(block: Paragraph, after: Block | None, place: _Place) -> Iterator[Draft]:
    lead = read_lead(block.text)
    if lead.label in SEVERITY_LABELS:
        place.pending = severities.field_value(lead.value) or place.pending
    elif evidence.leads_in(block, after) and not evidence.says_more(lead):
        details = place.inside and evidence.is_field(lead)
        place.announced = place.scope if details else _announced(block, place.scope)
    else:
        place.announced = place.scope
        if _is_finding(block, lead, place):
            place.inside = True
            own = place.scope.own(lead, lead.severity)
            level = own or severities.mentioned(lead.label) or place.pending
            yield Draft(block.line, block.end, lead, level or place.scope.default(lead))


def _is_finding(block: Paragraph, lead: Lead, place: _Place) -> bool:
    if place.asked and not place.inside and evidence.answers(block.text):
        return False
    if place.scope.announces == "closed" or evidence.is_nothing(lead) or evidence.is_outcome(lead):
        return False
    if (lead.marked and not lead.praised) or evidence.names_fault(lead):
        return True
    if evidence.is_primary(lead) or (lead.ident and place.scope.expects):
        return True
    if place.scope.announces == "topic" and evidence.is_bold_led(block.text):
        listed = place.blames and lead.numbered
        return listed or (
            evidence.weight(lead) > evidence.ENOUGH and not evidence.is_record(block.text)
        )
    if not place.scope.expects or lead.praised or evidence.is_field(lead):
        return False
    if evidence.is_record(block.text) or evidence.ends_open(block.text):
        return False
    return place.alone or evidence.is_bold_led(block.text)


def _announced(block: Paragraph, scope: Scope) -> Scope:
    """The scope of the list that a paragraph ending in a colon leads in."""
    if scope.announces == "closed":
        return scope
    tail = plain(block.text[-_LONGEST_TAIL:]).rstrip(":：")
    words = " ".join(tail.split()[-_LEAD_IN_WORDS:])
    words = words[-_DENSE_LEAD_IN:] if is_dense(words) else words
    if fold(words) in FIX_LABELS:
        return Scope("advice", scope.severity)
    if states.state_of(words.rpartition(" ")[2]) == "settled":
        return Scope("closed")
    heading = read_heading(words, among_findings=False)
    wanted: tuple[Announces, ...] = ("findings",) if scope.announces == "aside" else EXPECTING
    if heading.announces in wanted:
        return Scope(heading.announces, heading.severity or scope.severity)
    if heading.announces in ("aside", "closed") or PRAISE.search(fold(words)):
        return Scope("closed")
    return scope


# Lists


def _list(block: List, scope: Scope) -> Iterator[Draft]:
    if scope.announces == "closed":
        return
    items = [(item, read_lead(item.text)) for item in block.items]
    if siblings.all_well(items) or (not scope.expects and siblings.is_scale(items)):
        return
    agreed = siblings.agree(items)
    blames = scope.announces == "topic" and siblings.blames(items)
    checks = any(item.checked for item in block.items)
    for item, lead in items:
        weight = evidence.weigh_item(item, lead)
        enough = scope.announces == "topic" and weight >= evidence.ENOUGH
        enough = enough or (checks and item.checked is False and evidence.is_amiss(lead))
        yield from _item(item, lead, scope, enough or ((agreed or blames) and weight >= 0))


def _item(item: Item, lead: Lead, scope: Scope, agreed: bool) -> Iterator[Draft]:
    """`agreed` when its words or enough of its siblings show to be findings."""
    group = _group(item, scope)
    if group is not None:
        yield from _blocks(item.blocks, group)
    elif _is_no_finding(item, lead) or (scope.again and item.checked):
        return
    elif scope.expects or agreed or siblings.is_finding(item, lead):
        titled = lead.severity or evidence.title_severity(item.text)
        yield _draft(item, lead, titled or bodies.grade(item.blocks), scope)
    else:
        yield from _blocks(item.blocks, scope)


def _is_no_finding(item: Item, lead: Lead) -> bool:
    if (
        (evidence.is_place(lead.rest) and not bodies.has_fields(item.blocks))
        or evidence.is_nothing(lead)
        or evidence.is_outcome(lead)
        or evidence.is_field(lead)
    ):
        return True
    return siblings.is_in_order(lead, item.blocks)


def _group(item: Item, scope: Scope) -> Scope | None:
    """The scope of an item that only names a group (`High:`, `Backend`) for the list in it."""
    has_list = any(isinstance(block, List) for block in item.blocks)
    if not has_list or len(item.text) > _LONGEST_GROUP_LABEL or bodies.is_one(item.blocks):
        return None
    if bodies.has_fields(item.blocks):
        return Scope("findings", scope.severity)
    if siblings.is_area(item) or evidence.is_place(item.text):
        return scope
    if not only_group_words(item.text):
        return scope if scope.expects and siblings.names_several(item) else None
    heading = read_heading(plain(item.text).rstrip(" :："), among_findings=False)
    return Scope(heading.announces, heading.severity or scope.severity)
