"""What `verify` says of joins that somebody made by hand, with a key that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pipelining import Place, forks, place, saying

from relay_git import names
from relay_git.chain.chain import Draft, Step, read_step, write
from relay_git.chain.verify import Past
from relay_git.pipeline import Pipeline, Snapshot
from relay_git.pipeline.consistency import rule

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def here(repo_path: Path) -> Iterator[Place]:
    made = place("memory", repo_path)
    yield made
    made.close()


def joined(here: Place) -> tuple[Step, Snapshot]:
    """A join of two forks, and the step before it."""
    pipeline = Pipeline.open(here.steps, "demo", payload={"FACTS": ["a"]})
    before = pipeline.head.record
    return before, pipeline.fork_sync(forks(f=saying(F=1), g=saying(G=2))).unwrap()


def forged(here: Place, before: Step, join: Snapshot, parents: Any, change: Change) -> Step:
    """The same join with other receipts, or of other outputs, and signed."""
    record = join.record
    state = dict(record.envelope.state)
    event = {**state["event"], "join": {**state["event"]["join"]}}
    event["join"]["forks"] = [dict(receipt) for receipt in event["join"]["forks"]]
    change(event["join"])
    draft = Draft(
        run=record.envelope.run,
        role=None,
        state={**state, "event": event},
        files={names.section_path(n): data for n, data in join.contents.items() if n != "FACTS"},
        message=record.commit.message,
        author=record.commit.author,
        committer=record.commit.committer,
        budget_used=record.envelope.budget_used,
        budget_total=record.envelope.budget_total,
        second_parents=parents,
    )
    return write(here.port, before, draft, here.keys.signer)


def verdict(here: Place, before: Step, step: Step) -> str | None:
    return rule(here.port)(Past(before, {before.oid: before}, ()), step)


def told(**fields: Any) -> Change:
    return lambda join: join["forks"][0].update(fields)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda join: None, None),
        (told(confidence=999), "says otherwise of the fork f"),
        (told(agent="somebody"), "says otherwise of the fork f"),
        (told(fork="other"), "says otherwise of the fork other"),
        (told(manifest="0" * 64), "says otherwise of the fork f"),
        (told(output_tokens=0), "budget does not follow"),
        (told(outcome="rejected"), "budget does not follow"),
        (lambda join: join.update(chosen=["f"]), "not what UNION gives"),
        (lambda join: join.update(strategy="VOTE"), "not what VOTE gives"),
        (lambda join: join.update(forks=join["forks"][::-1]), "another output than it names"),
    ],
)
def test_receipts_say_what_the_outputs_say(here: Place, change: Change, wrong: str | None) -> None:
    before, join = joined(here)
    step = forged(here, before, join, join.record.commit.parents[1:], change)
    found = verdict(here, before, step)
    assert found is None if wrong is None else wrong in (found or "")


def test_a_join_is_of_forks_of_one_step_of_its_run(here: Place) -> None:
    before, join = joined(here)
    mine = join.record.commit.parents[1:]
    pipeline = Pipeline.open(here.steps, "demo")
    later = pipeline.fork_sync(forks(f=saying(F=1), g=saying(G=2))).unwrap()
    other = read_step(here.port, later.record.commit.parents[2])

    def of_another_step(made: dict[str, Any]) -> None:
        made["forks"][1]["output"] = other.digest

    step = forged(here, before, join, (mine[0], other.oid), of_another_step)
    assert "forks of different steps" in (verdict(here, before, step) or "")
    accepted = join.record

    def of_no_output(made: dict[str, Any]) -> None:
        made["forks"][1]["output"] = accepted.digest

    step = forged(here, before, join, (mine[0], accepted.oid), of_no_output)
    assert "no output" in (verdict(here, before, step) or "")
