"""What a few words decide: `approve`, `reject` or nothing. Read widely, for reports only."""

from __future__ import annotations

import re

from relay_git.lessons.lead import is_dense, plain
from relay_git.lessons.outcome_words import (
    AFTERWARDS,
    APPROVE,
    CONDITIONS,
    MODIFIERS,
    NEGATIONS,
    NO,
    OUTCOME_LABELS,
    READY_LABELS,
    REFUSALS,
    REJECT,
    SPOKEN,
    UNDECIDED,
    WEAK_OUTCOME_LABELS,
    YES,
)
from relay_git.lessons.tone import reassures
from relay_git.lessons.vocabulary import fold

_LONGEST_VALUE = 300
_LONGEST_PROSE = 1000
_LONGEST_CLAUSE = 120
_OPENING = 40
_MOST_WORDS_BEFORE = 4
_YES_SIGN = re.compile("[✅👍🟢✔☑]")
_NO_SIGN = re.compile("[❌🚫⛔👎🔴]")
_MOST_SENTENCES = 4
_JOINED = re.compile(r"_|-(?=with-)|(?<=-with)-|(?<=[Ww][Ii][Tt][Hh])-", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.;。；\n]")
_VERDICT = re.compile(
    r"(?:\w+\s){0,2}(?:verdict|veredicto|veredito|urteil|вердикт)\b(?:\s\w+){0,3}$"
)
_OFFERED = re.compile(r"\s*(?:\||/|\bor\b|或|または|또는)\s*")
_WORD = re.compile(r"[^\W_]+(?:['_-][^\W_]+)*")


def decide(value: str, *, strict: bool = False) -> str | None:
    """`approve`, `reject` or nothing, from the first words after a label.

    `strict` where no label vouches for it: the words must not go on to an object.
    """
    text = _JOINED.sub(" ", plain(value[:_LONGEST_VALUE]))
    first = fold(_CLAUSE_END.split(text, maxsplit=1)[0])[:_LONGEST_CLAUSE]
    if _offers_choice(first) or UNDECIDED.search(first[:_OPENING]):
        return None
    if first.strip(" *`") == "ready":
        return "approve"
    rejects, approves = _opening(REJECT, first, strict), _opening(APPROVE, first, strict)
    if rejects and not _denied(first, rejects) and not _comes_before(approves, rejects):
        return "reject"
    if approves is None:
        return None
    return "reject" if _denied(first, approves) or _is_conditional(first, approves) else "approve"


def judge(text: str) -> str | None:
    """What is said under an outcome's heading or label, in whole sentences; a rejection wins."""
    first, *others = _CLAUSE_END.split(plain(text[:_LONGEST_VALUE]))[:_MOST_SENTENCES]
    if _offers_choice(fold(first)):
        return None
    said = [decide(first) or spoken(first)]
    said += [decide(other, strict=True) or spoken(other) for other in others]
    return "reject" if "reject" in said else next(filter(None, said), _by_sign(text))


def refuses(text: str) -> bool:
    """Whether one of its sentences does, as in `I would not sign off on this`."""
    return any(spoken(part) == "reject" for part in _CLAUSE_END.split(plain(text[:_LONGEST_PROSE])))


def spoken(sentence: str) -> str | None:
    """`The plan can be merged as is`, `it is not ready for production`."""
    words = fold(sentence)
    if REFUSALS.search(words):
        return "reject"
    word = SPOKEN.search(words)
    if word is None or UNDECIDED.search(words) or words.rstrip().endswith("?"):
        return None
    if NEGATIONS.search(words[: word.start()]):
        return "reject"
    return None if CONDITIONS.search(words) else "approve"


def _opening(words: re.Pattern[str], text: str, strict: bool) -> re.Match[str] | None:
    """The first of the words, if nothing but modifiers (`final`, `do not`) comes before it."""
    match = words.search(text)
    before = text[: match.start()] if match else ""
    rest = NEGATIONS.sub(" ", MODIFIERS.sub(" ", before))
    if _WORD.search(rest) or len(_WORD.findall(before)) > _MOST_WORDS_BEFORE:
        return None
    return None if match and strict and _has_object(match) else match


def _has_object(match: re.Match[str]) -> bool:
    """A rejection in a script without spaces is long enough to be no verb with an object."""
    rest = match.string[match.end() :].lstrip(" *_)")
    if match.re is REJECT and is_dense(match[0]):
        return False
    return rest[:1].isalnum() and AFTERWARDS.match(rest) is None


def _comes_before(first: re.Match[str] | None, second: re.Match[str]) -> bool:
    return first is not None and first.start() < second.start()


def _offers_choice(first: str) -> bool:
    """`APPROVE | REJECT`: a template that nobody filled in."""
    parts = [part for part in _OFFERED.split(first) if part]
    one = [part for part in parts if APPROVE.match(part) and not REJECT.match(part)]
    return len(parts) > 1 and bool(one) and any(REJECT.match(part) for part in parts)


def _is_conditional(first: str, approves: re.Match[str]) -> bool:
    """`Ready to merge after fixes` is no approval yet; `approved after two rounds` is one."""
    after = CONDITIONS.search(first[approves.end() :])
    return "approv" not in approves[0] and after is not None


def _denied(first: str, word: re.Match[str]) -> bool:
    return NEGATIONS.search(first[: word.start()]) is not None


def labelled(label: str, value: str) -> str | None:
    """What a folded label and its value decide; a weak label such as `Status` vouches less."""
    if OUTCOME_LABELS.fullmatch(label):
        praised = _VERDICT.match(label) and " " in value.strip() and reassures(value)
        return judge(value) or ("approve" if praised else None)
    if READY_LABELS.fullmatch(label.rstrip(" ?？")):
        return _by_sign(value) or _answer(value)
    weak = WEAK_OUTCOME_LABELS.fullmatch(label) or _VERDICT.match(label)
    return (decide(value, strict=True) or spoken(value)) if weak else None


def _by_sign(value: str) -> str | None:
    """An emoji without words."""
    if _WORD.search(value):
        return None
    return "approve" if _YES_SIGN.search(value) else "reject" if _NO_SIGN.search(value) else None


def _answer(value: str) -> str | None:
    """The answer to `Ready to merge?`."""
    words = fold(plain(value[:_LONGEST_VALUE])).lstrip(" *_✅❌⚠️🚫")
    if NO.match(words):
        return "reject"
    return "approve" if YES.match(words) and not CONDITIONS.search(words) else None
