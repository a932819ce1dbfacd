"""Empty and missing objects, empty refs, stale locks.

Each is named in one line, the other runs go on, and `doctor` says how to mend it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from flow import APPROVED, Answer, call, copy_of, done, draft, review, tips
from hooking import WELL, hooked, line_of_doctor, mend, run, with_program
from support import SOAK, git

from relay_git import clock

RUNS = "refs/relay/runs/"
HISTORY = "refs/relay/history/"


@pytest.fixture(autouse=True)
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", with_program())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """`first` has three steps, all of them on the remote and verified here; `second` is this
    worktree's own."""

    def build(path: Path) -> None:
        hooked(path)
        done(path, "start", "--slug", "first")
        draft(path)
        review(path)
        git(path.parent, "init", "-q", "--bare", str(path.parent.parent / "remote.git"))
        git(path, "remote", "add", "origin", str(path.parent.parent / "remote.git"))
        git(path, "push", "-q", "origin", "main", f"{RUNS}*:{RUNS}*")
        workflow = path / ".relay" / "workflows" / "loop" / "workflow.yml"
        workflow.write_text(workflow.read_text().replace("max_visits: 3", "max_visits: 4"))
        done(path, "start", "--slug", "second")
        draft(path)
        done(path, "verify")
        done(path, "init")
        assert done(path, "doctor") == WELL

    return copy_of("left by a crash", build, tmp_path / "project")


def ref_of(path: Path, word: str) -> str:
    (ref,) = [ref for ref in tips(path) if ref.startswith(RUNS) and f"-{word}-" in ref]
    return ref


def object_file(path: Path, spec: str) -> Path:
    oid = git(path, "rev-parse", spec)
    return path / ".git" / "objects" / oid[:2] / oid[2:]


def damage(file: Path, how: str) -> None:
    whole = file.read_bytes()
    file.chmod(0o644)
    if how == "missing":
        file.unlink()
    else:
        file.write_bytes({"empty": b"", "zeros": bytes(len(whole)), "half": whole[:-9]}[how])


def assert_second_goes_on(path: Path) -> None:
    assert "-second-" in done(path, "status")
    done(path, "next")
    review(path)
    draft(path, "A better draft.\n")
    made = run(path, "git", "commit", "-q", "--allow-empty", "-m", "a change")
    assert (made.code, made.err) == (0, "")


# Objects


WAYS = ("missing", "empty", "zeros", "half")
WHOLE = ("", ":step.json")
"""Objects to which each of these happens, also where sweeps do not run in full size."""

PARTS = (*WHOLE, "^{tree}", ":workflow.json", ":artifacts/draft.md", "^", "^:step.json")


@pytest.mark.parametrize(
    ("what", "how"),
    [
        pytest.param(what, how, id=f"{what or 'tip'}-{how}")
        for what in PARTS
        for how in (WAYS if SOAK or what in WHOLE else ("missing", "half"))
    ],
)
def test_an_object_of_another_run(project: Path, what: str, how: str) -> None:
    first = ref_of(project, "first")
    file = object_file(project, first + what)
    oid, before = git(project, "rev-parse", first + what), tips(project)
    damage(file, how)
    assert_second_goes_on(project)
    assert "-second-" in done(project, "runs")
    line = line_of_doctor(project)
    assert f"objects: {first}: " in line
    assert (oid if how == "missing" else str(file)) in line
    assert tips(project)[first] == before[first]
    judged = call(project, "verify")
    if what == ":artifacts/draft.md" and how != "missing":
        return  # what was verified once is not read again, only looked for
    assert judged.code == 1
    step = git(project, "rev-parse", first + what.partition(":")[0])[:12] if ":" in what else oid
    assert any(step in line or oid[2:] in line for line in judged.out.splitlines()), judged.out


@pytest.mark.parametrize("what", ["", ":step.json", ":workflow.json"])
@pytest.mark.parametrize("how", ["missing", "empty"])
def test_a_run_that_cannot_be_read_is_said_to_be(project: Path, what: str, how: str) -> None:
    first = ref_of(project, "first").removeprefix(RUNS)
    damage(object_file(project, RUNS + first + what), how)
    (listed,) = [line for line in done(project, "runs").splitlines() if first in line]
    assert "unreadable: " in listed
    readable = ("show", "log") if what == ":workflow.json" else ()
    for command in {"switch", "settle", "show", "log"}.difference(readable):
        answer: Answer = call(project, command, first)
        assert (answer.code, answer.out) == (1, "")
        assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize("how", ["missing", "empty", "half"])
