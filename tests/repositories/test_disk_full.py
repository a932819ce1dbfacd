"""Hazard 37: the disk fills up at every point of what a command writes.

What was there stays as it was, one line says what is wrong, and with room it goes on.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from disks import SmallDisk, small_disk
from flow import (
    APPROVED,
    Answer,
    artifact,
    call,
    copy_of,
    done,
    draft,
    everything,
    review,
    run_ref,
    tips,
    write,
)
from hooking import hooked, program, run, with_program
from support import git, make_repo

NOON = 1777377600


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", files=400) as found:
        yield found


@pytest.fixture(params=["native", "libgit"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_RELAY_ENGINE", request.param)


def attempts(
    disk: SmallDisk, original: Path, words: tuple[str, ...], soak: bool
) -> Iterator[tuple[Path, Answer]]:
    """A fresh copy each time, after the command ran with room for no file, for one more, …, until
    there is room for all that it writes. There is room again when it is looked at."""
    path = disk.path / original.name
    for files in itertools.count(0 if soak else 2, 1 if soak else 6):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(original, path, symlinks=True)
        with disk.full(files=files):
            answer = call(path, *words)
            assert call(path, "status").code == 0
            assert call(path, "runs", "--all").code == 0
        if answer.code == 0:
            return
        assert_one_clear_line(answer)
        assert_sound(path)
        yield path, answer


def assert_one_clear_line(answer: Answer) -> None:
    assert (answer.code, answer.out) == (1, "")
    (line,) = answer.err.splitlines()
    assert line.startswith("git relay: ")
    assert "No space left on device; the disk is full" in line or "unable to create" in line


def assert_sound(path: Path) -> None:
    assert call(path, "verify", "--all").code == 0
    git(path, "fsck", "--strict", "--no-dangling")
    left = [file for file in path.rglob("*") if file.suffix in (".lock", ".tmp")]
    assert [*left, *path.rglob("tmp_obj*")] == []


def open_run(tmp_path: Path) -> Path:
    """A draft is written, of which no step knows yet."""

    def build(path: Path) -> None:
        hooked(path)
        done(path, "start", "--slug", "first")
        done(path, "start", "--slug", "second")
        write(path, "draft.md", "A draft.\n" * 1000)

    return copy_of("open run", build, tmp_path / "open")


def about_to_end(at: Path) -> Path:
    """Rejected once, and about to be approved."""

    def build(path: Path) -> None:
        hooked(path)
        done(path, "start")
        draft(path)
        review(path)
        draft(path, "A better draft.\n")
        write(path, "review.md", APPROVED)

    return copy_of("about to end", build, at)


def test_advance(engine: None, disk: SmallDisk, tmp_path: Path, soak: bool) -> None:
    original = open_run(tmp_path)
    before = everything(original)
    count = 0
    for path, _ in attempts(disk, original, ("advance",), soak):
        assert everything(path) == before
        done(path, "advance")
        count += 1
    assert count >= 2


def test_advance_with_room_for_some_bytes(disk: SmallDisk, tmp_path: Path) -> None:
    original = open_run(tmp_path)
    before, path = everything(original), disk.path / "project"
    shutil.copytree(original, path, symlinks=True)
    for size in itertools.count(0, 4096):
        with disk.full(bytes=size):
            answer = call(path, "advance")
        if answer.code == 0:
            break
        assert_one_clear_line(answer)
        assert everything(path) == before
    assert size
    assert_sound(path)


def test_the_last_advance(
    engine: None, disk: SmallDisk, tmp_path: Path, at: Callable[[int], None], soak: bool
) -> None:
    """Its step is made or not; once made, the run is settled as if nothing had happened."""
    at(NOON)
    original, control = about_to_end(tmp_path / "run"), about_to_end(tmp_path / "control")
    done(control, "advance")
    made = 0
    for path, answer in attempts(disk, original, ("advance",), soak):
        tip = git(original, "rev-parse", run_ref(original))
        if tip in tips(path).values():
            done(path, "advance")
        else:
            assert " is done, but cannot be settled yet: " in answer.err
            done(path, "settle")
            made += 1
        assert tips(path) == tips(control)
        assert shown(path) == shown(control)
        assert "no open run" in done(path, "status")
    assert made


def shown(path: Path) -> dict[str, bytes]:
    """What a person sees below `.relay/`."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in (path / ".relay").rglob("*")
        if file.is_file()
    }


