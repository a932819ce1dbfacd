"""Several processes at once: nothing is lost, nothing is done twice, nothing lands elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from chains import RUN, add_step, opened, signer
from flow import (
    APPROVED,
    ENDLESS,
    REJECTED,
    Answer,
    artifact,
    call,
    done,
    draft,
    make_project,
    outcome,
    review,
    run_ref,
    spawn,
    started,
    tips,
    write,
)
from support import git, make_repo, repository

from relay_git import clock
from relay_git.chain.chain import walk
from relay_git.chain.signers import KnownSigners, VerifiedCache
from relay_git.chain.verify import verify_chain
from relay_git.names import Oid
from relay_git.names import run_ref as ref_of
from relay_git.workflow import actions
from relay_git.workflow.visit import Wish
from relay_git.workspace import Workspace

APPENDER = """
import sys
from chains import RUN, add_step, opened, signer
from relay_git.chain.chain import read_step
from relay_git.git.refs import retrying
from relay_git.names import run_ref
from pathlib import Path

path, worker, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store, by = opened(path, sys.argv[4]), signer(path)

def attempt(name):
    tip = store.ref(run_ref(RUN))
    return add_step(store, by, read_step(store, tip), {f"artifacts/{name}": name.encode()})

for number in range(count):
    retrying(lambda: attempt(f"{worker}-{number}.md"), tries=2000, within=60)
