"""Which parts of a review are findings: a walk over its sections, lists, tables, paragraphs.

A part is a finding by its own evidence (a severity mark, an id, fields such as Problem and Fix)
or by its place (a section that announces findings). Parts of a finding are never findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from relay_git.lessons import claims, evidence
from relay_git.lessons import severity as severities
from relay_git.lessons.headings import Announces, Heading, only_group_words, read_heading
from relay_git.lessons.label_words import SEVERITY_LABELS
from relay_git.lessons.lead import Lead, plain, read_lead
from relay_git.lessons.markdown import Block, Item, List, Paragraph, Row, Section, Table, Tree
from relay_git.lessons.model import Finding, Severity
from relay_git.lessons.tables import columns
from relay_git.lessons.vocabulary import PRAISE, fold

_LONGEST_EXCERPT = 2000
_LEAD_IN_WORDS = 7
_LONGEST_GROUP_LABEL = 80
_EXPECTING: tuple[Announces, ...] = ("findings", "advice", "plan")
_DEFAULTS: dict[Announces, Severity] = {"findings": "warn", "advice": "info"}


@dataclass(frozen=True, slots=True)
class Scope:
    """What the headings above have announced."""

    announces: Announces = "topic"
    severity: Severity | None = None

    @property
    def expects(self) -> bool:
        return self.announces in _EXPECTING

    def own(self, lead: Lead, level: Severity | None) -> Severity | None:
        """The level that a finding states; `P1` to `P7` below `Polish` only number it."""
        return None if lead.ordinal and self.severity == "info" else level

    def default(self, lead: Lead) -> Severity:
        """How bad a finding here is that does not say so itself."""
        return self.severity or lead.hint or _DEFAULTS.get(self.announces, "warn")


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding before its words are trimmed; `repeats` in a list of things to do."""

    line: int
    end: int
    lead: Lead
    severity: Severity
    body: str = ""
    repeats: bool = False


@dataclass(slots=True)
class _Place:
    """Where the walk stands among the blocks of one section."""

    scope: Scope
    alone: bool
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
    drafts = list(_blocks(tree.root.blocks, Scope()))
    first = [draft for draft in drafts if not draft.repeats]
    for draft in first or drafts:
        finding = _finish(draft, tree) if draft.line not in seen else None
        if finding is not None:
            seen.add(draft.line)
            yield finding


def _finish(draft: Draft, tree: Tree) -> Finding | None:
    claim = claims.claim(draft.lead, draft.body)
    if not re.search(r"[^\W_]", claim):
        return None
    source = tree.source(draft.line, draft.end).rstrip()
    excerpt = _excerpt(source)
    kind = claims.kind(draft.lead.rest)
    return Finding(draft.line, claim, excerpt, draft.severity, kind, claims.tags(excerpt))


def _excerpt(source: str) -> str:
    if len(source) <= _LONGEST_EXCERPT:
        return source
    cut = source[:_LONGEST_EXCERPT].rpartition("\n")[0]
    return f"{cut or source[:_LONGEST_EXCERPT]}\n…"


# Sections


def _section(section: Section, scope: Scope) -> Iterator[Draft]:
    """The findings of one section: itself, or what it holds."""
    heading = read_heading(section.title, among_findings=scope.expects)
    announces = _settled(section, heading, scope)
    if announces == "finding":
        level = heading.severity or evidence.field_severity(section.blocks)
        yield _draft(section, heading.lead, level, scope)
        return
    inner = _inner(section, announces, heading.severity, scope)
    is_title = section.level == 1 and not only_group_words(section.title)
    yield from _blocks(section.blocks, inner, below=Scope() if is_title else inner)


def _settled(section: Section, heading: Heading, scope: Scope) -> Announces:
    """What the body says about a heading that could be a finding or a topic."""
    announces, level = heading.announces, heading.severity
    if announces not in ("finding", "topic"):
        return announces
    if evidence.holds_findings(section):
        return "findings" if scope.expects or announces == "finding" else "topic"
    if level is None and evidence.passes(section.blocks):
        return "closed"
    if announces == "finding":
        several = not heading.lead.ident and evidence.only_lists(section)
        return "topic" if level is None and (section.level == 1 or several) else "finding"
    return _by_body(section, scope)


def _by_body(section: Section, scope: Scope) -> Announces:
    if scope.announces == "closed":
        return "closed"
    graded = section.level > 1 and evidence.field_severity(section.blocks) is not None
    if evidence.has_fields(section.blocks) or graded:
        return "finding"
    return "finding" if scope.expects and evidence.explains(section) else "topic"


def _inner(section: Section, announces: Announces, level: Severity | None, scope: Scope) -> Scope:
    """The scope of what a heading holds."""
    if announces == "topic":
        return replace(scope, severity=level or scope.severity)
    if announces == "closed":
        return Scope("closed")
    if announces == "aside" or evidence.denies(section.blocks):
        return Scope("aside")
    inherited = scope.severity if scope.announces == announces else None
    return Scope(announces, level or inherited)


def _draft(part: Section | Item, lead: Lead, level: Severity | None, scope: Scope) -> Draft:
    body = next((block.text for block in part.blocks if isinstance(block, Paragraph)), "")
    severity = scope.own(lead, level) or scope.default(lead)
    return Draft(part.line, part.end, lead, severity, body, repeats=scope.announces == "plan")


