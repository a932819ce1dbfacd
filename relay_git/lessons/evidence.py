"""What one statement shows about itself: fields, ticks, denials, and the weight of its words."""

from __future__ import annotations

import re

from relay_git.lessons import severity as severities
from relay_git.lessons.blocks import Block, Item, List, Paragraph, Table
from relay_git.lessons.decisions import decide, labelled
from relay_git.lessons.headings import only_group_words, says_nothing
from relay_git.lessons.label_words import (
    FIX_LABELS,
    NAMING_LABEL,
    OTHER_LABELS,
    PRIMARY_LABELS,
    SEVERITY_LABELS,
)
from relay_git.lessons.lead import Lead, plain, read_lead, size
from relay_git.lessons.model import Severity
from relay_git.lessons.outcome_words import OUTCOME_LABELS
from relay_git.lessons.severity_words import SOFT_OPENINGS
from relay_git.lessons.state_words import SETTLED
from relay_git.lessons.states import State
from relay_git.lessons.tone import tone
from relay_git.lessons.vocabulary import fold

ENOUGH = 2
"""The weight from which a statement counts as a finding where nothing announced one."""
SHORT_TITLE = 4
"""So many words hardly are a sentence."""
_TAIL = 300
_LONGEST_TERM = 30
_STATES: dict[State, int] = {"open": 2, "settled": 1, "void": -2}
_LETTERS = re.compile(r"[^\W\d_]")
_PLACE = re.compile(r"`?(?:[\w@.-]+/)*[\w@-][\w@.-]*\.[A-Za-z]\w{0,9}`?(?:[:#]L?[\d:,L–-]+)?`?")
_WHERE = re.compile(r"(?i)^\W*(?:in|at|on|for|from|file|files|see|en|dans|em|im|nel|w|i|в)\b\W*")
_REMARKS = re.compile(r"[(（][^()（）]*[)）]")
_COUNT = re.compile(r"\d{1,4}")
_PARENTHESIS = re.compile(r"\s*\([^)]*\)$")
_BOLD_LABEL = re.compile(r"\s*\*\*[^*\n]{1,40}(?:[:：]\*\*|\*\*\s?[:：])")
_SHORT_LABEL = re.compile(r"\s*\*\*[^\s*]+(?:\s[^\s*]+){0,2}\s?(?:[:：]\*\*|\*\*\s?[:：])")
_BOLD_TITLE = re.compile(r"\W{0,8}\*\*([^*\n]+)\*\*(?:\s*([(\[][^()\[\]]{1,30}[)\]]))?")


def is_nothing(lead: Lead) -> bool:
    """`None.`, and a severity followed by a count or by no more than a noun."""
    words = fold(_REMARKS.sub(" ", plain(lead.rest)))
    counted = bool(lead.label) and _COUNT.fullmatch(plain(lead.value)) is not None
    empty = lead.marked and (_names_class(words) or not _LETTERS.search(words))
    if len(words) < _LONGEST_TERM and severities.TERM.fullmatch(words.strip(" .")):
        return True
    if lead.marked and not empty:
        return counted or lead.counts or says_nothing(words)
    denied = bool(lead.value) and only_group_words(lead.label) and says_nothing(fold(lead.value))
    return empty or counted or lead.counts or denied or says_nothing(words)


def _names_class(words: str) -> bool:
    """`Issues`, `3 bugs to fix`, but not `missing tests`."""
    return only_group_words(words) and (tone(words) < ENOUGH or words[:1].isdigit())


def is_outcome(lead: Lead) -> bool:
    """`Verdict: approve`, `🔴 Request changes`, `otherwise LGTM`."""
    bare = size(lead.rest) <= SHORT_TITLE and decide(lead.rest, strict=True) is not None
    return bare or labelled(lead.label, lead.value) is not None


def is_field(lead: Lead) -> bool:
    """A part of some finding, such as its location or fix, but not the problem itself."""
    if lead.marked or lead.ident:
        return False
    label = _PARENTHESIS.sub("", lead.label)
    return any(label in names for names in (FIX_LABELS, OTHER_LABELS, SEVERITY_LABELS))


def is_soft(lead: Lead) -> bool:
    """`Consider …`: what the reviewer leaves to the author."""
    said = (fold(plain(text[:_TAIL])).lstrip(" *_") for text in (lead.rest, lead.value))
    return any(SOFT_OPENINGS.match(text) for text in said)


