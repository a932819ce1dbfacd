"""What stands in front of a statement: numbers, ids, emoji, tags, severity words, a label."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from relay_git.lessons import severity as severities
from relay_git.lessons.label_words import CONVENTIONAL, NUMBERED_LABEL, SEVERITY_LABELS
from relay_git.lessons.model import Severity
from relay_git.lessons.states import State, ending_state, state_of
from relay_git.lessons.vocabulary import PRAISE_MARKS, fold

_LONGEST = 1000
_MOST_MARKS = 8

_CODE = re.compile(r"(`+[^`]*`+)")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|~~)|(?<![\w\\])_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?\)")
_NUMBER = re.compile(
    r"#?\d{1,3}(?:[.-]\d{1,3})*[A-Za-z]?[.):、．：]\s*"
    r"|#?\d{1,3}(?:\.\d{1,3})*\s+(?=\S)"
    r"|\(\d{1,3}\)\s*|（\d{1,3}）\s*|[①-⑳]\s*|[A-Z][.)]\s+|[一二三四五六七八九十]{1,3}[、.．]\s*"
)
_IDENT = re.compile(
    r"((?:[A-Z][A-Z0-9_]{0,24}-?\d{1,4}(?:[a-z]|\.\d+)?|[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d{1,4}))"
    r"(?:\s*\(([^()]{1,30})\))?\s*(?:[:：.)\]]|\s[—–-]{1,2}\s|\s?[—–]\s?|(?=\*\*))\s*"
    r"|(?!PR|ADR|UTF|SHA|ISO|RFC|CVE|CWE|AES|MD|ES|HTTP|GPT|P\d)([A-Z]{1,5}-\d{1,3}|[A-Z]{2}\d{1,3})()\s+"
)
_IDENT_TAG = re.compile(r"[A-Z]{1,12}-?\d{1,4}")
_SYMBOL = re.compile(r"[^\w\s*_`\[\]()（）【】「」“”\"'<>{}/\\@#$%&+.,:;：!?~^|=-]\ufe0f?\s*")
_BRACKET = re.compile(
    r"(?:\[([^\[\]]{1,40})\](?!\()|【([^【】]{1,40})】|\(([^()]{1,24})\)|（([^（）]{1,24})）"
    r"|`([^`]{1,16})`)\s*[:：]?\s*"
)
_TICKED = re.compile(r"\[[ xXvV✓✔]\]\s*")
_REMARK = re.compile(r"\([^()]{1,30}\)\s*[—–:-]+")
_DASH = re.compile(r"^(?:[—–]+|-+(?=\s))[\s*_]*")
_CAPITALS = re.compile(r"([A-Z]{1,4}\d?[A-Z]*)\b[\s*_/,]+")
_LABEL = re.compile(
    r"([^\n:：—–|`]{1,60}?)"
    r"(?:[*_]{0,3}\s*[:：][*_]{0,3}\s*|[*_]{0,3}\s+[—–|·-]{1,2}\s+|\s?[—–]{1,2}\s?|\*\*\s+)"
)
_PLACE = re.compile(
    r"[`\[(*]*(?:[\w@.-]+/)*[\w@-][\w@.-]*\.[A-Za-z]\w{0,9}`?(?::\d+|#L\d+|`?\s*\(?lines?\s\d)"
    r"|[`\[(*]*(?:[Ll]ines?|[Ll]n\.?|[Zz]eile|[Ll]inea|第)\s?\d+"
)
_LETTERS = re.compile(r"[A-Z]{2,}")
_BEFORE_COUNT = "*_ 🔴🟠🟡🟢🔵⚪🚨⛔❌⚠️ℹ️•-"
_COUNT = re.compile(r"(?:\d{1,3}|(?i:no|one|two|three|four|five|six))\*{0,2}\s+\*{0,2}[^\W\d]")
_ORDINAL = re.compile(r"[Pp]\d\b")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HINTS: dict[str, Severity] = {
    **dict.fromkeys("CHB", "error"),
    **dict.fromkeys("MW", "warn"),
    **dict.fromkeys("LSN", "info"),
}
"""What the letter of an id such as `H-01` stands for, where nothing else says how bad."""


@dataclass(frozen=True, slots=True)
class Lead:
    """`rest` is the statement without its marks, emphasis kept.

    `coloured` when only an emoji says how bad. `label` is the folded text before a colon or dash
    when that is neither a severity nor an id, and `value` what follows it. `praised` when a tick
    stands before any severity; `ordinal` when the severity is a `P1`, which may only count;
    `fault` when it is numbered as one, as in `Issue 3:`; `counts` when it adds them up, as in
    `2 critical: …`.
    """

    severity: Severity | None
    rest: str
    label: str = ""
    value: str = ""
    numbered: bool = False
    ident: bool = False
    fault: bool = False
    praised: bool = False
    hint: Severity | None = None
    ordinal: bool = False
    coloured: bool = False
    state: State | None = None
    counts: bool = False

    @property
    def marked(self) -> bool:
        return self.severity is not None

    @property
    def placed(self) -> bool:
        """Whether it opens with a line of a file, as comments on code do."""
        return _PLACE.match(self.rest) is not None


@lru_cache(maxsize=1 << 14)
def read_lead(text: str) -> Lead:
    marks = _Marks(text[:_LONGEST].strip())
    for _ in range(_MOST_MARKS):
        marks.skip_emphasis()
        if not any(take() for take in marks.takers):
            break
    label = _LABEL.match(marks.rest)
    return Lead(
        severity=marks.word or marks.emoji,
        rest=marks.rest,
        label=fold(label[1]).strip(" *_`") if label else "",
        value=marks.rest[label.end() :] if label else "",
        numbered=marks.numbered,
        ident=marks.ident,
        fault=marks.fault,
        praised=marks.praised,
        hint=marks.hint,
        coloured=marks.word is None and marks.emoji is not None,
        state=marks.state or ending_state(marks.rest),
        counts=marks.word is not None and _COUNT.match(text.lstrip(_BEFORE_COUNT)) is not None,
        ordinal=_ORDINAL.match(text.lstrip("*_ [(`0123456789.")) is not None,
    )


class _Marks:
    """Takes marks off the front of `rest`, one at a time; each taker says whether it did."""

    def __init__(self, text: str) -> None:
        self.rest = text
        self.word: Severity | None = None
        self.emoji: Severity | None = None
        self.hint: Severity | None = None
        self.state: State | None = None
        self.numbered = self.ident = self.praised = self.fault = False
        self.takers = (
            self.symbol,
            self.number,
            self.identifier,
            self.bracket,
            self.remark,
            self.capitals,
            self.label,
        )

    def skip_emphasis(self) -> None:
        self.rest = self.rest.lstrip("*_ \t\n>")
        if self.word or self.ident:
            self.rest = _DASH.sub("", self.rest, count=1)

    def _take(self, match: re.Match[str]) -> bool:
        self.rest = self.rest[match.end() :]
        return True

    def symbol(self) -> bool:
        found = _SYMBOL.match(self.rest)
        if found is None:
            return False
        self.emoji = self.emoji or severities.by_emoji(found[0])
        self.praised = self.praised or (found[0][0] in PRAISE_MARKS and self.word is None)
        return self._take(found)

    def number(self) -> bool:
        found = _NUMBER.match(self.rest)
        if found is None:
            return False
        self.numbered = True
        return self._take(found)

    def identifier(self) -> bool:
        found = _IDENT.match(self.rest)
        name = (found[1] or found[3]) if found else ""
        if found is None or severities.stated(name):
            return False
        self.ident, self.hint = True, _hint(name)
        parts = [found[2] or "", *_LETTERS.findall(name)]
        self.word = self.word or next(filter(None, map(severities.stated, parts)), None)
        return self._take(found)

    def bracket(self) -> bool:
        if ticked := _TICKED.match(self.rest):
            return self._take(ticked)
        found = _BRACKET.match(self.rest)
        if found is None:
            return False
        inner = next(filter(None, found.groups())).strip()
        level = severities.stated(inner) or severities.stated(re.split(r"[,/·|:：]", inner)[0])
        if level is not None:
            self.word = self.word or level
            return self._take(found)
        if _IDENT_TAG.fullmatch(inner):
            self.ident, self.hint = True, _hint(inner)
            return self._take(found)
        if state := state_of(inner):
            self.state = self.state or state
            return self._take(found)
        return False

    def remark(self) -> bool:
        """`(confidence 9/10) —` after a severity."""
        found = _REMARK.match(self.rest) if self.word else None
        return found is not None and self._take(found)

    def capitals(self) -> bool:
        """`HIGH` without any delimiter."""
        found = _CAPITALS.match(self.rest)
        level = severities.stated(found[1]) if found else None
        if found is None or level is None:
            return False
        self.word = self.word or level
        return self._take(found)

    def label(self) -> bool:
        found = _LABEL.match(self.rest)
        if found is None:
            return False
        name = fold(found[1]).strip(" *_")
        if name in SEVERITY_LABELS:
            return False
        if level := severities.stated(found[1]):
            self.word = self.word or level
        elif comment := CONVENTIONAL.fullmatch(name):
            self._conventional(comment["word"] or "issue", comment["how"] or comment["how2"] or "")
        elif numbered := NUMBERED_LABEL.fullmatch(name):
            self.ident, self.fault = True, numbered["fault"] is not None
        elif state := state_of(name):
            self.state = self.state or state
        else:
            return False
        return self._take(found)

    def _conventional(self, word: str, how: str) -> None:
        if word == "praise":
            self.praised = True
        elif "non-blocking" in how or "if-minor" in how:
            self.word = self.word or "info"
        elif "blocking" in how:
            self.word = self.word or "error"
        else:
            self.word = self.word or ("warn" if word in ("issue", "todo") else "info")


def _hint(ident: str) -> Severity | None:
    return None if ident[1:2].isalpha() or "-" in ident[2:] else _HINTS.get(ident[0])


@lru_cache(maxsize=1 << 14)
def plain(text: str) -> str:
    """The text without emphasis, links and line breaks."""
    parts = _CODE.split(_LINK.sub(r"\1", text))
    parts[::2] = [_EMPHASIS.sub("", part) for part in parts[::2]]
    return " ".join("".join(parts).split())


def is_dense(text: str) -> bool:
    """Whether some of it is in a script without spaces."""
    return _DENSE.search(text) is not None


def size(text: str) -> int:
    """About how many words; in scripts without spaces two characters count as one."""
    dense = len(_DENSE.findall(text))
    return len(_DENSE.sub(" ", text).split()) + (dense + 1) // 2
