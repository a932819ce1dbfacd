"""`git relay start`: begin a run."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence

from relay_git import names
from relay_git.commands.context import Context
from relay_git.commands.report import tell_moved
from relay_git.errors import InvalidName, Refused, RelayError
from relay_git.names import ArtifactName
from relay_git.workflow import actions, working_set
from relay_git.workflow.model import Workflow

EXAMPLE = "git relay start bug-rca-fix --slug retry-timer --context issue.md"

CONTEXT = ArtifactName("context.md")


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", nargs="?", help="a workflow of .relay/workflows/")
    parser.add_argument("--slug", help="what the run is about, for its id")
    parser.add_argument(
        "--context",
        nargs="+",
        default=[],
        metavar="FILE",
        help="what the run is about; a file named like one of the workflow's artifacts becomes "
        "that artifact, all others together context.md",
    )


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.workflow.definition import load_workflow
    from relay_git.workflow.find import find_workflow

    ws = ctx.workspace
    relay_dir = os.path.join(ws.worktree, names.RELAY_DIR)
    directory = find_workflow(relay_dir, args.workflow, ws.settings.default_workflow)
    definition = load_workflow(directory)
    contents = {**definition.seeds, **_given(args.context, ctx.directory, definition.workflow)}
    working_set.check(contents, ws.max_artifact)
    slug = _slug(args.slug, definition.workflow.name)
    moved = actions.start(ws, definition.workflow, definition.rules, contents, slug)
    tell_moved(moved, ctx)
    return 0


def _slug(given: str | None, workflow: str) -> str:
    if given is None:
        return names.slug(workflow) or "run"
    if not given or names.slug(given, most=len(given) + 1) != given or len(given) > 40:
        raise InvalidName(
            f"{given!r} cannot be a slug",
            hint="use up to 40 lower-case letters, digits and '-', such as fix-login",
        )
    return given


def _given(paths: Sequence[str], directory: str, workflow: Workflow) -> dict[ArtifactName, bytes]:
    """The artifacts that the files are for. Raises `Refused` when nobody would read them."""
    known = {str(name): name for name in workflow.artifacts()}
    found: dict[ArtifactName, bytes] = {}
    rest: dict[str, bytes] = {}
    for path in paths:
        data, base = _read(os.path.join(directory, path), path), os.path.basename(path)
        if base in known:
            found[known[base]] = data
        else:
            rest[base] = data
    if rest and CONTEXT not in known:
        raise Refused(
            f"no role of {workflow.name} reads {CONTEXT}",
            where="--context",
            hint=f"name the file like one of {', '.join(known)}",
        )
    if rest:
        found[CONTEXT] = _joined([found.pop(CONTEXT, b""), *_headed(rest)])
    return found


def _headed(texts: Mapping[str, bytes]) -> list[bytes]:
    """One text as it is; several under headings that name them."""
    if len(texts) == 1:
        return list(texts.values())
    return [f"# {name}\n\n".encode() + text for name, text in texts.items()]


def _joined(texts: Sequence[bytes]) -> bytes:
    """With an empty line between them."""
    return b"\n".join(text if text.endswith(b"\n") else text + b"\n" for text in texts if text)


def _read(path: str, shown: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise RelayError(f"cannot be read: {error.strerror}", where=shown) from None
