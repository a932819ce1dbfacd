"""Set a repository up: the tracked half once for everybody, the local half once a clone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from relay_git import files, names, resources
from relay_git.errors import InvalidName
from relay_git.git.config import edit_config
from relay_git.names import Word
from relay_git.settings import default_settings_text
from relay_git.signing.keys import KeyStore
from relay_git.workflow.find import resolve_template, workflow_names
from relay_git.workspace import Workspace

DEFAULT_TEMPLATE = "plan-review-implement-audit"

_GITIGNORE = "/artifacts/\n# What a crash may leave half-written.\n*.tmp\n"
_GITATTRIBUTES = (
    "# Lines that two branches add both stay; the file is generated and can be rebuilt.\n"
    "LESSONS.md merge=union linguist-generated\n"
    "lessons/** text eol=lf\n"
)
_NAME_LINE = re.compile(r"^name:.*$", re.MULTILINE)
_CONFIG = (("log.excludeDecoration", "refs/relay/*"),)
"""Multi-valued settings of this clone: `git log` does not decorate with the refs of runs."""


@dataclass
class Done:
    """What was written (paths in the work tree), and what was set up in this clone."""

    written: list[str] = field(default_factory=list)
    local: list[str] = field(default_factory=list)
    workflow: str | None = None


def template_names() -> list[str]:
    """The workflows that ship with the program."""
    return workflow_names_in(resources.directory("templates"))


def workflow_names_in(directory: str) -> list[str]:
    with os.scandir(directory) as entries:
        found = [e.name for e in entries if os.path.isfile(os.path.join(e.path, "workflow.yml"))]
    return sorted(found)


def init(ws: Workspace, template: str | None, name: str | None) -> Done:
    """Write what is missing of both halves. Done again, it changes nothing."""
    done = Done()
    ws.idents()
    wanted = _wanted(ws, template, name)
    if wanted:
        source, target = wanted
        done.workflow = target
        contents = {**_shared_files(target), **_workflow_files(source, target)}
        done.written = [path for path in contents if _write_new(ws, path, contents[path])]
    done.local = list(_init_local(ws))
    return done


def uninit(ws: Workspace) -> list[str]:
    """Take out the local half; what was taken out. Keys, refs and saved work stay."""
    done = []
    for key, value in _CONFIG:
        if value in ws.config.get_all(key):
            edit_config(ws.repo, "--unset-all", key, f"^{re.escape(value)}$")
            done.append(f"git config {key}")
    cache = ws.cache_dir
    if os.path.isdir(cache):
        import shutil

        shutil.rmtree(cache)
        done.append(cache)
    return done


def _wanted(ws: Workspace, template: str | None, name: str | None) -> tuple[str, str] | None:
    """The template to write and the name to give it; None where there is nothing to write."""
    relay_dir = os.path.join(ws.worktree, names.RELAY_DIR)
    if template is None and name is None and workflow_names(relay_dir):
        return None
    source = resolve_template(template or DEFAULT_TEMPLATE, template_names())
    target = source if name is None else name
    try:
        return source, Word(target)
    except InvalidName as error:
        raise InvalidName(error.what, where="--name", hint=error.hint) from None


def _shared_files(workflow: str) -> dict[str, str]:
    return {
        names.SETTINGS: default_settings_text(workflow),
        f"{names.RELAY_DIR}/.gitignore": _GITIGNORE,
        f"{names.RELAY_DIR}/.gitattributes": _GITATTRIBUTES,
    }


def _workflow_files(template: str, name: str) -> dict[str, str]:
    """The template's files under their paths in the work tree, its example left out.

    `workflow.yml` comes last: with it the workflow is there, and a crash before it is made good
    by the next `init`.
    """
    source = os.path.join(resources.directory("templates"), template)
    found = {}
    for path in sorted(_files_below(source), key="workflow.yml".__eq__):
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read()
        if path == "workflow.yml":
            text = _NAME_LINE.sub(f"name: {name}", text, count=1)
        found[f"{names.WORKFLOWS}/{name}/{path}"] = text
    return found


def _files_below(source: str) -> Iterator[str]:
    for directory, below, files_here in os.walk(source):
        below[:] = sorted(set(below) - {"example"} if directory == source else below)
        for name in sorted(files_here):
            yield os.path.relpath(os.path.join(directory, name), source).replace(os.sep, "/")


def _write_new(ws: Workspace, path: str, text: str) -> bool:
    """Never over a file that is there: it is somebody's."""
    if files.read_in(ws.worktree, path) is not None:
        return False
    files.write_in(ws.worktree, path, text.encode("utf-8"))
    return True


def _init_local(ws: Workspace) -> Iterator[str]:
    keys = KeyStore(ws.repo.common_dir)
    if not ws.config.get("relay.signingkey") and not keys.all():
        key = keys.ensure(ws.email)
        yield f"signing key {key.public.fingerprint}"
    for key_name, value in _CONFIG:
        if value not in ws.config.get_all(key_name):
            edit_config(ws.repo, "--replace-all", key_name, value, f"^{re.escape(value)}$")
            yield f"git config {key_name} {value}"
