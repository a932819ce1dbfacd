"""The lessons of a work tree: look them up, bring new ones, withdraw one.

Files that are there are never rewritten: what people edit stays as they left it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from relay_git import files
from relay_git.errors import Refused, RelayError
from relay_git.lessons.keep import (
    Draft,
    KeptLesson,
    draft,
    manual_draft,
    retired_path,
    retired_text,
)
from relay_git.lessons.model import Kind, Lesson, Severity, normalise
from relay_git.lessons.page import split
from relay_git.lessons.shelfreader import Broken, parse, read_all
from relay_git.names import LESSONS
from relay_git.parallel import by_shares
from relay_git.record import Record

_SHARE = 500

Made = tuple[str, bool]
"""A path, and whether a file was written there."""


class Shelf(Record):
    """Every lesson file that can be read, sorted by path, and what is wrong with the others."""

    lessons: tuple[KeptLesson, ...]
    problems: list[RelayError]
    broken: tuple[str, ...] = ()

    @classmethod
    def load(cls, worktree: str, cache_dir: str) -> Shelf:
        problems: list[RelayError] = []
        entries = read_all(worktree, cache_dir, problems)
        broken = [entry for entry in entries if isinstance(entry, Broken)]
        lessons = tuple(entry for entry in entries if isinstance(entry, KeptLesson))
        problems += [problem for entry in broken for problem in entry.problems]
        problems += _withdrawn_and_here(lessons)
        return cls(lessons, problems, tuple(entry.path for entry in broken))

    @cached_property
    def kept(self) -> tuple[KeptLesson, ...]:
        """The lessons in force: each claim once, as it was observed first.

        Branches that learnt the same bring a file each. Withdrawn in one file is withdrawn.
        """
        first: dict[str, KeptLesson] = {}
        for one in sorted(self.lessons, key=lambda one: (one.observed_at or "", one.id)):
            if not one.retired and not _gone(one, self._retired_paths):
                first.setdefault(one.claim_hash, one)
        return tuple(sorted(first.values(), key=lambda one: one.path))

    @cached_property
    def retired(self) -> tuple[KeptLesson, ...]:
        return tuple(lesson for lesson in self.lessons if lesson.retired)

    def by_role(self, role: str) -> tuple[KeptLesson, ...]:
        return tuple(lesson for lesson in self.kept if lesson.role == role)

    def has_claim(self, claim_hash: str) -> bool:
        return claim_hash in self._kept_paths

    def is_retired(self, claim_hash: str) -> bool:
        return claim_hash in self._retired_paths

    def knows(self, lesson: Lesson) -> bool:
        """Whether it is here, or was and has been withdrawn."""
        new = draft(lesson)
        return bool(self.present_path(new) or self.retired_path(new))

    def present_path(self, new: Draft) -> str | None:
        """The file that has the draft's id or claim, or an unreadable one named by its id."""
        known = self._kept_paths
        return known.get(new.id) or known.get(new.claim_hash) or self._broken_path(new)

    def retired_path(self, new: Draft) -> str | None:
        return self._retired_paths.get(new.id) or self._retired_paths.get(new.claim_hash)

    @cached_property
    def _kept_paths(self) -> dict[str, str]:
        return _paths(self.kept)

    @cached_property
    def _retired_paths(self) -> dict[str, str]:
        return _paths(self.retired)

    def _broken_path(self, new: Draft) -> str | None:
        name = f"{new.id[:8]}.md"
        return next((path for path in self.broken if path.endswith((f"-{name}", f"/{name}"))), None)


def _paths(lessons: Iterable[KeptLesson]) -> dict[str, str]:
    """By id and by claim hash, which never look alike."""
    found = {}
    for lesson in lessons:
        found[lesson.id] = found[lesson.claim_hash] = lesson.path
    return found


def _gone(lesson: KeptLesson, retired: Mapping[str, str]) -> str | None:
    """Where it has been withdrawn, under its own id or as another run's."""
    return retired.get(lesson.id) or retired.get(lesson.claim_hash)


def _withdrawn_and_here(lessons: Sequence[KeptLesson]) -> list[RelayError]:
    retired = _paths(lesson for lesson in lessons if lesson.retired)
    hint = "delete this file, or the other to bring the lesson back"
    return [
        RelayError(f"withdrawn in {path}, and still here", where=one.path, hint=hint)
        for one in lessons
        if not one.retired and (path := _gone(one, retired))
    ]


# Bring


class Delivery(Record):
    """Paths of the files: `written` now; `present` before, or `retired`, and left alone."""

    written: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()


def deliver(worktree: str, lessons: Iterable[Lesson], shelf: Shelf) -> Delivery:
    """Write what is neither present nor withdrawn; of one claim, the lesson observed first."""
    ordered = sorted(lessons, key=lambda lesson: (lesson.observed_at, lesson.id))
    return deliver_drafts(worktree, [draft(lesson) for lesson in ordered], shelf)


