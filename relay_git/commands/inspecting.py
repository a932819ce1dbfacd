"""What `git relay inspect` prints: how a pipeline stands, its steps as a table, one in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from relay_git.output import Output, count, plain
from relay_git.workflow.divergence import SHORT

if TYPE_CHECKING:
    from relay_git.pipeline.overview import Seen, Standing

_WIDTH = 74
_AGENT = 16
_SECTIONS = 26
"""Columns, so that a line of the table has less than 80."""


def print_standing(one: Standing, out: Output) -> None:
    record = one.tip.envelope
    stands = f"{one.status} at step {record.step}"
    told = f"{stands}, {record.budget_used} of {record.budget_total} tokens used"
    if one.agent:
        told += f", last {one.agent}"
    out.text(f"{out.style(plain(one.name), 'bold')}  {plain(told)}")
    notes = [str(record.run), *(["not this clone's own"] if one.elsewhere else [])]
    if one.forks:
        notes.append(f"{count(one.forks, 'fork')} not joined yet")
    out.text(out.style(f"  {', '.join(notes)}", "dim"))


def print_story(one: Standing, told: Sequence[Seen], waiting: Sequence[Seen], out: Output) -> None:
    """Every step, the forks that wait, and what more can be asked or done."""
    named = plain(one.name if one.own else one.tip.envelope.run)
    out.text()
    _print_table(told, out)
    if one.status == "diverged":
        out.text()
        out.text(f"it went on in two places: git relay resolve {named} STEP")
    if rejecting := [seen.step.envelope.step for seen in told if seen.kept]:
        out.text()
        out.text(f"every output is kept: git relay inspect {named} --step {rejecting[-1]}")
    if waiting:
        out.text()
        out.text("forks not joined yet:")
        _print_table(waiting, out)
        out.text()
        number = waiting[-1].step.envelope.step
        out.text(f"what they said: git relay inspect {named} --step {number}")


def print_sizes(sizes: Mapping[str, int], out: Output) -> None:
    out.text()
    listed = (f"{name} {size} bytes" for name, size in sizes.items())
    out.text(plain(f"sections: {', '.join(listed) or 'none'}"))


def print_step(seen: Seen, out: Output) -> None:
    """All about it but the values."""
    out.text(out.style(plain(_title(seen)), "yellow"))
    for name, text in _facts(seen):
        out.text(f"{name:<11} {plain(text)}")


def print_values(seen: Seen, values: Mapping[str, bytes], out: Output) -> None:
    """What it wrote."""
    for section in seen.removed:
        out.text(plain(f"took out {section}"))
    for section, data in values.items():
        out.text()
        out.text(out.style(plain(section), "bold"))
        out.raw(plain(data.decode("utf-8", "replace")))


def print_kept(seen: Seen, values: Mapping[str, bytes], out: Output) -> None:
    """An output that hangs beside a step: whose it is, and what it wrote."""
    whose = f"fork {seen.event.fork}" if seen.event.fork else "rejected output"
    out.text()
    out.text(out.style(plain(f"{whose} ({seen.step.oid})"), "yellow"))
    print_values(seen, values, out)


# The table


def _print_table(told: Sequence[Seen], out: Output) -> None:
    """Of steps with the same number each has the beginning of its object id beside it."""
    head = _columns("step", "agent", "what", "sections", "slice", "wrote", "sure")
    out.text(out.style(head, "dim"))
    times = Counter(seen.step.envelope.step for seen in told if not seen.event.fork)
    for seen in told:
        out.text(_row(seen, out))
        which = [seen.step.oid[:SHORT]] if times[seen.step.envelope.step] > 1 else []
        for line in (*which, *_back(seen), *_findings(seen), *_receipts(seen)):
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


def _back(seen: Seen) -> Iterable[str]:
    """Of a rollback by hand."""
    if seen.event.kind == "rollback" and not seen.event.findings:
        yield f"to step {seen.event.to}"


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


# One step


def _title(seen: Seen) -> str:
    record = seen.step.envelope
    if seen.event.kind == "fork":
        return f"fork {seen.event.fork} at step {record.step} of {record.run}, not joined yet"
    return f"step {record.step} of {record.run}"


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
