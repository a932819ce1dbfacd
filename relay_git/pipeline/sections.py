"""A payload is named sections of JSON. Each is a file of the step, which git diffs line by line.

A section's file has one line for each of its items, in order of the keys; the same value is the
same bytes. A section is never null: in an output, None takes the section out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from relay_git import names
from relay_git.errors import Corrupt, InvalidName
from relay_git.names import Word
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.frozen import Json
from relay_git.record import Record
from relay_git.redact import redact, suspicious

_DEEPEST = 100
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True)


class Output(Record):
    """What an agent changes: the bytes of each section, None where it is taken out. `masked` are
    the sections in which a secret was masked."""

    contents: Mapping[str, bytes | None]
    masked: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, Json]:
        """Copies of the sections that it writes."""
        return values({n: data for n, data in self.contents.items() if data is not None})


def read_output(
    given: object, literals: Sequence[str] = (), code: Code = Code.INVALID_OUTPUT
) -> Output:
    """Check and encode sections by name, without secrets. Raises `PipelineError` with `code`,
    naming the section that is at fault.

    `literals` are secrets of the project's own.
    """
    if not isinstance(given, Mapping):
        raise PipelineError(code, f"not sections by name but {type(given).__name__}")
    contents: dict[str, bytes | None] = {}
    masked: list[str] = []
    for name, value in given.items():
        try:
            _check_name(name)
            data = None if value is None else encode(value)
            contents[name] = clean = data and _masked(data, name, literals)
        except (TypeError, ValueError, RecursionError, InvalidName) as error:
            raise PipelineError(code, f"section {name!r}: {error}") from None
        masked += [name] if clean != data else []
    return Output(contents, tuple(sorted(masked)))


def encode(value: Any) -> bytes:
    """The bytes of one section. Raises `TypeError` or `ValueError` for what is no JSON."""
    _check(value)
    one = _ENCODER.encode
    if isinstance(value, Mapping) and value:
        lines = ",\n".join(f"{one(key)}: {one(value[key])}" for key in sorted(value))
        text = f"{{\n{lines}\n}}"
    elif isinstance(value, list) and value:
        text = "[\n" + ",\n".join(map(one, value)) + "\n]"
    else:
        text = one(value)
    return f"{text}\n".encode()


def decode(data: bytes, where: str) -> Json:
    """Raises `Corrupt` for what is no section."""
    try:
        value: Json = _READER.decode(data.decode("utf-8"))
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
    return _ENCODER.encode(value)


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError("its name is not text")
    Word(names.section_path(Word(name)).rpartition("/")[2])


def _check(value: object, depth: int = 0) -> None:
    """JSON as it is: nothing that would come back as something else, as tuples do."""
    if depth > _DEEPEST:
        raise ValueError(f"nested deeper than {_DEEPEST}")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is not text")
            _check(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, depth + 1)
    elif value is not None and not isinstance(value, str | int | float):
        raise TypeError(f"{type(value).__name__} is not JSON")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result


def _no_constants(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


_READER = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constants)


# Secrets


def _masked(data: bytes, name: str, literals: Sequence[str]) -> bytes:
    """The texts in it are looked into one by one, if there is anything to suspect at all."""
    text = data.decode("utf-8")
    if not suspicious(text) and not any(map(str.strip, literals)):
        return data
    return encode(_without_secrets(json.loads(text), name, literals))


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