# Blocks


def _blocks(blocks: Sequence[Block], scope: Scope, below: Scope | None = None) -> Iterator[Draft]:
    """Paragraphs announce the lists after them, or are findings with the lists as details.

    `below` is the scope for the sections among the blocks, where it differs.
    """
    alone = not any(isinstance(block, List | Table | Section) for block in blocks)
    place = _Place(scope, alone)
    for at, block in enumerate(blocks):
        match block:
            case Section():
                place.restart()
                yield from _section(block, below or scope)
            case Paragraph():
                after = blocks[at + 1] if at + 1 < len(blocks) else None
                yield from _paragraph(block, after, place)
            case List() if not (place.inside and place.announced is scope):
                yield from _list(block, place.announced)
                place.announced = scope
            case Table():
                yield from _table(block, place.announced)


def _paragraph(block: Paragraph, after: Block | None, place: _Place) -> Iterator[Draft]:
    lead = read_lead(block.text)
    if SEVERITY_LABELS.fullmatch(lead.label):
        place.pending = severities.field_value(lead.value) or place.pending
    elif evidence.leads_in(block, after) and not (lead.marked or lead.ident):
        place.announced = _announced(block, place.scope)
    else:
        place.announced = place.scope
        if _is_finding(block, lead, place):
            place.inside = True
            own = place.scope.own(lead, lead.severity)
            level = own or severities.mentioned(lead.label) or place.pending
            yield Draft(block.line, block.end, lead, level or place.scope.default(lead))


def _is_finding(block: Paragraph, lead: Lead, place: _Place) -> bool:
    if place.scope.announces == "closed" or evidence.is_nothing(lead) or evidence.is_outcome(lead):
        return False
    if (lead.marked and not lead.praised) or evidence.names_fault(lead):
        return True
    if evidence.is_primary(lead) or (lead.ident and place.scope.expects):
        return True
    if not place.scope.expects or lead.praised or evidence.is_field(lead):
        return False
    if evidence.is_record(block.text) or evidence.ends_open(block.text):
        return False
    return place.alone or evidence.is_bold_led(block.text)


def _announced(block: Paragraph, scope: Scope) -> Scope:
    """The scope of the list that a paragraph ending in a colon leads in."""
    if scope.announces == "closed":
        return scope
    tail = plain(block.text[-_LONGEST_EXCERPT:]).rstrip(":：")
    words = " ".join(tail.split()[-_LEAD_IN_WORDS:])
    heading = read_heading(words, among_findings=False)
    wanted: tuple[Announces, ...] = ("findings",) if scope.announces == "aside" else _EXPECTING
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
    agreed = evidence.agree(items)
    for item, lead in items:
        yield from _item(item, lead, scope, agreed)


def _item(item: Item, lead: Lead, scope: Scope, agreed: bool) -> Iterator[Draft]:
    """`agreed` when enough of its siblings show to be findings."""
    group = _group(item, scope)
    if group is not None:
        yield from _blocks(item.blocks, group)
    elif _is_no_finding(item, lead):
        return
    elif scope.expects or agreed or _is_comment(lead, scope) or evidence.is_finding(item, lead):
        titled = lead.severity or evidence.title_severity(item.text)
        yield _draft(item, lead, titled or evidence.field_severity(item.blocks), scope)
    else:
        yield from _blocks(item.blocks, scope)


def _is_no_finding(item: Item, lead: Lead) -> bool:
    if evidence.is_nothing(lead) or evidence.is_outcome(lead) or evidence.is_field(lead):
        return True
    return evidence.is_in_order(lead, item.blocks)


def _is_comment(lead: Lead, scope: Scope) -> bool:
    """`src/a.py:14: …` outside sections about checks made."""
    return lead.placed and scope.announces == "topic"


def _group(item: Item, scope: Scope) -> Scope | None:
    """The scope of an item that only names a group (`High:`, `Backend`) for the list in it."""
    has_list = any(isinstance(block, List) for block in item.blocks)
    if not has_list or len(item.text) > _LONGEST_GROUP_LABEL:
        return None
    if evidence.is_area(item):
        return scope
    if not only_group_words(item.text):
        return None
    heading = read_heading(plain(item.text).rstrip(" :："), among_findings=False)
    return Scope(heading.announces, heading.severity or scope.severity)


# Tables


def _table(table: Table, scope: Scope) -> Iterator[Draft]:
    found = columns(table)
    if found.text is None or scope.announces == "closed":
        return
    if found.severity is None and not (scope.expects and found.states):
        return
    for row in table.rows:
        yield from _row(row, found.text, found.severity, scope)


def _row(row: Row, text: int, level: int | None, scope: Scope) -> Iterator[Draft]:
    """`text` and `level` are columns; a row with nothing in its severity column is no finding."""
    lead = read_lead(row.cells[text])
    mark = severities.field_value(row.cells[level]) if level is not None else None
    if not evidence.is_nothing(lead) and not (level is not None and mark is None):
        severity = mark or lead.severity or scope.default(lead)
        yield Draft(row.line, row.line, lead, severity)
