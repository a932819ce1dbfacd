"""One step in process, on either engine: four new artifacts, signed, one ref transaction."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from importing import importing
from measure import Row
from scratch import Stage

from relay_git.chain import chain
from relay_git.chain.chain import Draft, Step
from relay_git.git.open import ENGINES, open_store
from relay_git.git.repo import discover
from relay_git.git.store import Ident
from relay_git.names import RunId, artifact_path, run_ref
from relay_git.signing.signer import signer_for

STEPS = 200
BAR = 5.0
SIZES = (2_000, 6_000, 12_000, 20_000)
_RUN = RunId("20260428-0930-bench-3f9a")


def rows(stage: Stage) -> list[Row]:
    steps = stage.rounds(STEPS)
    return [
        _imported(steps),
        *(
            Row(f"a step of 4 artifacts, {engine} engine", _median(engine, steps), None, BAR)
            for engine in ENGINES
        ),
    ]


def _imported(steps: int) -> Row:
    """The floor: the same files, which nobody reads, signs or waits for, through one process."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["git", "init", "--quiet", scratch], check=True)
        started = time.perf_counter()
        with importing(Path(scratch)) as stream:
            tip: list[int] = []
            for number in range(steps):
                draft = _draft(number)
                marks = {path: stream.blob(data or b"") for path, data in draft.files.items()}
                changes = [f"M 100644 :{mark} {path}" for path, mark in marks.items()]
                tip = [stream.commit("refs/x/y", draft.author, draft.message, tip, changes)]
        took = (time.perf_counter() - started) * 1000
    return Row("a commit of 4 files, git fast-import", took / steps, None, None)


def _median(engine: str, steps: int) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["git", "init", "--quiet", scratch], check=True)
        repo = discover(scratch)
        store = open_store(repo, engine=engine, durability="os")
        signer = signer_for(repo.common_dir, None, "bench@example.com")
        parent: Step | None = None
        samples = []
        for number in range(steps):
            draft = _draft(number)
            started = time.perf_counter()
            parent = chain.append(store, run_ref(_RUN), parent, draft, signer)
            samples.append((time.perf_counter() - started) * 1000)
        store.close()
    return statistics.median(samples)


def _draft(number: int) -> Draft:
    who = Ident("Ada", "ada@example.com", 1_777_368_600 + number)
    files: dict[str, bytes | None] = {
        artifact_path(f"artifact-{index}.md"): _text(number, size).encode()
        for index, size in enumerate(SIZES)
    }
    state = {"stage": "implement", "visits": {"plan": 2, "implement": number + 1}}
    return Draft(_RUN, "implementer", state, files, f"step {number}\n", who, who)


def _text(number: int, size: int) -> str:
    """Text that does not compress away: words with a different number in each line."""
    line = "step {} changes `Worker.shutdown` in courier/worker.py at line {}\n"
    return "".join(line.format(number, index) for index in range(size // 64))
