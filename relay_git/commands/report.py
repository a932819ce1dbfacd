"""How the commands that move a run say what they did."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from relay_git.errors import Refused, UsageError
from relay_git.output import Output, count, plain
from relay_git.workflow import runs
from relay_git.workflow.actions import Moved
from relay_git.workflow.runs import Run
from relay_git.workflow.state_record import event_name
from relay_git.workflow.working_set import path_of

if TYPE_CHECKING:
    from relay_git.chain.chain import Step
    from relay_git.commands.context import Context
    from relay_git.errors import RelayError
    from relay_git.git.store import Store
    from relay_git.githooks.install import Report
    from relay_git.names import RunId
    from relay_git.workflow.settle import Settled
    from relay_git.workspace import Workspace


def subject_of(run: Run) -> str:
    return run.tip.commit.message.partition("\n")[0]


def standing_of(step: Step) -> tuple[str, str | None, str]:
    """Event, stage and status of a step. A pipeline's stands in no stage."""
    if runs.is_workflow(step):
        state = runs.state_of(step)
        return event_name(state.event), state.stage, state.status
    from relay_git.pipeline.state import state_of

    made = state_of(step)
    return made.event.kind, None, made.status


def title_of(store: Store, tip: Step) -> str:
    """`bug-rca-fix, open`: what a run is of, and how it stands."""
    if runs.is_workflow(tip):
        run = runs.load(store, tip.oid)
        return f"{run.workflow.name}, {run.state.status}"
    from relay_git.pipeline.state import state_of

    state = state_of(tip)
    return f"pipeline {state.pipeline}, {state.status}"


def tell_moved(moved: Moved, ctx: Context) -> None:
    """Settle the run if it has just ended, then say what was done."""
    settled = None
    if moved.after.state.finished:
        from relay_git.workflow.settle import settle_ended

        settled = settle_ended(ctx.workspace, moved.after)
    ctx.out.json(moved_json(moved, settled)) if ctx.json else print_moved(moved, settled, ctx.out)


def moved_json(moved: Moved, settled: Settled | None = None) -> dict[str, Any]:
    state = moved.after.state
    return {
        "run": moved.after.id,
        "step": moved.after.tip.envelope.step,
        "commit": moved.after.tip.oid,
        "stage": state.stage,
        "visit": state.visit,
        "status": state.status,
        "halted": state.halt.reason if state.halt else None,
        "masked": list(moved.masked),
        "saved": moved.saved,
        "left_open": moved.left,
        "not_recorded": list(moved.strays),
        "settled": settled_json(settled) if settled else None,
    }


def settled_json(settled: Settled) -> dict[str, Any]:
    written = settled.delivery.written if settled.delivery else ()
    return {
        "run": settled.run,
        "status": settled.status,
        "lessons": [lesson.id for lesson in settled.lessons],
        "written": list(written),
    }


def print_moved(moved: Moved, settled: Settled | None, out: Output) -> None:
    out.text(out.style(plain(subject_of(moved.after)), "bold"))
    for place in moved.masked:
        out.text(out.style(f"masked a secret in {plain(place)}", "yellow"))
    for name in moved.strays:
        out.text(f"not recorded, since no role reads or writes it: {plain(path_of(name))}")
    if moved.saved:
        out.text(f"the former working set lies in {plain(moved.saved)}")
    if moved.left:
        print_left(moved.left, out)
    if settled:
        print_settled(settled, out)
    else:
        _print_outlook(moved.after, out)


def print_left(run: RunId, out: Output) -> None:
    out.text(f"{run} stays open: `git relay switch {run}` returns to it")


def print_settled(settled: Settled, out: Output) -> None:
    out.text(f"{settled.run} is {settled.status} and filed in history")
    written = sorted(settled.delivery.written) if settled.delivery else []
    if written:
        out.text(f"{count(len(written), 'new lesson')}, to be reviewed and committed:")
        for path in written:
            out.text(f"  {plain(path)}")
    elif settled.lessons:
        out.text(f"{count(len(settled.lessons), 'lesson')}, none of them new here")
    else:
        out.text("it taught no lessons")


def pipeline_tip(ws: Workspace, selector: str, message: str | None) -> Step:
    """The last step of the pipeline's run that is named to a command which else acts on this
    worktree's own run. Raises `Refused` for a workflow's, `UsageError` for a message."""
    tip = runs.last_step(ws, selector)
    if runs.is_workflow(tip):
        raise Refused(
            f"{tip.envelope.run} is a workflow's run",
            hint="`git relay switch` makes it this worktree's own; then leave it out here",
        )
    if message is not None:
        raise UsageError("the steps of a pipeline take no message")
    return tip


def tell_step(step: Step, ctx: Context) -> None:
    """Say what was done with a pipeline's run."""
    if ctx.json:
        ctx.out.json(step_json(step))
    else:
        ctx.out.text(ctx.out.style(plain(step.commit.message.partition("\n")[0]), "bold"))


def step_json(step: Step) -> dict[str, Any]:
    return {"run": step.envelope.run, "step": step.envelope.step, "commit": step.oid}


def problems_json(problems: Iterable[RelayError]) -> list[dict[str, Any]]:
    return [{"what": p.what, "where": p.where, "hint": p.hint} for p in problems]


def hooks_json(report: Report) -> dict[str, Any]:
    return {
        "directory": report.place.directory,
        "done": list(report.done),
        "add": report.place.lines,
        "problems": problems_json(report.problems),
    }


def print_hook_lines(report: Report, out: Output) -> None:
    """What a person must add where the hooks are somebody else's to write."""
    if report.place.managed:
        out.text(f"git looks for hooks in {plain(report.place.managed)}, which is left alone;")
    for hook, line in report.place.lines.items():
        out.text(f"  add to {hook}: {line}")


def _print_outlook(run: Run, out: Output) -> None:
    state, role = run.state, run.role
    if state.status == "diverged":
        out.text(out.style("the run has diverged", "red"))
        out.text("`git relay status` shows its last steps")
    elif state.halt:
        out.text(out.style(f"halted: {state.halt.reason}", "red"))
        out.text("continue with `git relay advance --force`, or `git relay rollback --to STEP`")
    elif role:
        paths = ", ".join(path_of(name) for name in run.writes)
        out.text(f"next: {role.name} writes {paths}; `git relay next` prints the prompt")
