"""A payload is named sections of JSON. Each is a file of the step, which git diffs line by line.

A section's file has one line for each of its items, in order of the keys; the same value is the
same bytes. A section is never null: in an output, None takes the section out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

from relay_git import names
from relay_git.errors import Corrupt, RelayError
from relay_git.names import Word
from relay_git.pipeline.codes import Code, PipelineError, quoted, words
from relay_git.pipeline.frozen import ENCODER, Frozen, Json, freeze, is_flat
from relay_git.record import Record
from relay_git.redact import redact, suspicious

_DEEPEST = 100
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = (str, int, float)


class Output(Record):
    """What an agent changes: the bytes of each section, None where it is taken out. `values` are
    those that it writes, read-only; `masked` those in which a secret was masked."""

    contents: Mapping[str, bytes | None]
    values: Mapping[str, Json]
    masked: tuple[str, ...] = ()


def read_output(
    given: object, literals: Sequence[str] = (), code: Code = Code.INVALID_OUTPUT
) -> Output:
    """Check and encode sections by name, without secrets. Raises `PipelineError` with `code`,
    naming the section that is at fault.

    `literals` are secrets of the project's own.
    """
    contents: dict[str, bytes | None] = {}
    values: dict[str, Json] = {}
    masked: list[str] = []
    for name, value in by_name(given, code).items():
        refuse_secret(name, literals, code)
        try:
            section = _named(name)
            text, read = (None, None) if value is None else _written(value)
            clean, read = _masked(text, read, section, literals) if text else (None, None)
        except Exception as error:
            what = words(error, (TypeError, ValueError, RelayError))
            raise PipelineError(code, f"section {quoted(name)}: {what}") from None
        contents[section] = clean.encode() if clean else None
        values |= {section: read} if clean else {}
        masked += [section] if clean != text else []
    return Output(contents, values, tuple(sorted(masked)))


def by_name(given: object, code: Code) -> dict[Any, Any]:
    """A copy: a mapping of somebody else's may do anything when it is read. Raises `PipelineError`
    with `code`."""
    if not isinstance(given, Mapping):
        raise PipelineError(code, f"not a dict of sections by name but {type(given).__name__}")
    try:
        return dict(given)
    except Exception as error:
        raise PipelineError(code, f"the sections cannot be read: {words(error)}") from None


def refuse_secret(name: object, literals: Sequence[str], code: Code) -> None:
    """Names are stored as they are. Raises `PipelineError`, which does not quote it."""
    if isinstance(name, str) and redact(name, literals)[1]:
        raise PipelineError(
            code, f"a name of {len(name)} characters is a secret, or looks like one"
        )


def encode(value: Any) -> bytes:
    """The bytes of one section. Raises `TypeError` or `ValueError` for what is no JSON."""
    return _written(value)[0].encode()


def _written(value: Any) -> tuple[str, Json]:
    """The text of one section, and the value that it says, read-only. Raises as `encode`: where
    that is the value which was given, all of it was JSON."""
    try:
        line, items, read = _apart(value)
        read = freeze(read, _DEEPEST)
        line.encode()
        same = bool(read == value)
    except (TypeError, ValueError, RecursionError):
        _check(value)
        raise
    if not same:
        _check(value)
        raise ValueError("it does not come back as it was given")
    if isinstance(read, Frozen):
        read.__dict__["as_json"] = line
    between = ",\n".join(items)
    return f"{line[0]}\n{between}\n{line[-1]}\n" if items else f"{line}\n", read


def _apart(value: Any) -> tuple[str, list[str], Json]:
    """A value as JSON on one line, the items of that line, and what it gives."""
    if isinstance(value, list) and is_flat(value):
        texts = list(value)
        items = list(map(encode_basestring, texts))
        return f"[{', '.join(items)}]", items, texts
    line = ENCODER.encode(dict(value) if isinstance(value, Mapping) else value)
    if line[0] == "{":
        return line, *_members(line)
    return line, *(_elements(line) if line[0] == "[" else ([], _READER.decode(line)))


def _members(line: str) -> tuple[list[str], dict[str, Json]]:
    """Of an object: each as it stands there, and the object."""
    items: list[str] = []
    found: dict[str, Json] = {}
    start = 1
    while start < len(line) - 1:
        key, colon = _READER.raw_decode(line, start)
        found[key], end = _READER.raw_decode(line, colon + len(": "))
        items.append(line[start:end])
        start = end + len(", ")
    return items, found


def _elements(line: str) -> tuple[list[str], list[Json]]:
    """Of an array: each as it stands there, and the array."""
    items: list[str] = []
    found: list[Json] = []
    start = 1
    while start < len(line) - 1:
        value, end = _READER.raw_decode(line, start)
        found.append(value)
        items.append(line[start:end])
        start = end + len(", ")
    return items, found


def decode(data: bytes, where: str) -> Json:
    """Raises `Corrupt` for what is no section."""
    try:
        value: Json = _STRICT_READER.decode(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Corrupt(f"not a section: {error}", where=where) from None
    if value is None:
        raise Corrupt("not a section: it is null", where=where)
    return value


def applied(before: Mapping[str, bytes], changes: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """The sections after the changes, in order of their names."""
    after = {**before, **changes}
    return {name: data for name in sorted(after) if (data := after[name]) is not None}


def values(contents: Mapping[str, bytes]) -> dict[str, Json]:
    """Plain copies of the sections."""
    return {name: decode(data, names.section_path(name)) for name, data in contents.items()}


def text_of(value: Json) -> str:
    """What is counted and compared of a section: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json_of(value)


