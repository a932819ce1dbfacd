"""Any run that went on in several clones: it verifies, and every review of it is read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import pytest
from chains import Scratch
from flow import REJECTED, run_ref, started
from hypothesis import given, settings
from hypothesis import strategies as st
from support import repository

from relay_git import names
from relay_git.chain.chain import Step, read_file, walk
from relay_git.chain.merge import merge_chains
from relay_git.chain.signers import KnownSigners
from relay_git.chain.verify import verify_chain
from relay_git.errors import Refused
from relay_git.names import Oid, RefName, artifact_path
from relay_git.workflow import divergence, reviews, runs, steps
from relay_git.workflow.consistency import rule
from relay_git.workflow.machine import (
    Abandon,
    Advance,
    Commit,
    Event,
    Reset,
    Resolve,
    Rollback,
)
from relay_git.workflow.runs import Run
from relay_git.workspace import Workspace

Wish = tuple[str, int, int]
KINDS = ["advance"] * 6 + ["sync"] * 3 + ["resolve"] * 3
KINDS += ["rollback", "rollback", "reset", "commit", "abandon"]
WISHES = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 2), st.integers(0, 9)), max_size=25
)
"""What a clone does, which clone, and with what choice."""


class Known(dict[Oid, str]):
    """A cache of sound steps that ends with the test."""

    def put(self, oid: Oid, fingerprint: str) -> None:
        self[oid] = fingerprint


class Bench(Workspace):
    """A project with an open run; what clones do to it ends with the example."""

    @cached_property
    def scratch(self) -> Scratch:
        return Scratch(self.repo)

    @property
    def store(self) -> Scratch:
        return self.scratch


class Clones:
    def __init__(self, ws: Bench, ref: RefName, count: int) -> None:
        self.ws, self.ref = ws, ref
        start = Oid(ws.repo.git("rev-parse", ref).stdout.decode().strip())
        self.tips = [start] * count
        self.reviews: set[bytes] = set()

    def play(self, wishes: Sequence[Wish]) -> None:
        for kind, clone, choice in wishes:
            here = clone % len(self.tips)
            if kind == "sync":
                there = self.tips[choice % len(self.tips)]
                self.tips[here] = merge_chains(self.ws.store, self.tips[here], there)
            else:
                self._act(here, kind, choice)

    def _act(self, here: int, kind: str, choice: int) -> None:
        """What the machine refuses does not happen."""
        run = runs.load(self.ws.store, self.tips[here])
        before = list(walk(self.ws.store, run.tip.oid))
        known = divergence.by_name(before)
        event, edits = self._event(run, kind, choice, known)
        self.ws.store.tips = {self.ref: run.tip.oid}
        try:
            made = steps.make(self.ws, run.id, run, run.workflow, event, edits, None, known)
        except Refused:
            return
        self.tips[here] = made.tip.oid
        if isinstance(event, Advance):
            self.reviews |= {data for path, data in edits.items() if data and "review" in path}

    def _event(
        self, run: Run, kind: str, choice: int, known: steps.Earlier
    ) -> tuple[Event, dict[str, bytes | None]]:
        if kind == "advance":
            return self._advance(run, choice)
        if kind in ("rollback", "resolve"):
            ends = divergence.ends(self.ws.store, run) if kind == "resolve" else []
            among = ends or [step for name, step in known.items() if isinstance(name, str)]
            return self._back(run, kind, among[choice % len(among)], known)
        others: dict[str, Event] = {"reset": Reset(), "abandon": Abandon()}
        return others.get(kind, Commit("1" * 40)), {}

    def _back(
        self, run: Run, kind: str, step: Step, known: steps.Earlier
    ) -> tuple[Event, dict[str, bytes | None]]:
        """To the files of an earlier step, which is named as a command names it."""
        files = {path: read_file(self.ws.store, step, path) for path in step.envelope.files}
        edits = {**dict.fromkeys(run.tip.envelope.files), **files}
        if kind == "resolve":
            return Resolve(step.digest), edits
        return Rollback(divergence.name_of(step, known)), edits

    def _advance(self, run: Run, choice: int) -> tuple[Event, dict[str, bytes | None]]:
        """Each text is one of a kind. One visit in ten is approved, one goes beyond the limit."""
        branches = run.workflow.stages[run.state.stage].branches
        branch = ("approve" if choice == 9 else "reject") if branches else None
        text = f"{REJECTED}\nNumber {len(self.ws.store.memory.made)}.\n".encode()
        edits: dict[str, bytes | None] = {artifact_path(name): text for name in run.writes}
        branch = run.state.halt.branch if run.state.halt else branch
        return Advance(run.state.stage, run.state.visit, branch, force=choice == 8), edits


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench") / "project"


@given(st.integers(2, 3), WISHES)
@settings(max_examples=80, deadline=None)
def test_any_run_verifies_and_all_its_reviews_are_read(
    project: Path, count: int, wishes: list[Wish]
) -> None:
    if not project.exists():
        started(project)
    ref = RefName(run_ref(project))
    clones = Clones(Bench(repository(project)), ref, count)
    clones.play(wishes)
    store, first = clones.ws.store, clones.tips[0]
    end, other = first, clones.tips[-1]
    for tip in clones.tips[1:]:
        end = merge_chains(store, end, tip)
    for tip in clones.tips[-2::-1]:
        other = merge_chains(store, tip, other)

    signers = KnownSigners(clones.ws)
    run = ref.removeprefix(names.RUNS)
    judged = list(verify_chain(store, run, end, signers, Known(), rule(store)))
    assert [item for item in judged if not item.ok] == []

    outline = reviews.outline(store, end)
    assert {store.blob(passage.blob) for passage in outline.passages} == clones.reviews
    assert reviews.outline(store, other) == outline
