"""Which lessons a role is shown, in which order, and how their text is made safe to quote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping

from relay_git import clock
from relay_git.lessons.keep import KeptLesson
from relay_git.lessons.model import SEVERITIES
from relay_git.lessons.paths import path_in_span
from relay_git.record import Record

NO_COUNTS: Mapping[str, int] = {}

_DAY = 24 * 60 * 60
_JOINERS = "\u200c\u200d\ufe0f"
_HIDING = re.compile(rf"(?<![^\x00-\x7f])[{_JOINERS}]+|[{_JOINERS}]{{3,}}")
"""Joiners where no script or emoji has them: rows of them spell out a text that nobody sees."""

_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0e\uffa0"
    "\ufff0-\ufff8\U0001d159\U000e0000-\U000e0fff]"
)
"""Variation selectors, fillers and the like: letters and marks by category, and not to be seen."""

_RUN = re.compile(r"([`~<>-])\1{2,}")
_TAG = re.compile(r"<(?=[A-Za-z/!?|])")


class Selection(Record):
    """`relevant` lessons meet the files at hand; `left_out` counts those beyond the limit."""

    relevant: tuple[KeptLesson, ...]
    other: tuple[KeptLesson, ...]
    left_out: int


def select(
    lessons: Iterable[KeptLesson],
    role: str,
    files: Collection[str],
    occurrences: Mapping[str, int] = NO_COUNTS,
    most: int = 10,
) -> Selection:
    """The lessons for a role, those first whose tags meet the files (paths with `/`).

    A tag meets a file when

    1. both are one path, or one is the tail of the other: `store.py` or `git/store.py` and
       `relay_git/git/store.py`;
    2. it is a directory in which the file's path begins: `relay_git/git`;
    3. it is a symbol with a part that is the file's name up to the first `.`, case, `_` and `-`
       aside: `RetryPolicy.wait` and `net/retry_policy.py`. Parts of two letters do not count.

    Among the lessons that meet a file, and among the others: the worst first, then the most
    frequent, then the newest. `most` is for both together.
    """
    mine = _in_order((lesson for lesson in lessons if lesson.role == role), occurrences)
    at_hand = _Files(files)
    relevant = [lesson for lesson in mine if at_hand.meet(lesson)]
    other = [lesson for lesson in mine if not at_hand.meet(lesson)]
    first, then = relevant[:most], other[: max(0, most - len(relevant))]
    return Selection(tuple(first), tuple(then), len(mine) - len(first) - len(then))


def rank(lesson: KeptLesson, occurrences: Mapping[str, int]) -> tuple[int, int]:
    """Sorts the worst and then the most frequent first. Counts are by claim hash."""
    return SEVERITIES.index(lesson.severity), -occurrences.get(lesson.claim_hash, 1)


def _in_order(lessons: Iterable[KeptLesson], occurrences: Mapping[str, int]) -> list[KeptLesson]:
    by_id = sorted(lessons, key=lambda lesson: lesson.id)
    newest_first = sorted(by_id, key=lambda lesson: lesson.observed_at or "", reverse=True)
    return sorted(newest_first, key=lambda lesson: rank(lesson, occurrences))


class _Files:
    """The files at hand, so prepared that a tag is looked up and not compared with each."""

    def __init__(self, files: Iterable[str]) -> None:
        paths = {_composed(path.rstrip("/")) for path in files}
        self._paths = paths
        self._tails = {tail for path in paths for tail in _tails(path)}
        self._directories = {path[:end] for path in paths for end in _slashes(path)}
        self._stems = {_folded(_stem(path)) for path in paths}

    def meet(self, lesson: KeptLesson) -> bool:
        return any(self._meet(_composed(tag)) for tag in lesson.tags)

    def _meet(self, tag: str) -> bool:
        path = tag.rstrip("/")
        is_path = path in self._tails or not self._paths.isdisjoint(_tails(path))
        return is_path or path in self._directories or self._are_named_after(tag)

    def _are_named_after(self, tag: str) -> bool:
        if path_in_span(tag):
            return False
        parts = (_folded(part) for part in re.findall(r"[\w-]+", tag))
        return any(len(part) > 2 and part in self._stems for part in parts)


def _tails(path: str) -> set[str]:
    return {path, *(path[index + 1 :] for index in _slashes(path))}


def _slashes(path: str) -> list[int]:
    return [index for index, char in enumerate(path) if char == "/"]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].lstrip(".").partition(".")[0]


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def _composed(path: str) -> str:
    """As git has names; macOS hands them out decomposed."""
    return unicodedata.normalize("NFC", path)


def quote(text: str) -> str:
    """The text as one line that cannot end the block it is quoted in, nor hide anything.

    Line ends become spaces. Control, format and private characters go (bidi overrides, zero
    widths, tag characters), and blank ones; joiners stay where scripts and emoji need them.
    Three or more backticks, tildes, dashes or angle brackets become one; a `<` that opens a tag
    or a comment becomes `‹`.
    """
    line = " ".join(text.split())
    if not line.isprintable() or not line.isascii():
        visible = "".join(char for char in line if is_visible(char))
        line = " ".join(_HIDING.sub("", visible).split())
    line = _RUN.sub(r"\1", line)
    return _TAG.sub("‹", line).replace("-->", "--›")


def is_visible(char: str) -> bool:
    if char in _JOINERS:
        return True
    return not _BLANK.match(char) and unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")


def age(observed_at: str | None, now: int) -> str:
    """`today`, `12 days ago`, `5 months ago`: whole days, months of 30 and years of 365.

    Clocks differ by less than a day; a date beyond that is somebody's invention.
    """
    if not observed_at:
        return "at an unknown time"
    days = (now - _seconds(observed_at)) // _DAY
    if days < -1:
        return "at an unknown time"
    for unit, length in (("year", 365), ("month", 30), ("day", 1)):
        if days >= length:
            count = days // length
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "today"


def _seconds(observed_at: str) -> int:
    """A person may write a date in another form than ours."""
    try:
        return clock.parse_iso(observed_at)
    except ValueError:
        from datetime import UTC, datetime

        seen = datetime.fromisoformat(observed_at)
        return int((seen if seen.tzinfo else seen.replace(tzinfo=UTC)).timestamp())
