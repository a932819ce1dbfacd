"""git's configuration and the user's identity, from one `git var -l`."""

from __future__ import annotations

import os
import re

from relay_git import clock
from relay_git.errors import GitError, InvalidName, RelayError
from relay_git.git.repo import Repository
from relay_git.git.store import Ident

_NAME = "[A-Za-z][A-Za-z0-9-]*"
_ENTRY = re.compile(rf"([A-Za-z0-9-]+\.(?:{_NAME}|.*?\.{_NAME}))(?:=(.*))?")
_TWO_READINGS = re.compile(rf"[^=]*=.*\.{_NAME}=")
_VARIABLE = re.compile(r"(GIT_[A-Z_]+)=(.*)")
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_TRUE = ("true", "yes", "on")
_FALSE = ("false", "no", "off", "")


class Config:
    """Settings as git sees them here: all files, includes and the environment."""

    def __init__(
        self, repo: Repository, entries: list[tuple[str, str | None]], variables: dict[str, str]
    ) -> None:
        self._repo = repo
        self._variables = variables
        self._identity: tuple[Ident, Ident] | None = None
        self._values: dict[str, list[str | None]] = {}
        for key, value in entries:
            self._values.setdefault(_normal(key), []).append(value)

    def get(self, key: str, default: str | None = None) -> str | None:
        """The last value; a key without `=` (which means true) is the empty text."""
        values = self.get_all(key)
        return values[-1] if values else default

    def get_all(self, key: str) -> list[str]:
        return [value or "" for value in self._values.get(_normal(key), [])]

    def subsections(self, section: str) -> list[str]:
        """The names between `section` and a variable, such as those of the remotes."""
        keys = (key.partition(".") for key in self._values)
        names = (rest.rpartition(".")[0] for head, _, rest in keys if head == section)
        return list(dict.fromkeys(name for name in names if name))

    def bool(self, key: str, default: bool = False) -> bool:
        values = self._values.get(_normal(key))
        if not values:
            return default
        text = values[-1]
        if text is None or text.lower() in _TRUE:
            return True
        if text.lower() in _FALSE:
            return False
        return self.int(key) != 0

    def int(self, key: str, default: int = 0) -> int:
        """A whole number, with git's suffixes k, m and g."""
        text = self.get(key)
        if text is None:
            return default
        number = text.strip().lower()
        unit = _UNITS.get(number[-1:], 1)
        try:
            return int(number[:-1] if unit > 1 else number, 0) * unit
        except ValueError:
            raise RelayError(f"{text!r} is not a number", where=f"git config {key}") from None

    def identity(self) -> tuple[Ident, Ident]:
        """Author and committer, as git would name them, at this moment of our clock."""
        now = clock.now()
        if self._identity is None or self._identity[0].time != now:
            author, committer = self._identity or (
                self._stated("author"),
                self._stated("committer"),
            )
            self._identity = author.replace(time=now), committer.replace(time=now)
        return self._identity

    def _stated(self, role: str) -> Ident:
        variable = f"GIT_{role.upper()}_IDENT"
        stated = all(_is_stated(self, role, part) for part in ("name", "email"))
        text = self._variables.get(variable) if stated else None
        return Ident.parse(text or self._strict(variable))

    def _strict(self, variable: str) -> str:
        result = self._repo.git("var", variable, check=False)
        if result.code:
            said = result.stderr.decode("utf-8", "replace").strip().splitlines()
            raise RelayError(
                f"no identity is configured ({said[-1] if said else 'git says nothing'})",
                hint="run `git config --global user.name NAME` and `… user.email EMAIL`",
            )
        return _text(result.stdout).rstrip("\n")


def edit_config(repo: Repository, *args: str) -> None:
    """`git config --local`. git gives up at once when another process has locked the file."""
    for attempt in range(1, 30):
        try:
            repo.git("config", "--local", *args)
            return
        except GitError as error:
            if "could not lock" not in str(error):
                raise
            clock.pause(attempt)
    repo.git("config", "--local", *args)


def read_config(repo: Repository) -> Config:
    """One process. A second one only where `var -l` blurs what is said: a value of several
    lines, or a line that can be cut into key and value in two ways.
    """
    lines = _text(repo.git("var", "-l").stdout).split("\n")[:-1]
    variables: dict[str, str] = {}
    entries: list[tuple[str, str | None]] = []
    blurred = False
    for line in lines:
        if found := _VARIABLE.fullmatch(line):
            variables[found[1]] = found[2]
        elif _TWO_READINGS.match(line):
            blurred = True
        elif found := _ENTRY.fullmatch(line):
            entries.append((found[1], found[2]))
        else:
            blurred = True
    return Config(repo, _exact(repo) if blurred else entries, variables)


def _is_stated(config: Config, role: str, part: str) -> bool:
    """Otherwise git would guess, and only a strict request lets it refuse to."""
    variable = f"GIT_{role.upper()}_{part.upper()}"
    keys = (f"{role}.{part}", f"user.{part}")
    stated = [os.environ.get(variable), *map(config.get, keys)]
    return any(value and value.strip() for value in stated)


def _exact(repo: Repository) -> list[tuple[str, str | None]]:
    listed = _text(repo.git("config", "--list", "-z").stdout)
    pairs = [entry.partition("\n") for entry in listed.split("\0")[:-1]]
    return [(key, value if equals else None) for key, equals, value in pairs]


def _normal(key: str) -> str:
    """Section and variable name know no case, the subsection between them does."""
    section, _, rest = key.partition(".")
    subsection, dot, name = rest.rpartition(".")
    if not name:
        raise InvalidName(f"{key!r} is not a configuration key")
    return f"{section.lower()}.{subsection}{dot}{name.lower()}"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
