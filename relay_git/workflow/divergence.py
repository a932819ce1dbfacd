"""A run that went on in two places: its last steps, and which step a name means.

Two steps of such a run can have the same number. A person then names one by its object id, and
an event by the digest of its record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from relay_git import names
from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.errors import Refused
from relay_git.git.store import Store
from relay_git.output import plain
from relay_git.workflow import runs
from relay_git.workflow.runs import Run

SHORT = 12
"""Digits of an object id as people are shown it."""

_FEWEST = 4
_MOST_DIGITS = 18


def ends(store: Store, run: Run) -> list[Step]:
    """The last step of each side of a diverged run, the newest first, as far as a shallow clone
    has them. Empty where the run has not diverged.

    Code commits may have been recorded since the sides met: they choose none.
    """
    found: list[Step] = []
    wanted = {run.tip.digest} if run.state.status == "diverged" else set()
    for step in chain.walk(store, run.tip.oid) if wanted else ():
        if step.digest in wanted:
            wanted.remove(step.digest)
            if runs.state_of(step).status != "diverged":
                found.append(step)
            else:
                wanted.update(step.envelope.heads or {step.envelope.parent or ""})
        if not wanted:
            break
    return found


def refuse(store: Store, run: Run) -> None:
    """Raise `Refused` if the run has diverged, with the last steps and what to do."""
    if run.state.status != "diverged":
        return
    last = ends(store, run)
    listed = " and ".join(map(told, last)) or "`git fetch --unshallow` brings its last steps"
    choice = last[0].oid[:SHORT] if last else "STEP"
    raise Refused(
        f"the run has diverged: {listed}",
        where=names.run_ref(run.id),
        hint=f"choose one, as in `git relay resolve {run.id} {choice}`",
    )


def told(step: Step) -> str:
    """`step 4 (1a2b3c4d5e6f by Ada: draft → review)`."""
    subject = step.commit.message.partition("\n")[0]
    return plain(f"{called(step)[:-1]} by {step.commit.author.name}: {subject})")


def called(step: Step) -> str:
    return f"step {step.envelope.step} ({step.oid[:SHORT]})"


def pick(steps: Iterable[Step], name: str) -> Step:
    """The step that a number or the beginning of an object id means. Raises `Refused`."""
    known = list(steps)
    found = _numbered(known, name) or _beginning(known, name.lower())
    if len(found) == 1:
        return found[0]
    if not found:
        raise Refused(f"the run has no step {name}", hint="see `git relay log`")
    listed = ", ".join(step.oid[:SHORT] for step in found)
    raise Refused(
        f"{name} names {len(found)} steps: {listed}",
        hint="name one by the beginning of its object id",
    )


def number_in(name: str) -> int | None:
    """Python makes no number of what has thousands of digits, and nothing here has."""
    return int(name) if name.isdecimal() and len(name) <= _MOST_DIGITS else None


def pick_made(steps: Iterable[Step], name: str) -> Step:
    """As `pick`, and never a merge: nobody stood there."""
    step = pick(steps, name)
    if step.is_merge:
        raise Refused(
            f"{called(step)} is where the run diverged",
            hint="choose a step that somebody made; see `git relay log`",
        )
    return step


def by_name(steps: Iterable[Step]) -> dict[int | str, Step]:
    """The steps that somebody made by what an event may call each: the digest of its record, and
    its number where no other has it."""
    made = [step for step in steps if not step.is_merge]
    times = Counter(step.envelope.step for step in made)
    alone = [step for step in made if times[step.envelope.step] == 1]
    return {step.digest: step for step in made} | {step.envelope.step: step for step in alone}


def name_of(step: Step, known: Mapping[int | str, Step]) -> int | str:
    number = step.envelope.step
    return number if number in known else step.digest


def _numbered(steps: Sequence[Step], name: str) -> list[Step]:
    """A merge counts where no other step has the number."""
    number = number_in(name)
    found = [step for step in steps if step.envelope.step == number]
    return [step for step in found if not step.is_merge] or found


def _beginning(steps: Sequence[Step], name: str) -> list[Step]:
    return [step for step in steps if len(name) >= _FEWEST and step.oid.startswith(name)]
