"""One turn of a run: the role that acts now is asked, and what it did moves the run on."""

from __future__ import annotations

from collections.abc import Callable

from relay_git import files, names
from relay_git.drive import notes
from relay_git.drive.asking import Answer, Question
from relay_git.drive.crew import Crew, masked
from relay_git.drive.orchestrator import Orchestrator
from relay_git.errors import BackendError, Refused
from relay_git.git.refs import retrying
from relay_git.record import Record
from relay_git.workflow import (
    actions,
    divergence,
    held,
    prompt,
    runs,
    shown,
    steps,
    visit,
    working_set,
)
from relay_git.workflow.actions import Moved
from relay_git.workflow.machine import Rerun
from relay_git.workflow.model import Role
from relay_git.workflow.prompt import Guidance, Manner
from relay_git.workflow.runs import Run
from relay_git.workflow.visit import Wish
from relay_git.workspace import Workspace

Reopen = Callable[[], Workspace]
"""The repository as it is now: other processes move runs, agents too."""


class Turn(Record):
    """`run` is where it stands after the turn. `moved` is None where the role moved it itself,
    with a commit or a command. `again` means that the role is to make its visit again."""

    run: Run
    moved: Moved | None
    warnings: tuple[str, ...] = ()
    again: bool = False


def take(reopen: Reopen, crew: Crew) -> Turn:
    """Refused, or failed: nothing was recorded, and what was written lies where it was written.

    An attempt that `advance` would refuse is followed by a second one, which is told why.
    """
    it = _Visit(reopen, crew)
    enabled = it.ws.settings.orchestrator.enabled
    watch = Orchestrator(it.ws, crew, it.run, it.role) if enabled else None
    if watch:
        _heed(it, watch)
    guidance = watch.guidance() if watch else None
    left = it.attempt(guidance)
    refused = None if left else it.refusal()
    if refused:
        it.warnings.append(masked(it.ws, f"asked {it.role.name} again: {refused}"))
        left = it.attempt(guidance, str(refused))
    if left:
        return Turn(left, None, tuple(it.warnings))
    return _finished(it, watch)


class _Visit:
    """The present visit while it is made; `warnings` is what went wrong and was mended."""

    def __init__(self, reopen: Reopen, crew: Crew) -> None:
        self._reopen = reopen
        self._crew = crew
        self.ws = reopen()
        self.run, self.role = _ready(self.ws)
        held.follow(self.ws, self.run)
        self.backend = crew.for_role(self.ws, self.run, self.role)
        if not self.backend.writes_files:
            _check_single(self.run, self.backend.name)
        self.spent = Answer()
        self.warnings: list[str] = []

    def attempt(self, guidance: Guidance | None, refused: str = "") -> Run | None:
        """Ask once. The run as it stands, if it was moved on meanwhile from here."""
        backend = self.backend
        manner = Manner(True, backend.takes_system, not backend.writes_files, guidance, refused)
        made = prompt.compose(self.ws, self.run, manner)
        shown.write(self.ws, self.run, made.lessons)
        question = Question(
            made.text, self.ws.worktree, made.system, made.writes, self.ws.max_artifact
        )
        who = f"{self.run.state.stage}: {self.role.name}"
        self.count(answer := self._crew.ask(self.ws, backend, who, question))
        self.ws = self._reopen()
        left = self._look()
        if not left and not backend.writes_files:
            _write(self.ws, made.writes[0], answer.text)
        return left

    def branch(self) -> str | None:
        """The branch that the visit chose. Raises `Refused` as `advance` would."""
        return visit.finish(self.run, self.contents(), Wish())

    def refusal(self) -> Refused | None:
        try:
            self.branch()
        except Refused as refused:
            return refused
        return None

    def contents(self) -> dict[names.ArtifactName, bytes]:
        declared = self.run.workflow.artifacts()
        found = working_set.read(self.ws.worktree, declared, self.ws.max_artifact)
        return steps.mask(self.ws, held.present(self.ws, self.run, found), self.run.tip)[0]

    def count(self, answer: Answer) -> None:
        spent = self.spent
        read, written = spent.tokens_in + answer.tokens_in, spent.tokens_out + answer.tokens_out
        self.spent = Answer("", read, written)

    def _look(self) -> Run | None:
        """Read the run again. The role may have moved it, or ended it, from this worktree."""
        now = runs.current_or_none(self.ws)
        if now is None or now.id != self.run.id:
            now = runs.find(self.ws, self.run.id)
            if not now.state.finished:
                hint = f"return to it with `git relay switch {self.run.id}`"
                raise Refused(f"this worktree has left the run {self.run.id} meanwhile", hint=hint)
            return now
        if _here(now) == _here(self.run):
            self.run = now
            return None
        if not shown.knows(self.ws, now):
            stage, number = _here(now)
            what = f"the run has moved on to {stage} (visit {number}) meanwhile"
            raise Refused(what, hint="look at `git relay status`, then run this again")
        return now


