"""Which repository is meant: asked of git in one process, whose refusal is final.

git is asked without `--git-dir`, because naming the directory switches off its check that the
repository belongs to the user. The caller's environment is kept, unless the repository is
`foreign`: another one than the one that called us.
"""

from __future__ import annotations

import os

from relay_git.errors import InvalidName, NotARepository, RelayError
from relay_git.git import process
from relay_git.names import Oid, RefName, RunId, notes_ref, run_ref, spelled
from relay_git.record import Record

CURRENT = os.path.join("relay", "current")

_OLDEST_GIT = (2, 34)
_ASKED = ("--path-format=absolute", "--git-common-dir", "--git-path", "objects")
_GITDIR = "gitdir:"
_FLAGS = {"true": True, "false": False}


class Repository(Record):
    """One repository as seen from `cwd`. Paths are absolute.

    `worktree` is the top level, None in a bare repository or inside a git directory.
    `head` and `branch` are None on an unborn branch; `branch` too when HEAD is detached.
    `current` is this worktree's open run, `current_tip` where its ref stands, `notes_tip` where
    the notes of its month do. A tip of None: absent or broken, ask the store.
    """

    cwd: str
    git_dir: str
    common_dir: str
    objects: str
    worktree: str | None
    object_format: str
    is_bare: bool
    is_shallow: bool
    head: Oid | None
    branch: RefName | None
    current: RunId | None
    current_tip: Oid | None
    notes_tip: Oid | None
    foreign: bool

    def git(
        self,
        *args: str,
        input: bytes | None = None,
        timeout: float = process.DEADLINE,
        check: bool = True,
    ) -> process.Result:
        return process.git(
            *args, cwd=self.cwd, input=input, timeout=timeout, foreign=self.foreign, check=check
        )

    def grafts(self) -> frozenset[str]:
        """The commits whose parents a shallow clone left behind: this one, and none that pushes
        here, though git calls it shallow while it asks a hook."""
        try:
            with open(os.path.join(self.common_dir, "shallow"), encoding="ascii") as file:
                return frozenset(file.read().split() if self.is_shallow else ())
        except FileNotFoundError:
            return frozenset()

    def spawn(self, *args: str) -> process.Child:
        return process.spawn(*args, cwd=self.cwd, foreign=self.foreign)


def discover(cwd: str = ".", foreign: bool = False) -> Repository:
    """Ask git, in one process, where we are, and where the current run and its notes stand.

    The current run is named by a file in the git directory that only git can find for certain.
    So it is guessed first, and asked again in the rare case that the guess was wrong.
    """
    here = _real(cwd)
    glimpse = read_current(_likely_git_dir(here, foreign))
    found = _ask(here, glimpse, foreign)
    current = read_current(found.git_dir)
    return found if current == glimpse else _ask(here, current, foreign)


def read_current(git_dir: str | None) -> RunId | None:
    """The run id in `<git dir>/relay/current`; None when there is none, or no valid one."""
    if git_dir is None:
        return None
    try:
        with open(os.path.join(git_dir, CURRENT), encoding="utf-8") as file:
            return RunId(file.read(200).strip())
    except (OSError, ValueError, InvalidName):
        return None


def _ask(here: str, current: RunId | None, foreign: bool) -> Repository:
    """One `git rev-parse`. Lines that may be missing stand between lines of true or false."""
    query = ["rev-parse", "--absolute-git-dir", *_ASKED, "--show-object-format"]
    query += ["--is-bare-repository", "--show-cdup", "--is-inside-work-tree"]
    query += [_exactly(run_ref(current))] if current else []
    query += ["--is-shallow-repository"]
    query += [_exactly(notes_ref(current.month))] if current else []
    query += ["--is-inside-git-dir", "--revs-only", "HEAD", "--symbolic-full-name", "HEAD"]
    result = process.git(*query, cwd=here, foreign=foreign, check=False)
    if result.code:
        raise _refusal(here, result)
    try:
        lines = os.fsdecode(result.stdout).split("\n")[:-1]
        found = _parse(lines, here, current, foreign)
    except (ValueError, LookupError, InvalidName):
        raise _strange(here, result) from None
    if found.worktree or found.is_bare:
        return found
    return found.replace(worktree=_worktree_elsewhere(here, foreign))


