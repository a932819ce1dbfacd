"""What a section is: one finding, a group of them, a topic, or none of these."""

from __future__ import annotations

from dataclasses import replace

from relay_git.lessons import bodies, evidence
from relay_git.lessons.headings import Announces, Heading, only_group_words
from relay_git.lessons.lead import Lead, plain
from relay_git.lessons.markdown import Section
from relay_git.lessons.model import Severity
from relay_git.lessons.scopes import EXPECTING, Scope
from relay_git.lessons.states import state_of
from relay_git.lessons.vocabulary import AGAIN, fold

_LONGEST_TITLE = 300


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
        return "topic" if bodies.is_title(section) else _one_finding(section, heading)
    return _topic(section, heading, scope) if announces == "topic" else announces


def _is_over(section: Section, lead: Lead, scope: Scope) -> bool:
    """Settled in an earlier round, or below a heading that closed the matter."""
    if lead.state == "settled" and (scope.again or evidence.says_settled(lead)):
        return True
    return scope.announces == "closed" and not only_group_words(section.title)


def _one_finding(section: Section, heading: Heading) -> Announces:
    """A heading that reads like a finding may be more, or less."""
    if bodies.holds_findings(section):
        return "findings"
    if heading.severity is None and bodies.passes(section.blocks):
        return "closed"
    if not heading.lead.ident and bodies.holds_statements(section, heading.lead):
        return "findings"
    return "topic" if heading.severity is None and section.level == 1 else "finding"


def _topic(section: Section, heading: Heading, scope: Scope) -> Announces:
    """A heading that names no kind of section: its body and its words decide."""
    lead = heading.lead
    if heading.severity is None and _praises(section, lead, scope):
        return "closed"
    if bodies.holds_findings(section):
        return "findings" if scope.expects else "topic"
    if heading.severity is None and bodies.passes(section.blocks):
        return "closed"
    graded = section.level > 1 and bodies.field_severity(section.blocks) is not None
    if graded or bodies.has_fields(section.blocks):
        return "finding"
    if lead.praised and lead.state is None:
        return "closed"
    if scope.expects:
        return "topic" if _one_or_several(section, lead) == "findings" else "finding"
    return _by_words(section, lead, scope)


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


def _one_or_several(section: Section, lead: Lead) -> Announces:
    several = bodies.holds_statements(section, lead)
    return "finding" if bodies.explains(section) and not several else "findings"


def scope_below(
    section: Section, announces: Announces, level: Severity | None, scope: Scope
) -> Scope:
    """The scope of what the heading holds."""
    if announces == "topic":
        return replace(scope, severity=level or scope.severity)
    if announces == "closed":
        return Scope("closed", again=scope.again)
    if announces == "aside" or bodies.denies(section.blocks):
        return Scope("aside", again=scope.again)
    inherited = scope.severity if scope.announces == announces else None
    return Scope(announces, level or inherited, again=scope.again)
