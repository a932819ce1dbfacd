"""`kill -9` at any moment: the state is the one before or the one after, and work goes on.

Three ways to hit every moment: at random times in a process of its own, at each start of git (a
wrapper on PATH kills the program before, while and after git works), and before each effect on
the file system (an audit hook kills the program that was forked for it).
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from flow import (
    APPROVED,
    ENDLESS,
    REJECTED,
    artifact,
    call,
    copy_of,
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
from support import git, make_repo

from relay_git.main import main

_PR_SET_CHILD_SUBREAPER = 36
NOON = 1777377600


@pytest.fixture(scope="module", autouse=True)
def reaper() -> Iterator[None]:
    """Orphans of killed programs become our children, so that their end can be awaited."""
    if sys.platform != "linux":
        yield
        return
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def await_orphans(group: int) -> None:
    """Until no process of a group is left: git finishes by itself what it had been told."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-group, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            pass
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.002)
    raise AssertionError(f"processes of the group {group} are left")


# What must hold after a kill


def assert_sound(path: Path) -> None:
    answer = call(path, "verify", "--all")
    assert answer.code == 0, answer.out + answer.err
    git(path, "fsck", "--strict", "--no-dangling")
    assert not list((path / ".git").rglob("*.lock"))


def moved_by_one_step(path: Path, ref: str, before: str) -> bool:
    """Whether the step was made; there is nothing in between."""
    tip = git(path, "rev-parse", ref)
    assert tip == before or git(path, "rev-parse", f"{tip}^") == before
    assert_sound(path)
    return tip != before


def do_the_work(path: Path, word: str) -> tuple[str, str]:
    """What the role that acts now writes, a draft or a rejection of it: its name and its text."""
    ref = run_ref(path)
    stage = json.loads(git(path, "show", f"{ref}:step.json"))["state"]["stage"]
    name, text = ("draft.md", "Draft") if stage == "draft" else ("review.md", REJECTED)
    write(path, name, f"{text} {word}\n")
    return name, f"{text} {word}"


def assert_work_goes_on(path: Path, ref: str, before: str, work: tuple[str, str]) -> None:
    """The work is recorded, or it lies there still and the next advance records it."""
    name, text = work
    if not moved_by_one_step(path, ref, before):
        assert artifact(path, name).read_text() == f"{text}\n"
        done(path, "advance")
    assert git(path, "show", f"{ref}:artifacts/{name}") == text


# At random moments


def timed_advance(path: Path, word: str) -> float:
    do_the_work(path, word)
    begun = time.monotonic()
    assert outcome(spawn(path, "advance")).code == 0
    return time.monotonic() - begun


@pytest.mark.parametrize("engine", ["native", "libgit"])
def test_a_kill_at_any_time_leaves_the_state_before_or_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, soak: bool
) -> None:
    monkeypatch.setenv("GIT_RELAY_ENGINE", engine)
    path = started(tmp_path / "project", ENDLESS)
    ref = run_ref(path)
    usual = min(timed_advance(path, f"warm-up {number}") for number in range(3))
    chance = random.Random(engine)
    kills, made = 150 if soak else 12, 0
    for number in range(kills):
        before, work = git(path, "rev-parse", ref), do_the_work(path, f"{number}")
        process = spawn(path, "advance")
        time.sleep(chance.uniform(0, 1.2 * usual))
        process.kill()
        process.communicate()
        await_orphans(process.pid)
        made += git(path, "rev-parse", ref) != before
        assert_work_goes_on(path, ref, before, work)
    if soak:
        assert kills // 20 < made < kills - kills // 20


# At each start of git


WRAPPER = """\
#!/bin/sh
count=$(($(cat "$KILL_DIR/count") + 1))
echo $count >"$KILL_DIR/count.$$" && mv "$KILL_DIR/count.$$" "$KILL_DIR/count"
if [ $count != "$KILL_AT" ]; then exec "$KILL_GIT" "$@"; fi
case $KILL_WHEN in
before) kill -9 $PPID ;;
during) "$KILL_GIT" "$@" <&0 & kill -9 $PPID; wait ;;
after) trap '' TERM; "$KILL_GIT" "$@"; kill -9 $PPID ;;
esac
"""