"""


@pytest.mark.parametrize("engine", ["native", "libgit"])
def test_eight_processes_append_200_steps_to_one_chain(
    repo_path: Path, tmp_path: Path, engine: str
) -> None:
    store, by = opened(repo_path), signer(repo_path)
    add_step(store, by, None, {"artifacts/first.md": b"first"})
    script = tmp_path / "append.py"
    script.write_text(APPENDER)
    path = os.pathsep.join([str(Path(__file__).parent.parent), *sys.path])
    workers = [
        subprocess.Popen(
            [sys.executable, str(script), str(repo_path), f"w{worker}", "25", engine],
            env=os.environ | {"PYTHONPATH": path},
        )
        for worker in range(8)
    ]
    assert [worker.wait(120) for worker in workers] == [0] * 8
    steps = list(walk(store, Oid(git(repo_path, "rev-parse", ref_of(RUN)))))[::-1]
    assert [step.envelope.nonce for step in steps] == list(range(1, 202))
    wanted = {f"artifacts/w{worker}-{number}.md" for worker in range(8) for number in range(25)}
    assert set(steps[-1].envelope.files) == wanted | {"artifacts/first.md"}
    ws = Workspace(repository(repo_path))
    known, cache = KnownSigners(ws), VerifiedCache(ws.cache_dir)
    judged = list(verify_chain(store, RUN, steps[-1].oid, known, cache))
    assert len(judged) == 201
    assert all(item.ok for item in judged)
    git(repo_path, "fsck", "--strict", "--no-dangling")


# Two advances at once


def at_once(*commands: tuple[Path, str]) -> list[Answer]:
    """Each command line in its directory, all started together."""
    running = [spawn(path, *words.split()) for path, words in commands]
    return [outcome(process) for process in running]


def rounds_of_two(path: Path, other: Path, rounds: int) -> None:
    """In each round both places finish the same visit; one does, and the other is told."""
    ref = run_ref(path)
    for number in range(rounds):
        before = git(path, "rev-parse", ref)
        name, text = ("draft.md", "Draft") if number % 2 == 0 else ("review.md", REJECTED)
        for place in {path, other}:
            write(place, name, f"{text}\n{place.name} {number}\n")
        answers = at_once((path, "advance"), (other, "advance"))
        assert sorted(answer.code for answer in answers) == [0, 1], answers
        (refused,) = [answer.err for answer in answers if answer.code]
        told = ("has moved on to", "unchanged since", "not written yet")
        assert any(word in refused for word in told), refused
        assert git(path, "rev-parse", f"{ref}^") == before
    assert f"{rounds + 1} of {rounds + 1} steps ok" in done(path, "verify")


def test_of_two_advances_in_one_worktree_one_applies(tmp_path: Path, soak: bool) -> None:
    path = started(tmp_path / "project", ENDLESS)
    rounds_of_two(path, path, 60 if soak else 6)


def test_of_two_advances_in_two_worktrees_one_applies(tmp_path: Path, soak: bool) -> None:
    path = started(tmp_path / "project", ENDLESS)
    other = tmp_path / "other"
    git(path, "worktree", "add", "-q", str(other))
    done(other, "switch", "loop")
    rounds_of_two(path, other, 60 if soak else 6)


WAITING = """\
#!/bin/sh
case "$*" in
*update-ref*) : >"$HOLD_DIR/reached"; while [ ! -e "$HOLD_DIR/go" ]; do sleep 0.01; done ;;
esac
exec "$HOLD_GIT" "$@"
"""


class Held:
    """An advance that has decided on its step and stands before the move of the ref."""

    def __init__(self, path: Path, folder: Path, *words: str) -> None:
        found = shutil.which("git")
        assert found
        folder.mkdir()
        (folder / "git").write_text(WAITING)
        (folder / "git").chmod(0o755)
        environment = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        environment |= {"HOLD_DIR": str(folder), "HOLD_GIT": found}
        self._folder = folder
        self._process = spawn(path, *words, **environment)
        deadline = time.monotonic() + 30
        while not (folder / "reached").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def go(self) -> Answer:
        (self._folder / "go").touch()
        return outcome(self._process)


def test_an_advance_is_not_applied_to_the_next_stage(tmp_path: Path) -> None:
    """Although the review, too, lies there newly written."""
    path = started(tmp_path / "project")
    write(path, "draft.md", "A draft.\n")
    write(path, "review.md", REJECTED)
    late = Held(path, tmp_path / "held", "advance")
    done(path, "advance")
    tip = git(path, "rev-parse", run_ref(path))
    answer = late.go()
    assert answer.code == 1
    assert "the run has moved on to review (visit 1) meanwhile" in answer.err
    assert git(path, "rev-parse", run_ref(path)) == tip


def test_an_advance_is_not_applied_to_a_later_visit(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    write(path, "draft.md", "A draft.\n")
    late = Held(path, tmp_path / "held", "advance")
    done(path, "advance")
    review(path)
    write(path, "draft.md", "A better draft.\n")
    answer = late.go()
    assert answer.code == 1
    assert "the run has moved on to draft (visit 2) meanwhile" in answer.err
    assert "draft (visit 2)" in git(path, "log", "-1", "--format=%s", run_ref(path))


def test_an_advance_is_not_applied_to_a_run_that_ended(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    write(path, "draft.md", "A draft.\n")
    late = Held(path, tmp_path / "held", "advance")
    done(path, "abandon")
    refs = tips(path)
    answer = late.go()
    assert answer.code == 1
    assert "has ended meanwhile" in answer.err
    assert tips(path) == refs


def test_an_advance_whose_visit_still_stands_is_applied_on_top(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    write(path, "draft.md", "A draft.\n")
    late = Held(path, tmp_path / "held", "advance")
    done(path, "reset")
    answer = late.go()
    assert answer.code == 0, answer.err
    assert git(path, "log", "--format=%s", run_ref(path)).splitlines() == [
        "draft → review",
        "reset → draft",
        "start loop at draft",
    ]
    assert "3 of 3 steps ok" in done(path, "verify")


@pytest.mark.parametrize("words", ["abandon", "reset", "reset --clean", "rollback --to 1"])
def test_another_action_on_a_run_that_moved_is_refused_and_loses_nothing(
    tmp_path: Path, words: str
) -> None:
    """They were decided on what the person saw; the run is not what it was."""
    path = started(tmp_path / "project")
    draft(path)
    write(path, "review.md", REJECTED)
    late = Held(path, tmp_path / "held", *words.split())
    git(path, "worktree", "add", "-q", str(tmp_path / "other"))
    done(tmp_path / "other", "switch", "loop")
    write(tmp_path / "other", "review.md", REJECTED)
    done(tmp_path / "other", "advance")
    tip = git(path, "rev-parse", run_ref(path))
    answer = late.go()
    assert (answer.code, len(answer.err.splitlines())) == (1, 1)
    assert git(path, "rev-parse", run_ref(path)) == tip
    assert artifact(path, "review.md").read_text() == REJECTED


# Locks


def test_a_lock_that_stays_is_named_and_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "pause", lambda attempt: None)
    path = started(tmp_path / "project")
    write(path, "draft.md", "A draft.\n")
    git(path, "config", "core.filesRefLockTimeout", "0")
    lock = path / ".git" / f"{run_ref(path)}.lock"
    lock.touch()
    answer = call(path, "advance")
    assert answer.code == 1
    assert str(lock) in answer.err
    assert "remove that file" in answer.err
    lock.unlink()
    done(path, "advance")


def test_a_lock_that_goes_away_is_waited_for(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    write(path, "draft.md", "A draft.\n")
    lock = path / ".git" / f"{run_ref(path)}.lock"
    lock.touch()
    timer = threading.Timer(0.3, lock.unlink)
    timer.start()
    done(path, "advance")
    timer.join()


# Init, start and settle


def test_five_inits_at_once_set_up_one_clone_once(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "project")
    answers = at_once(*[(path, "init --template bug-rca-fix")] * 5)
    assert [answer.code for answer in answers] == [0] * 5, answers
    assert git(path, "config", "--get-all", "log.excludeDecoration") == "refs/relay/*"
    keys = sorted((path / ".git" / "relay" / "keys").iterdir())
    assert len(keys) == 3
    assert len((path / ".git" / "relay" / "keys" / "current").read_text().splitlines()) == 1
    assert not list(path.rglob("*.tmp"))
    assert "everything is set up already" in done(path, "init")
    done(path, "start")


def test_init_waits_for_the_lock_on_the_configuration(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "project")
    lock = path / ".git" / "config.lock"
    lock.touch()
    timer = threading.Timer(0.4, lock.unlink)
    timer.start()
    done(path, "init")
    timer.join()
    assert git(path, "config", "--get-all", "log.excludeDecoration") == "refs/relay/*"


def test_starts_in_two_worktrees_at_once_are_two_runs(tmp_path: Path) -> None:
    path, other = make_project(tmp_path / "project"), tmp_path / "other"
    git(path, "worktree", "add", "-q", str(other))
    answers = at_once((path, "start --json"), (other, "start --json"))
    ids = [json.loads(answer.out)["run"] for answer in answers]
    assert len(set(ids)) == 2
    assert [json.loads(done(place, "status", "--json"))["run"] for place in (path, other)] == ids


def test_two_runs_that_would_have_one_id_get_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the random part had come out the same."""
    monkeypatch.setenv("GIT_RELAY_SEED", "1")
    monkeypatch.setenv("GIT_RELAY_NOW", "1777377600")
    path = make_project(tmp_path / "project")
    answers = [outcome(spawn(path, "start")) for _ in range(3)]
    assert [answer.code for answer in answers] == [0, 0, 0]
    assert sum(ref.startswith("refs/relay/runs/") for ref in tips(path)) == 3