def _heed(it: _Visit, watch: Orchestrator) -> None:
    """Raises `Refused` when the orchestrator stops the run."""
    advice = watch.before()
    if not advice.proceed:
        stage, number = _here(it.run)
        raise Refused(
            f"the orchestrator stopped before {stage} (visit {number}): "
            f"{advice.reasoning or 'it gave no reason'}",
            hint="go on by hand with `git relay next`, or change the intent in .relay/relay.yml",
        )


def _finished(it: _Visit, watch: Orchestrator | None) -> Turn:
    branch = it.branch()
    note = watch.note(it.run, branch, watch.after(it.run, branch)) if watch else None
    if watch:
        it.warnings += [f"the orchestrator was not heard: {problem}" for problem in watch.problems]
    message = notes.body(it.backend, it.spent, note)
    if watch:
        it.count(watch.spent)
    again = note is not None and note.action == "rerun"
    if note and again:
        moved = _rerun(it, note.opinion.concerns, message)
    else:
        moved = actions.advance(it.ws, Wish(message=message or None, tokens=it.spent.tokens))
    return Turn(moved.after, moved, tuple(it.warnings), again)


def _rerun(it: _Visit, concerns: str, message: str) -> Moved:
    """The step that keeps what was made, and asks for it again."""
    contents, first = it.contents(), it.run

    def attempt() -> Moved:
        tip = it.ws.store.ref(names.run_ref(first.id))
        run = runs.load_named(it.ws.store, tip, first.id) if tip else first
        lessons = shown.lessons(it.ws, run.id, *_here(first))
        event = Rerun(*_here(first), concerns, lessons)
        edits = steps.edits(run.tip, contents)
        after, found = steps.add(it.ws, run, event, edits, message, tokens=it.spent.tokens)
        shown.write(it.ws, after)
        return Moved(run, after, found)

    return retrying(attempt)


def _ready(ws: Workspace) -> tuple[Run, Role]:
    """The run and who acts in it. Raises `Refused` where nobody can."""
    run = runs.current(ws)
    divergence.refuse(ws.store, run)
    if run.state.halt:
        raise Refused(
            f"the run is halted: {run.state.halt.reason}",
            hint="continue with `git relay advance --force`, or `git relay rollback --to STEP`",
        )
    if run.role is None:
        raise Refused(f"the run is {run.state.status}: nobody acts in {run.state.stage}")
    return run, run.role


def _check_single(run: Run, backend: str) -> None:
    """One text is one artifact. Guessing where in it another one begins would lose work."""
    if len(run.writes) != 1:
        raise Refused(
            f"{run.state.stage} is for {len(run.writes)} files, and {backend} answers with one",
            hint="name a backend that writes files, or give the stage one of them in `writes`",
        )


def _write(ws: Workspace, path: str, text: str) -> None:
    try:
        files.write_in(ws.worktree, path, text.encode("utf-8"))
    except UnicodeEncodeError:
        raise BackendError("the answer is not UTF-8 text", where=path) from None


def _here(run: Run) -> tuple[names.Word, int]:
    return run.state.stage, run.state.visit