class Trap:
    """A git on PATH that kills the program which calls it for the n-th time."""

    def __init__(self, folder: Path) -> None:
        found = shutil.which("git")
        assert found
        self._git, self._folder = found, folder
        folder.mkdir()
        (folder / "git").write_text(WRAPPER)
        (folder / "git").chmod(0o755)

    def run(self, path: Path, *words: str, at: int = 0, when: str = "") -> int:
        """The exit code, and all processes have ended."""
        (self._folder / "count").write_text("0")
        environment = {
            "PATH": f"{self._folder}{os.pathsep}{os.environ['PATH']}",
            "KILL_DIR": str(self._folder),
            "KILL_GIT": self._git,
            "KILL_AT": str(at),
            "KILL_WHEN": when,
        }
        process = spawn(path, *words, **environment)
        code = outcome(process).code
        await_orphans(process.pid)
        return code

    def kills(self, path: Path, *words: str, at: int, when: str) -> bool:
        """Whether the command made that call, and so was killed there.

        A git that serves to the end of the command may end after it: nothing is left to kill.
        """
        code = self.run(path, *words, at=at, when=when)
        made = at <= self.calls
        assert code == (-signal.SIGKILL if made else 0) or (when == "after" and code == 0)
        return made

    @property
    def calls(self) -> int:
        """How often git was called."""
        return int((self._folder / "count").read_text())


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path / "trap")


def moments(calls: int) -> list[tuple[int, str]]:
    return [(at, when) for at in range(1, calls + 1) for when in ("before", "during", "after")]


def test_a_kill_at_each_call_of_git_leaves_the_state_before_or_after(
    tmp_path: Path, trap: Trap
) -> None:
    path = started(tmp_path / "project", ENDLESS)
    ref = run_ref(path)
    do_the_work(path, "warm-up")
    assert trap.run(path, "advance") == 0
    for at, when in moments(trap.calls):
        before, work = git(path, "rev-parse", ref), do_the_work(path, f"{at} {when}")
        # a call that the first advance alone had to make does not come again
        assert trap.kills(path, "advance", at=at, when=when) or at > 3
        assert_work_goes_on(path, ref, before, work)


def test_a_kill_at_each_call_of_git_while_a_run_ends_loses_no_lesson(
    tmp_path: Path, trap: Trap, at: Callable[[int], None], soak: bool
) -> None:
    at(NOON)
    control = ending(tmp_path / "control")
    assert trap.run(control, "advance") == 0
    calls = trap.calls
    for number, (call_number, when) in enumerate(moments(calls)):
        if soak or number % 4 == calls % 4:
            path = ending(tmp_path / f"{call_number}-{when}")
            assert trap.kills(path, "advance", at=call_number, when=when) or call_number > 3
            assert_ends_as(path, control)


def ending(path: Path) -> Path:
    """A run that was rejected once and is about to be approved."""

    def build(made: Path) -> None:
        started(made)
        draft(made)
        review(made)
        draft(made, "A better draft.\n")
        write(made, "review.md", APPROVED)

    return copy_of("ending", build, path)


def assert_ends_as(path: Path, control: Path) -> None:
    """The next commands complete what was broken off, and the outcome is that of no crash."""
    if run := [ref for ref in tips(path) if ref.startswith("refs/relay/runs/")]:
        tip = json.loads(git(path, "show", f"{run[0]}:step.json"))
        assert tip["state"]["status"] in ("open", "done")
        if tip["state"]["status"] == "open":
            done(path, "advance")
    done(path, "settle")
    assert_sound(path)
    assert lessons(path) == lessons(control)
    assert tips(path) == tips(control)
    pending = (path / ".git" / "relay" / "pending").iterdir()
    assert not [file for file in pending if file.suffix != ".tmp"]
    assert "nothing to settle" in done(path, "settle")
    assert "no open run" in done(path, "status")
    done(path, "start")


def lessons(path: Path) -> dict[str, bytes]:
    """Every lesson and LESSONS.md, and whatever else a person would see and commit."""
    listed = git(path, "ls-files", "-co", "--exclude-standard", ".relay").splitlines()
    return {name: (path / name).read_bytes() for name in listed}


# Before each effect on the file system


