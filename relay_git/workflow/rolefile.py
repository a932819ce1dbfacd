"""One role's file: found, read and checked against the workflow that names it."""

from __future__ import annotations

from relay_git import suggest, yamlio, yamlmodel
from relay_git.errors import RelayError, problems_of
from relay_git.names import Word
from relay_git.workflow.checks import Draft
from relay_git.workflow.schema import RoleFile
from relay_git.workflow.source import Source
from relay_git.workflow.verdict import APPROVE, LABEL, REJECT, decide, read_verdicts
from relay_git.yamlio import Document

FOLDER = "roles"
_OLDER = ("verdict_field", "approve_value", "reject_value")


def read_role(
    source: Source, where: str, draft: Draft, name: str, problems: list[RelayError]
) -> RoleFile | None:
    """The role's file, or None when it has no usable form; every problem is added to the list."""
    path = draft.file.roles[name].rules or f"{FOLDER}/{name}.yml"
    data = _bytes(source, draft, name, path, problems)
    if data is None:
        return None
    try:
        document = yamlio.load(data, f"{where}/{path}")
    except RelayError as error:
        problems.append(error)
        return None
    role = yamlmodel.read(RoleFile, document, problems)
    if role is not None:
        problems += _problems(role, document, name, _own_branches(draft, name))
    return role


def labels(role: RoleFile) -> tuple[str, ...]:
    """What introduces the role's verdict, beside `Verdict`."""
    older = (role.verdict_field or "").strip(" #*:")
    named = [*role.verdict_labels, *([older] if older else [])]
    return tuple(dict.fromkeys(label for label in named if label.lower() != LABEL.lower()))


def _bytes(
    source: Source, draft: Draft, name: str, path: str, problems: list[RelayError]
) -> bytes | None:
    place = ("roles", name, "rules")
    if _leads_out(path):
        what = f"{path!r} is not a path below the workflow's directory"
        problems.append(draft.document.problem(place, what, f"put it at {FOLDER}/{name}.yml"))
        return None
    try:
        data = source.read(path)
    except RelayError as error:
        problems.append(draft.document.problem(place, f"{path}: {error.what}", error.hint))
        return None
    if data is None:
        there = [f"{FOLDER}/{file}" for file in source.list(FOLDER)]
        what = f"there is no role file {path}"
        problems.append(draft.document.problem(place, what, suggest.hint(path, there)))
    return data


def _leads_out(path: str) -> bool:
    return any(part in ("", ".", "..") for part in path.split("/")) or any(c in path for c in "\\:")


def _own_branches(draft: Draft, name: str) -> list[str]:
    """The branches of all the stages that the role acts in."""
    acting = [stage for stage in draft.file.stages.values() if stage.actor == name]
    return [branch for stage in acting for branch in stage.branches]


def _problems(
    role: RoleFile, document: Document, name: str, branches: list[str]
) -> list[RelayError]:
    found = []
    if role.name != name:
        what = f"the role is called {role.name!r} here and {name!r} in the workflow"
        found.append(document.problem(("name",), what, f"write `name: {name}`"))
    if not role.system_prompt.strip():
        found.append(document.problem(("system_prompt",), "`system_prompt` says nothing"))
    if role.backend is not None:
        found += _misnamed(document, role.backend)
    for at, label in enumerate(role.verdict_labels):
        if not label.strip() or "\n" in label or ":" in label:
            what = f"{label!r} cannot introduce a verdict"
            hint = "write the words before the colon"
            found.append(document.problem(("verdict_labels", at), what, hint))
    return found + _older_problems(role, document, branches)


def _misnamed(document: Document, backend: str) -> list[RelayError]:
    problems = problems_of(lambda: Word(backend))
    return [document.problem(("backend",), one.what, one.hint) for one in problems]


def _older_problems(role: RoleFile, document: Document, branches: list[str]) -> list[RelayError]:
    """The older keys come together, and their values are words that a verdict can say."""
    given = {key: getattr(role, key) for key in _OLDER}
    missing = [key for key, value in given.items() if value is None]
    if len(missing) == len(_OLDER):
        return []
    if missing:
        there = next(key for key in _OLDER if key not in missing)
        what = f"`{there}` without {' and '.join(f'`{key}`' for key in missing)}"
        hint = "use `verdict_labels` in place of the three"
        return [document.problem((there,), what, hint)]
    return [
        document.problem((key,), f"{given[key]!r} is not read as {meaning!r}", f"write {meaning}")
        for key, meaning in (("approve_value", APPROVE), ("reject_value", REJECT))
        if not _is_said(given[key], meaning, branches)
    ]


def _is_said(value: str, meaning: str, branches: list[str]) -> bool:
    said = decide(read_verdicts(f"Verdict: {value}\n", [APPROVE, REJECT, *branches]))
    return len(said) == 1 and said[0] in (meaning, *branches)
