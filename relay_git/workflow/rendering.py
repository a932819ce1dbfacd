"""Templates, rendered where they can do nothing but make text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from jinja2 import BytecodeCache, FunctionLoader, StrictUndefined, TemplateError
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from relay_git import files, names, resources
from relay_git.errors import Refused, RelayError
from relay_git.workspace import Workspace


def render(ws: Workspace, name: str, values: Mapping[str, Any], shelf: str = "prompt") -> str:
    """The repository's own template of that name, else the one that ships on the shelf.

    Raises `Refused` for one that cannot be rendered.
    """
    source, where = _source(ws, name, shelf)
    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(lambda wanted: source if wanted == name else None),
        bytecode_cache=_Compiled(ws.cache_dir),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    try:
        return environment.get_template(name).render(values)
    except SecurityError as error:
        raise Refused(
            f"the template reaches for what it must not touch: {error}",
            where=where,
            hint="remove that template, or look at who added it",
        ) from None
    except (TemplateError, ArithmeticError, TypeError, ValueError) as error:
        line = getattr(error, "lineno", None)
        place = f"{where}:{line}" if line else where
        raise Refused(f"the template cannot be rendered: {error}", where=place) from None


class _Compiled(BytecodeCache):
    """What the sandbox compiled, by the template's digest, which jinja2 checks.

    It lies in the git directory, where no branch can put anything.
    """

    def __init__(self, cache_dir: str) -> None:
        self._directory = cache_dir

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(EOFError, ValueError, TypeError, RelayError):
            bucket.bytecode_from_string(files.read_optional(self._path(bucket)) or b"")

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(RelayError, OSError):
            os.makedirs(self._directory, exist_ok=True)
            files.write_atomic(self._path(bucket), bucket.bytecode_to_string())

    def _path(self, bucket: Bucket) -> str:
        return os.path.join(self._directory, f"template-{bucket.key}")


def _source(ws: Workspace, name: str, shelf: str) -> tuple[str, str]:
    override = f"{names.TEMPLATE_OVERRIDES}/{name}"
    data = files.read_in(ws.worktree, override)
    if data is not None:
        return data.decode("utf-8", "replace"), override
    path = os.path.join(resources.directory("templates"), shelf, name)
    with open(path, encoding="utf-8") as file:
        return file.read(), path
