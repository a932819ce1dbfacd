"""The prompt for the role that acts now: gathered from the run, rendered by jinja2.

The template may come with somebody's branch (`.relay/templates/prompt.md.j2`), so it is rendered
in jinja2's sandbox and sees plain text, numbers and lists only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relay_git import clock, files, names
from relay_git.chain import chain
from relay_git.chain.envelope import sha256
from relay_git.errors import Refused
from relay_git.lessons.inject import age, quote, select
from relay_git.lessons.keep import KeptLesson
from relay_git.lessons.occurrences import occurrences
from relay_git.lessons.paths import files_named
from relay_git.lessons.shelf import Shelf
from relay_git.names import ArtifactName
from relay_git.record import Record
from relay_git.workflow import runs
from relay_git.workflow.machine import CONCERNS
from relay_git.workflow.model import Role, Rules
from relay_git.workflow.rendering import render
from relay_git.workflow.runs import Run
from relay_git.workflow.working_set import path_of
from relay_git.workspace import MAX_ARTIFACT, Workspace

TEMPLATE = "prompt.md.j2"


class Prompt(Record):
    """`lessons` are the ids of those shown; `writes` the paths that the role is to write.

    `system` is the role's system prompt where the text leaves it out.
    """

    role: str
    text: str
    writes: tuple[str, ...]
    lessons: tuple[str, ...]
    system: str = ""


class Guidance(Record):
    """What somebody who watches over the run has to say to the role."""

    intent: str
    concerns: tuple[str, ...] = ()
    enrichment: str = ""


class Manner(Record):
    """How the prompt is handed over. By hand, unless `driven`: then the run moves on by itself.

    `apart` leaves out the system prompt, for it goes beside the text. `as_text` takes the answer
    for the artifact. `refused` says why the last attempt was not taken.
    """

    driven: bool = False
    apart: bool = False
    as_text: bool = False
    guidance: Guidance | None = None
    refused: str = ""


BY_HAND = Manner()


class Input(Record):
    """An artifact as it is shown; `left_out` counts characters."""

    path: str
    text: str
    left_out: int


def compose(ws: Workspace, run: Run, manner: Manner = BY_HAND) -> Prompt:
    """The prompt of the present visit. Raises `Refused` for a template that cannot be rendered."""
    role = run.role
    if role is None:
        raise Refused(f"the run is {run.state.status}: nobody acts in {run.state.stage}")
    rules = runs.rules(ws.store, run, role.name)
    texts = _inputs(ws, run, role)
    lessons = _lessons(ws, run, role, texts) if rules.inject_lessons else _NO_LESSONS
    shown = [*lessons["relevant"], *lessons["other"]]
    writes = tuple(path_of(name) for name in run.writes)
    inputs = [_cut(name, text, ws.settings.max_artifact_chars) for name, text in texts.items()]
    values = {
        "role": _role_values(role, rules, manner.apart),
        "run": _run_values(run),
        "guidance": _guidance_values(manner.guidance),
        "lessons": lessons,
        "inputs": [{"path": i.path, "text": i.text, "left_out": i.left_out} for i in inputs],
        "marker": _marker(inputs),
        "outputs": list(writes),
        "rewrite": run.state.visit > 1,
        "remarks": _remarks(run, manner),
        "driven": manner.driven,
        "as_text": manner.as_text,
        "output_format": rules.output_format.strip(),
        "verdicts": _verdicts(run),
        "trailers": _trailers(run),
    }
    text, system = render(ws, TEMPLATE, values), rules.system_prompt.strip()
    ids = tuple(lesson["id"] for lesson in shown)
    return Prompt(role.name, text, writes, ids, system if manner.apart else "")


def _role_values(role: Role, rules: Rules, apart: bool) -> dict[str, Any]:
    return {
        "name": str(role.name),
        "description": role.description.strip(),
        "system_prompt": "" if apart else rules.system_prompt.strip(),
    }


def _guidance_values(guidance: Guidance | None) -> dict[str, Any] | None:
    if guidance is None:
        return None
    return {
        "intent": quote(guidance.intent),
        "concerns": [quote(concern) for concern in guidance.concerns],
        "enrichment": quote(guidance.enrichment),
    }


def _remarks(run: Run, manner: Manner) -> list[str]:
    """What was wrong with the visit before, or with the attempt before at this one."""
    found = (run.state.metadata.get(CONCERNS, ""), manner.refused)
    return [quote(remark) for remark in found if remark]


def _run_values(run: Run) -> dict[str, Any]:
    return {
        "id": str(run.id),
        "workflow": str(run.workflow.name),
        "stage": str(run.state.stage),
        "visit": run.state.visit,
        "max_visits": run.workflow.stages[run.state.stage].max_visits,
        "stages": [str(name) for name in run.workflow.stages],
    }


def _verdicts(run: Run) -> list[dict[str, str]]:
    branches = run.workflow.stages[run.state.stage].branches
    return [{"branch": branch, "target": str(target)} for branch, target in branches.items()]


def _trailers(run: Run) -> list[str]:
    """What a commit says to end this visit, one line for each way on."""
    here = f"{names.TRAILER_ADVANCE}: {run.state.stage}.{run.state.visit}"
    branches = run.workflow.stages[run.state.stage].branches
    return [f"{here}={branch}" for branch in branches] or [here]


# Input artifacts


def _inputs(ws: Workspace, run: Run, role: Role) -> dict[ArtifactName, str]:
    """What the role reads, from the working set, else as the last step records it."""
    found: dict[ArtifactName, str] = {}
    for name in role.reads:
        data = files.read_in(ws.worktree, path_of(name), MAX_ARTIFACT)
        if data is None:
            data = chain.read_file(ws.store, run.tip, names.artifact_path(name))
        if data is not None:
            found[name] = data.decode("utf-8", "replace")
    return found


def _cut(name: ArtifactName, text: str, most: int) -> Input:
    return Input(path_of(name), text[:most].rstrip("\n"), max(0, len(text) - most))


def _marker(inputs: Sequence[Input]) -> str:
    """A word that occurs in none of the inputs, and is the same for the same inputs."""
    everything = "\0".join(item.text for item in inputs)
    marker = sha256(everything.encode("utf-8", "replace"))[:8]
    while marker in everything:
        marker = sha256(marker.encode())[:8]
    return marker


# Lessons

_NO_LESSONS: dict[str, Any] = {"relevant": [], "other": [], "left_out": 0}


def _lessons(
    ws: Workspace, run: Run, role: Role, inputs: dict[ArtifactName, str]
) -> dict[str, Any]:
    shelf = Shelf.load(ws.worktree, ws.cache_dir)
    mine = shelf.by_role(role.name)
    if not mine:
        return _NO_LESSONS
    counts = occurrences(ws.store, ws.cache_dir)
    at_hand = _files_at_hand(ws, role, inputs.values())
    chosen = select(mine, role.name, at_hand, counts, ws.settings.lessons.max_per_role)
    uncommitted = _uncommitted(ws)

    def values(lesson: KeptLesson) -> dict[str, Any]:
        return {
            "id": lesson.id,
            "severity": lesson.severity,
            "claim": quote(lesson.claim),
            "run": quote(lesson.run or "none, added by hand"),
            "age": age(lesson.observed_at, clock.now()),
            "times": counts.get(lesson.claim_hash, 1),
            "uncommitted": lesson.path in uncommitted,
        }

    return {
        "relevant": [values(lesson) for lesson in chosen.relevant],
        "other": [values(lesson) for lesson in chosen.other],
        "left_out": chosen.left_out,
    }


def _files_at_hand(ws: Workspace, role: Role, inputs: Iterable[str]) -> set[str]:
    """Named in what the role reads, changed on this branch, or read by the role."""
    named = {path for text in inputs for path in files_named(text)}
    return named | _changed_on_branch(ws) | {str(name) for name in role.reads}


def _changed_on_branch(ws: Workspace) -> set[str]:
    """Against where the branch left the default branch, uncommitted changes included."""
    base = ws.default_branch()
    if base is None or ws.repo.head is None:
        return set()
    options = ("--name-only", "-z", "--no-renames", "--merge-base")
    result = ws.repo.git("diff", *options, base[1], "--", check=False)
    return set(result.stdout.decode("utf-8", "backslashreplace").split("\0")) - {""}


def _uncommitted(ws: Workspace) -> set[str]:
    options = ("--porcelain", "-z", "--untracked-files=all", "--no-renames")
    result = ws.repo.git("status", *options, "--", f":(top){names.LESSONS}", check=False)
    entries = result.stdout.decode("utf-8", "surrogateescape").split("\0")
    return {entry[3:] for entry in entries if entry}
