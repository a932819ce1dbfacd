"""`git relay lessons`: list, show, add, edit, retire and render lessons."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from relay_git import clock, files
from relay_git.commands.context import Context
from relay_git.commands.options import common
from relay_git.errors import RelayError
from relay_git.git import process
from relay_git.lessons.conflicts import conflicts
from relay_git.lessons.inject import rank
from relay_git.lessons.keep import KeptLesson
from relay_git.lessons.model import SEVERITIES
from relay_git.lessons.occurrences import occurrences
from relay_git.lessons.shelf import Shelf, add, find, retire
from relay_git.names import LESSONS_INDEX, Word
from relay_git.output import Output, plain

EXAMPLE = """
git relay lessons list --role planner
git relay lessons add planner "State the rollback in every plan" --severity warn
git relay lessons retire 3f9a01 --reason "the queue is gone"
"""

_WHICH = "an id or its beginning, or a file name"


def add_parser(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    listed = verbs.add_parser("list", parents=[common()], help="the lessons in force (the default)")
    listed.add_argument("--role", help="only those for this role")
    listed.add_argument("--retired", action="store_true", help="those withdrawn instead")
    listed.add_argument("--conflicts", action="store_true", help="those that contradict each other")
    show = verbs.add_parser("show", parents=[common()], help="one lesson and where it comes from")
    show.add_argument("lesson", help=_WHICH)
    made = verbs.add_parser("add", parents=[common()], help="a lesson of your own")
    made.add_argument("role", help="whom it is for")
    made.add_argument("claim", help="one sentence")
    made.add_argument(
        "--severity", choices=SEVERITIES, default="warn", help="warn unless you say otherwise"
    )
    made.add_argument("--tag", action="append", default=[], help="a path or symbol it is about")
    edit = verbs.add_parser("edit", parents=[common()], help="open one in your editor")
    edit.add_argument("lesson", help=_WHICH)
    gone = verbs.add_parser("retire", parents=[common()], help="withdraw one, with a reason")
    gone.add_argument("lesson", help=_WHICH)
    gone.add_argument("--reason", required=True, help="why it no longer holds")
    built = verbs.add_parser("render", parents=[common()], help="rebuild .relay/LESSONS.md")
    built.add_argument("--exit-code", action="store_true", help="exit 1 when that changed it")


def run(args: Namespace, ctx: Context) -> int:
    verbs = {
        "list": _list,
        "show": _show,
        "add": _add,
        "edit": _edit,
        "retire": _retire,
        "render": _render,
    }
    if args.verb is None:
        args.role, args.retired, args.conflicts = None, False, False
    return verbs[args.verb or "list"](args, ctx)


def _list(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    shelf = _shelf(ctx)
    if args.conflicts:
        return _list_conflicts(shelf, ctx)
    counts = occurrences(ws.store, ws.cache_dir)
    lessons = shelf.retired if args.retired else shelf.kept
    chosen = [one for one in lessons if args.role in (None, one.role)]
    ordered = sorted(chosen, key=lambda lesson: (lesson.role, rank(lesson, counts), lesson.id))
    if ctx.json:
        ctx.out.json([_json(one, counts.get(one.claim_hash, 0)) for one in ordered])
        return 0
    for one in ordered:
        times = counts.get(one.claim_hash, 0)
        again = f" ×{times}" if times > 1 else ""
        ctx.out.text(
            f"{one.id[:8]}  {_severity(one, ctx.out)}  {one.role}: {plain(one.claim)}{again}"
        )
    if not ordered:
        ctx.out.text("no lessons")
    return 0


def _list_conflicts(shelf: Shelf, ctx: Context) -> int:
    groups = conflicts(shelf)
    if ctx.json:
        ctx.out.json([[_json(one, 0) for one in group] for group in groups])
        return 0
    for group in groups:
        for one in group:
            ctx.out.text(f"{one.id[:8]}  {one.role}: {plain(one.claim)}")
        ctx.out.text()
    ctx.out.text("decide which holds: edit one, or retire it" if groups else "no conflicts")
    return 0


def _show(args: Namespace, ctx: Context) -> int:
    one = find(_shelf(ctx), args.lesson)
    if ctx.json:
        ctx.out.json(_json(one, 0))
        return 0
    text = files.read_in(ctx.workspace.worktree, one.path) or b""
    ctx.out.text(ctx.out.style(plain(one.path), "bold"))
    for line in text.decode("utf-8", "replace").splitlines():
        ctx.out.text(plain(line))
    return 0


def _add(args: Namespace, ctx: Context) -> int:
    at = clock.isoformat(clock.now())
    path = add(
        ctx.workspace.worktree,
        _shelf(ctx),
        Word(args.role),
        _clean(args.claim, ctx),
        args.severity,
        at,
        tags=args.tag,
    )
    return _changed(ctx, "wrote", path)


def _edit(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    one = find(_shelf(ctx), args.lesson)
    editor = ws.repo.git("var", "GIT_EDITOR").stdout.decode().strip()
    if process.attended("sh", "-c", f'{editor} "$@"', editor, one.path, cwd=ws.worktree):
        raise RelayError(f"the editor {editor!r} failed", where=one.path)
    return _changed(ctx, "edited", one.path)


def _retire(args: Namespace, ctx: Context) -> int:
    at = clock.isoformat(clock.now())
    reason = _clean(args.reason, ctx)
    path = retire(ctx.workspace.worktree, _shelf(ctx), args.lesson, reason, at)
    return _changed(ctx, "moved to", path)


def _render(args: Namespace, ctx: Context) -> int:
    from relay_git.workflow.delivery import render_index

    changed = render_index(ctx.workspace)
    if ctx.json:
        ctx.out.json({"path": LESSONS_INDEX, "changed": changed})
    else:
        ctx.out.text(f"{LESSONS_INDEX}: {'rebuilt' if changed else 'no change'}")
    return 1 if changed and args.exit_code else 0


def _changed(ctx: Context, verb: str, path: str) -> int:
    """LESSONS.md follows whatever a command did to the lessons."""
    from relay_git.workflow.delivery import render_index

    render_index(ctx.workspace)
    ctx.out.json({"path": path}) if ctx.json else ctx.out.text(f"{verb} {plain(path)}")
    return 0


def _clean(text: str, ctx: Context) -> str:
    from relay_git.redact import redact

    return redact(text, ctx.workspace.settings.redact_literals)[0]


def _shelf(ctx: Context) -> Shelf:
    shelf = Shelf.load(ctx.workspace.worktree, ctx.workspace.cache_dir)
    for problem in shelf.problems:
        sys.stderr.write(f"git relay: {problem}\n")
    return shelf


def _severity(one: KeptLesson, out: Output) -> str:
    style = {"error": "red", "warn": "yellow", "info": "dim"}[one.severity]
    return out.style(f"{one.severity:<5}", style)


def _json(one: KeptLesson, occurrences: int) -> dict[str, Any]:
    return {
        "id": one.id,
        "path": one.path,
        "role": one.role,
        "claim": one.claim,
        "severity": one.severity,
        "kind": one.kind,
        "tags": list(one.tags),
        "run": one.run,
        "observed_at": one.observed_at,
        "retired": one.retired,
        "occurrences": occurrences,
    }
