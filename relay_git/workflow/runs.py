"""Runs as the store has them: the open ones on their refs, this worktree's own, any by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from relay_git import canonical, files, names
from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.errors import Corrupt, InvalidName, MissingObject, Refused, RelayError
from relay_git.git.store import Store
from relay_git.names import ArtifactName, Oid, RunId, Word
from relay_git.record import Record
from relay_git.workflow.machine import FINISHED, State
from relay_git.workflow.model import Role, Rules, Workflow, rules_from_json, workflow_from_json
from relay_git.workflow.state_record import state_from_json
from relay_git.workspace import Workspace


class Run(Record):
    """A run at its tip, with the definition that it started with."""

    tip: Step
    state: State
    workflow: Workflow

    @property
    def id(self) -> RunId:
        return self.tip.envelope.run

    @property
    def role(self) -> Role | None:
        """Who acts in the present stage."""
        return self.workflow.role_of(self.state.stage)

    @property
    def writes(self) -> tuple[ArtifactName, ...]:
        """What must be written before the present stage can be left."""
        return self.workflow.writes_of(self.state.stage)


def load(store: Store, tip: Oid) -> Run:
    """Raises `Corrupt` when the commit is not a step of a workflow's run."""
    step = chain.read_step(store, tip)
    data = chain.read_file(store, step, names.WORKFLOW_RECORD)
    if data is None:
        raise Corrupt(f"not a workflow's run: it has no {names.WORKFLOW_RECORD}", where=str(tip))
    where = f"{tip[:12]}:{names.WORKFLOW_RECORD}"
    workflow = workflow_from_json(canonical.loads(data, where), where)
    state = state_of(step)
    if state.stage not in workflow.stages:
        raise Corrupt(f"its stage {state.stage!r} is not in its workflow", where=str(tip))
    return Run(step, state, workflow)


def load_named(store: Store, tip: Oid, name: RunId) -> Run:
    """The run on the ref of that name. Raises `Corrupt` naming the ref."""
    with _reading(name):
        run = load(store, tip)
    _check_name(run.tip, name)
    return run


def step_named(store: Store, tip: Oid, name: RunId) -> Step:
    """The last step on the ref of that name, of a workflow's run or another. Raises `Corrupt`
    naming the ref."""
    with _reading(name):
        step = chain.read_step(store, tip)
    _check_name(step, name)
    return step


@contextmanager
def _reading(name: RunId) -> Iterator[None]:
    try:
        yield
    except (Corrupt, MissingObject) as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        hint = "see `git relay verify` and `git fsck`"
        raise Corrupt(f"cannot be read: {what}", where=names.run_ref(name), hint=hint) from None


def _check_name(step: Step, name: RunId) -> None:
    found = step.envelope.run
    if found != name:
        hint = "see `git relay verify`; the ref was written by something else"
        raise Corrupt(f"holds a step of the run {found}", where=names.run_ref(name), hint=hint)


def is_workflow(step: Step) -> bool:
    """Whether it is of a workflow's run: a pipeline's stands in no stage."""
    return step.envelope.state.get("kind") != "pipeline"


def has_ended(store: Store, tip: Oid) -> bool:
    return is_finished(chain.read_step(store, tip))


def is_finished(step: Step) -> bool:
    """Whether the run is done or abandoned, of whichever kind it is."""
    return status_of(step) in FINISHED


def status_of(step: Step) -> str:
    """How the run stands with this step. Raises `Corrupt`."""
    if is_workflow(step):
        return state_of(step).status
    status = step.envelope.state.get("status")
    if not isinstance(status, str):
        raise Corrupt("its state has no status", where=f"{step.oid[:12]}:{names.STEP_RECORD}")
    return status


def state_of(step: Step) -> State:
    return state_from_json(step.envelope.state, f"{step.oid[:12]}:{names.STEP_RECORD}")


def rules(store: Store, run: Run, role: Word) -> Rules:
    """How the role is told to work, as frozen when the run started."""
    path = names.role_path(role)
    data = chain.read_file(store, run.tip, path)
    if data is None:
        raise Corrupt("missing from the run", where=path)
    return rules_from_json(canonical.loads(data, path), path)


