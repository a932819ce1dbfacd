"""The closed grammar of verdicts: where a review may say one, and in which words.

Where
1. YAML front matter: a top-level `verdict:`
2. a heading `Verdict: X` of any level, numbered or not
3. a heading `Verdict` whose first following line is X: plain text, not a list, table or heading
4. a line or list item `Verdict: X`, `**Verdict:** X`, `**Verdict**: X`
5. a table row whose first cell is the label; X is the next cell
6. a fenced yaml or json block with a top-level `verdict`, if nothing outside fences says one
Never in other fences, quotes, HTML comments, code, or a list inside a list.

What: the first words of X, whole words only. Decoration around them (emphasis, ticks, emoji,
brackets) does not count, except a mark that denies what follows it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from relay_git.record import Record
from relay_git.workflow.markdown import Block, Line, Page, read_page

APPROVE = "approve"
REJECT = "reject"
LABEL = "Verdict"

_APPROVING = ("approve", "approved", "accept", "accepted", "pass", "passed", "lgtm")
_REJECTING = (
    *("reject", "rejected", "block", "blocked", "fail", "failed"),
    *("request changes", "requested changes", "changes requested", "needs changes"),
)
_DENIED = re.compile(
    r"(?:(?:i|we|do|does|did|can|could|should|must|will|would|is|are) )*+"
    r"(?:(?:not|never|cannot|cant|dont|doesnt|didnt|wont|isnt|shouldnt) (?:(?:yet|be|ready|to) )*+"
    rf"|dis ?)(?:{'|'.join(_APPROVING)})\b"
)

_MOST = 200
"""Characters of X that are looked at: the first words are there, and hostile lines stay cheap."""

_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("['’]")
_STRUCK = re.compile(r"~~.*?(?:~~|$)|<(del|s|strike)>.*?(?:</\1>|$)")
_BOX = re.compile(r"\[[ x]\]|[☐☑☒⬜]")
_JOINT = re.compile(r"[|/\\¦│∣]")
_ADJOINING = re.compile(r"(?:[^\w.:–—-]|_|->)*")
_DENIAL = re.compile(r"[❌❎✖✗✘🚫⛔👎🛑🔴!≠¬]")
_TAKEN_BACK = re.compile(
    r"[^\w?]*+\?"
    r"|[\W_]*+(?:(?:withheld|denied|refused|revoked|withdrawn|false)\b|(?:no|not|never)\W*$)"
)
_CLAUSE = re.compile(r"[^\W_][^.,;:()\[\]—|*`~]{0,39}")
_YAML_KEY = re.compile(r"([\"']?)verdict\1\s*:(?:\s+(.*))?$", re.IGNORECASE)
_YAML_VALUE = re.compile(r"\"([^\"]*)\"|'([^']*)'|((?!#)(?:\S|\s(?!#))*)")
_JSON_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*+)"?(?:\s*+:\s*+"((?:[^"\\]|\\.)*+)")?|[\[\]{}]', re.DOTALL
)

_DECORATION = r"(?:[\s*_]|[^\x00-\x7f\w“”„«»‘’‹›「」『』：｜])*+"


class Found(Record):
    """A branch said at a 1-based `line`, whose `text` is as written."""

    branch: str
    line: int
    text: str


class Reading(Record):
    """What a document says.

    `unknown` are places of a verdict whose word (`branch`, as written) is no branch;
    `template` are lines that still offer alternatives.
    """

    found: tuple[Found, ...]
    unknown: tuple[Found, ...]
    template: tuple[int, ...]


def read_verdicts(text: str, branches: Sequence[str], labels: Sequence[str] = ()) -> Reading:
    """`labels` introduce a verdict beside `Verdict`; `branches` are the stage's own."""
    page = read_page(text)
    vocabulary = _Vocabulary(branches)
    outside = _interpret([*_front(page), *_stated(page.lines, _Labels(labels))], vocabulary)
    if outside.found:
        return outside
    fenced = _interpret([place for block in page.blocks for place in _fenced(block)], vocabulary)
    return Reading(
        fenced.found,
        outside.unknown + fenced.unknown,
        outside.template + fenced.template,
    )


def decide(reading: Reading) -> tuple[str, ...]:
    """The distinct branches said: one is the verdict, none is none, several disagree."""
    return tuple(dict.fromkeys(found.branch for found in reading.found))


# Where


class _Place(Record):
    line: int
    text: str
    value: str


class _Labels:
    """Recognises the label before a value, alone in a heading, and in a table's first cell."""

    def __init__(self, extra: Sequence[str]) -> None:
        names = sorted({LABEL, *extra}, key=lambda name: (-len(name), name))
        label = r"(?:\d+(?:\.\d+)*+[.)]?\s+)?" + _DECORATION
        label += "(?:" + "|".join(re.escape(name) for name in names) + ")"
        quoted = rf"(?:{label}|`{label}`)" + _DECORATION
        self._said = re.compile(rf"{_DECORATION}{quoted}[:：](.*)", re.IGNORECASE)
        self._alone = re.compile(rf"{_DECORATION}{quoted}[:：]?[\s*_#]*", re.IGNORECASE)
        self._row = re.compile(rf"\|?{_DECORATION}{quoted}[:：]?{_DECORATION}\|(.*)", re.IGNORECASE)

    def value(self, text: str) -> str | None:
        if row := self._row.match(text):
            return row[1].rstrip(" |")
        said = self._said.match(text)
        return said[1] if said else None

    def alone(self, text: str) -> bool:
        return self._alone.fullmatch(text) is not None


def _front(page: Page) -> Iterator[_Place]:
    return _yaml(page.front) if page.front else iter(())


