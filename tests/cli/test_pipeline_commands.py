"""Every command of the program beside a pipeline's run: sound, another clone's, diverged, damaged.

Each does its work or refuses in one line; none crashes, hides the run or moves it unasked.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from clones import in_step, make_clone, make_server
from flow import call
from pipelining import WRITER, saying
from support import git

from relay_git.commands import COMMANDS
from relay_git.pipeline import Manifest, Pipeline, RolledBack, pinned

NOTER = Manifest("noter", writes=["NOTES"])
READING = """
status; next; advance; run --backend manual; log tickets; show tickets; show tickets:3
diff tickets 1 4; inspect; inspect tickets; inspect tickets --step 3
inspect tickets --section FACTS
runs; runs --all; stats; verify; verify tickets; verify --all; doctor; blame .relay/.gitignore
validate; lessons list; keys; distill; distill --all; completion bash; start; init --no-hooks
purge tickets --dry-run; purge tickets:FACTS.json --dry-run; prune --keep 0; settle; settle tickets
resolve tickets 2; reset; export agents-md --check; hook post-commit; hook post-checkout 0 0 1
hooks list; fetch; push; sync
"""
"""Whatever these do, the pipeline's run stands where it stood."""
MOVING = """
rollback tickets --to 2; switch tickets; rollback tickets --to 2; purge tickets:NOTES.json --yes
abandon tickets; verify tickets; log tickets; inspect tickets; prune --keep 0; uninit
"""

Harm = Callable[[Path, str], object]


def words_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.replace("\n", ";").split(";") if line.strip()]


def make_run(path: Path) -> str:
    payload = {"FACTS": ["a"]}
    with Pipeline.open(path, "tickets", payload=payload, rules=[pinned("FACTS")]) as pipeline:
        pipeline.step_sync(WRITER, saying(FACTS=["a", "b"])).unwrap()
        assert isinstance(pipeline.step_sync(WRITER, saying(FACTS=["b"])), RolledBack)
        return pipeline.step_sync(NOTER, saying(NOTES={"to": "Ada"})).unwrap().run


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A server, `ada` who made the run and `bob` who fetched it."""
    top = tmp_path_factory.mktemp("origin")
    server = make_server(top / "server")
    ada, bob = make_clone(server, top / "ada"), make_clone(server, top / "bob")
    make_run(ada)
    in_step([ada, bob])
    return top


@pytest.fixture
def copied(origin: Path, tmp_path: Path) -> Path:
    for name in ("server", "ada", "bob"):
        shutil.copytree(origin / name, tmp_path / name, symlinks=True)
    for name in ("ada", "bob"):
        git(tmp_path / name, "remote", "set-url", "origin", str(tmp_path / "server"))
    return tmp_path


def run_of(path: Path) -> str:
    (ref,) = git(path, "for-each-ref", "--format=%(refname)", "refs/relay/runs/").splitlines()
    return ref


def stands(path: Path, run: str) -> str:
    return git(path, "for-each-ref", "--format=%(objectname)", run)


def try_all(path: Path, commands: str) -> None:
    """Where git itself fails, its own words are repeated in full."""
    for words in words_of(commands):
        answer = call(path, *words)
        assert answer.code in (0, 1, 2), f"{words}: {answer}"
        assert not answer.code or answer.err or answer.out, f"{words} fails and says nothing"
        assert "bug in git-relay" not in answer.err
        if words[0] not in ("sync", "fetch", "hook") and "failed with exit code" not in answer.err:
            assert answer.err.count("\n") <= 1, f"{words}: {answer.err}"


def check_reading(path: Path) -> None:
    run = run_of(path)
    before = stands(path, run)
    try_all(path, READING)
    assert stands(path, run) == before
    assert run.rpartition("/")[2] in call(path, "runs").out


def test_the_commands_tried_here_are_all_that_there_are() -> None:
    """The tour plays in a repository of its own."""
    assert {words[0] for words in words_of(READING + MOVING)} == COMMANDS.keys() - {"tour"}


def test_an_open_run(copied: Path) -> None:
    check_reading(copied / "ada")
    try_all(copied / "ada", MOVING)


def test_a_run_that_another_clone_made(copied: Path) -> None:
    check_reading(copied / "bob")
    try_all(copied / "bob", MOVING)


def test_a_run_that_went_on_in_two_clones(copied: Path) -> None:
    ada, bob = copied / "ada", copied / "bob"
    run = run_of(bob)
    for clone, said in ((ada, 1), (bob, 2)):
        with Pipeline.open(clone, "tickets", run=run.rpartition("/")[2]) as pipeline:
            pipeline.step_sync(NOTER, saying(NOTES=said)).unwrap()
    in_step([ada, bob])
    assert "diverged" in call(bob, "runs").out
    before = stands(bob, run)
    try_all(bob, READING.replace("resolve tickets 2;", ""))
    assert stands(bob, run) == before
    try_all(bob, MOVING)


# Damaged


def object_file(path: Path, revision: str) -> Path:
    oid = git(path, "rev-parse", revision)
    return path / ".git" / "objects" / oid[:2] / oid[2:]


def without(revision: str) -> Harm:
    return lambda path, run: object_file(path, revision.replace("TIP", run)).unlink()


def change_section(path: Path, run: str) -> None:
    file = object_file(path, f"{run}:artifacts/FACTS.json")
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b'blob 8\0[\n"x"\n]\n'))


def point_nowhere(path: Path, run: str) -> None:
    blob = git(path, "hash-object", "-w", "--stdin", input=b"nonsense\n")
    git(path, "update-ref", "refs/relay-local/pipelines/tickets", blob)


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(without("TIP:artifacts/NOTES.json"), id="no section"),
        pytest.param(without("TIP:step.json"), id="no record"),
        pytest.param(without("TIP^{tree}"), id="no tree"),
        pytest.param(without("TIP~1"), id="no parent"),
        pytest.param(without("TIP~1^2"), id="no rejected output"),
        pytest.param(change_section, id="changed section"),
        pytest.param(point_nowhere, id="name of no run"),
    ],
)
def test_a_damaged_run(copied: Path, harm: Harm) -> None:
    path = copied / "ada"
    run = run_of(path)
    harm(path, run)
    check_reading(path)
    verified = call(path, "verify", "tickets")
    assert verified.code == (0 if harm is point_nowhere else 1)
    try_all(path, MOVING)
