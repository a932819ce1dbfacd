"""`git relay doctor`: say what is wrong here, and how to mend it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator

from relay_git.commands.context import Context
from relay_git.commands.report import problems_json
from relay_git.errors import RelayError
from relay_git.git.repo import discover
from relay_git.output import count, plain
from relay_git.workspace import Workspace

EXAMPLE = "git relay doctor"


def add_parser(parser: ArgumentParser) -> None:
    del parser


def run(args: Namespace, ctx: Context) -> int:
    """Without completing first what waits: that would hide it."""
    from relay_git.doctor import checks, places
    from relay_git.doctor.objects import objects
    from relay_git.doctor.unrecorded import unrecorded

    del args
    ws = Workspace(discover(ctx.directory))
    areas: dict[str, Callable[[Workspace], Iterable[RelayError]]] = {
        "versions": checks.versions,
        "hooks": _hooks,
        "config": checks.configuration,
        "disk": places.disk,
        "files": places.own_files,
        "refs": checks.refs,
        "objects": objects,
        "locks": checks.locks,
        "keys": checks.keys,
        "runs": checks.unsettled,
        "commits": unrecorded,
    }
    found = {area: _problems(check, ws) for area, check in areas.items()}
    total = sum(map(len, found.values()))
    if ctx.json:
        ctx.out.json({area: problems_json(problems) for area, problems in found.items()})
        return 1 if total else 0
    for area, problems in found.items():
        for problem in problems:
            ctx.out.text(f"{ctx.out.style(area, 'yellow')}: {plain(str(problem))}")
    ctx.out.text(f"{count(total, 'problem')}" if total else "all is well; a hook was fired and ran")
    return 1 if total else 0


def _problems(
    check: Callable[[Workspace], Iterable[RelayError]], ws: Workspace
) -> list[RelayError]:
    """A check that cannot be made is a finding, and does not hide the others."""
    found: list[RelayError] = []
    try:
        found.extend(check(ws))
    except RelayError as problem:
        found.append(problem)
    return found


def _hooks(ws: Workspace) -> Iterator[RelayError]:
    from relay_git.githooks.install import serves, status
    from relay_git.githooks.proof import fire, fire_gate

    states = status(ws.repo)
    if all(state.state == "missing" for state in states):
        yield RelayError("no hooks are installed", hint="run `git relay hooks install`")
        return
    yield from (state.problem for state in states if state.problem)
    proof = fire_gate(ws.repo) if serves(states) else fire(ws.repo)
    if proof:
        yield proof
