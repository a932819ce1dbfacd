"""What a commit would bring below `.relay/`, read from the index that git makes it from.

git is asked in the caller's own environment: during `git commit PATH` the index is another file.
Nothing here writes the index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from relay_git import clock, files, names
from relay_git.errors import RelayError, problems_of
from relay_git.git import process
from relay_git.git.store import BLOB, EXECUTABLE
from relay_git.git.underway import underway
from relay_git.lessons.keep import is_retired, retired_path
from relay_git.lessons.shelf import write_retired
from relay_git.lessons.shelfreader import Broken, parse
from relay_git.names import Oid
from relay_git.record import Record
from relay_git.redact import redact
from relay_git.workspace import Workspace

_REASON = "say here why it no longer holds"


class Change(Record):
    """One staged path against HEAD: git's letter for it, and the blob that HEAD has."""

    path: str
    letter: str
    before: Oid


class Index:
    """The files below `.relay/` as they are staged."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._entries: dict[str, tuple[str, Oid]] = {}
        for entry in self._git("ls-files", "--stage", "-z"):
            head, _, path = entry.partition("\t")
            mode, oid, stage = head.split(" ")
            if stage == "0":
                self._entries[path] = (mode, Oid(oid))

    @property
    def paths(self) -> Collection[str]:
        return self._entries.keys()

    def is_plain(self, path: str) -> bool:
        """Staged as a file: not deleted, no link, no submodule."""
        return self._entries.get(path, ("", ""))[0] in (BLOB, EXECUTABLE)

    def read(self, path: str) -> bytes | None:
        if path not in self._entries:
            return None
        if not self.is_plain(path):
            raise _link(path)
        return self._ws.store.blob(self._entries[path][1])

    def changes(self) -> list[Change]:
        fields = self._git("diff", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev")
        return [_change(head, path) for head, path in zip(fields[::2], fields[1::2], strict=True)]

    def _git(self, *query: str) -> list[str]:
        asked = (*query, "--", names.RELAY_DIR)
        said = process.git(*asked, cwd=self._ws.worktree).stdout
        return said.decode("utf-8", "surrogateescape").split("\0")[:-1]


class IndexSource:
    """The staged files of one workflow."""

    def __init__(self, index: Index, below: str) -> None:
        self._index = index
        self._below = f"{below}/"

    def read(self, path: str) -> bytes | None:
        return self._index.read(self._below + path)

    def list(self, path: str) -> Sequence[str]:
        start = f"{self._below}{path}/"
        below = [p.removeprefix(start) for p in self._index.paths if p.startswith(start)]
        return sorted(name for name in below if "/" not in name)


def _link(path: str) -> RelayError:
    return RelayError("a link, which is never followed", where=path, hint="stage a plain file")


def _change(head: str, path: str) -> Change:
    """`:100644 000000 <oid> <oid> D`"""
    _, _, before, _, letter = head.split(" ")
    return Change(path, letter[0], Oid(before))


def gate(ws: Workspace) -> list[RelayError]:
    """Everything that is wrong with what the commit in progress would bring."""
    index = Index(ws)
    changes = index.changes()
    brought = [change.path for change in changes if change.letter != "D"]
    touched = [change.path for change in changes]
    return [
        *invalid(index, touched),
        *secrets(index, brought),
        *unretired(ws, index, changes),
    ]


# Validity


def invalid(index: Index, touched: Collection[str]) -> Iterator[RelayError]:
    """Problems of the settings, workflows and lessons that these paths belong to."""
    if names.SETTINGS in touched:
        yield from _settings(index)
    for workflow in sorted({_workflow_of(path) for path in touched} - {None}, key=str):
        yield from _workflow(index, str(workflow))
    for path in sorted(touched):
        if path in index.paths and not index.is_plain(path):
            yield _link(path)
        elif _is_lesson(path):
            yield from _lesson(index, path)


def _settings(index: Index) -> list[RelayError]:
    from relay_git.settings_file import parse_settings

    data = index.read(names.SETTINGS)
    return [] if data is None else problems_of(lambda: parse_settings(data, names.SETTINGS))


def _workflow_of(path: str) -> str | None:
    below = path.removeprefix(f"{names.WORKFLOWS}/")
    return below.split("/")[0] if below != path and "/" in below else None


def _workflow(index: Index, name: str) -> list[RelayError]:
    """One that is gone as a whole is no problem."""
    from relay_git.workflow.definition import load_definition

    directory = f"{names.WORKFLOWS}/{name}"
    if not any(path.startswith(f"{directory}/") for path in index.paths):
        return []
    return problems_of(lambda: load_definition(IndexSource(index, directory), directory))


def _lesson(index: Index, path: str) -> Iterator[RelayError]:
    data = index.read(path)
    found = None if data is None else parse(data, path)
    if isinstance(found, Broken):
        yield from found.problems
    elif found and not found.retired and retired_path(path) in index.paths:
        hint = f"`git rm --cached {path}`, or unstage the other to keep the lesson"
        yield RelayError(
            f"withdrawn in {retired_path(path)}, and still here", where=path, hint=hint
        )


def _is_lesson(path: str) -> bool:
    depth = path.count("/") - names.LESSONS.count("/")
    return path.startswith(f"{names.LESSONS}/") and path.endswith(".md") and depth in (2, 3)


# Secrets


def secrets(index: Index, paths: Collection[str]) -> Iterator[RelayError]:
    """A problem for each, in a file or in its name; never the secret itself."""
    literals = _literals(index)
    hint = "take it out, stage the file again, and renew the secret: others may have seen it"
    for path in sorted(filter(index.is_plain, paths)):
        named, found = redact(path, literals)
        if found:
            yield RelayError(f"a secret in a file name ({found[0].kind})", where=named, hint=hint)
        text = (index.read(path) or b"").decode("utf-8", "surrogateescape")
        for secret in redact(text, () if path == names.SETTINGS else literals)[1]:
            where = f"{named}:{secret.line}"
            yield RelayError(f"a secret ({secret.kind})", where=where, hint=hint)


def _literals(index: Index) -> Sequence[str]:
    """What the staged settings call secret; none where they cannot be read."""
    from relay_git.settings_file import parse_settings

    try:
        data = index.read(names.SETTINGS)
        return parse_settings(data, names.SETTINGS).redact_literals if data else ()
    except RelayError:
        return ()


# Deleted lessons


def unretired(ws: Workspace, index: Index, changes: Collection[Change]) -> Iterator[RelayError]:
    """Answer the deletion of a lesson by withdrawing it in the work tree.

    Not where the other side of a merge has deleted it, nor where git-relay leaves the project.
    """
    gone = [change for change in changes if change.letter == "D" and _is_lesson(change.path)]
    if not gone or underway(ws.repo.git_dir) or not index.paths:
        return
    here = set(_ids(index, (c.path for c in changes if c.letter != "D" and _is_lesson(c.path))))
    for change in gone:
        data = ws.store.blob(change.before)
        found = parse(data, change.path)
        known = isinstance(found, Broken) or found.id in here
        if (
            not known
            and not is_retired(change.path)
            and retired_path(change.path) not in index.paths
        ):
            yield _withdraw(ws, change.path, data)


def _ids(index: Index, paths: Iterator[str]) -> Iterator[str]:
    for path in paths:
        found = parse(index.read(path) or b"", path)
        if not isinstance(found, Broken):
            yield found.id


def _withdraw(ws: Workspace, path: str, committed: bytes) -> RelayError:
    """The file in the work tree, where it is still there, may say more than the committed one."""
    try:
        data = files.read_in(ws.worktree, path) or committed
        at = clock.isoformat(clock.now())
        target = write_retired(ws.worktree, path, data.decode("utf-8", "replace"), _REASON, at)
        files.remove_in(ws.worktree, path)
    except RelayError as problem:
        return problem
    what = "a lesson is deleted without a word of why, and the next distilling may bring it back"
    hint = f"it lies in {target} now: write the reason there, `git add {target}`, commit again"
    return RelayError(what, where=path, hint=hint)