# This worktree's run


def current(ws: Workspace) -> Run:
    """The open run of this worktree. Raises `Refused` when there is none."""
    run = current_or_none(ws)
    if run is None:
        raise Refused("no open run in this worktree", hint=_how_to_begin(ws))
    return run


def current_or_none(ws: Workspace) -> Run | None:
    if ws.repo.current is None:
        return None
    tip = ws.repo.current_tip or ws.store.ref(names.run_ref(ws.repo.current))
    if tip is None:
        return None
    return load_named(ws.store, tip, ws.repo.current)


def set_current(ws: Workspace, run: RunId) -> None:
    files.make_directory(ws.git_path())
    files.write_atomic(ws.git_path("current"), f"{run}\n".encode())


def clear_current(ws: Workspace, run: RunId) -> None:
    """Leave no current run, if it is still this one."""
    if (files.read_optional(ws.git_path("current")) or b"").strip() == run.encode():
        files.remove_in(ws.git_path(), "current")


def _how_to_begin(ws: Workspace) -> str:
    opened = open_runs(ws)
    if opened.keys() - pipelines(ws.store, opened):
        return "choose one of `git relay runs` with `git relay switch RUN`"
    return "begin one with `git relay start`"


# Any run


def open_runs(ws: Workspace) -> dict[RunId, Oid]:
    """The tips of the open runs by id, oldest first. Foreign refs there are left out."""
    found: dict[RunId, Oid] = {}
    for ref, tip in ws.store.refs(names.RUNS).items():
        try:
            found[RunId(ref.removeprefix(names.RUNS))] = tip
        except InvalidName:
            continue
    return found


def pipelines(store: Store, opened: Mapping[RunId, Oid]) -> dict[RunId, str]:
    """Those of the open runs that pipelines have, with the names of these."""
    found = {}
    for run, tip in opened.items():
        try:
            state = chain.read_step(store, tip).envelope.state
        except RelayError:
            continue
        if state.get("kind") == "pipeline":
            found[run] = str(state.get("pipeline"))
    return found


def find(ws: Workspace, selector: str | None) -> Run:
    """The run that any unambiguous part of its id names, open or filed; None is the current one."""
    if selector is None:
        return current(ws)
    run, tip = locate(ws, selector)
    return load_named(ws.store, tip, run)


def last_step(ws: Workspace, selector: str | None) -> Step:
    """As `find`, of a run of any kind."""
    if selector is None:
        return current(ws).tip
    run, tip = locate(ws, selector)
    return step_named(ws.store, tip, run)


def locate(ws: Workspace, selector: str) -> tuple[RunId, Oid]:
    """The one run so named, and where it stands, whatever its chain says."""
    opened = open_runs(ws)
    if hits := _matching(selector, opened):
        run = _only(selector, hits)
        return run, opened[run]
    from relay_git.chain import history

    if hits := _matching(selector, history.filed_runs(ws.store)):
        run = _only(selector, hits)
        return run, history.tip_of(ws.store, run)
    run = _only(selector, _matching(selector, history.hidden_runs(ws.store)))
    tip = history.hidden_tip_of(ws.store, run)
    has = f"git still has its steps: `git log {tip}`"
    lacks = "its steps are not in this shallow clone: run `git fetch --unshallow`"
    raise Refused(f"the run {run} is pruned", hint=has if tip else lacks)


def find_open(ws: Workspace, selector: str) -> Run:
    opened = open_runs(ws)
    run = _only(selector, _matching(selector, opened))
    return load_named(ws.store, opened[run], run)


def _matching(selector: str, runs: Iterable[RunId]) -> list[RunId]:
    known = list(runs)
    return [run for run in known if run == selector] or [run for run in known if selector in run]


def _only(selector: str, hits: list[RunId]) -> RunId:
    if len(hits) == 1:
        return hits[0]
    if not hits:
        raise RelayError(f"no run is named {selector!r}", hint="see `git relay runs --all`")
    listed = ", ".join(hits[:5]) + (", …" if len(hits) > 5 else "")
    raise RelayError(f"{selector!r} names {len(hits)} runs: {listed}", hint="say more of the id")
