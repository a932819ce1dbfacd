"""Reads every lesson file of a work tree, and remembers what each said by its content.

The cache is one file of canonical JSON. Whatever is wrong with it, it is rebuilt; what no file
says any more is dropped from it. With it, unchanged files are read without a YAML library.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from relay_git import __version__, canonical, files
from relay_git.errors import Invalid, RelayError
from relay_git.lessons.keep import RETIRED, KeptLesson, read_lesson
from relay_git.lessons.model import SEVERITIES
from relay_git.names import LESSONS
from relay_git.parallel import by_shares
from relay_git.record import Record, field_names

CACHE = "lessons.json"
_SHARE = 500
MAX_BYTES = 1024 * 1024

_FIELDS = field_names(KeptLesson)
_TYPES = {"tags": list, "run": str | None, "observed_at": str | None, "retired": bool}


class Broken(Record):
    """A lesson file that cannot be read, and why."""

    path: str
    problems: tuple[RelayError, ...]


Entry = KeptLesson | Broken


def read_all(worktree: str, cache_dir: str, problems: list[RelayError]) -> list[Entry]:
    """One entry a file, sorted by path. What cannot even be opened goes to `problems`."""
    cache = os.path.join(cache_dir, CACHE)
    known = _read_cache(cache)
    there = {_key(path, data): (path, data) for path, data in _contents(worktree, problems)}
    entries = {key: known[key] for key in there if key in known}
    new = [(key, *file) for key, file in there.items() if key not in known]
    for parsed in by_shares(_parse_all, new, _SHARE):
        entries |= parsed
    if entries.keys() != known.keys():
        _write_cache(cache, entries)
    return sorted(entries.values(), key=lambda entry: entry.path)


def _key(path: str, data: bytes) -> str:
    return hashlib.sha256(path.encode() + b"\0" + data).hexdigest()


def _parse_all(new: Sequence[tuple[str, str, bytes]]) -> dict[str, Entry]:
    return {key: parse(data, path) for key, path, data in new}


def parse(data: bytes, path: str) -> Entry:
    """Without secrets: what is read here is shown, indexed and cached."""
    from relay_git.redact import redact

    try:
        if len(data) > MAX_BYTES:
            raise RelayError(f"larger than {MAX_BYTES} bytes", where=path, hint="shorten it")
        return read_lesson(redact(data.decode("utf-8"))[0], path)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = RelayError("not UTF-8 text", where=f"{path}:{line}", hint="save it as UTF-8")
        return Broken(path, (what,))
    except Invalid as error:
        return Broken(path, tuple(error.problems))
    except RelayError as error:
        return Broken(path, (error,))


def _contents(worktree: str, problems: list[RelayError]) -> Iterator[tuple[str, bytes]]:
    for directory in (*_directories(worktree, LESSONS), *_directories(worktree, RETIRED)):
        for path in _paths(worktree, directory, problems):
            try:
                data = files.read_in(worktree, path, MAX_BYTES)
            except RelayError as error:
                problems.append(error)
                continue
            if data is not None:
                yield path, data


def _paths(worktree: str, directory: str, problems: list[RelayError]) -> list[str]:
    try:
        names = files.list_in(worktree, directory)
    except RelayError as error:
        problems.append(error)
        return []
    paths = [f"{directory}/{name}" for name in names if name.endswith(".md")]
    odd = [path for path in paths if _has_undecodable(path)]
    problems += [RelayError("a file name that is not UTF-8", where=ascii(path)) for path in odd]
    return [path for path in paths if path not in odd]


def _has_undecodable(path: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in path)


def _directories(worktree: str, below: str) -> list[str]:
    try:
        with os.scandir(os.path.join(worktree, below)) as entries:
            found = [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        return []
    return [f"{below}/{name}" for name in sorted(found)]


# The cache


def _read_cache(path: str) -> dict[str, Entry]:
    try:
        record = canonical.loads(files.read_optional(path) or b"{}", path)
        if record.get("reader") != __version__:
            return {}
        return {key: _entry_from_json(value) for key, value in record["files"].items()}
    except (RelayError, LookupError, TypeError, ValueError, AttributeError):
        return {}


def _write_cache(path: str, entries: Mapping[str, Entry]) -> None:
    """Without a cache everything works, so a place that cannot be written is no error."""
    record = {
        "reader": __version__,
        "files": {key: _entry_to_json(entry) for key, entry in entries.items()},
    }
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.write_atomic(path, canonical.dumps(record))
    except (OSError, RelayError):
        return


def _entry_to_json(entry: Entry) -> dict[str, Any]:
    if isinstance(entry, KeptLesson):
        return {name: getattr(entry, name) for name in _FIELDS}
    problems = [[problem.what, problem.where, problem.hint] for problem in entry.problems]
    return {"path": entry.path, "problems": problems}


def _entry_from_json(value: dict[str, Any]) -> Entry:
    if "problems" in value:
        found = [RelayError(what, where=at, hint=hint) for what, at, hint in value["problems"]]
        return Broken(value["path"], tuple(found))
    fits = all(isinstance(value[name], _TYPES.get(name, str)) for name in _FIELDS)
    if not fits or value["severity"] not in SEVERITIES:
        raise TypeError("not an entry of this cache")
    return KeptLesson(**{**value, "tags": tuple(value["tags"])})