def _stated(lines: Sequence[Line], labels: _Labels) -> Iterator[_Place]:
    """Places 2 to 5. A heading that is the label alone waits for the next line with content."""
    waiting = False
    before = Line(0, "", "", "blank")
    opens = False  # whether the line before opened its paragraph
    for line in lines:
        if line.kind != "blank":
            value = labels.value(line.text) if line.kind in ("text", "item", "heading") else None
            if value is not None:
                yield _Place(line.number, line.raw, value)
            elif waiting and line.kind == "text":
                yield _Place(line.number, line.raw, line.text)
            waiting = line.kind == "heading" and labels.alone(line.text)
            if line.kind == "rule" and before.kind == "text":  # a setext heading's underline
                waiting = opens and labels.alone(before.text)
        opens = before.kind != "text"
        before = line


def _fenced(block: Block) -> Iterator[_Place]:
    return _json(block) if block.info == "json" else _yaml(block)


def _yaml(block: Block) -> Iterator[_Place]:
    """Keys at the left edge only: whatever is nested or part of a longer text is indented."""
    for number, line in enumerate(block.lines, block.first):
        key = _YAML_KEY.match(line)
        value = _YAML_VALUE.match(key[2] or "") if key else None
        if value:
            yield _Place(number, line, value[1] or value[2] or value[3] or "")


def _json(block: Block) -> Iterator[_Place]:
    text = "\n".join(block.lines)
    depth = seen = 0
    number = block.first
    for token in _JSON_TOKEN.finditer(text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth == 1 and token[2] is not None and token[1].lower() == "verdict":
            number += text.count("\n", seen, token.start())
            seen = token.start()
            yield _Place(number, block.lines[number - block.first], token[2])


# What


class _Vocabulary:
    """The phrases that mean a branch of this stage; its own names win over the synonyms."""

    def __init__(self, branches: Sequence[str]) -> None:
        own = {_words(branch): branch for branch in reversed(branches)}
        self._reject = own.get((REJECT,))
        self._approve = own.get((APPROVE,))
        meant = ((self._approve, _APPROVING), (self._reject, _REJECTING))
        synonyms = {_words(p): branch for branch, said in meant if branch for p in said}
        self._phrases = {**synonyms, **own}
        self._phrases.pop((), None)
        self._longest = max(map(len, self._phrases), default=0)

    def match(self, words: Sequence[str], at: int) -> tuple[str, int] | None:
        """The branch that the words from `at` on mean, and where the phrase ends."""
        for end in range(min(at + self._longest, len(words)), at, -1):
            if branch := self._phrases.get(tuple(words[at:end])):
                return branch, end
        return self._denied(words, at)

    def approves(self, branch: str) -> bool:
        return branch == self._approve

    def _denied(self, words: Sequence[str], at: int) -> tuple[str, int] | None:
        """`not yet approved`, `we do not accept`, `disapproved`, `dis-approved`."""
        denied = _DENIED.match(" ".join(words[at:]))
        return (self._reject, at + denied[0].count(" ") + 1) if self._reject and denied else None


def _interpret(places: Sequence[_Place], vocabulary: _Vocabulary) -> Reading:
    found: list[Found] = []
    unknown: list[Found] = []
    template: list[int] = []
    for place in places:
        statement = _Statement(place.value, vocabulary)
        written = _as_written(place.value)
        if statement.offers_alternatives():
            template.append(place.line)
        elif branch := statement.branch():
            found.append(Found(branch, place.line, place.text))
        elif written:
            unknown.append(Found(written, place.line, place.text))
    return Reading(tuple(found), tuple(unknown), tuple(template))


class _Statement:
    """X, folded, with its words and the gaps between them."""

    def __init__(self, value: str, vocabulary: _Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._text = _BOX.sub("|", _STRUCK.sub(" ", _fold(value[:_MOST])))
        spans = [match.span() for match in _WORD.finditer(self._text)]
        self._words = [self._text[start:end] for start, end in spans]
        edges = [0, *(edge for span in spans for edge in span), len(self._text)]
        self._gaps = [self._text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
        self._first = vocabulary.match(self._words, 0)

    def branch(self) -> str | None:
        if self._first is None or _JOINT.search(self._gaps[0]):
            return None
        branch, end = self._first
        doubted = _DENIAL.search(self._gaps[0]) or _TAKEN_BACK.match(self._after(end))
        return None if self._vocabulary.approves(branch) and doubted else branch

    def offers_alternatives(self) -> bool:
        """`approve | reject`, `approve or reject`, `approve, reject`, a dangling `approve /`."""
        if self._first is None:
            return False
        branch, end = self._first
        return self._dangles(end) or any(
            self._offers(at, branch, end) for at in range(end, len(self._words))
        )

    def _offers(self, at: int, branch: str, end: int) -> bool:
        """Whether the words from `at` on are an alternative to the phrase that ended at `end`."""
        joined = self._words[at - 1] == "or" or _JOINT.search(self._gaps[at]) is not None
        adjoins = at == end and _ADJOINING.fullmatch(self._gaps[at]) is not None
        other = self._vocabulary.match(self._words, at) if joined or adjoins else None
        if other is None:
            return False
        return other[0] != branch or (joined and at - end <= 1)

    def _dangles(self, end: int) -> bool:
        left = self._words[end:]
        return left == ["or"] or (not left and _JOINT.search(self._gaps[end]) is not None)

    def _after(self, end: int) -> str:
        return "".join(
            g + w for g, w in zip(self._gaps[end:], [*self._words[end:], ""], strict=True)
        )


def _fold(text: str) -> str:
    return _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text).casefold())


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_fold(text)))


def _as_written(value: str) -> str:
    """The clause that stands where a branch should; empty when nothing does."""
    clause = _CLAUSE.search(value[:_MOST])
    return (clause[0] if clause else value[:_MOST]).strip(" \t*_`~|>\"'")
