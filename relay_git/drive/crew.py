"""Who is there to be asked: backends as the command line and the settings choose them."""

from __future__ import annotations

from typing import Protocol

from relay_git.drive import choice
from relay_git.drive.asking import Answer, Backend, Follower, Question
from relay_git.drive.choice import Choice
from relay_git.git.config import Config
from relay_git.record import Record
from relay_git.redact import redact
from relay_git.workflow import runs
from relay_git.workflow.model import Role
from relay_git.workflow.runs import Run
from relay_git.workspace import Workspace


class Opener(Protocol):
    def __call__(self, choice: Choice, config: Config, *, answers: bool = False) -> Backend:
        """Raises `BackendError`."""
        ...


class Crew(Record):
    """`wished` is the backend that the command line names, for every role."""

    open: Opener
    follower: Follower
    wished: str | None = None

    def for_role(self, ws: Workspace, run: Run, role: Role) -> Backend:
        rules = runs.rules(ws.store, run, role.name)
        return self.open(choice.for_role(ws, self.wished, role, rules), ws.config)

    def orchestrator(self, ws: Workspace) -> Backend:
        return self.open(choice.for_orchestrator(ws), ws.config, answers=True)

    def ask(self, ws: Workspace, backend: Backend, who: str, question: Question) -> Answer:
        """Nothing leaves this machine with a secret in it that can be seen as one."""
        clean = question.replace(
            prompt=masked(ws, question.prompt), system=masked(ws, question.system)
        )
        with self.follower.during(f"{who} ({described(backend)})"):
            return backend.ask(clean, self.follower)


def masked(ws: Workspace, text: str) -> str:
    return redact(text, ws.settings.redact_literals)[0]


def described(backend: Backend) -> str:
    """`openai, gpt-5`."""
    return f"{backend.name}, {backend.model}" if backend.model else backend.name
