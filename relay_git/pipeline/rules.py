"""What an output must keep to. Each rule looks at the payload before and after it.

A rule is any callable `(before, after, manifest) -> Checked`; it changes nothing and asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from relay_git.canonical import text
from relay_git.errors import InvalidName
from relay_git.names import Word
from relay_git.pipeline.codes import Code, PipelineError, quoted, short, words
from relay_git.pipeline.diff import Diff, same
from relay_git.pipeline.frozen import Json
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.sections import encode, is_text, text_of
from relay_git.pipeline.tokens import is_count
from relay_git.record import Record

Sections = Mapping[str, Json]

_HEAVIEST = 1_000_000


class Finding(Record):
    """One thing that is wrong with an output, and with which section (None: with the whole).
    Raises `TypeError` or `InvalidName` for what no step could store."""

    code: Code
    section: str | None
    reason: str

    def __post_init__(self) -> None:
        if not isinstance(self.code, Code) or not is_text(self.reason):
            raise TypeError("a finding has a `Code` and a reason that is text")
        if self.section is not None:
            self.__dict__["section"] = str(Word(text(self.section)))


class Checked(Record):
    """How many things a rule had to look at, and what it found. `weight` is its part in the
    confidence, from 0 to a million. Raises `TypeError`."""

    things: int
    findings: tuple[Finding, ...] = ()
    weight: float = 1

    def __post_init__(self) -> None:
        self.__dict__["findings"] = tuple(self.findings)
        if not all(isinstance(finding, Finding) for finding in self.findings):
            raise TypeError("a rule's findings are each a `Finding`")
        if not (is_count(self.things) and _is_weight(self.weight)):
            raise TypeError(f"{quoted(self.things)} things of the weight {quoted(self.weight)}")


def _is_weight(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value <= _HEAVIEST


Rule = Callable[[Sections, Sections, Manifest], Checked]
"""Given the payload before and after an output, both read-only, and the manifest of its agent."""


def declared_writes(changed: Diff, manifest: Manifest) -> Checked:
    """Only what the manifest says is written."""
    touched = changed.sections
    return Checked(
        len(touched),
        tuple(
            Finding(
                Code.UNDECLARED_WRITE, name, f"{manifest.agent_id} does not declare to write it"
            )
            for name in touched
            if name not in manifest.writes
        ),
    )


def size_bounds(largest: int = 1_000_000) -> Rule:
    """No section has more bytes than this, as text or compact JSON. Raises `PipelineError`
    (INVALID_SETTING)."""
    if not is_count(largest):
        raise _unusable(f"a section of at most {quoted(largest)} bytes")

    def check(before: Sections, after: Sections, manifest: Manifest) -> Checked:
        sizes = {name: len(text_of(value).encode()) for name, value in after.items()}
        found = [
            Finding(Code.SECTION_TOO_LARGE, name, f"{size} bytes, over the limit of {largest}")
            for name, size in sizes.items()
            if size > largest
        ]
        return Checked(len(sizes), tuple(found))

    return check


def pinned(*paths: str) -> Rule:
    """What stands at a path, `FACTS` or `FACTS/customer`, stays as it is; it may be added to.

    Of an object every key keeps its value, of a list every item stays. Raises `PipelineError`
    (INVALID_SETTING).
    """
    for path in paths:
        section, *keys = path.split("/") if isinstance(path, str) else [path]
        _check_name(section)
        if not all(keys):
            raise _unusable(f"the path {quoted(path)} has a part without a name")

    def check(before: Sections, after: Sections, manifest: Manifest) -> Checked:
        there = [path for path in paths if _at(before, path) is not None]
        dropped = [path for path in there if not _kept(_at(before, path), _at(after, path))]
        found = (
            Finding(Code.PIN_DROPPED, path.partition("/")[0], f"{path} is pinned and was changed")
            for path in dropped
        )
        return Checked(len(there), tuple(found))

    return check


def critical(*sections: str) -> Rule:
    """These sections are never taken out once they are there. Raises `PipelineError`
    (INVALID_SETTING)."""
    for name in sections:
        _check_name(name)

    def check(before: Sections, after: Sections, manifest: Manifest) -> Checked:
        there = [name for name in sections if name in before]
        found = (
            Finding(Code.CRITICAL_REMOVED, name, "it is critical and was taken out")
            for name in there
            if name not in after
        )
        return Checked(len(there), tuple(found))

    return check


def schemas(by_section: Mapping[str, Any]) -> Rule:
    """Sections have the form of a pydantic model or of a JSON Schema, given as a mapping.

    Raises `PipelineError` (INVALID_SETTING) for what is neither.
    """
    if not isinstance(by_section, Mapping):
        raise _unusable("the schemas are not given by section")
    try:
        validators = {name: _validator(name, by_section[name]) for name in by_section}
    except PipelineError:
        raise
    except Exception as error:
        raise _unusable(f"the schemas cannot be read: {words(error)}") from error

    def check(before: Sections, after: Sections, manifest: Manifest) -> Checked:
        there = [name for name in validators if name in after]
        wrong = ((name, what) for name in there for what in validators[name](after[name]))
        found = (Finding(Code.SCHEMA_VIOLATED, name, what) for name, what in wrong)
        return Checked(len(there), tuple(found))

    return check


def _at(sections: Sections, path: str) -> Json:
    """None for what is not there."""
    value: Json = dict(sections)
    for key in path.split("/"):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _kept(before: Json, after: Json) -> bool:
    if isinstance(before, dict) and isinstance(after, dict):
        return all(key in after and _kept(before[key], after[key]) for key in before)
    if isinstance(before, list) and isinstance(after, list):
        return _all_in(before, list(after))
    return same(before, after)


def _all_in(items: Iterable[Json], there: list[Json]) -> bool:
    """Each has one of its own."""
    for item in items:
        at = next((n for n, other in enumerate(there) if same(item, other)), None)
        if at is None:
            return False
        del there[at]
    return True


def _unusable(what: str) -> PipelineError:
    return PipelineError(Code.INVALID_SETTING, what)


def _check_name(section: object) -> None:
    """A rule about what no section is called would hold of everything."""
    if not isinstance(section, str):
        raise _unusable(f"no section is called {quoted(section)}")
    try:
        Word(section)
    except InvalidName as error:
        raise _unusable(short(f"no section is called so: {error}")) from None


def _validator(name: str, schema: Any) -> Callable[[Json], Iterable[str]]:
    _check_name(name)
    if isinstance(schema, Mapping):
        return _json_schema(name, schema)
    if hasattr(schema, "model_validate_json"):
        return lambda value: _model_problems(schema, value)
    raise _unusable(f"the schema of {name} is neither a pydantic model nor a JSON Schema")


def _json_schema(name: str, schema: Mapping[str, Any]) -> Callable[[Json], Iterable[str]]:
    """References lead to what the schema itself defines: nothing is fetched."""
    try:
        from jsonschema import Draft202012Validator, SchemaError
        from jsonschema.validators import validator_for
        from referencing.jsonschema import EMPTY_REGISTRY
    except ImportError:
        what = f"the JSON Schema of {name} needs the package jsonschema (pip install jsonschema)"
        raise _unusable(what) from None
    try:
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
    except Exception as error:
        why = error.message if isinstance(error, SchemaError) else words(error)
        raise _unusable(f"the JSON Schema of {name}: {why}") from None
    checks = kind(schema, registry=EMPTY_REGISTRY)
    return lambda value: (
        f"{'/'.join(map(str, problem.path)) or 'the section'}: {problem.validator} is not met"
        for problem in checks.iter_errors(value)
    )


def _model_problems(model: Any, value: Json) -> Iterable[str]:
    """Without the values themselves, which may be long."""
    from pydantic import ValidationError

    try:
        model.model_validate_json(encode(value))
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False):
            yield f"{'/'.join(map(str, problem['loc'])) or 'the section'}: {problem['msg']}"
