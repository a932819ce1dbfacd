"""`git relay inspect`: what the pipelines of this repository did, step by step."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from relay_git.chain.chain import Step
from relay_git.commands.context import Context
from relay_git.commands.options import step_name
from relay_git.errors import Refused, UsageError
from relay_git.output import Output, count, plain
from relay_git.workflow import runs
from relay_git.workflow.divergence import SHORT, pick
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.pipeline.overview import Seen, Standing

EXAMPLE = """
git relay inspect
git relay inspect summarise-tickets
git relay inspect summarise-tickets --step 3
git relay inspect summarise-tickets --section FACTS
"""

_WIDTH = 74
_AGENT = 16
_SECTIONS = 26
"""Columns, so that a line of the table has less than 80."""


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
        help="all about one step, and the output that it rejected",
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


# All


def _all(ws: Workspace, ctx: Context) -> int:
    from relay_git.pipeline.overview import standing_json, standings

    found, broken = standings(ws.store)
    if ctx.json:
        ctx.out.json({"pipelines": list(map(standing_json, found)), "unreadable": broken})
        return 0
    for one in found:
        _print_standing(one, ctx.out)
    for ref, reason in broken.items():
        ctx.out.text(ctx.out.style(f"{plain(ref)}: {plain(reason)}", "red"))
    if not found:
        ctx.out.text("no pipeline has an open run (git relay runs --all)")
    return 0


def _print_standing(one: Standing, out: Output) -> None:
    record = one.tip.envelope
    told = f"{_stands(one)}, {record.budget_used} of {record.budget_total} tokens used"
    if one.agent:
        told += f", last {one.agent}"
    out.text(f"{out.style(plain(one.name), 'bold')}  {plain(told)}")
    notes = [str(record.run), *(["not this clone's own"] if one.elsewhere else [])]
    if one.forks:
        notes.append(f"{count(one.forks, 'fork')} not joined yet")
    out.text(out.style(f"  {', '.join(notes)}", "dim"))


def _stands(one: Standing) -> str:
    return f"{one.status} at step {one.tip.envelope.step}"


# One


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
    _print_standing(one, ctx.out)
    ctx.out.text()
    _print_table(told, ctx.out)
    if rejecting := [seen.step.envelope.step for seen in told if seen.kept]:
        ctx.out.text()
        named = one.name if one.own else tip.envelope.run
        command = f"git relay inspect {named} --step {rejecting[-1]}"
        ctx.out.text(plain(f"every output is kept: {command}"))
    if waiting:
        ctx.out.text()
        ctx.out.text("forks not joined yet:")
        _print_table(waiting, ctx.out)
    ctx.out.text()
    listed = (f"{name} {size} bytes" for name, size in sizes.items())
    ctx.out.text(plain(f"sections: {', '.join(listed) or 'none'}"))
    return 0


def _print_table(told: Iterable[Seen], out: Output) -> None:
    head = _columns("step", "agent", "what", "sections", "slice", "wrote", "sure")
    out.text(out.style(head, "dim"))
    for seen in told:
        out.text(_row(seen, out))
        for line in (*_findings(seen), *_receipts(seen)):
            for part in wrap(plain(line), _WIDTH, subsequent_indent="    "):
                out.text(f"      {part}")


def _row(seen: Seen, out: Output) -> str:
    event, shown = seen.event, seen.rejected or seen
    asked = event.agent is not None or event.join is not None
    numbers = seen.tokens if asked else ("", "")
    line = _columns(
        seen.step.envelope.step,
        _cut(event.fork or event.agent or "", _AGENT),
        _what(seen),
        _cut(", ".join((*shown.wrote, *(f"-{name}" for name in shown.removed))), _SECTIONS),
        *numbers,
        _sure(event.confidence) if asked else "",
    )
    colour = {"rejected": "red", "rollback": "yellow", "merge": "red"}.get(_what(seen))
    return out.style(plain(line), colour) if colour else plain(line)


def _columns(step: object, agent: str, what: str, sections: str, *numbers: object) -> str:
    right = "  ".join(f"{number:>5}" for number in numbers)
    return f"{step:>4}  {agent:<{_AGENT}}  {what:<8}  {sections:<{_SECTIONS}}{right}".rstrip()


def _what(seen: Seen) -> str:
    if seen.step.is_merge:
        return "merge"
    return "rejected" if seen.rejected else seen.event.kind


def _sure(thousandths: int) -> str:
    return f"{thousandths / 1000:.2f}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _findings(seen: Seen) -> Iterable[str]:
    for found in seen.event.findings:
        where = f" in {found.section}" if found.section else ""
        yield f"{found.code}{where}: {found.reason}"


def _receipts(seen: Seen) -> Iterable[str]:
    """What became of each fork of a join."""
    joined = seen.event.join
    if joined is None:
        return
    yield f"{joined.strategy} of {count(len(joined.forks), 'fork')}:"
    for fork in joined.forks:
        chosen = ", chosen" if fork.fork in joined.chosen else ""
        sure = f" {_sure(fork.confidence)}" if fork.output else ""
        why = f": {fork.code}: {fork.reason}" if fork.code else ""
        yield f"  {fork.fork} ({fork.agent}) {fork.outcome}{sure}{chosen}{why}"


# One step, one section


def _step(ws: Workspace, tip: Step, name: str, ctx: Context) -> int:
    seen = _pick(ws, tip, name)
    if ctx.json:
        ctx.out.json(_in_full(ws, seen))
        return 0
    record = seen.step.envelope
    ctx.out.text(ctx.out.style(f"step {record.step} of {record.run}", "yellow"))
    for title, text in _facts(seen):
        ctx.out.text(f"{title:<11} {plain(text)}")
    for one in (seen, *seen.kept):
        _print_values(one, _values(ws, one), ctx.out)
    return 0


def _in_full(ws: Workspace, seen: Seen) -> dict[str, Any]:
    from relay_git.pipeline.overview import seen_json, value

    values = {name: value(name, data) for name, data in _values(ws, seen).items()}
    kept = [_in_full(ws, one) for one in seen.kept]
    return {**seen_json(seen), "values": values, "kept": kept}


def _print_values(seen: Seen, values: Mapping[str, bytes], out: Output) -> None:
    """What it wrote. Of an output beside the chain, whose it is too."""
    if seen.event.kind in ("output", "fork"):
        whose = f"fork {seen.event.fork}" if seen.event.fork else "rejected output"
        out.text()
        out.text(out.style(plain(f"{whose} ({seen.step.oid})"), "yellow"))
    for section in seen.removed:
        out.text(plain(f"took out {section}"))
    for section, data in values.items():
        out.text()
        out.text(out.style(plain(section), "bold"))
        out.raw(plain(data.decode("utf-8", "replace")))


def _facts(seen: Seen) -> Iterable[tuple[str, str]]:
    event, record = seen.event, seen.step.envelope
    yield "commit", seen.step.oid
    yield "at", record.timestamp
    if event.agent:
        yield "agent", f"{event.agent}, which saw step {event.sliced_at}"
        yield "manifest", (event.manifest or "")[:SHORT]
        yield "tokens", f"{event.slice_tokens} in its slice, {event.output_tokens} written"
        yield "confidence", _sure(event.confidence)
    yield "budget", f"{record.budget_used} of {record.budget_total} tokens used"
    yield "what", seen.step.commit.message.partition("\n")[0]
    yield from (("found", line) for line in _findings(seen))
    for number, line in enumerate(_receipts(seen)):
        yield ("" if number else "forks"), line.strip()


def _section(ws: Workspace, tip: Step, step: str | None, name: str, ctx: Context) -> int:
    from relay_git.pipeline.overview import contents, value

    at = _pick(ws, tip, step).step if step else tip
    found = dict(contents(ws.store, at))
    if name not in found:
        there = ", ".join(found) or "none"
        raise Refused(f"step {at.envelope.step} has no section {name!r}", hint=f"it has {there}")
    if ctx.json:
        told = {"section": name, "step": at.envelope.step}
        ctx.out.json({**told, "value": value(name, found[name])})
    else:
        ctx.out.raw(plain(found[name].decode("utf-8", "replace")))
    return 0


def _pick(ws: Workspace, tip: Step, name: str) -> Seen:
    from relay_git.pipeline.overview import steps

    told = steps(ws.store, tip.oid)
    chosen = pick([seen.step for seen in told], name)
    return next(seen for seen in told if seen.step.oid == chosen.oid)


def _values(ws: Workspace, seen: Seen) -> dict[str, bytes]:
    """Of the sections that it wrote."""
    from relay_git.pipeline.overview import contents

    return {name: data for name, data in contents(ws.store, seen.step) if name in seen.wrote}
