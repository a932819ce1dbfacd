"""Files that people edit, as pydantic models whose errors name the line and what to write."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from relay_git import suggest
from relay_git.errors import Invalid, RelayError
from relay_git.yamlio import Document, Path

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
}


class FileModel(BaseModel):
    """Types only, and exactly; `read` reports unknown keys apart from the rest."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


Model = TypeVar("Model", bound=FileModel)


def read(
    model: type[Model],
    document: Document,
    problems: list[RelayError],
    reported: Collection[Path] = (),
) -> Model | None:
    """The model, or None when its form is wrong; every problem found is added to the list.

    `reported` are the paths of unknown keys that the list speaks of already.
    """
    for path, keys in _unknown(model, document.value, ()):
        if path not in reported:
            what = f"unknown key {path[-1]!r}"
            problems.append(document.problem(path, what, suggest.hint(str(path[-1]), keys)))
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        problems += [_problem(document, one) for one in error.errors(include_url=False)]
        return None


def invalid(problems: list[RelayError]) -> Invalid:
    """All the problems in one, by file and line."""

    def place(problem: RelayError) -> tuple[str, int]:
        path, _, line = (problem.where or "").rpartition(":")
        return (path, int(line)) if line.isdecimal() else (problem.where or "", 0)

    return Invalid(sorted(problems, key=place))


def _unknown(kind: Any, value: Any, path: Path) -> Iterator[tuple[Path, list[str]]]:
    """Paths of keys that the model, or a model inside it, does not know, and those it does."""
    if not isinstance(value, dict):
        return
    fields = kind.model_fields if _is_model(kind) else None
    of_values = get_args(kind)[-1] if get_args(kind) else None
    for key, item in value.items():
        if fields is None:
            yield from _unknown(of_values, item, (*path, key))
        elif key in fields:
            yield from _unknown(fields[key].annotation, item, (*path, key))
        else:
            yield (*path, key), list(fields)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, FileModel)


def _problem(document: Document, error: ErrorDetails) -> RelayError:
    path = error["loc"]
    if error["type"] == "missing":
        return document.problem(path, f"`{path[-1]}` is missing", "add it")
    what, hint = _explained(document, error)
    return document.problem(path, f"{_named(document, path)} {what}", hint)


def _explained(document: Document, error: ErrorDetails) -> tuple[str, str | None]:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "string_type" and not isinstance(error["input"], dict | list):
        written = document.written(error["loc"])
        return "must be text", f'quote it: "{written}"' if written else "write something after it"
    if kind == "literal_error":
        return f"must be {context['expected']}", None
    if kind == "greater_than_equal":
        return f"must be {context['ge']} or more", None
    return f"must be {_EXPECTED[kind]}" if kind in _EXPECTED else f"is wrong: {error['msg']}", None


def _named(document: Document, path: Path) -> str:
    """The last key of the path that the file has, with the index for an item of a list."""
    known: list[str | int] = []
    for part in path:
        if part in document.node(tuple(known)).children:
            known.append(part)
    if known and isinstance(known[-1], int):
        return f"item {known[-1] + 1} of `{known[-2]}`"
    return f"`{known[-1]}`" if known else "the file"
