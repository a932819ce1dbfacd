"""A second model that watches over a run, where the settings ask for it. It only ever advises.

Before a visit it may add to the prompt, or stop. After one it may ask for a rerun, which is a
visit more, and bounded. When it cannot be asked, or replies in another form, the run goes on.
"""

from __future__ import annotations

from typing import Any

from relay_git import files
from relay_git.chain import chain
from relay_git.drive import notes
from relay_git.drive.asking import Answer, Question
from relay_git.drive.crew import Crew, masked
from relay_git.drive.notes import Note
from relay_git.drive.replies import Advice, Opinion, line, read_advice, read_opinion
from relay_git.errors import RelayError
from relay_git.workflow import runs
from relay_git.workflow.machine import Commit, Rerun
from relay_git.workflow.model import Role
from relay_git.workflow.prompt import Guidance
from relay_git.workflow.rendering import render
from relay_git.workflow.runs import Run
from relay_git.workflow.verdict import APPROVE
from relay_git.workflow.working_set import path_of
from relay_git.workspace import Workspace

BEFORE, AFTER = "orchestrate_before.md.j2", "orchestrate_after.md.j2"
MOST_RERUNS = 2
"""In a row, of one visit, whatever the stage's limit."""

_NOTES = 5
_OF_AN_INPUT, _OF_THE_OUTPUT = 500, 2000


class Orchestrator:
    """Watches one visit. `tokens` are those it took, `problems` why it was not heard."""

    def __init__(self, ws: Workspace, crew: Crew, run: Run, role: Role) -> None:
        self._ws = ws
        self._crew = crew
        self._run = run
        self._role = role
        self._advice = Advice()
        self._past = notes.past(ws, run, _NOTES)
        self.spent = Answer()
        self.problems: list[str] = []

    def before(self) -> Advice:
        inputs = [self._shown(name, _OF_AN_INPUT) for name in self._role.reads]
        reply = self._ask(BEFORE, {"inputs": [one for one in inputs if one["text"]]})
        self._advice = read_advice(reply) if reply is not None else Advice()
        return self._advice

    def guidance(self) -> Guidance:
        """For the role's prompt."""
        concerns = [f"{it.subject}: {it.concerns}" for it in self._past if it.concerns]
        intent = self._ws.settings.orchestrator.intent
        return Guidance(intent, tuple(concerns), self._advice.enrichment)

    def after(self, run: Run, branch: str | None) -> Opinion:
        """A rejection is valid work: it never leads to a rerun, nor does any other branch that is
        not an approval."""
        outputs = [self._shown(name, _OF_THE_OUTPUT) for name in run.writes]
        reply = self._ask(AFTER, {"outputs": outputs, "branch": branch})
        return read_opinion(reply) if reply is not None else Opinion()

    def note(self, run: Run, branch: str | None, opinion: Opinion) -> Note:
        unheard = "; ".join(self.problems)
        return Note(self._action(run, branch, opinion), self._advice, opinion, unheard)

    def _action(self, run: Run, branch: str | None, opinion: Opinion) -> str:
        if opinion.rerun:
            forbidden = self._forbidden(run, branch)
            return f"overridden, {forbidden}" if forbidden else "rerun"
        done = "enriched" if self._advice.enrichment else "proceeded"
        return done if opinion.aligned else f"{done}, though it is not aligned"

    def _forbidden(self, run: Run, branch: str | None) -> str:
        """Why there may be no rerun; empty where there may."""
        most = run.workflow.stages[run.state.stage].max_visits
        if branch not in (None, APPROVE):
            return f"for {branch} is valid work"
        if most is not None and run.state.visit >= most:
            return f"for {run.state.stage} has had {run.state.visit} of {most} visits"
        if _reruns(self._ws, run) >= MOST_RERUNS:
            return f"for there were {MOST_RERUNS} reruns already"
        return ""

    def _ask(self, template: str, values: dict[str, Any]) -> str | None:
        """None when it is not heard, which is no reason to lose a step."""
        try:
            backend = self._crew.orchestrator(self._ws)
            prompt = render(self._ws, template, {**self._values(), **values})
            question = Question(prompt, self._ws.worktree)
            answer = self._crew.ask(self._ws, backend, "orchestrator", question)
        except RelayError as error:
            self.problems.append(line(str(error)))
            return None
        self.spent = Answer(
            "",
            self.spent.tokens_in + answer.tokens_in,
            self.spent.tokens_out + answer.tokens_out,
        )
        return masked(self._ws, answer.text)

    def _values(self) -> dict[str, Any]:
        run, stage = self._run, self._run.workflow.stages[self._run.state.stage]
        return {
            "intent": line(self._ws.settings.orchestrator.intent),
            "workflow": str(run.workflow.name),
            "stage": str(stage.name),
            "visit": run.state.visit,
            "role": str(self._role.name),
            "description": line(self._role.description),
            "steps": run.tip.envelope.step,
            "branches": list(stage.branches),
            "notes": [f"{it.subject}: {it.text}" for it in self._past],
        }

    def _shown(self, name: str, most: int) -> dict[str, str]:
        """The beginning of an artifact, line by line."""
        path = path_of(name)
        data = files.read_in(self._ws.worktree, path, most * 4) or b""
        text = data.decode("utf-8", "replace")[:most]
        return {"path": path, "text": "\n".join(line(one) for one in text.splitlines())}


def _reruns(ws: Workspace, run: Run) -> int:
    """How many led to the present visit."""
    count = 0
    for step in chain.walk(ws.store, run.tip.oid):
        event = runs.state_of(step).event
        if isinstance(event, Rerun):
            count += 1
        elif not isinstance(event, Commit):
            break
    return count
