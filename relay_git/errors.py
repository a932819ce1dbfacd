"""The errors that git-relay raises. Code raises them; `main` alone turns them into exit codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class RelayError(Exception):
    """Something was refused or is invalid: exit code 1.

    `what` is wrong, `where` (a path, `file:line` or ref), and the `hint` says what to do.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[Callable[..., RelayError], tuple[Any, ...]]:
        """Other processes are handed it as it is."""
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[RelayError], args: tuple[Any, ...], known: dict[str, Any]) -> RelayError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(known)
    return error


class UsageError(RelayError):
    """The command line does not fit the command: exit code 2."""

    exit_code = 2


class InvalidName(RelayError):
    """A value that cannot be an object id, ref, run id, artifact or other name."""


class Invalid(RelayError):
    """Several problems found in one pass, all reported at once."""

    def __init__(self, problems: list[RelayError]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


def problems_of(load: Callable[[], object]) -> list[RelayError]:
    """What `load` finds wrong: nothing, one thing, or all at once."""
    try:
        load()
    except Invalid as found:
        return found.problems
    except RelayError as problem:
        return [problem]
    return []


class Refused(RelayError):
    """A well-formed request that the present state does not allow. Nothing was changed."""


class BackendError(RelayError):
    """A backend cannot be asked, or gave no answer that can be used."""


class GitError(RelayError):
    """A git process failed; its message holds the command, the exit code and both streams."""


class OutOfReach(GitError):
    """An object that a partial clone left with its remote, which cannot be asked now: no damage."""

    def __init__(self, oid: str, said: str) -> None:
        super().__init__(
            f"object {oid} was left with the remote, which cannot be reached ({said})",
            hint="do it again when it can be",
        )


class MissingExtra(RelayError, ImportError):
    """A part of git-relay whose packages are not installed."""

    def __init__(self, extra: str, name: str) -> None:
        hint = f"install it: pip install 'git-relay[{extra}]'"
        super().__init__(f"this needs the package {name}", hint=hint)


class Unreached(RelayError):
    """A remote could not be asked, or did not answer in time. What was to be sent is still here."""


class Late(RelayError):
    """The time for something is up; what was found out until then is remembered."""


class NotARepository(RelayError):
    """git finds no repository here, or refuses the one it finds. git's own advice is kept."""


class MissingObject(RelayError):
    """An object that should exist is not there: in the repository, or in another store."""

    def __init__(self, oid: str, store: str | None = None) -> None:
        super().__init__(
            f"object {oid} is missing" + ("" if store else " from the repository"),
            where=store,
            hint=None if store else "run `git fsck` to see more",
        )
        self.oid = oid


class Conflict(RelayError):
    """A ref did not hold the expected value. Callers read again and retry, or give up."""

    def __init__(self, ref: str, expected: str | None, found: str | None) -> None:
        super().__init__(
            f"{ref} moved: expected {expected or 'no ref'}, found {found or 'no ref'}",
            hint="somebody else was quicker; try again",
        )
        self.ref = ref
        self.expected = expected
        self.found = found


class Locked(Conflict):
    """Somebody holds the lock of a ref, or died with it. It is named, and never removed by us.

    `age` is for how many seconds the file has been there.
    """

    def __init__(self, ref: str, expected: str | None, lock: str, age: int) -> None:
        super().__init__(ref, expected, expected)
        self.age = age
        self.what = f"{ref} is locked by {lock} (for {age} s)"
        self.hint = "try again; if no git process is running any more, remove that file"


class Corrupt(RelayError):
    """Data of ours that does not have the form we write, or was changed afterwards."""


class BadSignature(Corrupt):
    """A well-formed signature that is not one over these bytes, for this purpose."""


class NewerFormat(RelayError):
    """Data written by a newer git-relay: it is never rewritten by this one."""
