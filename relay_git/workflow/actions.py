"""What a person does to a run: start, advance, switch, roll back, resolve, reset, abandon.

Each makes one step, in one ref transaction, or none at all. Where the working set is replaced,
the raw one is moved away first and comes back if the step could not be made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NoReturn

from relay_git import canonical, clock, names
from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.errors import Conflict, Refused, RelayError
from relay_git.names import ArtifactName, RunId
from relay_git.record import Record
from relay_git.workflow import divergence, held, runs, shown, steps, visit, working_set
from relay_git.workflow.machine import (
    Abandon,
    Advance,
    Event,
    Reset,
    Resolve,
    Rollback,
    Start,
    transition,
)
from relay_git.workflow.model import Rules, Workflow, rules_to_json, workflow_to_json
from relay_git.workflow.runs import Run
from relay_git.workflow.visit import Wish
from relay_git.workspace import Workspace

_TRIES = 20
_NO_RUN = "no-run"


class Moved(Record):
    """What an action did. `masked` names where secrets were taken out; `saved` is the directory
    that the former working set lies in; `strays` are files that no step records; `left` is the run
    that was this worktree's own and stays open."""

    before: Run | None
    after: Run
    masked: tuple[str, ...] = ()
    saved: str | None = None
    strays: tuple[str, ...] = ()
    left: RunId | None = None


def start(
    ws: Workspace,
    workflow: Workflow,
    rules: Mapping[str, Rules],
    contents: Mapping[ArtifactName, bytes],
    slug: str,
) -> Moved:
    """Begin a run whose working set is `contents`, and make it this worktree's own."""
    masked, found = steps.mask(ws, contents)
    files: dict[str, bytes | None] = {names.artifact_path(n): data for n, data in masked.items()}
    files[names.WORKFLOW_RECORD] = canonical.dumps(workflow_to_json(workflow))
    for role, rule in rules.items():
        files[names.role_path(role)] = canonical.dumps(rules_to_json(rule))
    left = ws.repo.current if ws.repo.current_tip else None
    with _set_aside(ws, ws.repo.current or _NO_RUN) as saved:
        run = _begin(ws, workflow, files, slug)
    _bring(ws, run, contents)
    return _seen(ws, Moved(None, run, found, saved, left=left))


def advance(ws: Workspace, wish: Wish) -> Moved:
    """Finish the present visit. Never applied to another stage or visit than it was read at."""
    run = runs.current(ws)
    divergence.refuse(ws.store, run)
    _check_known(ws, run)
    for attempt in range(1, _TRIES):
        try:
            return _seen(ws, _advance(ws, run, wish))
        except Conflict:
            clock.pause(attempt)
            run = _same_visit(ws, run)
    return _seen(ws, _advance(ws, run, wish))


def switch(ws: Workspace, selector: str) -> Moved:
    """Make an open run this worktree's own, with its artifacts as its last step records them."""
    run = runs.find_open(ws, selector)
    contents = recorded(ws, run.tip)
    saved = working_set.save(ws.worktree, ws.repo.git_dir, ws.repo.current or _NO_RUN)
    _bring(ws, run, contents)
    return _seen(ws, Moved(None, run, saved=saved))


def rollback(ws: Workspace, to: str, message: str | None = None) -> Moved:
    """Stand again where step `to` left the run; what was done since stays in the chain."""
    run = runs.current(ws)
    before = list(chain.walk(ws.store, run.tip.oid))
    step, earlier = divergence.pick_made(before, to), divergence.by_name(before)
    event = Rollback(divergence.name_of(step, earlier))
    return _replace(ws, run, event, recorded(ws, step), earlier, message)


def resolve(ws: Workspace, selector: str, to: str, message: str | None = None) -> Moved:
    """Let a diverged run stand where step `to` left it. Any open run can be resolved; only this
    worktree's own has its working set here."""
    run = runs.find_open(ws, selector)
    before = list(chain.walk(ws.store, run.tip.oid))
    step, earlier = divergence.pick_made(before, to), divergence.by_name(before)
    event, contents = Resolve(step.digest), recorded(ws, step)
    if run.id == ws.repo.current:
        return _replace(ws, run, event, contents, earlier, message)
    after, found = steps.add(ws, run, event, _exactly(run, contents), message, earlier)
    return Moved(run, after, found)


def reset(ws: Workspace, *, clean: bool) -> Moved:
    """Back to the initial stage; `clean` leaves only what the run started with."""
    run = runs.current(ws)
    if not clean:
        after, found = steps.add(ws, run, Reset(), {}, None)
        return _seen(ws, Moved(run, after, found))
    first = list(chain.walk(ws.store, run.tip.oid))[-1]
    return _replace(ws, run, Reset(clean=True), recorded(ws, first))


def abandon(ws: Workspace, message: str | None) -> Moved:
    """Give the run up; it is settled like a finished one."""
    run = runs.current(ws)
    after, found = steps.add(ws, run, Abandon(), {}, message)
    return Moved(run, after, found)


