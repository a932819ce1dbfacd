"""The outcome that a review states, read widely: many labels, languages and places.

This reading only reports (`distill --file`). What moves a run is the closed grammar of the
workflow. In doubt it says nothing, and where outcomes disagree it does not say `approve`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from relay_git.lessons.blocks import Block, Fence, Item, List, Paragraph, Quote, Section, Table
from relay_git.lessons.decisions import decide, judge, labelled, means_outcome, voiced
from relay_git.lessons.heading_words import FINDING_NOUNS
from relay_git.lessons.lead import plain, read_lead, size
from relay_git.lessons.markdown import Tree
from relay_git.lessons.outcome_words import (
    CLOSING_NOUNS,
    LATER,
    OUTCOME_LABELS,
    QUIET_OUTCOMES,
    UNDECIDED,
    WEAK_OUTCOME_LABELS,
)
from relay_git.lessons.vocabulary import fold

_LABEL = re.compile(r"^\W{0,8}(\w[^:：\n|]{1,40}?)(?:[^\w:：]{0,4}[:：=]|[?？])\s*(\S.*)$")
_BESIDE = re.compile(r"\s+[|·•]\s+")
_DASHED = re.compile(r"^(\S.{1,80}?)\s(?:[—–]|--?)\s(.+)$")
_PAIR = re.compile(r"^[\"']?([A-Za-z_ -]{2,30})[\"']?\s*:\s*[\"']?([^\"'#\n]+)", re.MULTILINE)
_NAMED = re.compile(r"[Vv]erdict\s*[:：]\s*(\S+)")
_STRUCK = re.compile(r"~~[^~]*~~")
_PARTS = re.compile(r"\s[—–-]{1,2}\s|[:：]\s*|\s[(（]")
_BRANCH = re.compile(r"[a-z][a-z0-9_-]{1,30}")
_AROUND = " .!:✅❌🔴🟢🟡⚠️🚫👍👎⛔✔"
_LONGEST_BARE = 60
_MOST_REVIEWED = 4
_LONGEST_LINE = 300
_SHORT = 4
_DATA = ("yaml", "yml", "json")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`weight` 3: a label or heading that means it; 2: a bare word; 1: an aside such as a title."""

    line: int
    verdict: str
    weight: int
    later: bool = False


def read_outcome(tree: Tree, inside: Collection[range] = ()) -> tuple[str | None, int | None]:
    """The verdict and its line. Lines in the ranges `inside` are parts of findings.

    An approval stands against a rejection only where it says that it came later.
    """
    found = [o for o in _stated(tree) if not any(o.line in lines for lines in inside)]
    found = found or list(_fenced(tree.root.blocks))
    if not found:
        return None, None
    weight = max(outcome.weight for outcome in found)
    chosen = _settle([outcome for outcome in found if outcome.weight == weight])
    against = [o for o in found if o.verdict == "reject" and o.weight > 1]
    if chosen.verdict == "approve" and against and not chosen.later:
        chosen = against[0]
    return chosen.verdict, chosen.line


def _settle(found: Sequence[Outcome]) -> Outcome:
    """The first when all agree, else the last in the document."""
    agree = len({outcome.verdict for outcome in found}) == 1
    return found[0] if agree else found[-1]


def _stated(tree: Tree) -> Iterator[Outcome]:
    if tree.front_matter is not None:
        yield from _pairs(tree.front_matter)
    yield from _section(tree.root, closing=True, later=False)


def _section(
    section: Section, *, closing: bool, later: bool, sealed: bool = False, part: bool = False
) -> Iterator[Outcome]:
    """`closing` sections may state the outcome under weak labels; others only under strong ones.

    What stands below a heading for findings is `sealed`: none of it closes the review. Praise of
    one `part` among several approves no more than that part.
    """
    bare = _is_outcome_label(section.title)
    for at, block in enumerate(section.blocks):
        if isinstance(block, Section):
            own = part or (block.level > 2 and block is not section.blocks[-1])
            yield from _heading(block, closing=closing, later=later, sealed=sealed, part=own)
        else:
            found = _beside(block, at, bare=bare, closing=closing, later=later)
            yield from (o for o in found if not (part and o.weight > 2 and o.verdict == "approve"))