def _worktree_elsewhere(here: str, foreign: bool) -> str | None:
    """Seen from outside of it, as GIT_WORK_TREE allows; inside a git directory there is none."""
    told = process.git("rev-parse", "--show-toplevel", cwd=here, foreign=foreign, check=False)
    return None if told.code else os.fsdecode(told.stdout).removesuffix("\n")


def _parse(lines: list[str], here: str, current: RunId | None, foreign: bool) -> Repository:
    git_dir, common_dir, objects, object_format, bare = lines[:5]
    rest = lines[5:]
    up, inside = _until_flag(rest)
    current_tip, shallow = _until_flag(rest)
    notes_tip, _ = _until_flag(rest)
    head, branch = (*rest, None, None)[:2]
    absolute = all(map(os.path.isabs, (git_dir, common_dir, objects)))
    if not absolute or len(rest) > 2 or object_format not in ("sha1", "sha256"):
        raise ValueError(lines)
    return Repository(
        cwd=here,
        git_dir=git_dir,
        common_dir=common_dir,
        objects=objects,
        worktree=os.path.normpath(os.path.join(here, up)) if inside and up is not None else None,
        object_format=object_format,
        is_bare=_FLAGS[bare],
        is_shallow=shallow,
        head=Oid(head) if head else None,
        branch=RefName(branch) if branch and branch != "HEAD" else None,
        current=current,
        current_tip=_tip(current_tip),
        notes_tip=_tip(notes_tip),
        foreign=foreign,
    )


def _tip(line: str | None) -> Oid | None:
    """git prints zeros for a ref that is broken."""
    return Oid(line) if line and line.strip("0") else None


def _until_flag(lines: list[str]) -> tuple[str | None, bool]:
    """Take the one line before the next true or false, if there is one, and that flag."""
    value = None if lines[0] in _FLAGS else lines.pop(0)
    return value, _FLAGS[lines.pop(0)]


def _exactly(ref: RefName) -> str:
    """A pattern that matches this ref alone, and prints nothing when it does not exist."""
    return f"--glob={ref[:-1]}[{ref[-1]}]"


def _real(cwd: str) -> str:
    try:
        return os.path.realpath(cwd, strict=True)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no path is spelled like that"
        raise NotARepository(f"cannot read the directory: {why}", where=spelled(cwd)) from None


def _likely_git_dir(here: str, foreign: bool) -> str | None:
    """Where the git directory probably is. Nothing is taken from there but a run id."""
    named = os.environ.get("GIT_DIR")
    if named and not foreign:
        return os.path.join(here, named)
    while True:
        found = _git_dir_at(here)
        if found or here == os.path.dirname(here):
            return found
        here = os.path.dirname(here)


def _git_dir_at(directory: str) -> str | None:
    dot_git = os.path.join(directory, ".git")
    if os.path.isdir(dot_git):
        return dot_git
    try:
        with open(dot_git, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(4096)
    except OSError:
        is_git_dir = os.path.isfile(os.path.join(directory, "HEAD"))
        return directory if is_git_dir else None
    return os.path.join(directory, text.removeprefix(_GITDIR).strip())


def _refusal(here: str, result: process.Result) -> NotARepository:
    """git's own text and advice, unabridged."""
    text = result.stderr.decode("utf-8", "replace").strip()
    return NotARepository(text.removeprefix("fatal: "), where=here)


def _strange(here: str, result: process.Result) -> RelayError:
    """The answer has not the lines that were asked for: an old git, or a newline in a path."""
    said = process.git("version", cwd=here).stdout.decode("utf-8", "replace").split()
    version = tuple(int(part) for part in said[2].split(".")[:2] if part.isdigit())
    if version < _OLDEST_GIT:
        return RelayError(f"git {said[2]} is too old", hint="git 2.34 or newer is needed")
    answer = result.stdout.decode("utf-8", "replace")
    return RelayError(
        f"cannot make sense of git's answer {answer!r}",
        where=here.replace("\n", "\\n"),
        hint="a path with a newline in it cannot be used",
    )
