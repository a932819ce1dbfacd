"""Make one step of a run: its state by the machine, its artifacts without secrets, its story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relay_git import names
from relay_git.chain import chain
from relay_git.chain.chain import Draft, Step
from relay_git.chain.envelope import sha256
from relay_git.errors import Refused
from relay_git.git.store import Move
from relay_git.names import ArtifactName, RunId
from relay_git.workflow import pending, runs, story, working_set
from relay_git.workflow.machine import Advance, Event, Rerun, Resolve, Rollback, transition
from relay_git.workflow.model import Workflow
from relay_git.workflow.runs import Run
from relay_git.workflow.state_record import state_to_json
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.redact import Secret

Edits = Mapping[str, bytes | None]
"""Changes to the files of the step before: content by path, None takes a file out."""

Earlier = Mapping[int | str, Step]
"""The steps that an event can go back to, by what it may call them."""


def add(
    ws: Workspace,
    run: Run,
    event: Event,
    edits: Edits,
    message: str | None,
    earlier: Earlier | None = None,
    tokens: int = 0,
) -> tuple[Run, tuple[str, ...]]:
    """One more step of a run. A message passes redaction like everything else.

    `tokens` are those that making it took.
    """
    text, secrets = _redacted(ws, message) if message else ("", ())
    found = tuple(f"message: {secret.kind}" for secret in secrets)
    body = text or None
    after = make(ws, run.id, run, run.workflow, event, edits, body, earlier, tokens=tokens)
    return after, found


def make(
    ws: Workspace,
    run_id: RunId,
    run: Run | None,
    workflow: Workflow,
    event: Event,
    edits: Edits,
    body: str | None = None,
    earlier: Earlier | None = None,
    also: tuple[Move, ...] = (),
    tokens: int = 0,
) -> Run:
    """Append the step that an event makes; `also` moves in the same transaction.

    A run that ends leaves its mark in `pending` before its last step is written.
    """
    before = run.state if run else None
    known = earlier or {}
    states = {name: runs.state_of(step) for name, step in known.items()}
    after, actions = transition(workflow, before, event, _digests(run, edits), states)
    author, committer = ws.idents()
    acted = isinstance(event, Advance | Rerun)
    role = workflow.role_of(before.stage) if before and acted else None
    number = run.tip.envelope.step + 1 if run else 1
    draft = Draft(
        run=run_id,
        role=role.name if role else None,
        state=state_to_json(after),
        files=edits,
        message=story.message(
            story.subject(workflow, before, after, _back_to(event, known)),
            body,
            run_id,
            number,
            event,
            after,
            role.name if role else None,
            ws.repo.head,
        ),
        author=author,
        committer=committer,
        budget_used=tokens,
        also=also,
    )
    if "settle" in actions:
        pending.mark(ws, run_id)
    parent = run.tip if run else None
    step = chain.append(ws.store, names.run_ref(run_id), parent, draft, ws.signer)
    return Run(step, after, workflow)


def edits(tip: Step, contents: Mapping[ArtifactName, bytes]) -> dict[str, bytes | None]:
    """What differs from the last step. An artifact that is gone from the set stays recorded."""
    known = tip.envelope.files
    paths = {names.artifact_path(name): data for name, data in contents.items()}
    return {path: data for path, data in paths.items() if known.get(path) != sha256(data)}


def mask(
    ws: Workspace, contents: Mapping[ArtifactName, bytes], tip: Step | None = None
) -> tuple[dict[ArtifactName, bytes], tuple[str, ...]]:
    """Contents without secrets, and where some were. Raises `Refused` under `redaction: refuse`.

    What is as the `tip` records it has been through this before.
    """
    known = tip.envelope.files if tip else {}
    clean: dict[ArtifactName, bytes] = {}
    found: list[str] = []
    for name, data in contents.items():
        clean[name] = data
        if known.get(names.artifact_path(name)) != sha256(data):
            text, secrets = _redacted(ws, data.decode("utf-8"))
            clean[name] = text.encode("utf-8")
            found += [f"{working_set.path_of(name)}:{s.line}: {s.kind}" for s in secrets]
    if found and ws.settings.redaction == "refuse":
        raise Refused(
            f"a secret: {_first(found)}",
            hint="take it out, or set `redaction: mask` in .relay/relay.yml",
        )
    return clean, tuple(found)


def _redacted(ws: Workspace, text: str) -> tuple[str, tuple[Secret, ...]]:
    from relay_git.redact import redact

    return redact(text, ws.settings.redact_literals)


def _digests(run: Run | None, edits: Edits) -> dict[str, str]:
    """sha256 by artifact name, as the new step will record them."""
    files = dict(run.tip.envelope.files) if run else {}
    for path, data in edits.items():
        if data is None:
            files.pop(path, None)
        else:
            files[path] = sha256(data)
    prefix = names.artifact_path("")
    return {p.removeprefix(prefix): d for p, d in files.items() if p.startswith(prefix)}


def _back_to(event: Event, earlier: Earlier) -> str:
    """`step 3`, with more where that is not clear."""
    if not isinstance(event, Rollback | Resolve):
        return ""
    if isinstance(event.to, int):
        return f"step {event.to}"
    from relay_git.workflow.divergence import called

    return called(earlier[event.to])


def _first(found: Sequence[str]) -> str:
    return found[0] + (f" (and {len(found) - 1} more)" if len(found) > 1 else "")
