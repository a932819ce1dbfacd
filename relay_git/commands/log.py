"""`git relay log`: the story of a run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.commands.context import Context
from relay_git.commands.report import standing_of, title_of
from relay_git.output import Output, plain
from relay_git.workflow import runs
from relay_git.workflow.divergence import SHORT

EXAMPLE = "git relay log retry-timer"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", help="any unambiguous part of a run's id")


def run(args: Namespace, ctx: Context) -> int:
    tip = runs.last_step(ctx.workspace, args.run)
    steps = list(chain.walk(ctx.workspace.store, tip.oid))[::-1]
    by_digest = {step.digest: step for step in steps}
    told = [_told(step, by_digest.get(step.envelope.parent or "")) for step in steps]
    if ctx.json:
        ctx.out.json({"run": tip.envelope.run, "status": told[-1]["status"], "steps": told})
        return 0
    title = ctx.out.style(tip.envelope.run, "bold")
    ctx.out.text(f"{title}  {title_of(ctx.workspace.store, tip)}")
    digits = SHORT if any(step.is_merge for step in steps) else 0
    for item in told:
        _print(item, digits, ctx.out)
    return 0


def _told(step: Step, before: Step | None) -> dict[str, Any]:
    event, stage, status = standing_of(step)
    subject, _, rest = step.commit.message.partition("\n")
    return {
        "step": step.envelope.step,
        "commit": step.oid,
        "at": step.envelope.timestamp,
        "by": step.commit.author.name,
        "role": step.envelope.role,
        "event": "merge" if step.is_merge else event,
        "subject": subject,
        "body": rest.strip().rpartition("\n\n")[0],
        "stage": stage,
        "status": status,
        "artifacts": [] if step.is_merge else _written(step, before),
    }


def _written(step: Step, before: Step | None) -> list[str]:
    known = before.envelope.files if before else {}
    changed = [p for p, digest in step.envelope.files.items() if known.get(p) != digest]
    return sorted(p.partition("/")[2] for p in changed if p.startswith("artifacts/"))


def _print(item: dict[str, Any], digits: int, out: Output) -> None:
    """Object ids are shown where two steps can have one number."""
    number = out.style(f"{item['step']:>3}", "yellow")
    commit = f"{item['commit'][:digits]}  " if digits else ""
    when = out.style(item["at"].replace("T", " ")[:16], "dim")
    who = item["role"] or item["by"]
    out.text(f"{number}  {commit}{when}  {_coloured(item, out)}")
    written = f" wrote {', '.join(item['artifacts'])}" if item["artifacts"] else ""
    indent = " " * (23 + len(commit))
    out.text(f"{indent}{out.style(plain(who + written), 'dim')}")
    for line in item["body"].splitlines():
        out.text(f"{indent}  {plain(line)}")


def _coloured(item: dict[str, Any], out: Output) -> str:
    colours = {"halted": "red", "abandoned": "red", "diverged": "red", "done": "green"}
    return out.style(plain(item["subject"]), colours.get(item["status"], "bold"))