def is_primary(lead: Lead) -> bool:
    return lead.label in PRIMARY_LABELS


def names_fault(lead: Lead) -> bool:
    """`Doc nit: …`, `Gap (not blocking): …`, `Issue 3: …`."""
    return lead.fault or NAMING_LABEL.fullmatch(lead.label) is not None


def is_ticked(lead: Lead) -> bool:
    """A tick says that all is well, unless it ticks off something that was wrong."""
    value = read_lead(lead.value) if lead.label else lead
    settled = SETTLED.search(fold(value.rest[:40]))
    return (lead.praised or value.praised) and not settled


def is_listed(lead: Lead) -> bool:
    return lead.numbered or lead.ident or lead.state is not None


def says_settled(lead: Lead) -> bool:
    """`Resolved — the formula is explicit`: a state before what is well now."""
    return not (lead.ident or lead.numbered or lead.marked) and tone(lead.rest) <= 0


def is_place(text: str) -> bool:
    """Whether it names a place in the code and says nothing of it: `In `a.py`:`."""
    return not _LETTERS.search(_WHERE.sub("", _PLACE.sub(" ", plain(text[:_TAIL]))))


def says_more(lead: Lead) -> bool:
    """Whether words follow its severity or id."""
    return (lead.marked or lead.ident) and _LETTERS.search(plain(lead.rest)) is not None


def weight(lead: Lead) -> int:
    """For and against being a finding, where neither a heading nor a severity decides."""
    state = _STATES[lead.state] if lead.state else 0
    placed = lead.placed and not is_place(lead.rest)
    return 2 * placed + lead.ident + state - 2 * lead.praised + tone(lead.rest)


def weigh_item(item: Item, lead: Lead) -> int:
    """An empty box asks for action; a ticked one says that all is well."""
    boxes = {None: 0, False: 2, True: 0 if lead.state else -2}
    return weight(lead) + boxes[item.checked]


def is_amiss(lead: Lead) -> bool:
    """Whether its words alone say so."""
    return tone(lead.rest) >= ENOUGH


def speaks(item: Item, lead: Lead) -> bool:
    """Whether it counts as a finding where nothing announced one."""
    return weigh_item(item, lead) >= ENOUGH


def ends_open(text: str) -> bool:
    return plain(text[-_TAIL:]).endswith((":", "："))


def leads_in(paragraph: Paragraph, after: Block | None) -> bool:
    return isinstance(after, List | Table) and ends_open(paragraph.text)


def is_bold_led(text: str) -> bool:
    return text.lstrip().startswith(("**", "__"))


def is_bold_title(text: str) -> bool:
    """`**Reliability / bugs**`: nothing but bold words."""
    return _BOLD_TITLE.fullmatch(text.rstrip(" :：")) is not None


def has_title(text: str) -> bool:
    """Whether it opens with bold words that are more than a label such as `**Impact:**`."""
    return is_bold_led(text) and _SHORT_LABEL.match(text) is None


def is_record(text: str) -> bool:
    """Several lines of `**Label:** value`, as at the head of a document."""
    lines = text.split("\n")
    return len(lines) > 1 and all(_BOLD_LABEL.match(line) for line in lines)


def asks(title: str) -> bool:
    return plain(title[-_TAIL:]).endswith(("?", "？"))


def is_about_outcome(title: str) -> bool:
    """`Verdict`, and a question: what stands below it answers."""
    words = fold(plain(read_lead(title).rest)).strip(" *_:：.")
    return asks(title) or words in OUTCOME_LABELS


def answers(text: str) -> bool:
    """`**No.**`, `**Low.**`: a few words that answer the question of a heading."""
    bold = _BOLD_TITLE.match(text)
    said = bold[1] if bold else text
    return size(said) <= SHORT_TITLE and plain(said).endswith((".", "。"))


def title_severity(text: str) -> Severity | None:
    """A severity in brackets after the bold title or at the end of the first line."""
    bold = _BOLD_TITLE.match(text)
    title = " ".join(filter(None, bold.groups())) if bold else ""
    return severities.trailing(title) or severities.trailing(text.split("\n", 1)[0])
