"""`git relay purge`: take a leaked secret out of every run, here and wherever this is synced."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context
from relay_git.errors import Refused, UsageError
from relay_git.output import count, plain
from relay_git.workflow.leaks import Found, holding, in_run, read_literals, runs_of, still_here

EXAMPLE = """
git relay purge 3f9a:plan.md --dry-run
git relay purge --literal-file leaked.txt
"""

_THEN = """\
then, to be rid of it for good:
  remotes  git relay sync with each, then a gc on the server
  here     git reflog expire --expire=now --all && git gc --prune=now
  others   git relay sync and the same gc in each clone; forks, backups and caches as well
  and      change the secret: whoever fetched it has it"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run", nargs="?", metavar="RUN[:PATH]", help="all artifacts of a run, or one of them"
    )
    parser.add_argument(
        "--literal-file",
        metavar="F",
        help="every artifact that holds one of the texts in this file, one a line",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be purged")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.sync.purging import purge

    if (args.run is None) == (args.literal_file is None):
        raise UsageError("name a run, or --literal-file", hint="see `git relay purge --help`")
    ws = ctx.workspace
    literals = () if args.run else read_literals(args.literal_file)
    found = in_run(ws, args.run) if args.run else holding(ws, literals)
    if not args.dry_run and found.objects and not (args.yes or _agreed(found)):
        raise Refused("not purged", hint="pass --yes to purge without being asked")
    refs = {} if args.dry_run else purge(ws, found.objects)
    left = still_here(ws, found.objects, literals)
    if ctx.json:
        ctx.out.json(
            {
                "objects": sorted(found.objects),
                "places": list(found.places),
                "kept": list(found.kept),
                "rewritten": sorted(refs),
                "files": left,
                "dry_run": args.dry_run,
            }
        )
    else:
        _print(found, sorted(refs), left, args.dry_run, ctx)
    return 1 if found.kept else 0


def _agreed(found: Found) -> bool:
    if not sys.stdin.isatty():
        return False
    sys.stderr.write(f"purge {_amount(found)}? It cannot be undone. [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _amount(found: Found) -> str:
    where = runs_of(found.places)
    return count(len(found.objects), "object") + (
        f" of {count(len(where), 'run')}" if where else ""
    )


def _print(found: Found, refs: list[str], left: list[str], dry: bool, ctx: Context) -> None:
    out = ctx.out
    if not found.objects:
        out.text("nothing to purge")
    else:
        out.text(f"{'would purge' if dry else 'purged'} {_amount(found)}")
    for ref in refs:
        out.text(f"rewrote {plain(ref)}")
    for place in found.kept:
        what = f"still holds it, since its signature would not hold: {plain(place)}"
        out.text(out.style(what, "red"))
    for path in left:
        out.text(f"still holds it, since it is yours: {plain(path)}")
    if found.objects and not dry:
        out.text(_THEN)