_EFFECTS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.chmod", "os.utime"}
_NEVER_ENDED = 99
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def effects(path: Path, *words: str, kill_before: int = 0) -> int:
    """Run a command in a fork that dies before that effect, from 1; how many it had otherwise.

    A directory of objects that is there already is one effect less, so it may end before it.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        _run_and_die(path, words, kill_before, tell)
    os.close(tell)
    with os.fdopen(told, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    await_orphans(child)
    if kill_before and os.WIFSIGNALED(status):
        return 0
    assert os.waitstatus_to_exitcode(status) == 0
    return int(said)


def _run_and_die(path: Path, words: Sequence[str], kill_before: int, tell: int) -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    seen = 0

    def hook(event: str, args: tuple[object, ...]) -> None:
        nonlocal seen
        if _is_effect(event, args):
            seen += 1
            if seen == kill_before:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.dont_write_bytecode = True
    sys.addaudithook(hook)
    code = _NEVER_ENDED
    try:
        code = main(["-C", str(path), *words])
        os.write(tell, str(seen).encode())
    finally:
        os._exit(code)


def _is_effect(event: str, args: tuple[object, ...]) -> bool:
    if event == "open":
        path, _, flags = args
        return isinstance(flags, int) and bool(flags & _WRITES) and path != os.devnull
    return event in _EFFECTS or event == "subprocess.Popen"


def swept(count: int, soak: bool, some: int) -> list[int]:
    """Every effect, or some of them, the last among them."""
    if soak or count <= some:
        return list(range(1, count + 1))
    return sorted({1 + number * (count - 1) // (some - 1) for number in range(some)})


def test_a_kill_before_each_effect_of_advance_leaves_the_state_before_or_after(
    tmp_path: Path, soak: bool
) -> None:
    path = started(tmp_path / "project", ENDLESS)
    ref = run_ref(path)
    do_the_work(path, "warm-up")
    count = effects(path, "advance")
    assert count >= 10
    for number in swept(count - 2, soak, 12):
        before, work = git(path, "rev-parse", ref), do_the_work(path, f"{number}")
        effects(path, "advance", kill_before=number)
        assert_work_goes_on(path, ref, before, work)


def test_a_kill_before_each_effect_of_the_last_advance_loses_no_lesson(
    tmp_path: Path, at: Callable[[int], None], soak: bool
) -> None:
    at(NOON)
    control = ending(tmp_path / "control")
    count = effects(control, "advance")
    for number in swept(count, soak, 14):
        path = ending(tmp_path / f"{number}")
        effects(path, "advance", kill_before=number)
        assert_ends_as(path, control)


def test_a_kill_before_each_effect_of_abandon_loses_no_lesson(
    tmp_path: Path, at: Callable[[int], None], soak: bool
) -> None:
    at(NOON)
    control = ending(tmp_path / "control")
    count = effects(control, "abandon")
    for number in swept(count, soak, 6):
        path = ending(tmp_path / f"{number}")
        effects(path, "abandon", kill_before=number)
        if call(path, "status").out.startswith("no open run"):
            done(path, "settle")
        else:
            assert call(path, "abandon").code in (0, 1)
            done(path, "settle")
        assert lessons(path) == lessons(control)
        assert tips(path) == tips(control)


# What the user wrote


STRAY = "Notes that no role reads.\n"


def two_runs(path: Path) -> Path:
    """A run with work that no step records yet, and another open one."""

    def build(made: Path) -> None:
        make_project(made)
        done(made, "start", "--slug", "first")
        draft(made, "Of the first.\n")
        done(made, "start", "--slug", "second")
        draft(made, "Of the second.\n")
        write(made, "review.md", "Half a review, with a thought worth keeping.\n")
        write(made, "draft.md", "The draft, corrected by hand.\n")
        write(made, "notes.md", STRAY)

    return copy_of("two-runs", build, path)


def kept(path: Path) -> set[bytes]:
    """What lies in the working set, or was set aside."""
    folders = (path / ".relay" / "artifacts", path / ".git" / "relay" / "saved")
    return {file.read_bytes() for f in folders for file in f.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    "words",
    [
        ("start", "--slug", "third"),
        ("switch", "first"),
        ("rollback", "--to", "1"),
        ("reset", "--clean"),
    ],
    ids=lambda words: words[0],
)
def test_a_kill_before_each_effect_loses_nothing_that_the_user_wrote(
    tmp_path: Path, words: tuple[str, ...], soak: bool
) -> None:
    control = two_runs(tmp_path / "control")
    written = kept(control)
    assert len(written) == 5
    refs = tips(control)
    count = effects(control, *words)
    assert written <= kept(control)
    for number in swept(count, soak, 8):
        path = two_runs(tmp_path / f"{number}")
        effects(path, *words, kill_before=number)
        assert written <= kept(path), number
        assert_sound(path)
        for ref, tip in refs.items():
            assert tips(path)[ref] == tip or git(path, "rev-parse", f"{ref}^") == tip
        done(path, *words)
        assert written <= kept(path)
        assert_sound(path)
        if words[0] != "start":
            assert artifact(path, "context.md").read_text() == "What it is about.\n"


def test_a_kill_before_each_effect_of_init_leaves_what_init_completes(
    tmp_path: Path, soak: bool
) -> None:
    control = make_repo(tmp_path / "control")
    count = effects(control, "init")
    whole = lessons(control)
    for number in swept(count, soak, 8):
        path = make_repo(tmp_path / f"{number}")
        effects(path, "init", kill_before=number)
        left = lessons(path)
        assert all(left[name] == whole[name] for name in left if not name.endswith(".tmp"))
        done(path, "init")
        after = lessons(path)
        assert {name: after.get(name) for name in whole} == whole
        assert "everything is set up" in done(path, "init")
        done(path, "start")
