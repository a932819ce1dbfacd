"""`git relay log`: the story of a run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.commands.context import Context
from relay_git.output import Output, plain
from relay_git.workflow import runs
from relay_git.workflow.machine import event_name

EXAMPLE = "git relay log retry-timer"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", help="any unambiguous part of a run's id")


def run(args: Namespace, ctx: Context) -> int:
    found = runs.find(ctx.workspace, args.run)
    steps = list(chain.walk(ctx.workspace.store, found.tip.oid))[::-1]
    told = [_told(step, before) for step, before in zip(steps, [None, *steps], strict=False)]
    if ctx.json:
        ctx.out.json({"run": found.id, "status": found.state.status, "steps": told})
        return 0
    ctx.out.text(f"{ctx.out.style(found.id, 'bold')}  {found.workflow.name}, {found.state.status}")
    for item in told:
        _print(item, ctx.out)
    return 0


def _told(step: Step, before: Step | None) -> dict[str, Any]:
    state = runs.state_of(step)
    subject, _, rest = step.commit.message.partition("\n")
    known = before.envelope.files if before else {}
    changed = [p for p, digest in step.envelope.files.items() if known.get(p) != digest]
    return {
        "step": step.envelope.step,
        "commit": step.oid,
        "at": step.envelope.timestamp,
        "by": step.commit.author.name,
        "role": step.envelope.role,
        "event": event_name(state.event),
        "subject": subject,
        "body": rest.strip().rpartition("\n\n")[0],
        "stage": state.stage,
        "status": state.status,
        "artifacts": sorted(p.partition("/")[2] for p in changed if p.startswith("artifacts/")),
    }


def _print(item: dict[str, Any], out: Output) -> None:
    number = out.style(f"{item['step']:>3}", "yellow")
    when = out.style(item["at"].replace("T", " ")[:16], "dim")
    who = item["role"] or item["by"]
    out.text(f"{number}  {when}  {_coloured(item, out)}")
    written = f" wrote {', '.join(item['artifacts'])}" if item["artifacts"] else ""
    out.text(f"{'':23}{out.style(plain(who + written), 'dim')}")
    for line in item["body"].splitlines():
        out.text(f"{'':25}{plain(line)}")


def _coloured(item: dict[str, Any], out: Output) -> str:
    style = {"halted": "red", "abandoned": "red", "done": "green"}.get(item["status"], "bold")
    return out.style(plain(item["subject"]), style)