def _beside(block: Block, at: int, *, bare: bool, closing: bool, later: bool) -> Iterator[Outcome]:
    """The outcomes in one block that is no section; `bare` below a heading such as `Verdict`."""
    yield from _block(block, closing=closing, later=later, bare=bare and at == 0)
    if bare and at and isinstance(block, Paragraph) and voiced(block.text) == "reject":
        yield Outcome(block.line, "reject", 2, later)
    if closing and not bare and isinstance(block, Paragraph):
        yield from _voice(block, later)


def _voice(block: Paragraph, later: bool) -> Iterator[Outcome]:
    """Prose decides where nothing else does."""
    if _LABEL.match(plain(block.text[:_LONGEST_LINE])) is None and (verdict := voiced(block.text)):
        yield Outcome(block.line, verdict, 1, later)


def _heading(
    section: Section, *, closing: bool, later: bool, sealed: bool, part: bool
) -> Iterator[Outcome]:
    words = fold(plain(section.title[:_LONGEST_LINE]))
    later = later or bool(LATER.search(words))
    title = _from_title(section, words, later)
    if title is not None:
        yield title
    closes = section.level <= 1 or CLOSING_NOUNS.search(words) is not None
    sealed = sealed or (not closes and FINDING_NOUNS.search(words) is not None)
    closing, part = closes and not sealed, part and not closes
    yield from _section(section, closing=closing, later=later, sealed=sealed, part=part)


def _from_title(section: Section, words: str, later: bool) -> Outcome | None:
    """`Verdict: X` means it; the end of the main title, or `ISSUES FOUND`, hardly does."""
    stated = _labelled(section.title, section.line, closing=True, later=later)
    stated = stated or _answer(section, words, later)
    if stated is not None:
        return stated
    named = _NAMED.fullmatch(plain(section.title[:_LONGEST_LINE]))
    if named and (branch := _branch(named[1])):
        return Outcome(section.line, branch, 3, later)
    bare = _bare(section.title, section.line, later)
    if bare is not None:
        return replace(bare, weight=1) if FINDING_NOUNS.search(words) else bare
    parts = _PARTS.split(plain(section.title[:_LONGEST_LINE]).rstrip(" )）"))
    ends = section.level == 1 and len(parts) > 1
    verdict = decide(parts[-1], strict=True) if ends else None
    return Outcome(section.line, verdict, 1, later) if verdict else None


def _answer(section: Section, words: str, later: bool) -> Outcome | None:
    """A heading that asks `Ready to merge?`, and what the first paragraph says to it."""
    first = section.blocks[0] if section.blocks else None
    if not isinstance(first, Paragraph) or not words.endswith(("?", "？")):
        return None
    verdict = labelled(words.strip(" *_#"), first.text)
    return Outcome(first.line, verdict, 3, later) if verdict else None


def _block(block: Block, *, closing: bool, later: bool, bare: bool) -> Iterator[Outcome]:
    match block:
        case Paragraph():
            yield from _lines(block.text, block.line, closing, later, bare)
        case Quote() if closing:
            for inner in block.blocks:
                yield from _block(inner, closing=closing, later=later, bare=False)
        case List():
            choice = _offers(block.items)
            for at, item in enumerate(block.items):
                chosen = choice and item.checked is True
                yield from _item(item, closing, later, chosen or (bare and at == 0))
        case Table():
            yield from _table(block, closing, later)


def _offers(items: Sequence[Item]) -> bool:
    """Whether the boxes stand before outcomes, of which one is to be ticked."""
    return 2 * sum(decide(item.text) is not None for item in items) >= len(items)


def _item(item: Item, closing: bool, later: bool, bare: bool) -> Iterator[Outcome]:
    """A box left empty is not chosen."""
    if item.checked is not False:
        yield from _lines(item.text, item.line, closing, later, bare)


