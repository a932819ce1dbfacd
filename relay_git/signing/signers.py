"""Whose key is whose: `allowed_signers` in the format of ssh-keygen (its manual, ALLOWED SIGNERS).

git reads the same format, so one file serves `git verify-commit` and us.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping

from relay_git.errors import Invalid, RelayError
from relay_git.record import Record
from relay_git.signing.wire import PublicKey

_PRINCIPALS = re.compile(r'(?:"([^"]*)"|([^ \t"]+))[ \t]+(.*)')
_KEY = re.compile(r"(?:ssh-|ecdsa-|sk-)[^ \t]+[ \t]")
_OPTIONS = re.compile(r'((?:"(?:[^"\\]|\\.)*"|[^ \t"])+)[ \t]+(.*)')
_OPTION = re.compile(r'([A-Za-z-]+)(?:="((?:[^"\\]|\\.)*)")?(?:,(?=.)|$)')
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)")
_FLAGS = {"cert-authority"}
_VALUES = {"namespaces", "valid-after", "valid-before"}


class Entry(Record):
    """One line. Times are seconds since the epoch, both inclusive; None sets no limit."""

    principals: tuple[str, ...]
    fingerprint: str
    namespaces: str | None
    valid_after: int | None
    valid_before: int | None
    authority: bool

    def covers(self, fingerprint: str, namespace: str, at: int) -> bool:
        return (
            self.fingerprint == fingerprint
            and not self.authority
            and (self.namespaces is None or _matches(self.namespaces, namespace))
            and (self.valid_after is None or self.valid_after <= at)
            and (self.valid_before is None or at <= self.valid_before)
        )


class AllowedSigners(Record):
    """The file's entries in order, and what it says that is not supported (`file:line: …`)."""

    entries: tuple[Entry, ...]
    unsupported: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, where: str) -> AllowedSigners:
        """Raises `Invalid` with every line that ssh-keygen would not understand."""
        entries: dict[str, Entry] = {}
        problems: list[RelayError] = []
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
            plain = line.strip(" \t\r")
            if plain and not plain.startswith("#"):
                try:
                    entries[f"{where}:{number}"] = _parse_line(plain, f"{where}:{number}")
                except RelayError as problem:
                    problems.append(problem)
        if problems:
            raise Invalid(problems)
        return cls(tuple(entries.values()), tuple(_unsupported(entries)))

    def principal_for(self, fingerprint: str, namespace: str, at: int) -> str | None:
        """Whose key it was at that time, for that purpose: the first principal of the first
        entry that covers it, as ssh-keygen's `find-principals` finds it.
        """
        for entry in self.entries:
            if entry.covers(fingerprint, namespace, at):
                return entry.principals[0]
        return None


def _unsupported(entries: Mapping[str, Entry]) -> Iterator[str]:
    for where, entry in entries.items():
        if entry.authority:
            yield f"{where}: a certificate authority, which is not supported: it vouches for nobody"


def _parse_line(line: str, where: str) -> Entry:
    found = _PRINCIPALS.fullmatch(line)
    if not found:
        raise RelayError("a line names principals, then a public key", where=where)
    names = (found[1] or found[2] or "").split(",")
    principals = tuple(name for name in names if name and not name.startswith("!"))
    if not principals:
        raise RelayError("this line names nobody", where=where)
    options, key = _split_options(found[3], where)
    return Entry(
        principals,
        PublicKey.parse(key, where).fingerprint,
        options.get("namespaces"),
        *_validity(options, where),
        "cert-authority" in options,
    )


def _validity(options: Mapping[str, str], where: str) -> tuple[int | None, int | None]:
    after = _time(options.get("valid-after"), where)
    before = _time(options.get("valid-before"), where)
    if after is not None and before is not None and before <= after:
        raise RelayError("valid-before is not later than valid-after", where=where)
    return after, before


def _split_options(rest: str, where: str) -> tuple[Mapping[str, str], str]:
    """The options, then what follows them: the key."""
    if _KEY.match(rest):
        return {}, rest
    parts = _OPTIONS.fullmatch(rest)
    if not parts:
        raise RelayError("neither options nor a public key", where=where)
    return _read_options(parts[1], where), parts[2]


def _read_options(text: str, where: str) -> dict[str, str]:
    """Values by lower-case name; that of a flag is empty."""
    options: dict[str, str] = {}
    at = 0
    while at < len(text):
        found = _OPTION.match(text, at)
        if not found:
            raise RelayError(f"not an option: {text[at:]!r}", where=where)
        name = found[1].lower()
        _check_option(name, found[2], where)
        if name in options:
            raise RelayError(f"the option {name} occurs twice", where=where)
        options[name] = (found[2] or "").replace('\\"', '"')
        at = found.end()
    return options


def _check_option(name: str, value: str | None, where: str) -> None:
    if name not in _FLAGS | _VALUES:
        raise RelayError(
            f"unknown option {name!r}",
            where=where,
            hint=f"known are {', '.join(sorted(_FLAGS | _VALUES))}",
        )
    if (value is None) != (name in _FLAGS):
        wanted = "takes no value" if name in _FLAGS else 'needs a value: ="…"'
        raise RelayError(f"the option {name} {wanted}", where=where)


def _time(value: str | None, where: str) -> int | None:
    """Seconds of `YYYYMMDD[HHMM[SS]]`, in local time, or in UTC with a `Z`."""
    if value is None:
        return None
    from datetime import UTC, datetime

    found = _TIME.fullmatch(value)
    try:
        if not found:
            raise ValueError
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        return int(moment.timestamp()) if found[7] else _local(moment.timetuple())
    except (ValueError, OverflowError):
        raise RelayError(
            f"{value!r} is not a time", where=where, hint="write YYYYMMDD[HHMM[SS]][Z]"
        ) from None


def _local(moment: time.struct_time) -> int:
    """Without daylight saving time, which ssh-keygen ignores here too."""
    return int(time.mktime((*moment[:8], 0)))


def _matches(patterns: str, text: str) -> bool:
    """OpenSSH's pattern lists: `*` and `?` are wild, one match of a `!pattern` says no."""
    wanted = [pattern for pattern in patterns.split(",") if pattern]
    if any(_wild(pattern[1:], text) for pattern in wanted if pattern.startswith("!")):
        return False
    return any(_wild(pattern, text) for pattern in wanted if not pattern.startswith("!"))


def _wild(pattern: str, text: str) -> bool:
    """Not fnmatch: brackets are plain characters here."""
    parts = re.split(r"([*?])", pattern)
    wild = {"*": ".*", "?": "."}
    return bool(re.fullmatch("".join(wild.get(p) or re.escape(p) for p in parts), text))
