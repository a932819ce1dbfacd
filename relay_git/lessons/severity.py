"""How bad a finding is, from the marks that reviewers put beside it."""

from __future__ import annotations

import re

from relay_git.lessons.filler_words import FILLERS
from relay_git.lessons.heading_words import FINDING_NOUNS
from relay_git.lessons.model import SEVERITIES, Severity
from relay_git.lessons.severity_words import EMOJI, LONE_MARKS, ORDERING, SEVERITY_TERMS
from relay_git.lessons.vocabulary import fold, terms

_OF_TERM: dict[str, Severity] = {
    fold(term).strip().replace("-", " "): severity
    for severity in SEVERITIES
    for group in SEVERITY_TERMS[severity]
    for term in group.split(",")
}
TERM = terms(",".join(_OF_TERM))
"""Any word for a severity."""
_EMOJI = re.compile("|".join(EMOJI))
_LEFTOVER = re.compile(r"[^\W\d_]+")
_NAMED = terms(
    "severity, priority, risk, level, bug, issue, problem, error, finding, risque, riesgo, risco",
    "risiko, probleme, problema, fehler, erreur, ошибка, проблема, риск, severite, severidad",
    "severidade, prioridad, prioridade, prioritat, priorite",
)
"""What may stand beside a severity without saying more."""
_AROUND = re.compile(r"^\W+|\W+$")
_STATE = re.compile(r"\s*(?:→|->|=>|,|;|/|·|、)\s*")
_TRAILING = re.compile(
    r"[(\[（【]([^()\[\]（）【】]{1,76})[)\]）】][\s*_:：.]*$|\s[—–-]{1,2}\s+\**([^—–]{1,24})$"
)


def worst(first: Severity, second: Severity) -> Severity:
    return min(first, second, key=SEVERITIES.index)


def mentioned(text: str) -> Severity | None:
    """The first severity that the text mentions, by word and else by emoji."""
    return _by_term(ORDERING.sub(" ", fold(text).replace("-", " "))) or by_emoji(text)


def by_emoji(text: str) -> Severity | None:
    match = _EMOJI.search(text)
    return EMOJI[match[0]] if match else None


def stated(label: str) -> Severity | None:
    """The severity of a label that says nothing else: `High priority`, `P1`, `non-blocking`.

    Of a range such as `Med-High` the first.
    """
    folded = fold(label).strip(" *_`[](){}:：.!—-/")
    if folded in LONE_MARKS:
        return LONE_MARKS[folded]
    rest = _NAMED.sub(" ", FILLERS.sub(" ", FINDING_NOUNS.sub(" ", TERM.sub(" ", folded))))
    if not _LEFTOVER.search(rest):
        return _by_term(folded)
    first, _, second = folded.partition("-")
    ranged = TERM.fullmatch(first) and TERM.fullmatch(second) and second.isalpha()
    return _by_term(first) if ranged else None


def trailing(title: str) -> Severity | None:
    """The severity in brackets or after a dash at the end of a title."""
    match = _TRAILING.search(title[-80:])
    if match is None:
        return None
    said = _AROUND.sub("", match[1] or match[2])
    return stated(_STATE.split(said)[0]) or (mentioned(said) if _NAMED.search(fold(said)) else None)


def field_value(value: str) -> Severity | None:
    """What follows a label such as `Severity:`; the first severity it mentions."""
    first = fold(re.split(r"[\s/|,;(（·—–-]", value.strip(" *_`"), maxsplit=1)[0]).strip(" *_`.")
    return LONE_MARKS.get(first) or mentioned(value[:60])


def _by_term(folded: str) -> Severity | None:
    match = TERM.search(folded)
    return _OF_TERM[re.sub(r"[\s-]", " ", match[0])] if match else None
