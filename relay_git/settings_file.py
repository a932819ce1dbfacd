"""The form of `.relay/relay.yml`, and what is told about keys that do not belong there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from relay_git import yamlio, yamlmodel
from relay_git.errors import InvalidName, NewerFormat, RelayError
from relay_git.names import Word
from relay_git.settings import (
    VERSION,
    Delivery,
    LessonSettings,
    OrchestratorSettings,
    Redaction,
    Settings,
)
from relay_git.yamlio import Document, Path
from relay_git.yamlmodel import FileModel

_CREDENTIAL = re.compile(
    r"(?:^|_)(?:api_?key|(?:access_?|auth_?)?token|(?:client_?)?secret(?:_?key)?"
    r"|password|passwd|passphrase|private_?key|access_?key|credentials?|authorization)(?:$|_)"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OLDER = {
    "backend_config": "`model` names a model; the rest belongs in git config",
    "history": "delete it: every finished run is kept, under refs/relay/history/",
}


_DEFAULT = Settings()


class LessonsPart(FileModel):
    max_per_role: int = Field(default=_DEFAULT.lessons.max_per_role, ge=0)
    deliver: Delivery = _DEFAULT.lessons.deliver


class OrchestratorPart(FileModel):
    enabled: bool = _DEFAULT.orchestrator.enabled
    intent: str = _DEFAULT.orchestrator.intent
    backend: str | None = None
    model: str | None = None


class SettingsFile(FileModel):
    version: int = Field(default=VERSION, ge=1)
    default_workflow: str | None = None
    backend: str | None = None
    model: str | None = None
    max_artifact_chars: int = Field(default=_DEFAULT.max_artifact_chars, ge=1)
    redaction: Redaction = _DEFAULT.redaction
    redact_literals: list[str] = Field(default_factory=list)
    lessons: LessonsPart = LessonsPart()
    orchestrator: OrchestratorPart = OrchestratorPart()


def parse_settings(data: bytes, where: str) -> Settings:
    """Raises `Invalid` with every problem, `NewerFormat` for a file of a newer git-relay."""
    document = yamlio.load(data, where)
    _refuse_newer(document)
    special = {**dict(_older(document)), **dict(_credentials(document.value, ()))}
    problems = [document.problem(path, *told) for path, told in special.items()]
    file = yamlmodel.read(SettingsFile, document, problems, special)
    problems += _senseless(file, document) if file else []
    if problems or file is None:
        raise yamlmodel.invalid(problems)
    return Settings(
        version=file.version,
        default_workflow=file.default_workflow,
        backend=file.backend,
        model=file.model,
        max_artifact_chars=file.max_artifact_chars,
        redaction=file.redaction,
        redact_literals=tuple(file.redact_literals),
        lessons=LessonSettings(file.lessons.max_per_role, file.lessons.deliver),
        orchestrator=OrchestratorSettings(
            file.orchestrator.enabled,
            file.orchestrator.intent.strip(),
            file.orchestrator.backend,
            file.orchestrator.model,
        ),
    )


def _refuse_newer(document: Document) -> None:
    version = document.value.get("version")
    if isinstance(version, int) and version > VERSION:
        problem = document.problem(("version",), f"version {version} is newer than {VERSION}")
        hint = "upgrade git-relay"
        raise NewerFormat(problem.what, where=problem.where, hint=hint)


def _older(document: Document) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Keys of an older format, and what is there in their place."""
    for key in document.value:
        if key in _OLDER:
            yield (key,), (f"`{key}` is no longer read", _OLDER[key])


def _credentials(value: Any, path: Path) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Keys that hold secrets, at any depth: the file is tracked, and so would they be."""
    items = value.items() if isinstance(value, dict) else enumerate(_list(value))
    for key, item in items:
        inner = (*path, key)
        if isinstance(key, str) and _CREDENTIAL.search(_snake(key)):
            hint = "delete it and renew the secret: those go into git config or the environment"
            yield inner, (f"`{key}` holds a secret in a tracked file", hint)
        else:
            yield from _credentials(item, inner)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _snake(key: str) -> str:
    return _HUMP.sub("_", key).replace("-", "_").lower()


def _senseless(file: SettingsFile, document: Document) -> Iterator[RelayError]:
    yield from _misnamed(("default_workflow",), file.default_workflow, document)
    yield from _misnamed(("backend",), file.backend, document)
    yield from _misnamed(("orchestrator", "backend"), file.orchestrator.backend, document)
    if file.orchestrator.enabled and not file.orchestrator.intent.strip():
        hint = "say in `intent` what the runs here are for"
        yield document.problem(("orchestrator",), "the orchestrator has no intent", hint)
    for at, literal in enumerate(file.redact_literals):
        if not literal.strip():
            what = f"item {at + 1} of `redact_literals` is blank"
            yield document.problem(("redact_literals", at), what, "delete it")


def _misnamed(path: Path, name: str | None, document: Document) -> Iterator[RelayError]:
    try:
        _ = name is None or Word(name)
    except InvalidName as error:
        yield document.problem(path, error.what, error.hint)
