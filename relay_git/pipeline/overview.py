"""Which pipelines a repository has, and what the steps of one did, to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from relay_git import names
from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.chain.inspection import check_content
from relay_git.errors import InvalidName, RelayError
from relay_git.git.store import Store
from relay_git.names import Oid, RefName, RunId, Word
from relay_git.pipeline.frozen import Json
from relay_git.pipeline.sections import decode
from relay_git.pipeline.state import ENDS, Event, Receipt, is_pipeline, state_of
from relay_git.record import Record, as_dict


class Standing(Record):
    """How a run of a pipeline stands at `tip`. `own` is whether the name stands for it in this
    clone, `forks` how many outputs wait to be joined."""

    name: str
    status: str
    tip: Step
    agent: str | None
    own: bool
    forks: int

    @property
    def elsewhere(self) -> bool:
        """Whether it goes on, and not here."""
        return not self.own and self.status not in ENDS.values()


class Seen(Record):
    """A step, or an output beside the chain, and the sections that it changed: those that it
    wrote, then those that it took out. `kept` are the outputs that hang beside it: the one that a
    rollback keeps, or those of forks. A merge is nobody's, so its event tells nothing."""

    step: Step
    event: Event
    wrote: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[Seen, ...] = ()

    @property
    def rejected(self) -> Seen | None:
        return self.kept[0] if self.event.rejected else None

    @property
    def tokens(self) -> tuple[int, int]:
        """Of the slice and of the output, in a join of all that were accepted."""
        made = self.event.join.forks if self.event.join else ()
        accepted = [receipt for receipt in made if receipt.outcome == "accepted"]
        every: list[Event | Receipt] = [self.event, *accepted]
        return sum(one.slice_tokens for one in every), sum(one.output_tokens for one in every)


def standings(store: Store) -> tuple[list[Standing], dict[str, str]]:
    """By name and run, all that are open; and why others that are named cannot be read."""
    found: list[Standing] = []
    broken: dict[str, str] = {}
    for ref, tip in store.refs(names.RUNS).items():
        try:
            step = chain.read_step(store, tip)
            if is_pipeline(step):
                found.append(standing(store, step))
        except RelayError as error:
            broken[ref] = error.what
    return sorted(found, key=lambda one: (one.name, one.tip.envelope.run)), broken


def standing(store: Store, tip: Step) -> Standing:
    state, run = state_of(tip), tip.envelope.run
    agents = (state_of(step).event.agent for step in chain.walk(store, tip.oid))
    return Standing(
        name=state.pipeline,
        status=state.status,
        tip=tip,
        agent=next(filter(None, agents), None),
        own=run_of(store, state.pipeline) == run,
        forks=len(_fork_refs(store, run)),
    )


def run_of(store: Store, name: str) -> RunId | None:
    """The run that a pipeline's name stands for in this clone; None where it stands for none."""
    try:
        pointer = store.ref(names.pipeline_ref(Word(name)))
        return RunId(store.blob(pointer).decode("ascii", "replace").strip()) if pointer else None
    except InvalidName:
        return None


def steps(store: Store, tip: Oid) -> list[Seen]:
    """From the first step to the last."""
    every = list(chain.walk(store, tip))[::-1]
    by_digest = {step.digest: step for step in every}
    return [_seen(store, step, by_digest.get(step.envelope.parent or "")) for step in every]


def forks(store: Store, run: RunId) -> list[Seen]:
    """The outputs of forks that wait to be joined, by the step that they started from."""
    tips = [chain.read_step(store, tip) for tip in _fork_refs(store, run).values()]
    return sorted(map(partial(_beside, store), tips), key=lambda seen: seen.step.envelope.step)


def contents(store: Store, step: Step) -> Iterator[tuple[str, bytes]]:
    """Its sections by name, but for those that were purged. Raises `Corrupt`."""
    purged = check_content(store, step)
    for path in sorted(step.envelope.files.keys() - set(purged)):
        section = names.section_name(path)
        data = chain.read_file(store, step, path)
        if section and data is not None:
            yield section, data


def value(section: str, data: bytes) -> Json:
    """Raises `Corrupt` for what is no section."""
    return decode(data, names.section_path(section))


# As JSON for programs; confidence is from 0 to 1


def standing_json(one: Standing) -> dict[str, Any]:
    record = one.tip.envelope
    return {
        "pipeline": one.name,
        "run": record.run,
        "status": one.status,
        "step": record.step,
        "at": record.timestamp,
        "agent": one.agent,
        "budget": {"used": record.budget_used, "total": record.budget_total},
        "own": one.own,
        "forks": one.forks,
    }


def seen_json(seen: Seen) -> dict[str, Any]:
    event, record = seen.event, seen.step.envelope
    return {
        "step": record.step,
        "commit": seen.step.oid,
        "at": record.timestamp,
        "agent": event.agent,
        "event": "merge" if seen.step.is_merge else event.kind,
        "wrote": list(seen.wrote),
        "removed": list(seen.removed),
        "tokens": dict(zip(("slice", "output"), seen.tokens, strict=True)),
        "budget_used": record.budget_used,
        "confidence": event.confidence / 1000,
        "masked": list(event.masked),
        "to": event.to,
        "findings": [as_dict(finding) for finding in event.findings],
        "fork": event.fork,
        "join": record.state["event"].get("join"),
        "kept": list(map(seen_json, seen.kept)),
    }


# Reading


def _fork_refs(store: Store, run: RunId) -> dict[RefName, Oid]:
    return store.refs(names.forks_prefix(run))


def _seen(store: Store, step: Step, before: Step | None) -> Seen:
    event = state_of(step).event
    if step.is_merge:
        return Seen(step, Event(event.kind))
    kept = (_beside(store, chain.read_step(store, oid)) for oid in step.commit.parents[1:])
    return Seen(step, event, *_changed(step, before), tuple(kept))


def _beside(store: Store, step: Step) -> Seen:
    before = chain.read_step(store, step.parents[0]) if step.parents else None
    return Seen(step, state_of(step).event, *_changed(step, before))


def _changed(step: Step, before: Step | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    old, new = before.envelope.files if before else {}, step.envelope.files
    wrote = (path for path in new if new[path] != old.get(path))
    removed = old.keys() - new.keys()
    return _sections(wrote), _sections(removed)


def _sections(paths: Iterator[str] | set[str]) -> tuple[str, ...]:
    return tuple(sorted(name for path in paths if (name := names.section_name(path))))
