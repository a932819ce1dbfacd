"""`.relay/LESSONS.md`: the lessons at a glance, generated, and the lines that people add to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from relay_git import files
from relay_git.errors import InvalidName, RelayError
from relay_git.lessons.inject import NO_COUNTS, rank
from relay_git.lessons.keep import Draft, KeptLesson, manual_draft
from relay_git.lessons.model import normalise
from relay_git.lessons.page import escape_html, one_line
from relay_git.lessons.shelf import Delivery, Shelf, deliver_drafts
from relay_git.names import LESSONS_INDEX, RELAY_DIR, Word
from relay_git.record import Record

_HEAD = """\
<!-- Generated from .relay/lessons/: rebuild it with `git relay lessons render`. A line of the
form `# manual: …` below a role becomes a lesson and stays; other edits are overwritten. -->

# Lessons
"""
_END = """\
<!-- end of {role}.
These four lines keep the
roles apart when branches
merge: leave them. -->
"""
_ROLE = re.compile(r" {0,3}##[ \t]+(.*?)[ \t]*#*[ \t]*")
_MANUAL = re.compile(r" {0,3}#[ \t]*manual:[ \t]*(.*)", re.IGNORECASE)


class Manual(Record):
    """A line that a person added: the role is empty above the first role's heading."""

    role: str
    claim: str
    line: int

    @property
    def draft(self) -> Draft:
        return manual_draft(self.role, self.claim)


def manual_lines(text: str) -> list[Manual]:
    """Every line `# manual: …` under the heading it stands under; lines count from 1."""
    found, role = [], ""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if heading := _ROLE.fullmatch(line):
            role = _role(heading[1])
        elif (manual := _MANUAL.fullmatch(line)) and normalise(manual[1]):
            found.append(Manual(role, one_line(manual[1]), number))
    return found


def _role(heading: str) -> str:
    try:
        return Word(heading)
    except InvalidName:
        return ""


def absorb_manual(worktree: str, shelf: Shelf) -> Delivery:
    """Make lessons of the manual lines that are none yet; load the shelf again afterwards.

    A line above the first role is for nobody: it stays a line.
    """
    lines = sorted(manual_lines(_read(worktree)), key=lambda line: (line.role, line.claim))
    return deliver_drafts(worktree, [line.draft for line in lines if line.role], shelf)


def render_index(
    shelf: Shelf,
    occurrences: Mapping[str, int] = NO_COUNTS,
    manual: Iterable[Manual] = (),
) -> str:
    """The whole file. `occurrences` by claim hash; `manual` lines stay unless withdrawn."""
    standing = _standing(manual, shelf)
    roles = sorted({one.role for one in shelf.kept} | {role for role, _ in standing} - {""})
    unfiled = "".join(f"\n# manual: {claim}\n" for role, claim in standing if not role)
    sections = [_section(role, shelf, occurrences, standing) for role in roles]
    return _HEAD + unfiled + ("".join(sections) or "\nNone yet.\n")


def _standing(manual: Iterable[Manual], shelf: Shelf) -> list[tuple[str, str]]:
    """Role and claim of each line, once; sorted, so that every merge order gives one file."""
    lines: dict[tuple[str, str], str] = {}
    for line in sorted(manual, key=lambda line: line.claim):
        if not line.role or not shelf.retired_path(line.draft):
            lines.setdefault((line.role, normalise(line.claim)), line.claim)
    return sorted((role, claim) for (role, _), claim in lines.items())


def _section(
    role: str, shelf: Shelf, occurrences: Mapping[str, int], standing: list[tuple[str, str]]
) -> str:
    """Its end keeps a union merge from moving lines to the next role: git takes changes with
    fewer than four equal lines between them for one."""
    oldest_first = sorted(shelf.by_role(role), key=lambda one: (one.observed_at or "", one.id))
    lessons = sorted(oldest_first, key=lambda one: rank(one, occurrences))
    lines = [_line(lesson, occurrences.get(lesson.claim_hash, 1)) for lesson in lessons]
    lines += [f"# manual: {claim}" for owner, claim in standing if owner == role]
    return "\n".join(("", f"## {role}", "", *lines, "", _END.format(role=role)))


def _line(lesson: KeptLesson, times: int) -> str:
    link = quote(lesson.path.removeprefix(f"{RELAY_DIR}/"))
    source = lesson.run or "by hand"
    often = f" ×{times}" if times > 1 else ""
    claim = escape_html(lesson.claim)
    return f"- **{lesson.severity}** {claim} ([{lesson.id[:8]}]({link}), {source}{often})"


def update_index(worktree: str, shelf: Shelf, occurrences: Mapping[str, int] = NO_COUNTS) -> bool:
    """Rewrite the file where it differs, line ends aside; True when it did."""
    after = _update(_read(worktree), shelf, occurrences)
    if after is None:
        return False
    files.write_in(worktree, LESSONS_INDEX, after.encode())
    return True


def index_would_change(
    worktree: str, shelf: Shelf, occurrences: Mapping[str, int] = NO_COUNTS
) -> bool:
    """Whether `absorb_manual` and then `update_index` would write anything."""
    before = _read(worktree)
    drafts = [line.draft for line in manual_lines(before) if line.role]
    unplaced = [
        new for new in drafts if not shelf.present_path(new) and not shelf.retired_path(new)
    ]
    return bool(unplaced) or _update(before, shelf, occurrences) is not None


def _update(before: str, shelf: Shelf, occurrences: Mapping[str, int]) -> str | None:
    """The new text, or None where the old one will do."""
    after = render_index(shelf, occurrences, manual_lines(before))
    is_same = before.replace("\r\n", "\n") == after
    return None if is_same or not (before or shelf.kept) else after


def _read(worktree: str) -> str:
    """Refused where it is not UTF-8: people's lines in it could not be kept."""
    data = files.read_in(worktree, LESSONS_INDEX) or b""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        where, hint = f"{LESSONS_INDEX}:{line}", "save it as UTF-8"
        raise RelayError("not UTF-8 text", where=where, hint=hint) from None
