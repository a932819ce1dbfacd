"""Ask a model to word claims better, as far as their evidence allows; never needed, only nicer.

Whatever goes wrong leaves the findings' own words, and is told once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relay_git.errors import BackendError
from relay_git.lessons.inject import quote
from relay_git.lessons.model import Finding, Lesson
from relay_git.lessons.reword import (
    BadReply,
    Candidate,
    Wording,
    read_reply,
    reworded,
    reworded_finding,
)
from relay_git.redact import redact
from relay_git.workflow.rendering import render
from relay_git.workspace import Workspace

TEMPLATE = "distill.md.j2"
_MOST_AT_ONCE = 25
_MOST_PATHS = 100
_LONGEST_EXCERPT = 2000

Ask = Callable[[str], str]
"""Answers a prompt. Raises `BackendError`."""


class Rewording:
    """Words the claims of lessons and findings with a model's help.

    A backend that fails is not asked again. A bad answer costs the claims that it was about.
    """

    def __init__(self, ws: Workspace, ask: Ask | None, failure: BackendError | None = None) -> None:
        self._ws = ws
        self._ask = ask
        self._problems = [str(failure)] if failure else []

    @property
    def warning(self) -> str | None:
        """What went wrong first, and how much did; None when nothing has."""
        if not self._problems:
            return None
        more = len(self._problems) - 1
        also = f" (and {more} more)" if more else ""
        return f"claims stay in the reviewers' own words: {self._problems[0]}{also}"

    def lessons(self, found: Sequence[Lesson], paths: Sequence[str]) -> list[Lesson]:
        """The lessons of one run, whose code commits touched these paths."""
        shown = [
            Candidate(it.role, it.claim, it.severity, it.excerpt, it.tags, tuple(paths))
            for it in found
        ]
        wordings = self._wordings(shown)
        return [reworded(it, wordings[at]) if at in wordings else it for at, it in enumerate(found)]

    def findings(self, found: Sequence[Finding]) -> list[Finding]:
        """The findings of one document."""
        shown = [Candidate("", it.claim, it.severity, it.excerpt, it.tags) for it in found]
        wordings = self._wordings(shown)
        return [
            reworded_finding(it, wordings[at]) if at in wordings else it
            for at, it in enumerate(found)
        ]

    def _wordings(self, candidates: Sequence[Candidate]) -> dict[int, Wording]:
        """By position. A long list is asked about in parts."""
        clean = [self._clean(candidate) for candidate in candidates]
        found: dict[int, Wording] = {}
        for start in range(0, len(clean), _MOST_AT_ONCE):
            part = clean[start : start + _MOST_AT_ONCE]
            found |= {start + at: it for at, it in self._part(part).items()}
        return found

    def _part(self, candidates: Sequence[Candidate]) -> dict[int, Wording]:
        if self._ask is None:
            return {}
        prompt = self._masked(render(self._ws, TEMPLATE, _values(candidates)))
        try:
            reply = read_reply(self._masked(self._ask(prompt)), candidates)
        except BackendError as error:
            self._problems.append(str(error))
            self._ask = None
            return {}
        except BadReply as error:
            self._problems.append(f"the backend's answer cannot be used: {error}")
            return {}
        self._problems += reply.refused
        return reply.wordings

    def _clean(self, candidate: Candidate) -> Candidate:
        """Without secrets, as the prompt shows it, so that an answer is held against that."""
        return candidate.replace(
            claim=self._masked(candidate.claim),
            excerpt=self._masked(candidate.excerpt),
        )

    def _masked(self, text: str) -> str:
        return redact(text, self._ws.settings.redact_literals)[0]


def _values(candidates: Sequence[Candidate]) -> dict[str, object]:
    return {
        "candidates": [
            {
                "number": number,
                "role": candidate.role,
                "severity": candidate.severity,
                "claim": quote(candidate.claim),
                "excerpt": quote(candidate.excerpt[:_LONGEST_EXCERPT]),
            }
            for number, candidate in enumerate(candidates, start=1)
        ],
        "paths": [quote(path) for path in candidates[0].paths[:_MOST_PATHS]],
    }
