"""`git relay status`: where the run stands, at a glance."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from relay_git import clock, names
from relay_git.chain.chain import Step
from relay_git.chain.envelope import sha256
from relay_git.commands.context import Context
from relay_git.files import read_in
from relay_git.output import Output, plain
from relay_git.workflow import divergence, pending, runs
from relay_git.workflow.runs import Run
from relay_git.workflow.working_set import path_of
from relay_git.workspace import MAX_ARTIFACT, Workspace

EXAMPLE = "git relay status --watch"

_SECONDS = 2.0


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="show it again whenever it changes")


def run(args: Namespace, ctx: Context) -> int:
    if args.watch:
        return _watch(ctx)
    found = report(ctx.workspace)
    ctx.out.json(found) if ctx.json else _print(found, ctx.out)
    return 0


def report(ws: Workspace) -> dict[str, Any]:
    """What there is to say, as JSON."""
    current = runs.current_or_none(ws)
    return {
        "run": current.id if current else None,
        **(_run_report(ws, current) if current else _others(ws)),
        "pending": pending.all_pending(ws),
        "set_up": {
            "tracked": os.path.exists(os.path.join(ws.worktree, names.SETTINGS)),
            "local": os.path.exists(ws.common_path("keys")),
        },
    }


def _others(ws: Workspace) -> dict[str, Any]:
    opened = runs.open_runs(ws)
    return {"open_runs": list(opened), "pipelines": runs.pipelines(ws.store, opened)}


def _run_report(ws: Workspace, run: Run) -> dict[str, Any]:
    state, stage = run.state, run.workflow.stages[run.state.stage]
    role = run.role
    return {
        "workflow": run.workflow.name,
        "status": state.status,
        "step": run.tip.envelope.step,
        "since": run.tip.envelope.timestamp,
        "stage": state.stage,
        "visit": state.visit,
        "halted": state.halt.reason if state.halt else None,
        "ends": [_end_report(step) for step in divergence.ends(ws.store, run)],
        "stages": [
            {
                "name": s.name,
                "role": s.role,
                "visits": state.visits.get(s.name, 0),
                "max_visits": s.max_visits,
                "terminal": s.terminal,
                "current": s.name == state.stage,
            }
            for s in run.workflow.stages.values()
        ],
        "expected": {
            "role": role.name if role else None,
            "files": [_file_report(ws, run, name) for name in run.writes],
            "branches": dict(stage.branches),
            "next": stage.next,
        },
    }


def _end_report(step: Step) -> dict[str, Any]:
    """The last step of one side of a diverged run."""
    return {
        "step": step.envelope.step,
        "commit": step.oid,
        "at": step.envelope.timestamp,
        "by": step.commit.author.name,
        "told": divergence.told(step),
    }


def _file_report(ws: Workspace, run: Run, name: names.ArtifactName) -> dict[str, Any]:
    """`written` means anew: what was there when the stage was entered does not count."""
    data = read_in(ws.worktree, path_of(name), MAX_ARTIFACT)
    if data is None:
        return {"path": path_of(name), "written": False, "there": False}
    fresh = sha256(data) != run.state.entered.get(name) and _is_fresh(ws, run, name, data)
    return {"path": path_of(name), "written": fresh, "there": True}


def _is_fresh(ws: Workspace, run: Run, name: names.ArtifactName, data: bytes) -> bool:
    """Compared as it would be recorded, without secrets."""
    from relay_git.redact import redact

    text = data.decode("utf-8", "surrogateescape")
    masked = redact(text, ws.settings.redact_literals)[0].encode("utf-8", "surrogateescape")
    return sha256(masked) != run.state.entered.get(name)


def _watch(ctx: Context) -> int:
    """Until interrupted. Each look is a new one, since other processes move the run."""
    before: dict[str, Any] | None = None
    while True:
        found = report(Context(ctx.directory).workspace)
        if found != before:
            if ctx.out.colours:
                ctx.out.clear()
            ctx.out.json(found) if ctx.json else _print(found, ctx.out)
            ctx.out.stream.flush()
            before = found
        clock.sleep(_SECONDS)


def _print(found: dict[str, Any], out: Output) -> None:
    if found["run"] is None:
        _print_without_run(found, out)
    else:
        _print_run(found, out)
    for run in found["pending"]:
        out.text(out.style(f"{run} waits to be settled: git relay settle {run}", "yellow"))
    if not found["set_up"]["local"]:
        out.text(out.style("this clone is not set up yet: git relay init", "yellow"))


def _print_without_run(found: dict[str, Any], out: Output) -> None:
    out.text("no open run in this worktree")
    pipelines = found["pipelines"]
    others = [run for run in found["open_runs"] if run not in pipelines]
    if others:
        out.text()
        out.text("open elsewhere (git relay switch RUN):")
        for run in others:
            out.text(f"  {run}")
    if pipelines:
        out.text()
        out.text("pipelines (git relay inspect):")
        for run, name in pipelines.items():
            out.text(f"  {run}  {plain(name)}")
    elif not others and found["set_up"]["tracked"]:
        out.text("begin one: git relay start")


def _print_run(found: dict[str, Any], out: Output) -> None:
    head = f"{out.style(found['run'], 'bold')}  {found['workflow']}, step {found['step']}"
    out.text(head if found["status"] == "open" else f"{head}, {found['status']}")
    out.text()
    widths = [max(len(s[key] or "") for s in found["stages"]) for key in ("name", "role")]
    for stage in found["stages"]:
        out.text(_stage_line(stage, widths, out))
    out.text()
    if found["status"] == "diverged":
        _print_ends(found, out)
        return
    if found["halted"]:
        out.text(out.style(f"halted:   {found['halted']}", "red"))
        out.text("continue: git relay advance --force, or git relay rollback --to STEP")
        return
    _print_expected(found, out)


def _print_ends(found: dict[str, Any], out: Output) -> None:
    out.text(out.style("diverged: it went on in two places and ends in", "red"))
    for end in found["ends"]:
        out.text(f"  {plain(end['told'])}")
    choice = found["ends"][0]["commit"][: divergence.SHORT] if found["ends"] else "STEP"
    out.text(f"choose:   git relay resolve {found['run']} {choice}")


def _stage_line(stage: dict[str, Any], widths: list[int], out: Output) -> str:
    mark = "▶" if stage["current"] else "✓" if stage["visits"] else " "
    visits = ""
    if stage["visits"] and not stage["terminal"]:
        limit = f" of {stage['max_visits']}" if stage["max_visits"] else ""
        visits = f"visit {stage['visits']}{limit}"
    line = f"  {mark} {stage['name']:<{widths[0]}}  {stage['role'] or '':<{widths[1]}}  {visits}"
    style = "cyan" if stage["current"] else "green" if stage["visits"] else "dim"
    return out.style(line.rstrip(), style)


def _print_expected(found: dict[str, Any], out: Output) -> None:
    expected = found["expected"]
    for file in expected["files"]:
        state = "written" if file["written"] else "as it was" if file["there"] else "to be written"
        out.text(f"expected: {expected['role']} writes {plain(file['path'])} ({state})")
    if expected["branches"]:
        ways = ", ".join(f"{b} → {target}" for b, target in expected["branches"].items())
        out.text(f"verdict:  {ways}")
    written = expected["files"] and all(file["written"] for file in expected["files"])
    out.text(f"do:       {'git relay advance' if written else 'git relay next'}")
