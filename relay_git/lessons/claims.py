"""The words of one finding: one sentence as claim, its tags, its kind, its headline."""

from __future__ import annotations

import re

from relay_git.lessons.label_words import KIND_LABELS
from relay_git.lessons.lead import Lead, plain, size
from relay_git.lessons.model import Finding, Kind
from relay_git.lessons.vocabulary import fold

_LONGEST_CLAIM = 300
_LONGEST_LINE = 1000
_BARE_TITLE = 24
_SHORTEST_SENTENCE = 2
_MOST_TAGS = 24
_HEADLINE_WORDS = 12

_SENTENCE_END = re.compile(
    r"(?<![A-Z])(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!\betc)[.!?][)\"'”’*]*(?=\s|$)|[。！？]"
)
_BOLD_TITLE = re.compile(r"^([^*\n]*[^*\n\s.:：!?。])\*\*[ \t]*\n")
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)\)")
_CODE = re.compile(r"`+([^`\n]+)`+")
_FILE_NAME = re.compile(
    r"(?<![\w/.:@-])(?:[\w.@+-]{1,80}/){0,20}[\w@+-][\w.@+-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/])"
)
_PATH = re.compile(r"(?:[\w.@+-]+/)+[\w.@+*-]*")
_SYMBOL_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[\w$]+)*(?:\(\))?")
_LINES = re.compile(r"(?::\d+(?:[-–]\d+)?(?:,\d+(?:[-–]\d+)?)*|#L\d+(?:-L?\d+)?)+$")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_ABBREVIATIONS = frozenset({"e.g", "i.e", "n/a", "and/or"})
_LIST_MARK = re.compile(r"^(?:#{1,6}|[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")


def claim(lead: Lead, body: str = "") -> str:
    """The statement's first sentence, and the first of the body when that is a bare title."""
    text = plain(_BOLD_TITLE.sub(r"\1: ", lead.rest, count=1)).rstrip(" :：—–-")
    sentence = _first_sentence(text)
    if body and sentence == text and len(text) < _BARE_TITLE:
        sentence = f"{text.rstrip('.。')}: {_first_sentence(plain(body[:_LONGEST_LINE]))}"
    return _clip(sentence)


def _first_sentence(text: str) -> str:
    ends = (end.end() for end in _SENTENCE_END.finditer(text))
    whole = (end for end in ends if size(text[:end]) >= _SHORTEST_SENTENCE)
    return text[: next(whole, len(text))].strip()


def _clip(text: str) -> str:
    if len(text) <= _LONGEST_CLAIM:
        return text
    cut = text[:_LONGEST_CLAIM].rpartition(" ")[0]
    return f"{cut or text[:_LONGEST_CLAIM]}…"


def tags(text: str) -> tuple[str, ...]:
    """Paths, file names and symbols in backticks that the text names, sorted."""
    names = {_LINES.sub("", code.strip()) for code in _CODE.findall(text)}
    found = {name for name in names if _names_something(name)}
    outside = _CODE.sub(" ", _LINK.sub(r"\1 ", text))
    found.update(name for name in _FILE_NAME.findall(outside) if is_path(name))
    return tuple(sorted(found)[:_MOST_TAGS])


def _names_something(code: str) -> bool:
    return any(form.fullmatch(code) for form in (_PATH, _FILE_NAME, _SYMBOL_NAME))


def is_path(tag: str) -> bool:
    """A file or folder rather than a symbol."""
    if tag.lower() in _ABBREVIATIONS or "(" in tag:
        return False
    return "/" in tag or _EXTENSION.search(tag) is not None


def kind(text: str) -> Kind:
    """What the item says it is; a pitfall unless it says otherwise."""
    words = fold(plain(text))
    return next((name for name, label in KIND_LABELS.items() if label.match(words)), "pitfall")


def headline(finding: Finding) -> str:
    """The first words of the finding as written, without list marks and emphasis."""
    first = finding.excerpt.split("\n", 1)[0][:_LONGEST_LINE].strip()
    row = first.startswith("|")
    words = finding.claim if row else plain(_LIST_MARK.sub("", first.lstrip("> \t"), count=1))
    return " ".join(words.split()[:_HEADLINE_WORDS])


def is_claim(text: str) -> bool:
    """One sentence on one line, and no longer than a claim may be."""
    one_line = " ".join(text.split()) == text
    return one_line and len(text) <= _LONGEST_CLAIM and _first_sentence(text) == text
