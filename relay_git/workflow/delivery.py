"""Bring lessons to where they are reviewed: this work tree, or a branch of their own.

`lessons.deliver` decides. In the work tree the new files lie unstaged, to go into the pull
request that carries the code. On `relay-lessons/<run-id>` they are one commit on the default
branch, made without touching the work tree, ready to be opened as a pull request.
"""

from __future__ import annotations

from collections.abc import Sequence

from relay_git import files, names
from relay_git.errors import Refused
from relay_git.git.store import BLOB, Commit, Move
from relay_git.git.trees import Leaf, edit_tree, read_path, walk
from relay_git.lessons import index
from relay_git.lessons.keep import KeptLesson, draft
from relay_git.lessons.model import Lesson
from relay_git.lessons.occurrences import occurrences
from relay_git.lessons.shelf import Delivery, Shelf, deliver
from relay_git.lessons.shelfreader import Broken, parse
from relay_git.names import Oid, RefName, RunId
from relay_git.workspace import Workspace

BRANCHES = "refs/heads/relay-lessons/"


def deliver_here(
    ws: Workspace, run: RunId, lessons: Sequence[Lesson], *, render: bool
) -> Delivery | None:
    """Deliver as the settings say; None where nothing is to be delivered.

    `render` brings LESSONS.md up to date too. Hooks leave it alone, so that parallel pull
    requests do not fight over it.
    """
    if ws.settings.lessons.deliver == "none" or ws.repo.worktree is None:
        return None
    if ws.settings.lessons.deliver == "branch":
        return _deliver_on_branch(ws, run, lessons)
    delivery = deliver(ws.worktree, lessons, Shelf.load(ws.worktree, ws.cache_dir))
    if render:
        render_index(ws)
    return delivery


def render_index(ws: Workspace, shelf: Shelf | None = None) -> bool:
    """Take in manual lines and bring LESSONS.md up to date; True when it changed.

    `shelf` is what lies in the work tree, where that has just been read.
    """
    shelf = shelf or Shelf.load(ws.worktree, ws.cache_dir)
    if index.absorb_manual(ws.worktree, shelf).written:
        shelf = Shelf.load(ws.worktree, ws.cache_dir)
    counts = occurrences(ws.store, ws.cache_dir)
    if not shelf.lessons and files.read_in(ws.worktree, names.LESSONS_INDEX) is None:
        return False
    return index.update_index(ws.worktree, shelf, counts)


# A branch of their own


def _deliver_on_branch(ws: Workspace, run: RunId, lessons: Sequence[Lesson]) -> Delivery:
    base = ws.default_branch()
    if base is None:
        raise Refused(
            "there is no default branch to put the lessons on",
            hint="make a first commit, then `git relay settle`",
        )
    tree = ws.store.commit(base[1]).tree
    shelf = _shelf_of(ws, tree)
    new = {_path(ws, tree, one): one for one in lessons if not shelf.knows(one)}
    if new:
        _commit(ws, run, base, tree, new)
    return Delivery(tuple(sorted(new)))


def _commit(
    ws: Workspace, run: RunId, base: tuple[RefName, Oid], tree: Oid, new: dict[str, Lesson]
) -> None:
    """One commit on the default branch's tip; a branch that is there already stays."""
    ref = RefName(BRANCHES + run)
    if ws.store.ref(ref) is not None:
        return
    edits: dict[str, Leaf | None] = {
        path: (BLOB, ws.store.put_blob(draft(one).text.encode("utf-8")))
        for path, one in new.items()
    }
    edited = edit_tree(ws.store, tree, edits) or tree
    author, committer = ws.idents()
    message = _message(run, new)
    commit = ws.store.put_commit(Commit(edited, (base[1],), author, committer, message))
    ws.store.move(Move(ref, None, commit))


def _message(run: RunId, new: dict[str, Lesson]) -> str:
    """What a reviewer reads first: each lesson and where it comes from."""
    count = f"{len(new)} lesson" + ("" if len(new) == 1 else "s")
    lines = [f"{count} of {run}", ""]
    for path, one in sorted(new.items()):
        where = f"{one.evidence.artifact}, line {one.evidence.line}, step {one.evidence.step}"
        lines += [f"- {one.role}, {one.severity}: {one.claim}", f"  {path} (from {where})"]
    lines += [
        "",
        "Withdraw one by moving it to .relay/lessons/retired/ (`git relay lessons retire`).",
        "",
        f"{names.TRAILER_RUN}: {run}",
    ]
    return "\n".join(lines) + "\n"


def _shelf_of(ws: Workspace, tree: Oid) -> Shelf:
    """The lessons as a commit has them, whatever lies in the work tree."""
    entry = read_path(ws.store, tree, names.LESSONS)
    below = walk(ws.store, entry.oid, f"{names.LESSONS}/") if entry and entry.is_tree else ()
    entries = [parse(ws.store.blob(e.oid), path) for path, e in below if path.endswith(".md")]
    kept = tuple(e for e in entries if isinstance(e, KeptLesson))
    return Shelf(kept, [], tuple(e.path for e in entries if isinstance(e, Broken)))


def _path(ws: Workspace, tree: Oid, lesson: Lesson) -> str:
    """More of the id where another lesson has the name."""
    short = draft(lesson).path()
    return short if read_path(ws.store, tree, short) is None else draft(lesson).path(digits=12)