def json_of(value: Json) -> str:
    """One line."""
    return value.as_json if isinstance(value, Frozen) else ENCODER.encode(value)


def is_text(value: object) -> bool:
    """Whether it can be written as UTF-8."""
    return isinstance(value, str) and not _SURROGATE.search(value)


@lru_cache(maxsize=256)
def _named(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError("its name is not text")
    Word(names.section_path(Word(name)).rpartition("/")[2])
    return str(name)


def _check(value: object, depth: int = 0) -> None:
    """JSON as it is: nothing that would come back as something else, as tuples do."""
    if depth > _DEEPEST:
        raise ValueError(f"nested deeper than {_DEEPEST}")
    if value is None or isinstance(value, _PLAIN):
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {quoted(key)} is not text")
            _check(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, depth + 1)
    else:
        instead = "; a list is" if isinstance(value, tuple) else ""
        raise TypeError(f"{type(value).__name__} is not JSON{instead}")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result


def _no_constants(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


_READER = json.JSONDecoder()
_STRICT_READER = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constants)


# Secrets


def _masked(text: str, read: Json, name: str, literals: Sequence[str]) -> tuple[str, Json]:
    """The texts in it are looked into one by one, if there is anything to suspect at all."""
    if not suspicious(text) and not any(map(str.strip, literals)):
        return text, read
    return _written(_without_secrets(read, name, literals))


def _without_secrets(value: Json, key: str, literals: Sequence[str]) -> Json:
    if isinstance(value, dict):
        masked = {n: _without_secrets(inner, n, literals) for n, inner in value.items()}
        return _with_clean_keys(masked, literals)
    if isinstance(value, list):
        return [_without_secrets(inner, key, literals) for inner in value]
    return clean_text(value, key, literals) if isinstance(value, str) else value


def _with_clean_keys(value: dict[str, Json], literals: Sequence[str]) -> dict[str, Json]:
    clean = {redact(key, literals)[0]: inner for key, inner in value.items()}
    if len(clean) != len(value):
        raise ValueError("several of its keys are secrets")
    return clean


def clean_text(text: str, key: str, literals: Sequence[str]) -> str:
    """Also what is a secret only because of the key that it stands at: `password`."""
    beside = f"{key}: "
    named, _ = redact(beside + text, literals)
    return named.removeprefix(beside) if named.startswith(beside) else redact(text, literals)[0]
