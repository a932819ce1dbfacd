"""`git relay runs`: list runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from relay_git import names
from relay_git.chain import history
from relay_git.chain.chain import Step
from relay_git.commands.context import Context
from relay_git.errors import RelayError
from relay_git.names import Oid, RunId
from relay_git.output import plain
from relay_git.workflow import runs
from relay_git.workspace import Workspace

EXAMPLE = "git relay runs --all"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="the finished ones too")


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    opened = runs.open_runs(ws)
    found = [*(_open(ws, run, tip) for run, tip in opened.items()), *_strange(ws)]
    if args.all:
        filed = [run for run in history.filed_runs(ws.store) if run not in opened]
        found = [{"run": run, "status": "filed"} for run in filed] + found
    if ctx.json:
        ctx.out.json(found)
        return 0
    for item in found:
        mark = "*" if item["run"] == ws.repo.current else " "
        ctx.out.text(f"{mark} {plain(item['run'])}  {plain(_told(item))}")
    if not found:
        ctx.out.text("no runs" if args.all else "no open runs (git relay runs --all)")
    return 0


def _open(ws: Workspace, run: RunId, tip: Oid) -> dict[str, Any]:
    """A run that cannot be read is listed with the reason, and does not hide the others."""
    try:
        step = runs.step_named(ws.store, tip, run)
        if not runs.is_workflow(step):
            return _pipeline(step)
        found = runs.load_named(ws.store, tip, run)
    except RelayError as error:
        return {"run": run, "status": "unreadable", "reason": str(error)}
    state = found.state
    return {
        "run": run,
        "status": state.status,
        "workflow": found.workflow.name,
        "stage": state.stage,
        "visit": state.visit,
        "since": found.tip.envelope.timestamp,
    }


def _pipeline(step: Step) -> dict[str, Any]:
    from relay_git.pipeline.state import state_of

    state, record = state_of(step), step.envelope
    named = {"pipeline": state.pipeline, "step": record.step}
    return {"run": record.run, "status": state.status, **named, "since": record.timestamp}


def _strange(ws: Workspace) -> Iterator[dict[str, Any]]:
    """Refs where runs should be that are none by their name, or that git cannot read."""
    known = {names.run_ref(run) for run in runs.open_runs(ws)}
    strange = {str(ref): "not the name of a run" for ref in ws.store.refs(names.RUNS)}
    strange |= dict.fromkeys(ws.store.broken_refs(names.RUNS), "the ref is broken; see `git fsck`")
    for ref, reason in strange.items():
        if ref not in known:
            yield {"run": ref.removeprefix(names.RUNS), "status": "unreadable", "reason": reason}


def _told(item: dict[str, Any]) -> str:
    if "reason" in item:
        return f"unreadable: {item['reason']}"
    if "pipeline" in item:
        return f"{item['status']} at step {item['step']}, {item['pipeline']}, {item['since']}"
    if "stage" not in item:
        return str(item["status"])
    visit = f" (visit {item['visit']})" if item["visit"] > 1 else ""
    return f"{item['status']} at {item['stage']}{visit}, {item['workflow']}, {item['since']}"