@pytest.mark.parametrize(
    "words",
    [("start",), ("rollback", "--to", "1"), ("reset", "--clean"), ("switch", "first")],
    ids=lambda words: words[0],
)
def test_commands_that_replace_the_working_set(
    disk: SmallDisk, tmp_path: Path, words: tuple[str, ...], soak: bool
) -> None:
    """The draft that no step knows is where it was, or set aside; a step that was made says so."""
    original = open_run(tmp_path)
    before = everything(original)
    text = artifact(original, "draft.md").read_text()
    for path, answer in attempts(disk, original, words, soak):
        saved = (path / ".git" / "relay" / "saved").rglob("draft.md")
        found = [file for file in (artifact(path, "draft.md"), *saved) if file.exists()]
        assert text in [file.read_text() for file in found]
        if " but is not here: " not in answer.err:
            assert everything(path) == before
            done(path, *words)
            continue
        hint = answer.err.split("`")[1].removeprefix("git relay ")
        done(path, *hint.split())
        assert artifact(path, "context.md").read_text() == "What it is about.\n"
        assert f"at step {json.loads(done(path, 'status', '--json'))['step']}, " in answer.err


def test_init(disk: SmallDisk, tmp_path: Path, soak: bool) -> None:
    original = make_repo(tmp_path / "fresh")
    path = disk.path / "fresh"
    for files in itertools.count(0 if soak else 2, 1 if soak else 4):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(original, path)
        with disk.full(files=files):
            answer = call(path, "init")
        assert answer.code in (0, 1)
        assert "bug" not in answer.err
        done(path, "init")
        assert "everything is set up" in done(path, "init")
        done(path, "start")
        if answer.code == 0:
            break
    assert files > 10


def test_a_commit_is_never_held_up(disk: SmallDisk, tmp_path: Path, soak: bool) -> None:
    """Where there is room for git's own commit, it is made; what was not recorded is, later."""
    original, path = open_run(tmp_path), disk.path / "project"
    told = []
    for files in itertools.count(0, 1 if soak else 3):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(original, path, symlinks=True)
        (path / "a.txt").write_text("a\n")
        git(path, "add", "a.txt")
        with disk.full(files=files):
            made = run(path, "git", "commit", "-q", "-m", "a change")
            hook = program(path, "hook", "post-commit")
        assert hook.code == 0
        if made.code == 0 and not made.err:
            break
        if made.code == 0:
            told.append(made.err)
            assert "a change" in git(path, "log", "-1", "--format=%s")
            assert call(path, "hook", "post-commit") == (0, "", "")
            assert "  commit " in done(path, "log").splitlines()[3]
    assert told
    for line in told:
        assert line.startswith("git-relay: post-commit is left for later: ")
        assert len(line.splitlines()) == 1


def test_the_doctor_says_so(disk: SmallDisk, tmp_path: Path) -> None:
    path = disk.path / "project"
    shutil.copytree(open_run(tmp_path), path, symlinks=True)
    for room in ({"files": 0}, {"bytes": 4096}):
        with disk.full(**room):
            answer = call(path, "doctor")
        assert answer.code == 1
        assert f"disk: {path}/.git: the disk is full; make room\n" in answer.out
    assert "disk: " not in call(path, "doctor").out


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    path = open_run(tmp_path)
    for words in ("next", "status --json"):
        said = run(path, "sh", "-c", f"git relay {words} >/dev/full", PATH=with_program())
        assert said.code == 1
        assert said.err == (
            "git relay: standard output: cannot write it: No space left on device; "
            "the disk is full: make room, then do it again\n"
        )
