"""Templates, rendered where they can do nothing but make text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from jinja2 import BaseLoader, StrictUndefined, TemplateError, TemplateNotFound
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from relay_git import files, names, resources
from relay_git.errors import Refused
from relay_git.workspace import Workspace


def render(ws: Workspace, name: str, values: Mapping[str, Any]) -> str:
    """The repository's own template of that name, else the one that ships. Raises `Refused`."""
    source, where = _source(ws, name)
    environment = ImmutableSandboxedEnvironment(
        loader=BaseLoader(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    try:
        return environment.from_string(source).render(values)
    except SecurityError as error:
        raise Refused(
            f"the template reaches for what it must not touch: {error}",
            where=where,
            hint="remove that template, or look at who added it",
        ) from None
    except (TemplateError, TemplateNotFound, ArithmeticError, TypeError, ValueError) as error:
        line = getattr(error, "lineno", None)
        place = f"{where}:{line}" if line else where
        raise Refused(f"the template cannot be rendered: {error}", where=place) from None


def _source(ws: Workspace, name: str) -> tuple[str, str]:
    override = f"{names.TEMPLATE_OVERRIDES}/{name}"
    data = files.read_in(ws.worktree, override)
    if data is not None:
        return data.decode("utf-8", "replace"), override
    path = os.path.join(resources.directory("templates"), "prompt", name)
    with open(path, encoding="utf-8") as file:
        return file.read(), path
