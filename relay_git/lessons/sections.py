"""What a section is: one finding, a group of them, a topic, or none of these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from relay_git.lessons import bodies, evidence, siblings
from relay_git.lessons.blocks import Block, Section
from relay_git.lessons.headings import Announces, Heading, only_group_words, read_heading
from relay_git.lessons.lead import Lead, plain
from relay_git.lessons.model import Severity
from relay_git.lessons.scopes import EXPECTING, Scope
from relay_git.lessons.state_words import AGAIN
from relay_git.lessons.states import state_of
from relay_git.lessons.vocabulary import fold

_LONGEST_TITLE = 300
_SEVERAL = 3


@lru_cache(maxsize=1 << 12)
def goes_over_again(title: str) -> bool:
    """Whether it heads what goes over the findings of an earlier round."""
    return AGAIN.search(fold(plain(title[:_LONGEST_TITLE]))) is not None


def announced_by(section: Section, heading: Heading, scope: Scope) -> Announces:
    """What the section is, by its heading first and where that leaves it open by its body."""
    announces, lead = heading.announces, heading.lead
    if section.level == 1 and announces == "plan":
        return "findings"
    if _is_over(section, lead, scope):
        return "closed"
    if announces in EXPECTING and lead.numbered and bodies.is_one(section.blocks):
        return "finding"
    if announces == "finding":
        return "topic" if bodies.is_title(section) else _one_finding(section, heading, scope)
    return _topic(section, heading, scope) if announces == "topic" else announces


def _is_over(section: Section, lead: Lead, scope: Scope) -> bool:
    """Settled in an earlier round, or below a heading that closed the matter."""
    if lead.state == "settled" and (scope.again or evidence.says_settled(lead)):
        return True
    return scope.announces == "closed" and not only_group_words(section.title)


def _one_finding(section: Section, heading: Heading, scope: Scope) -> Announces:
    """A heading that reads like a finding may be more, or less."""
    if bodies.holds_findings(section):
        return "findings"
    if heading.severity is None and bodies.passes(section.blocks):
        return "closed"
    follows = heading.lead.ident or _follows(section, heading.lead, scope)
    if not follows and bodies.holds_statements(section, heading.lead):
        return "findings"
    if heading.lead.coloured and bodies.holds_titles(section):
        return "findings"
    return "topic" if heading.severity is None and section.level == 1 else "finding"


def _topic(section: Section, heading: Heading, scope: Scope) -> Announces:
    """A heading that names no kind of section: its body and its words decide."""
    lead, unmarked = heading.lead, heading.severity is None
    graded = bodies.holds_graded(section)
    if unmarked and not graded and _praises(section, lead, scope):
        return "closed"
    if bodies.holds_findings(section):
        return "findings" if scope.expects else "topic"
    if unmarked and bodies.passes(section.blocks):
        return "closed"
    if bodies.has_fields(section.blocks) or (
        section.level > 1 and bodies.field_severity(section.blocks) is not None
    ):
        return "finding"
    if _is_ticked(section, lead, scope) and not graded:
        return "closed"
    if scope.expects:
        return "topic" if _holds_several(section, lead, scope) else "finding"
    return _by_words(section, lead, scope)


def _is_ticked(section: Section, lead: Lead, scope: Scope) -> bool:
    """Before its words, or behind them where nothing around it is amiss."""
    if lead.praised and lead.state is None:
        return True
    quiet = scope.announces == "topic" and not scope.blamed
    return quiet and bodies.is_ticked_off(section, lead)


def _praises(section: Section, lead: Lead, scope: Scope) -> bool:
    """`What works`, but not `Fixed`: what was found and mended in the same review counts."""
    settled = state_of(section.title) == "settled" and not scope.again
    praises = bodies.weigh_title(section, lead) <= -evidence.ENOUGH
    return praises and not settled and not evidence.is_listed(lead)


def _by_words(section: Section, lead: Lead, scope: Scope) -> Announces:
    """What a title says that no noun in it announces: blame, of one thing or of several."""
    if scope.announces != "topic" or section.level == 1:
        return "topic"
    weight = bodies.weigh_title(section, lead)
    listed = evidence.is_listed(lead) and not evidence.asks(section.title)
    if weight < (0 if scope.blamed and listed else evidence.ENOUGH):
        return "topic"
    if not listed and bodies.is_bare(section):
        return "findings"
    return _one_or_several(section, lead)


def _holds_several(section: Section, lead: Lead, scope: Scope) -> bool:
    return not _follows(section, lead, scope) and _one_or_several(section, lead) == "findings"


def _follows(section: Section, lead: Lead, scope: Scope) -> bool:
    """Whether it is one finding because its neighbours are one each."""
    return scope.alike and not any(section.sections) and bodies.is_titled(section, lead)


def scope_of(blocks: Sequence[Block], scope: Scope) -> Scope:
    """The scope of the sections among the blocks, which say something about one another."""
    beside = [block for block in blocks if isinstance(block, Section)]
    if not beside:
        return scope
    own = scope.but(blamed=siblings.blames_sections(beside), alike=False)
    return own.but(alike=own.expects and len(beside) >= _SEVERAL and _are_alike(beside, own))


def _are_alike(beside: Sequence[Section], scope: Scope) -> bool:
    """Whether most of those that are more than places or areas are one finding each."""
    read = [(part, read_heading(part.title, among_findings=True)) for part in beside]
    read = [(part, heading) for part, heading in read if bodies.is_titled(part, heading.lead)]
    own = sum(announced_by(part, heading, scope) == "finding" for part, heading in read)
    return 2 * own > len(read)


def _one_or_several(section: Section, lead: Lead) -> Announces:
    several = bodies.holds_statements(section, lead)
    return "finding" if bodies.explains(section) and not several else "findings"


def scope_below(
    section: Section, announces: Announces, level: Severity | None, scope: Scope
) -> Scope:
    """The scope of what the heading holds."""
    if announces == "topic":
        return scope.but(severity=level or scope.severity)
    if announces == "closed":
        return Scope("closed", again=scope.again)
    if announces == "aside" or bodies.denies(section.blocks):
        return Scope("aside", again=scope.again)
    inherited = scope.severity if scope.announces == announces else None
    return Scope(announces, level or inherited, again=scope.again)