def _lines(text: str, line: int, closing: bool, later: bool, bare: bool) -> Iterator[Outcome]:
    """Each line of a paragraph; under a heading `Verdict` its first line needs no label."""
    for offset, written in _statements(text):
        outcome = _labelled(written, line + offset, closing=closing, later=later)
        if outcome is None and bare and offset == 0 and (verdict := judge(text)):
            outcome = Outcome(line, verdict, 3, later)
        outcome = outcome or _bare(written, line + offset, later)
        if outcome is not None:
            yield outcome


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each line by its offset, and each part of one such as `**Scope:** … | **Status:** …`."""
    for offset, line in enumerate(text.split("\n")):
        parts = _BESIDE.split(line)
        labelled_parts = len(parts) > 1 and all(map(_LABEL.match, map(plain, parts)))
        for part in parts if labelled_parts else [line]:
            yield offset, part


def _labelled(text: str, line: int, *, closing: bool, later: bool) -> Outcome | None:
    line_text = plain(_STRUCK.sub(" ", text[:_LONGEST_LINE]))
    match = _LABEL.match(line_text) or _DASHED.match(line_text)
    if match is None:
        return None
    label = fold(match[1]).strip(" *_`")
    if not closing and label in WEAK_OUTCOME_LABELS and not means_outcome(label):
        return None
    verdict = labelled(label, match[2])
    later = later or bool(LATER.search(label))
    return Outcome(line, verdict, 3, later) if verdict else None


def _branch(value: str) -> str | None:
    """A workflow's own branch word, where the label is the one that we ask for."""
    word = value.strip(" *_`")
    return word if _BRANCH.fullmatch(word) and not UNDECIDED.search(word) else None


def _bare(text: str, line: int, later: bool) -> Outcome | None:
    """A line that is all outcome, in capitals or bold: `PHASE_APPROVED`, `**Approved**`."""
    word = plain(text[:_LONGEST_LINE]).strip(_AROUND)
    loud = word.isupper() or text.lstrip(_AROUND).startswith(("**", "__"))
    loud = loud or (bool(QUIET_OUTCOMES.match(fold(word))) and size(word) <= _SHORT)
    if len(word) > _LONGEST_BARE or not loud or re.search(r"[|:：]", text):
        return None
    verdict = decide(word, strict=True)
    return Outcome(line, verdict, 2, later) if verdict else None


def _is_outcome_label(title: str) -> bool:
    words = fold(plain(read_lead(title).rest)).strip(" *_:：.")
    return means_outcome(words) or words in WEAK_OUTCOME_LABELS


def _table(table: Table, closing: bool, later: bool) -> Iterator[Outcome]:
    """A row that a label starts, or a column under one; of several, none approves the whole."""
    names = [fold(plain(cell)).strip() for cell in table.header]
    column = next((at for at, name in enumerate(names) if at and name in OUTCOME_LABELS), 0)
    for row in table.rows:
        if column and column < len(row.cells) and (verdict := decide(row.cells[column])):
            if len(table.rows) == 1:
                yield Outcome(row.line, verdict, 3, later)
            elif verdict == "reject" and len(table.rows) <= _MOST_REVIEWED:
                yield Outcome(row.line, verdict, 2, later)
        elif len(row.cells) >= 2:
            pair = f"{row.cells[0]}: {row.cells[1]}"
            outcome = _labelled(pair, row.line, closing=closing, later=later)
            if outcome is not None:
                yield outcome


def _fenced(blocks: Sequence[Block]) -> Iterator[Outcome]:
    for block in blocks:
        if isinstance(block, Section):
            yield from _fenced(block.blocks)
        elif isinstance(block, Fence) and block.info.lower().startswith(_DATA):
            yield from _pairs(block)


def _pairs(fence: Fence) -> Iterator[Outcome]:
    """The top-level `verdict: X` of front matter, YAML or JSON, by its line."""
    for offset, (key, value) in _entries(fence.text):
        label = fold(key).replace("_", " ").strip()
        if label in OUTCOME_LABELS or label in WEAK_OUTCOME_LABELS:
            branch = _branch(value) if label == "verdict" else None
            verdict = decide(value) or branch
            if verdict:
                yield Outcome(fence.line + 1 + offset, verdict, 3)


def _entries(text: str) -> Iterator[tuple[int, tuple[str, str]]]:
    if text.lstrip().startswith("{"):
        yield from _json_entries(text)
        return
    for match in _PAIR.finditer(text):
        yield text.count("\n", 0, match.start()), (match[1], match[2].strip())


def _json_entries(text: str) -> Iterator[tuple[int, tuple[str, str]]]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return
    for key, value in parsed.items() if isinstance(parsed, dict) else ():
        if isinstance(value, str):
            at = text.find(f'"{key}"')
            yield text.count("\n", 0, max(at, 0)), (key, value)
