"""What a heading or a lead-in line announces: findings, advice, something else, or one finding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from relay_git.lessons import severity as severities
from relay_git.lessons.aside_words import ASIDE_NOUNS, CLOSED_NOUNS, OVER_NOUNS
from relay_git.lessons.decisions import decide, labelled
from relay_git.lessons.filler_words import AREAS, DOMAINS, FILLERS, GENERIC_NOUNS
from relay_git.lessons.heading_words import ADVICE_NOUNS, FAULT_TITLES, FINDING_NOUNS, PLAN_NOUNS
from relay_git.lessons.label_words import NAMING_LABEL, OPTION, OTHER_LABELS, PRIMARY_LABELS
from relay_git.lessons.lead import Lead, is_dense, plain, read_lead, size
from relay_git.lessons.model import Severity
from relay_git.lessons.outcome_words import OUTCOME_LABELS, WEAK_OUTCOME_LABELS
from relay_git.lessons.severity_words import SOFT
from relay_git.lessons.state_words import AGAIN, NOTHING, NOTHING_REST
from relay_git.lessons.tone import tone
from relay_git.lessons.verdict_words import APPROVE
from relay_git.lessons.vocabulary import fold, terms

Announces = Literal["findings", "advice", "plan", "aside", "closed", "finding", "topic"]

_LONGEST = 300
_LONGEST_PART = 5
_CODE = re.compile(r"`[^`]*`")
_PARENTHESES = re.compile(r"[(（][^()（）]*[)）]")
_CLAUSE = re.compile(r"[.;:,—(。；：，（]|\s[-–]{1,2}\s")
_NO_FINDINGS = re.compile(r"\bno (?:\w+ ){0,2}(?:issues|findings|problems|concerns)(?: found)?$")
_ABOUT = re.compile(
    r"\b(?:about|with|in|for|from|on|at|here|regarding|beyond|con|en|mit|dans|em)\b"
)
_SUMMARY = terms("summary")
_PHASE = re.compile(
    r"\W*(?:phase|step|stage|sprint|milestone|week|day|wave|fase|paso|etapa|schritt|etape|tahap"
    r"|этап|шаг|阶段|步骤|フェーズ|ステップ|단계)\s*\d"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_FAULTS = (NOTHING_REST, FINDING_NOUNS, ADVICE_NOUNS, severities.TERM)


@dataclass(frozen=True, slots=True)
class Heading:
    """`announces` what, how bad, and the statement left when the marks are taken off."""

    announces: Announces
    severity: Severity | None
    lead: Lead


@lru_cache(maxsize=1 << 12)
def read_heading(title: str, *, among_findings: bool) -> Heading:
    """Read a title; `among_findings` when it stands below a heading that announced them."""
    title = title[:_LONGEST]
    lead = read_lead(title)
    text = plain(title)
    words = fold(_CODE.sub(" ", text))
    over = OVER_NOUNS.search(words) and not lead.marked
    denied = says_nothing(words) or says_nothing(fold(plain(lead.rest)))
    if over or denied or _NO_FINDINGS.search(words):
        return Heading("closed", None, lead)
    level = lead.severity or _trailing(text, among_findings)
    if level is None and (_decides(text, words) or labelled(lead.label, lead.value)):
        return Heading("aside", None, lead)
    if words.strip(" *_:：") in FAULT_TITLES:
        return Heading("findings", None, lead)
    if only_group_words(title) or (lead.numbered and only_group_words(lead.rest)):
        return Heading(_group(words), _trailing(text, True) or severities.mentioned(text), lead)
    if _names_part(words):
        return Heading("aside", None, lead)
    if _PHASE.match(words) and not FINDING_NOUNS.search(words):
        return Heading("topic", level, lead)
    named = lead.fault or (bool(lead.value) and _names_fault(lead.label))
    if (level and not _announces_group(lead)) or named or (lead.ident and among_findings):
        return Heading("finding", level, lead)
    if lead.state == "void":
        return Heading("closed", level, lead)
    if among_findings:
        return Heading(_below_findings(lead, words), level, lead)
    return Heading(_announced(words), severities.mentioned(text), lead)


def _decides(text: str, words: str) -> bool:
    """Whether the title is the outcome; `Changes requested` may head the changes instead."""
    if decide(text, strict=True) is None:
        return False
    return not names_group(text) or APPROVE.search(words) is not None


def _names_fault(label: str) -> bool:
    return label in PRIMARY_LABELS or NAMING_LABEL.fullmatch(label) is not None


def _names_part(words: str) -> bool:
    """`Impact`, `Option B`, `Outcome`: a part of a finding or of an answer, not what is wrong."""
    title = words.strip(" *_:：")
    if OPTION.match(title) or title in OUTCOME_LABELS or title in WEAK_OUTCOME_LABELS:
        return True
    return title in OTHER_LABELS and not FINDING_NOUNS.search(title)


@lru_cache(maxsize=1 << 12)
def only_group_words(title: str) -> bool:
    """`High Priority Issues (3)`: a title that names a class of findings and nothing else."""
    words = fold(plain(title[:_LONGEST])).replace("-", " ")
    rest = _PARENTHESES.sub(" ", words)
    noun = any(nouns.search(rest) for nouns in (FINDING_NOUNS, ADVICE_NOUNS, GENERIC_NOUNS))
    if not noun and not severities.TERM.search(words):
        return False
    patterns = (FINDING_NOUNS, ADVICE_NOUNS, GENERIC_NOUNS, severities.TERM, FILLERS)
    for pattern in (*patterns, DOMAINS) if noun else patterns:
        rest = pattern.sub(" ", rest)
    return not _LETTERS.search(rest)


def names_group(title: str) -> bool:
    """Whether the title has a noun for several findings, whatever else it says."""
    words = fold(plain(title[:_LONGEST]))
    return bool(FINDING_NOUNS.search(words) or ADVICE_NOUNS.search(words))


def names_area(words: str) -> bool:
    """`Testing & CI`: folded words that only say what was looked at."""
    rest = words
    for pattern in (AREAS, DOMAINS, FILLERS):
        rest = pattern.sub(" ", rest)
    return not _LETTERS.search(rest)


@lru_cache(maxsize=1 << 12)
def says_nothing(words: str) -> bool:
    """`None`, `No security issues found`: folded words that deny findings of any kind.

    `No tests` says that tests are missing.
    """
    first = _CLAUSE.split(words, maxsplit=1)[0].replace("-", " ")
    if not NOTHING.search(first[:40]) or len(first) > 120:
        return False
    before = _ABOUT.split(first, maxsplit=1)[0]
    first = before if FINDING_NOUNS.search(before) else first
    if is_dense(first) and NOTHING.match(first) and severities.TERM.search(first):
        return size(first) <= _LONGEST_PART + 1
    rest = NOTHING.sub(" ", first)
    named = any(noun.search(rest) for noun in (FINDING_NOUNS, ADVICE_NOUNS, severities.TERM))
    for pattern in (*_FAULTS, FILLERS, DOMAINS) if named else (*_FAULTS, FILLERS):
        rest = pattern.sub(" ", rest)
    return not _LETTERS.search(rest)


def _trailing(text: str, among_findings: bool) -> Severity | None:
    """Outside findings `(optional)` says nothing about a fault; `(high)` does."""
    level = severities.trailing(text)
    return None if level and not among_findings and SOFT.search(fold(text[-40:])) else level


def _group(words: str) -> Announces:
    if FINDING_NOUNS.search(words):
        return "findings"
    if PLAN_NOUNS.search(words):
        return "plan"
    return "advice" if ADVICE_NOUNS.search(words) else "findings"


def _announces_group(lead: Lead) -> bool:
    """`🔴 Security issues`, `P1 fixes needed`: a mark before a noun for several findings."""
    rest = fold(plain(lead.rest))
    noun = FINDING_NOUNS.search(rest) or ADVICE_NOUNS.search(rest)
    return bool(noun) and size(rest) <= 4 and not lead.label


def _below_findings(lead: Lead, words: str) -> Announces:
    if size(words) <= (3 if lead.numbered else _LONGEST_PART):
        if CLOSED_NOUNS.search(words) or (size(words) <= 3 and tone(words) < 0):
            return "closed"
        if ASIDE_NOUNS.search(words):
            return "aside"
    return "finding" if lead.numbered else "topic"


def _announced(words: str) -> Announces:
    """The noun that comes first decides; findings win over advice."""
    words = AGAIN.sub(" ", _PARENTHESES.sub(" ", words))
    if names_area(words) and not _SUMMARY.search(words):
        return "topic"
    finding = FINDING_NOUNS.search(words) or ADVICE_NOUNS.search(words)
    for announces, pattern in _OTHERWISE:
        noun = pattern.search(words)
        if noun and not (finding and _comes_first(finding, noun)):
            return announces
    return _group(words) if finding else "topic"


def _comes_first(finding: re.Match[str], other: re.Match[str]) -> bool:
    """The longer one where both start alike: `improvements made` are no improvements to make."""
    same = finding.start() == other.start()
    return finding.end() >= other.end() if same else finding.start() < other.start()


_OTHERWISE: tuple[tuple[Announces, re.Pattern[str]], ...] = (
    ("closed", CLOSED_NOUNS),
    ("aside", ASIDE_NOUNS),
)
