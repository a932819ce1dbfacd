"""`git relay inspect`: what the pipelines of this repository did, step by step."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from relay_git.chain.chain import Step
from relay_git.commands import inspecting
from relay_git.commands.context import Context
from relay_git.commands.options import step_name
from relay_git.errors import Refused, UsageError
from relay_git.output import plain
from relay_git.workflow import runs
from relay_git.workflow.divergence import number_in, pick
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.pipeline.overview import Seen

EXAMPLE = """
git relay inspect
git relay inspect summarise-tickets
git relay inspect summarise-tickets --step 3
git relay inspect summarise-tickets --section FACTS
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run",
        nargs="?",
        metavar="PIPELINE",
        help="its name, or any unambiguous part of a run's id; all that are open if left out",
    )
    parser.add_argument(
        "--step",
        dest="at",
        type=step_name,
        metavar="STEP",
        help="all about one step, and the outputs that it rejected, joined or waits for",
    )
    parser.add_argument(
        "--section", metavar="NAME", help="the value of a section, as the (last) step has it"
    )


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    if args.run is None:
        if args.at or args.section:
            raise UsageError("name the pipeline", hint="see `git relay inspect`")
        return _all(ws, ctx)
    tip = _find(ws, args.run)
    if args.section:
        return _section(ws, tip, args.at, args.section, ctx)
    return _step(ws, tip, args.at, ctx) if args.at else _one(ws, tip, ctx)


def _find(ws: Workspace, selector: str) -> Step:
    """The last step of the run that a pipeline's name stands for, or that is so called."""
    from relay_git.pipeline.overview import run_of

    tip = runs.last_step(ws, run_of(ws.store, selector) or selector)
    if runs.is_workflow(tip):
        hint = "`git relay log` tells its story"
        raise Refused(f"{tip.envelope.run} is a workflow's run", hint=hint)
    return tip


def _all(ws: Workspace, ctx: Context) -> int:
    from relay_git.pipeline.overview import standing_json, standings

    found, broken = standings(ws.store)
    if ctx.json:
        ctx.out.json({"pipelines": list(map(standing_json, found)), "unreadable": broken})
        return 0
    for one in found:
        inspecting.print_standing(one, ctx.out)
    for ref, reason in broken.items():
        ctx.out.text(ctx.out.style(f"{plain(ref)}: {plain(reason)}", "red"))
    if not found:
        ctx.out.text("no pipeline has an open run (git relay runs --all)")
    return 0


def _one(ws: Workspace, tip: Step, ctx: Context) -> int:
    from relay_git.pipeline.overview import (
        contents,
        forks,
        seen_json,
        standing,
        standing_json,
        steps,
    )

    one, told = standing(ws.store, tip), steps(ws.store, tip.oid)
    waiting = forks(ws.store, tip.envelope.run)
    sizes = {name: len(data) for name, data in contents(ws.store, tip)}
    if ctx.json:
        shown = {"steps": list(map(seen_json, told)), "waiting": list(map(seen_json, waiting))}
        ctx.out.json({**standing_json(one), "sections": sizes, **shown})
        return 0
    inspecting.print_standing(one, ctx.out)
    inspecting.print_story(one, told, waiting, ctx.out)
    inspecting.print_sizes(sizes, ctx.out)
    return 0


# One step, one section


def _step(ws: Workspace, tip: Step, name: str, ctx: Context) -> int:
    """The step, and the forks that would have made it; these alone where it is not made yet."""
    step, waiting = _named(ws, tip, name)
    if ctx.json:
        told = _in_full(ws, step) if step else {"step": waiting[0].step.envelope.step}
        ctx.out.json({**told, "waiting": [_in_full(ws, fork) for fork in waiting]})
        return 0
    for number, one in enumerate([*([step] if step else []), *waiting]):
        if number:
            ctx.out.text()
        _print(ws, one, ctx)
    return 0


def _print(ws: Workspace, seen: Seen, ctx: Context) -> None:
    inspecting.print_step(seen, ctx.out)
    inspecting.print_values(seen, _values(ws, seen), ctx.out)
    for kept in seen.kept:
        inspecting.print_kept(kept, _values(ws, kept), ctx.out)


def _in_full(ws: Workspace, seen: Seen) -> dict[str, Any]:
    from relay_git.pipeline.overview import seen_json, value

    values = {name: value(name, data) for name, data in _values(ws, seen).items()}
    kept = [_in_full(ws, one) for one in seen.kept]
    return {**seen_json(seen), "values": values, "kept": kept}


def _values(ws: Workspace, seen: Seen) -> dict[str, bytes]:
    """Of the sections that it wrote."""
    from relay_git.pipeline.overview import contents

    return {name: data for name, data in contents(ws.store, seen.step) if name in seen.wrote}


def _section(ws: Workspace, tip: Step, name: str | None, section: str, ctx: Context) -> int:
    from relay_git.pipeline.overview import contents, value

    at = _alone(ws, tip, name) if name else tip
    found = dict(contents(ws.store, at))
    if section not in found:
        there = ", ".join(found) or "none"
        raise Refused(f"step {at.envelope.step} has no section {section!r}", hint=f"it has {there}")
    if ctx.json:
        told = {"section": section, "step": at.envelope.step}
        ctx.out.json({**told, "value": value(section, found[section])})
    else:
        ctx.out.raw(plain(found[section].decode("utf-8", "replace")))
    return 0


def _alone(ws: Workspace, tip: Step, name: str) -> Step:
    """The step, or the one fork that waits to make it. Raises `Refused`."""
    step, waiting = _named(ws, tip, name)
    return step.step if step else pick([fork.step for fork in waiting], name)


def _named(ws: Workspace, tip: Step, name: str) -> tuple[Seen | None, list[Seen]]:
    """What a number or the beginning of an object id names: a step, and the forks that wait where
    it is, or these alone. Raises `Refused`."""
    from relay_git.pipeline.overview import forks, steps

    told, waiting = steps(ws.store, tip.oid), forks(ws.store, tip.envelope.run)
    number = number_in(name)
    here = [fork for fork in waiting if fork.step.envelope.step == number]
    if here and not any(seen.step.envelope.step == number for seen in told):
        return None, here
    found = _picked(told if here else [*told, *waiting], name)
    return (None, [found]) if found in waiting else (found, here)


def _picked(known: Sequence[Seen], name: str) -> Seen:
    chosen = pick([seen.step for seen in known], name)
    return next(seen for seen in known if seen.step.oid == chosen.oid)