def recorded(ws: Workspace, step: Step) -> dict[ArtifactName, bytes]:
    """The artifacts as a step holds them."""
    found = {}
    for path in step.envelope.files:
        kind, _, name = path.partition("/")
        if kind == "artifacts":
            found[ArtifactName(name)] = chain.read_file(ws.store, step, path) or b""
    return found


def _begin(ws: Workspace, workflow: Workflow, files: Mapping[str, bytes | None], slug: str) -> Run:
    """Retried with another random tail should the id be taken."""
    while True:
        now = clock.minute(clock.now())
        run = RunId(f"{now}-{slug}-{clock.random_hex(4)}")
        try:
            return steps.make(ws, run, None, workflow, Start(), files)
        except Conflict:
            continue


def _advance(ws: Workspace, run: Run, wish: Wish) -> Moved:
    declared = run.workflow.artifacts()
    contents = working_set.read(ws.worktree, declared, ws.max_artifact)
    masked, found = steps.mask(ws, held.present(ws, run, contents), run.tip)
    if run.state.halt:
        branch = wish.verdict or run.state.halt.branch
    else:
        branch = visit.finish(run, masked, wish)
    here = run.state.stage, run.state.visit
    lessons = shown.lessons(ws, run.id, *here)
    event = Advance(*here, branch, wish.force, lessons)
    bound, _ = transition(run.workflow, run.state, event, {})
    shown.write(ws, run, lessons, bound_for=(bound.stage, bound.visit))
    changes = steps.edits(run.tip, masked)
    after, also = steps.add(ws, run, event, changes, wish.message, tokens=wish.tokens)
    held.remember(ws, after, contents)
    strays = tuple(working_set.strays(ws.worktree, declared))
    return Moved(run, after, found + also, strays=strays)


def _check_known(ws: Workspace, run: Run) -> None:
    """Refuse a visit that this worktree has not been told of: its files are for another one."""
    if not shown.knows(ws, run):
        _refuse_moved(ws, run)


def _refuse_moved(ws: Workspace, run: Run) -> NoReturn:
    """Say where the run stands now. From then on this worktree knows."""
    tip = ws.store.ref(names.run_ref(run.id))
    if tip is None:
        raise Refused(f"the run {run.id} has ended meanwhile", hint="see `git relay runs --all`")
    now = runs.load(ws.store, tip)
    shown.write(ws, now)
    raise Refused(
        f"the run has moved on to {now.state.stage} (visit {now.state.visit}) meanwhile",
        hint="look at `git relay status`, then advance again",
    )


def _seen(ws: Workspace, moved: Moved) -> Moved:
    """Whoever moved the run knows where it stands. Not knowing would cost no more than a look."""
    with suppress(RelayError):
        shown.write(ws, moved.after)
    return moved


def _same_visit(ws: Workspace, run: Run) -> Run:
    """The run read again, if what was meant still holds."""
    tip = ws.store.ref(names.run_ref(run.id))
    again = runs.load(ws.store, tip) if tip else None
    if again:
        divergence.refuse(ws.store, again)
    known = run.state.stage, run.state.visit
    if again is None or (again.state.stage, again.state.visit) != known:
        _refuse_moved(ws, run)
    return again


def _replace(
    ws: Workspace,
    run: Run,
    event: Event,
    contents: Mapping[ArtifactName, bytes],
    earlier: steps.Earlier | None = None,
    message: str | None = None,
) -> Moved:
    """A step whose artifacts are exactly `contents`, in the chain and in the working set."""
    with _set_aside(ws, run.id) as saved:
        after, found = steps.add(ws, run, event, _exactly(run, contents), message, earlier)
    _bring(ws, after, contents)
    return _seen(ws, Moved(run, after, found, saved))


def _exactly(run: Run, contents: Mapping[ArtifactName, bytes]) -> dict[str, bytes | None]:
    """The edits after which the run's artifacts are these and no others."""
    paths = run.tip.envelope.files
    gone: dict[str, bytes | None] = {p: None for p in paths if p.startswith("artifacts/")}
    return gone | {names.artifact_path(name): data for name, data in contents.items()}


def _bring(ws: Workspace, run: Run, contents: Mapping[ArtifactName, bytes]) -> None:
    """Make a run this worktree's own. Its step is made already, so that `switch` can do it too."""
    try:
        working_set.write(ws.worktree, contents)
        held.brought(ws, run, contents)
        runs.set_current(ws, run.id)
    except RelayError as error:
        what = f"{run.id} stands at step {run.tip.envelope.step}, but is not here: {error.what}"
        hint = "; ".join(filter(None, (error.hint, f"`git relay switch {run.id}` brings it")))
        raise RelayError(what, where=error.where, hint=hint) from None


@contextmanager
def _set_aside(ws: Workspace, owner: str) -> Iterator[str | None]:
    """The working set moved away while a step is made; put back if that fails."""
    saved = working_set.save(ws.worktree, ws.repo.git_dir, owner)
    try:
        yield saved
    except BaseException:
        working_set.put_back(ws.worktree, saved)
        raise