def deliver_drafts(worktree: str, drafts: Iterable[Draft], shelf: Shelf) -> Delivery:
    first: dict[str, Draft] = {}
    present, retired, again = [], [], []
    for new in drafts:
        if path := shelf.present_path(new):
            present.append(path)
        elif path := shelf.retired_path(new):
            retired.append(path)
        elif first.setdefault(new.claim_hash, new) is not new:
            again.append(new.claim_hash)
    made = dict(_write_all(worktree, first.values()))
    written = tuple(path for path, is_new in made.values() if is_new)
    present += [path for path, is_new in made.values() if not is_new]
    present += [made[claim_hash][0] for claim_hash in again]
    return Delivery(written, tuple(present), tuple(retired))


def _write_all(worktree: str, drafts: Iterable[Draft]) -> Iterator[tuple[str, Made]]:
    """By claim. Drafts of one name come after each other: the second takes another name."""
    first: dict[str, Draft] = {}
    others = [new for new in drafts if first.setdefault(new.path(), new) is not new]
    for made in by_shares(partial(_write_some, worktree), first.values(), _SHARE):
        yield from made
    yield from _write_some(worktree, others)


def _write_some(worktree: str, drafts: Sequence[Draft]) -> list[tuple[str, Made]]:
    return [(new.claim_hash, _write(worktree, new)) for new in drafts]


def _write(worktree: str, new: Draft) -> Made:
    """The draft's path, and whether it had to be written: another process may have been first."""
    for path in (new.path(), new.path(digits=12)):
        data = files.read_in(worktree, path)
        if data is None:
            files.write_in(worktree, path, new.text.encode())
            return path, True
        found = parse(data, path)
        if isinstance(found, Broken) or found.id == new.id:
            return path, False
    raise Refused("another lesson has this file's name", where=path, hint="rename that file")


def add(
    worktree: str,
    shelf: Shelf,
    role: str,
    claim: str,
    severity: Severity,
    at: str,
    *,
    kind: Kind = "pitfall",
    tags: Sequence[str] = (),
) -> str:
    """Write a person's own lesson, observed `at` (ISO 8601, UTC); returns its path."""
    if not normalise(claim):
        raise Refused("a lesson needs a claim", hint="say it in one sentence")
    new = manual_draft(role, claim, severity, kind=kind, tags=tags, observed_at=at)
    delivery = deliver_drafts(worktree, [new], shelf)
    for path in delivery.present:
        raise Refused("this lesson is there already", where=path, hint="edit that file")
    for path in delivery.retired:
        raise Refused("this lesson was withdrawn", where=path, hint="move that file back")
    return delivery.written[0]


# Find and withdraw


def find(shelf: Shelf, selector: str) -> KeptLesson:
    """The one lesson with that path, file name, slug, or beginning of the id."""
    found = [lesson for lesson in shelf.lessons if _is_selected(lesson, selector)]
    exact = [lesson for lesson in found if selector in (lesson.path, lesson.id)]
    in_force = [lesson for lesson in exact or found if lesson in shelf.kept]
    matches = in_force or exact or found
    if not matches:
        hint = "see `git relay lessons list`"
        raise RelayError(f"no lesson is called {selector!r}", hint=hint)
    if len(matches) > 1:
        paths = ", ".join(lesson.path for lesson in matches)
        raise RelayError(f"{selector!r} fits several lessons: {paths}", hint="give more of it")
    return matches[0]


def _is_selected(lesson: KeptLesson, selector: str) -> bool:
    name = lesson.path.rpartition("/")[2].removesuffix(".md")
    short = lesson.path.removeprefix(f"{LESSONS}/")
    by_id = len(selector) >= 4 and lesson.id.startswith(selector)
    names = (lesson.path, short, name, f"{name}.md", name.rpartition("-")[0])
    return bool(selector) and (by_id or selector in names)


def retire(worktree: str, shelf: Shelf, selector: str, reason: str, at: str) -> str:
    """Move the lesson, and others of its claim, to the withdrawn ones; returns its new path."""
    lesson = find(shelf, selector)
    if lesson.retired:
        raise Refused("withdrawn already", where=lesson.path)
    for one in shelf.lessons:
        if not one.retired and one.claim_hash == lesson.claim_hash:
            text = (files.read_in(worktree, one.path) or b"").decode("utf-8", "replace")
            write_retired(worktree, one.path, text, reason, at)
            files.remove_in(worktree, one.path)
    return retired_path(lesson.path)


def write_retired(worktree: str, path: str, text: str, reason: str, at: str) -> str:
    """Write the withdrawn form of a lesson file that may be gone from the work tree already.

    A withdrawn file that is there is kept when it holds the same page, and refused otherwise.
    """
    target = retired_path(path)
    there = files.read_in(worktree, target)
    if there is None:
        files.write_in(worktree, target, retired_text(text, path, reason, at).encode())
    elif split(there.decode("utf-8", "replace"), target)["body"] != split(text, path)["body"]:
        hint = "compare the two files and delete one"
        raise Refused("a withdrawn lesson has this name already", where=target, hint=hint)
    return target