def test_two_starts_in_one_worktree_at_once_lose_no_file(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    write(path, "draft.md", "Not recorded yet.\n")
    answers = at_once((path, "start"), (path, "start"))
    assert all(answer.code in (0, 1) for answer in answers)
    assert any(answer.code == 0 for answer in answers)
    saved = (path / ".git" / "relay" / "saved").rglob("draft.md")
    assert "Not recorded yet.\n" in [file.read_text() for file in saved]
    assert done(path, "verify")


@pytest.mark.parametrize("words", [("settle", "settle"), ("settle loop", "settle loop")])
def test_two_settles_at_once_deliver_once(tmp_path: Path, words: tuple[str, str]) -> None:
    path = ended(tmp_path / "project")
    answers = at_once(*[(path, word) for word in words])
    assert [answer.code for answer in answers] == [0, 0], answers
    assert not [ref for ref in tips(path) if ref.startswith("refs/relay/runs/")]
    (history,) = [ref for ref in tips(path) if ref.startswith("refs/relay/history/")]
    assert git(path, "rev-list", "--count", "--first-parent", history) == "2"
    (lesson,) = (path / ".relay" / "lessons").rglob("*.md")
    assert lesson.name in git(path, "status", "--short", "-uall")
    assert not list(path.rglob("*.tmp"))
    assert "nothing to settle" in done(path, "settle")


def ended(path: Path) -> Path:
    """A run whose last step was made and that nobody settled."""
    started(path)
    draft(path)
    review(path)
    draft(path, "A better draft.\n")
    write(path, "review.md", APPROVED)
    actions.advance(Workspace(repository(path)), Wish())
    return path


def test_settles_of_two_runs_of_one_month_at_once_file_both(tmp_path: Path) -> None:
    path = ended(tmp_path / "project")
    first = run_ref(path)
    other = tmp_path / "other"
    git(path, "worktree", "add", "-q", str(other))
    done(other, "start", "--slug", "other")
    draft(other)
    review(other)
    draft(other, "A better draft.\n")
    write(other, "review.md", APPROVED)
    answers = at_once((path, "settle"), (other, "advance"))
    assert [answer.code for answer in answers] == [0, 0], answers
    assert first not in tips(path)
    listed = json.loads(done(path, "runs", "--all", "--json"))
    assert [item["status"] for item in listed] == ["filed", "filed"]
    assert "2 runs" in done(path, "verify", "--all")
    git(path, "fsck", "--strict", "--no-dangling")


def test_files_of_another_visit_are_not_taken_for_this_one(tmp_path: Path) -> None:
    """What lies in a worktree whose run was moved elsewhere is for a visit that is over."""
    path = started(tmp_path / "project", ENDLESS)
    other = tmp_path / "other"
    git(path, "worktree", "add", "-q", str(other))
    done(other, "switch", "loop")
    write(other, "review.md", f"{REJECTED}\nwritten too early\n")
    draft(path)
    answer = call(other, "advance")
    assert answer.code == 1
    assert "the run has moved on to review (visit 1) meanwhile" in answer.err
    assert "review: reject" in done(other, "advance"), "told once, it may"
