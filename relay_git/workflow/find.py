"""Which workflow or template a person means by a name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from relay_git import names, suggest
from relay_git.errors import InvalidName, RelayError
from relay_git.names import Word

_SAME_ENOUGH = 0.7
_WORDS = re.compile(r"[^\W_]+")
_FOLDER = names.WORKFLOWS.removeprefix(f"{names.RELAY_DIR}/")


def workflow_names(relay_dir: str) -> list[str]:
    """The workflows below `.relay/workflows/`, sorted."""
    try:
        found = os.listdir(os.path.join(relay_dir, _FOLDER))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name for name in found if _is_workflow(relay_dir, name))


def find_workflow(relay_dir: str, name: str | None, default: str | None) -> str:
    """The directory of the workflow called `name`, else of the default, else of the only one."""
    known = workflow_names(relay_dir)
    where = os.path.join(relay_dir, _FOLDER)
    wanted = name or default or (known[0] if len(known) == 1 else None)
    if wanted in known:
        return os.path.join(where, wanted)
    if not known:
        hint = "run `git relay init`"
        raise RelayError("there is no workflow", where=where, hint=hint)
    if wanted is None:
        hint = f"name one of them: {', '.join(known)}"
        raise RelayError("there are several workflows and no default", where=where, hint=hint)
    what = f"there is no workflow {wanted!r}"
    if not name:
        what += f" (the `default_workflow` of {names.SETTINGS})"
    raise RelayError(what, where=where, hint=suggest.hint(wanted, known))


def resolve_template(name: str, available: Sequence[str]) -> str:
    """By the exact name, the name with `-` for `_` or the reverse, else the words in it."""
    for spelling in (name, name.replace("-", "_"), name.replace("_", "-")):
        if spelling in available:
            return spelling
    alike = [template for template in available if _alike(name, template)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        hint = f"name one of them: {', '.join(alike)}"
        raise RelayError(f"{name!r} may be any of {len(alike)} templates", hint=hint)
    raise RelayError(f"there is no template {name!r}", hint=suggest.hint(name, available))


def _alike(name: str, template: str) -> bool:
    """One has all the words of the other, or most of the template's are in the name."""
    given, own = _words(name), _words(template)
    common = given & own
    return bool(common) and (common in (given, own) or len(common) >= _SAME_ENOUGH * len(own))


def _words(text: str) -> set[str]:
    return set(_WORDS.findall(text.lower()))


def _is_workflow(relay_dir: str, name: str) -> bool:
    try:
        Word(name)
    except InvalidName:
        return False
    path = os.path.join(relay_dir, _FOLDER, name)
    return os.path.isfile(os.path.join(path, "workflow.yml")) and not os.path.islink(path)
