"""What a few words decide: `approve`, `reject` or nothing. Read widely, for reports only."""

from __future__ import annotations

import re

from relay_git.lessons.lead import is_dense, plain
from relay_git.lessons.outcome_words import (
    NO,
    OUTCOME_LABELS,
    READY_LABELS,
    UNDECIDED,
    WEAK_OUTCOME_LABELS,
    YES,
)
from relay_git.lessons.tone import reassures
from relay_git.lessons.verdict_words import (
    ACTS,
    AFTERWARDS,
    APPROVE,
    CONDITIONS,
    MODIFIERS,
    NEGATIONS,
    REFUSALS,
    REJECT,
    REVOKED,
    SPOKEN,
    VERBS,
)
from relay_git.lessons.vocabulary import fold

_LONGEST_VALUE = 300
_LONGEST_PROSE = 1000
_LONGEST_CLAUSE = 120
_OPENING = 40
_CLOSE = 20
_MOST_WORDS_BEFORE = 4
_YES_SIGN = re.compile("[✅👍🟢✔☑]")
_NO_SIGN = re.compile("[❌🚫⛔👎🔴]")
_MOST_SENTENCES = 4
_JOINED = re.compile(r"_|-(?=with-)|(?<=-with)-|(?<=[Ww][Ii][Tt][Hh])-", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.;。；\n]")
_REFUSED = re.compile(
    rf"(?:{NEGATIONS.pattern})\s+(?:[a-z]+\s+){{0,2}}?(?:{ACTS.pattern})"
    r"\s*(?:$|[,)]|(?:it|this|that|the|as|until|before|yet|in|with|on)\b)"
)
_FIRST_FIX = re.compile(
    r"\b(?:(?:fix|address|resolve|correct|change|clos)(?:e?s|e?d|ing)?|must|needs?|required)\b.{0,80}?"
    r"\b(?:before|prior to)\s.{0,60}?\b(?:merg|ship|releas|land|approv|implement|deploy|product)"
)
_STATED = re.compile(
    r"\b(?:is|are|looks?|i|i'd|we|can be|may be|good|sound|complete)\s(?:\w+\s){0,3}?"
    rf"(?:{SPOKEN.pattern})"
)
_NOT_YET = re.compile(
    r"\b(?:before|until|prior to|considered|to be|so that|claim\w*|says?|said|if|once|when)\b"
)
_TAKEN_BACK = re.compile(
    r"\b(?:but|except|however|though|although)\b.*\b(?:block|must|fail|reject|required|not|n't)"
    r"|(?<!no )(?<!not )(?<!non )(?<!non-)(?<!zero )(?<!without )\bblock(?:ing|ed|ers?)\b"
    r"|\bnot (?:possible|yet)\b|\?\s*no\b|[,;]\s(?:and\s)?(?:fail|reject|no-go)"
)
"""Beside an approval: it is none, or of a part only. In doubt nothing is decided."""
_NO_FAULTS = re.compile(
    r"\b(?:no|zero|without)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:issue|problem|blocker|objection|concern|finding|bug|error|regression|fault)s?\b"
)
_ONLY = re.compile(r"\s*(?:only|but only)\b|\s*(?:once|if|when|unless|after)\b")
_PAUSE = re.compile(r"[,:—]|\b(?:and|but|so|und|y|e|et|и)\b")
_VERDICT = re.compile(
    r"(?:\w+\s){0,2}(?:verdict|veredicto|veredito|urteil|вердикт)\b(?:\s\w+){0,3}$"
)
_OF_A_REVIEW = re.compile(
    r"(?:[\w-]+\s){0,2}?(?:review|audit|qa|inspection|approval|merge|release|gate|sign-?off|check)\s"
    r"(?:status|state|result|verdict|decision|outcome|conclusion|recommendation)"
)
_OFFERED = re.compile(r"\s*(?:\||/|\bor\b|或|または|또는)\s*")
_DASH = re.compile(r"\s[—–-]{1,2}\s")
_REMARK = re.compile(r"[(（]([^()（）]{1,60})[)）]")
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
    if _denied(first, approves) or _is_conditional(first, approves):
        return "reject"
    return None if _takes_back(text) else "approve"


