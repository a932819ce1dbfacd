"""Put the hooks in and take them out, beside whatever hooks are there already.

Every write is beside and renamed over, and a hook is moved aside by a link that fails where one
is: two installs at once, or a crash between, lose nobody's hook.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from relay_git import files
from relay_git.errors import Refused, RelayError
from relay_git.git import process
from relay_git.git.repo import Repository
from relay_git.githooks import shims
from relay_git.githooks.shims import HOOKS, KEPT, SERVER_HOOKS
from relay_git.record import Record

_TRIES = 5
_MEND = "run `git relay hooks install`"


class Place(Record):
    """The directory that our shims go to. `managed` is where git looks for hooks, if that
    belongs to somebody else: a folder of the project, or one that serves many repositories.
    `hooks` are those that are meant."""

    directory: str
    managed: str | None = None
    hooks: tuple[str, ...] = HOOKS

    @property
    def lines(self) -> dict[str, str]:
        """The line to add to each hook of a managed directory: nothing where we are not."""
        find = "relay=$(git rev-parse --git-common-dir)/relay/hooks"
        return {
            hook: f'{find}/{hook}; [ ! -x "$relay" ] || "$relay" "$@" || exit'
            for hook in (self.hooks if self.managed else ())
        }


class Report(Record):
    """What was done, a line each, and what could not be."""

    place: Place
    done: tuple[str, ...]
    problems: tuple[RelayError, ...]


class HookState(Record):
    """One hook as it is: `state` in words, and what is wrong with it."""

    hook: str
    path: str
    state: str
    problem: RelayError | None = None


def find_place(repo: Repository) -> Place:
    """Where git looks for hooks, if that is this repository's own."""
    cwd = repo.worktree or repo.git_dir
    asked = ("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    answer = process.git(*asked, cwd=cwd, foreign=repo.foreign).stdout
    directory = os.fsdecode(answer).removesuffix("\n")
    common = os.path.realpath(repo.common_dir)
    if os.path.realpath(directory).startswith(os.path.join(common, "")):
        return Place(directory)
    return Place(os.path.join(repo.common_dir, "relay", "hooks"), directory)


def install(repo: Repository, hooks: tuple[str, ...] = HOOKS) -> Report:
    """Done again, it changes nothing."""
    place, program = find_place(repo).replace(hooks=hooks), shims.program()
    files.make_directory(place.directory)
    paths = [os.path.join(place.directory, hook) for hook in hooks]
    return _each(
        place, paths, lambda path: _install(path, shims.own_text(os.path.basename(path), program))
    )


def uninstall(repo: Repository) -> Report:
    """Give back what was there. Copies that other tools made of our hooks go too, and what was
    put in before git was told to look elsewhere."""
    place = find_place(repo)
    aside = os.path.join(repo.common_dir, "relay", "hooks")
    folders = {place.directory, os.path.join(repo.common_dir, "hooks"), aside}
    paths = {path for folder in folders for path in _hooks_in(folder)}
    report = _each(place, sorted(paths), _uninstall)
    with suppress(OSError):
        os.rmdir(aside)
    return report


def _hooks_in(folder: str) -> Iterator[str]:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    for name in names:
        if name.split(".")[0] in (*HOOKS, *SERVER_HOOKS):
            yield os.path.join(folder, name.removesuffix(KEPT))


def status(repo: Repository) -> list[HookState]:
    """Where only the gate of a server is in, it alone."""
    directory = find_place(repo).directory
    gates = _ours(directory, SERVER_HOOKS)
    wanted = gates if gates and not _ours(directory, HOOKS) else (*HOOKS, *gates)
    return [_state(hook, os.path.join(directory, hook)) for hook in wanted]


def serves(states: Iterable[HookState]) -> bool:
    """Whether only the gate of a server is in: others push there, and nobody commits."""
    return all(state.hook in SERVER_HOOKS for state in states)


def _ours(directory: str, hooks: Sequence[str]) -> tuple[str, ...]:
    """Those that are in."""
    found = ((hook, _read(os.path.join(directory, hook))) for hook in hooks)
    return tuple(hook for hook, file in found if file and shims.block_of(file[0] or b""))


def _each(place: Place, paths: Iterable[str], act: Callable[[str], Iterator[str]]) -> Report:
    """One hook that cannot be touched does not keep the others from it."""
    done: list[str] = []
    problems = []
    for path in paths:
        try:
            done += (f"{path}: {what}" for what in act(path))
        except RelayError as problem:
            problems.append(problem)
        except OSError as error:
            problems.append(RelayError(f"cannot change it: {error.strerror}", where=path))
    return Report(place, tuple(done), tuple(problems))


# Put in


def _install(path: str, own: bytes) -> Iterator[str]:
    """1 absent: ours. 2 ours: renewed. 3 our block in an sh hook: renewed. 4 another sh hook:
    our block. 5 anything else that git would run or pass over: moved aside."""
    for _ in range(_TRIES):
        found = _read(path)
        if found is None:  # 1
            files.write_atomic(path, own, 0o755)
            yield "put in"
            return
        text, mode = found
        if text is not None and shims.block_of(text):  # 2, 3
            after = shims.renew(text, own)
            if after != text:
                _write(path, after, mode)
                yield "renewed"
            return
        if text is not None and mode & stat.S_IXUSR and shims.is_sh(text):  # 4
            _refuse_odd(text, path)
            _write(path, shims.insert(text, shims.guest_block(own)), mode)
            yield "put in front of what was there"
            return
        if _set_aside(path):  # 5
            files.write_atomic(path, own, 0o755)
            yield f"put in; what was there is {os.path.basename(path)}{KEPT} now"
            return
    raise RelayError("another process keeps changing this hook", where=path, hint="try again")


def _read(path: str) -> tuple[bytes | None, int] | None:
    """Content and mode; no content for a link: what it leads to may be a tracked file."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        return None, mode
    if not stat.S_ISREG(mode):
        raise RelayError("not a file", where=path, hint="a hook is a program")
    data = files.read_optional(path)
    return None if data is None else (data, stat.S_IMODE(mode))


def _refuse_odd(text: bytes, path: str) -> None:
    if odd := shims.odd_form(text):
        raise Refused(
            f"this hook is not touched, since {odd} and no sh runs it as meant",
            where=path,
            hint="save it as plain UTF-8 with Unix line ends, then `git relay hooks install`",
        )


def _set_aside(path: str) -> bool:
    """Give the hook its second name; False when it must be looked at again."""
    kept = path + KEPT
    try:
        if os.path.islink(path):
            os.symlink(os.readlink(path), kept)
        else:
            os.link(path, kept)
    except FileNotFoundError:
        return False
    except FileExistsError:
        if _is_one_file(path, kept):
            return True
        text = files.read_optional(path) or b""
        if shims.is_own(text):
            return False
        hint = f"delete one of {path} and {kept}"
        raise Refused("another hook was moved aside already", where=path, hint=hint) from None
    except OSError as error:
        raise RelayError(f"cannot move it aside: {error.strerror}", where=path) from None
    return True


def _is_one_file(path: str, kept: str) -> bool:
    if os.path.islink(path) and os.path.islink(kept):
        return os.readlink(path) == os.readlink(kept)
    return os.path.samestat(os.lstat(path), os.lstat(kept))


def _write(path: str, text: bytes, mode: int) -> None:
    files.write_atomic(path, text, mode)
    if stat.S_IMODE(os.lstat(path).st_mode) != mode:
        os.chmod(path, mode)


# Take out


def _uninstall(path: str) -> Iterator[str]:
    kept = path + KEPT
    found = _read(path)
    text = found[0] if found else None
    if found is None or text is None or not shims.block_of(text):
        yield from _left_over(path, kept)
        return
    rest = shims.remove(text)
    if not shims.is_own(text) or rest != shims.SHEBANG:
        _write(path, rest, found[1])
        yield "taken out"
    elif os.path.lexists(kept):
        os.replace(kept, path)
        yield "taken out, and what was there is back"
    else:
        os.unlink(path)
        yield "taken out"


def _left_over(path: str, kept: str) -> Iterator[str]:
    """A hook moved aside whose shim is gone: given back where nothing has taken its place."""
    if not os.path.lexists(kept):
        return
    if not os.path.lexists(path):
        os.replace(kept, path)
        yield "what was there is back"
    elif _is_one_file(path, kept):
        os.unlink(kept)
    else:
        hint = "compare the two and delete one"
        raise Refused("another hook has taken its place meanwhile", where=kept, hint=hint)


# Look


def _state(hook: str, path: str) -> HookState:
    found = _read(path)
    text = found[0] if found else None
    block = shims.block_of(text) if text else None
    if found is None or text is None or block is None:
        what = "missing" if found is None else "replaced by another hook"
        return _wrong(hook, path, what, _MEND)
    if not found[1] & stat.S_IXUSR:
        return _wrong(hook, path, "not executable", f"run `chmod +x {shlex.quote(path)}`")
    called = shims.program_in(block)
    if called is not None and not shutil.which(called):
        return _wrong(hook, path, f"calling {called}, which is gone", _MEND)
    if shims.renew(text, shims.own_text(hook, called or "")) != text:
        return _wrong(hook, path, "of another version", _MEND)
    return HookState(hook, path, _company(path, text))


def _wrong(hook: str, path: str, what: str, hint: str) -> HookState:
    return HookState(hook, path, what, RelayError(f"{hook} is {what}", where=path, hint=hint))


def _company(path: str, text: bytes) -> str:
    if not shims.is_own(text):
        return "in front of your hook"
    return f"runs {os.path.basename(path)}{KEPT} too" if os.path.lexists(path + KEPT) else "in"