def test_what_the_remote_has_is_brought_back(project: Path, how: str) -> None:
    """By the commands that `doctor` names."""
    first = ref_of(project, "first")
    files = [object_file(project, first + what) for what in ("^", ":step.json", "^:step.json")]
    for file in files:
        damage(file, how)
    for _ in files:
        for line in call(project, "doctor").out.splitlines()[:-1]:
            assert line.startswith("objects: ")
            run(project, "sh", "-c", line.rpartition("; ")[2].split("`")[1])
    assert done(project, "doctor") == WELL
    assert "5 of 5 steps ok" in done(project, "verify")
    done(project, "switch", "first")
    draft(project, "A better draft.\n")


def test_damage_that_a_pack_makes_good(project: Path) -> None:
    """git looks into packs first, and so what is read is what git reads."""
    first = ref_of(project, "first")
    git(project, "repack", "-aq")
    for what in ("", "^{tree}", ":step.json", "^"):
        damage(object_file(project, first + what), "half")
    assert done(project, "doctor") == WELL
    done(project, "switch", "first")
    draft(project, "A better draft.\n")


# Refs


@pytest.mark.parametrize("content", [b"", bytes(41), b"no ref\n", b"0" * 40 + b"\n"])
def test_a_ref_of_another_run(project: Path, content: bytes) -> None:
    """It can stand where it stood: its steps are still there."""
    first = ref_of(project, "first")
    tip = tips(project)[first]
    (project / ".git" / first).write_bytes(content)
    assert_second_goes_on(project)
    assert first.removeprefix(RUNS) in done(project, "runs")
    judged = call(project, "verify")
    assert judged.code == 1
    assert f"{first}: broken ref" in judged.out
    line = line_of_doctor(project)
    assert line.startswith(f"refs: {first}: the ref is broken; run `rm -f ")
    mend(project, line)
    assert tips(project)[first] == tip
    done(project, "switch", "first")


def test_a_ref_whose_last_steps_only_the_remote_had(project: Path) -> None:
    first = ref_of(project, "first")
    git(project, "fetch", "-q", "origin", "+refs/relay/*:refs/relay-local/remotes/origin/relay/*")
    tip = tips(project)[first]
    (project / ".git" / first).write_bytes(b"")
    mend(project, line_of_doctor(project))
    assert tips(project)[first] == tip


def test_the_ref_of_a_month(project: Path) -> None:
    """With a run filed in it that no remote has."""
    review(project, APPROVED)
    (month,) = [ref for ref in tips(project) if ref.startswith(HISTORY)]
    tip = tips(project)[month]
    (project / ".git" / month).write_bytes(b"")
    done(project, "switch", "first")
    line = line_of_doctor(project)
    assert f"git update-ref {month} {tip}`" in line
    mend(project, line)
    assert "-second-" in done(project, "runs", "--all")
    assert "ok in 2 runs" in done(project, "verify", "--all")


def test_a_ref_of_which_nothing_is_left(project: Path) -> None:
    broken = project / ".git" / RUNS / "20260101-0000-gone-aaaa"
    broken.write_bytes(b"")
    line = line_of_doctor(project)
    assert "see with `git fsck --dangling` what it held" in line
    mend(project, line)


# Locks


def test_a_lock_whose_owner_died(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named with its age, and left alone; the other runs do not wait for it."""
    monkeypatch.setattr(clock, "pause", lambda attempt: None)
    git(project, "config", "core.filesRefLockTimeout", "10")
    second = ref_of(project, "second")
    lock = project / ".git" / f"{second}.lock"
    lock.touch()
    os.utime(lock, (time.time() - 60,) * 2)
    begun = time.monotonic()
    review_text = "# Review\n\n- [error] `a.py` is wrong.\n\n## Verdict: reject\n"
    (project / ".relay" / "artifacts" / "review.md").write_text(review_text)
    answer = call(project, "advance")
    assert (answer.code, answer.out) == (1, "")
    (said,) = answer.err.splitlines()
    assert f"{second} is locked by {lock} (for " in said
    assert "if no git process is running any more, remove that file" in said
    made = run(project, "git", "commit", "-q", "--allow-empty", "-m", "a change")
    assert made.code == 0
    assert len(made.err.splitlines()) == 1
    assert time.monotonic() - begun < 6, "and nobody waits long"
    assert lock.exists()
    done(project, "switch", "first")
    draft(project, "A better draft.\n")
    lock.unlink()
    done(project, "switch", "second")