def judge(text: str) -> str | None:
    """What is said under an outcome's heading or label, in whole sentences; a rejection wins."""
    first, *others = _CLAUSE_END.split(plain(text[:_LONGEST_VALUE]))[:_MOST_SENTENCES]
    if _offers_choice(fold(first)):
        return None
    said = [decide(first) or spoken(first) or _denial(first) or _remarked(first)]
    said += [decide(other, strict=True) or spoken(other) for other in others]
    return "reject" if "reject" in said else next(filter(None, said), _by_sign(text))


def _denial(clause: str) -> str | None:
    """`Not yet.`"""
    return "reject" if NO.fullmatch(fold(clause).strip(" *_!✅❌⚠️🚫")) else None


def _remarked(clause: str) -> str | None:
    """`NoOne (all passed)`"""
    remark = _REMARK.search(clause)
    return decide(remark[1], strict=True) if remark else None


def voiced(text: str) -> str | None:
    """What whole sentences decide that no label announces; a rejection wins.

    An approval is stated (`it is ready to ship`), not wished for (`so as to be ready to ship`).
    """
    sentences = _CLAUSE_END.split(plain(text[:_LONGEST_PROSE]))
    said = {spoken(part) for part in sentences if not _offers_choice(fold(part))}
    stated = "approve" in said and any(_STATED.search(fold(part)) for part in sentences)
    return "reject" if "reject" in said else "approve" if stated else None


def spoken(sentence: str) -> str | None:
    """`The plan can be merged as is`, `it is not ready for production`."""
    words = _NO_FAULTS.sub(" ", fold(sentence))
    if words.rstrip().endswith("?"):
        return None
    if any(refusal.search(words) for refusal in (REFUSALS, _REFUSED, _FIRST_FIX)):
        return "reject"
    word = SPOKEN.search(words)
    if word is None or UNDECIDED.search(words):
        return None
    before = words[: word.start()]
    if NEGATIONS.search(_PAUSE.split(before)[-1]):
        return "reject"
    doubted = CONDITIONS.search(words) or _NOT_YET.search(before) or _takes_back(sentence)
    return None if doubted else "approve"


def _takes_back(text: str) -> bool:
    return _TAKEN_BACK.search(fold(text[:_LONGEST_CLAUSE])) is not None


def _opening(words: re.Pattern[str], text: str, strict: bool) -> re.Match[str] | None:
    """The first of the words, if nothing but modifiers (`final`, `do not`) comes before it."""
    match = words.search(text)
    before = text[: match.start()] if match else ""
    rest = NEGATIONS.sub(" ", MODIFIERS.sub(" ", before))
    if _WORD.search(rest) or len(_WORD.findall(before)) > _MOST_WORDS_BEFORE:
        return None
    strict = strict or (match is not None and VERBS.fullmatch(match[0]) is not None)
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
    after = first[approves.end() :]
    if "approv" in approves[0]:
        return approves[0] == "approve" and _ONLY.match(after) is not None
    return CONDITIONS.search(after) is not None


def _denied(first: str, word: re.Match[str]) -> bool:
    """Before the word, and for an approval also right behind it."""
    if NEGATIONS.search(first[: word.start()]):
        return True
    behind = first[word.end() : word.end() + _CLOSE]
    return word.re is APPROVE and (REVOKED.search(behind) is not None or behind.strip() == "no")


def means_outcome(label: str) -> bool:
    """Whether a folded label or title announces the outcome: `Verdict`, `Security audit result`."""
    return label in OUTCOME_LABELS or _OF_A_REVIEW.fullmatch(label) is not None


def labelled(label: str, value: str) -> str | None:
    """What a folded label and its value decide; a weak label such as `Status` vouches less."""
    if means_outcome(label):
        praised = _VERDICT.match(label) and " " in value.strip() and reassures(value)
        return judge(value) or ("approve" if praised else None)
    if label.rstrip(" ?？") in READY_LABELS:
        return _by_sign(value) or _answer(value)
    weak = label in WEAK_OUTCOME_LABELS or _VERDICT.match(label)
    return (decide(value, strict=True) or spoken(value) or _ends(value)) if weak else None


def _ends(value: str) -> str | None:
    """`2 of 4 passed — FAIL`"""
    verdict = decide(_DASH.split(value)[-1], strict=True)
    return "reject" if verdict == "reject" else None


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
