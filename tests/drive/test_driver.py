"""Whole runs, driven to their end by programs and by services, and what stops them on the way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from agents import played, prompts, scripted, texts, writing
from chat import Answer, completion, message, service
from flow import (
    APPROVED,
    ENDLESS,
    REJECTED,
    artifact,
    call,
    copy_of,
    done,
    everything,
    outcome,
    run_ref,
    spawn,
    started,
    tips,
)
from support import git, make_repo

from relay_git import yamlio
from relay_git.backends import service as asking
from relay_git.workflow.find import find_workflow

TEMPLATES = ["bug-rca-fix", "rfc-then-implement", "plan-review-implement-audit"]
KEY = "sk-test-0123456789abcdefghijklmnop"


class Kind(NamedTuple):
    name: str
    reply: Callable[..., Answer]


KINDS = [Kind("openai", completion), Kind("anthropic", message)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that is busy is asked again after a moment."""
    monkeypatch.setattr(asking, "_PAUSE", 0.01)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def project(path: Path, template: str) -> Path:
    """A repository with that template, and a run of it about its example."""

    def build(made: Path) -> None:
        make_repo(made, commit=False)
        done(made, "init", "--template", template, "--no-hooks")
        git(made, "add", ".")
        git(made, "commit", "-q", "-m", "set up")
        done(made, "start")

    return copy_of(f"started {template}", build, path)


def configure(path: Path, name: str, url: str) -> None:
    """A service on this machine."""
    git(path, "config", "relay.backend", name)
    git(path, "config", f"relay.{name}.url", f"{url}/v1" if name == "openai" else url)
    git(path, "config", f"relay.{name}.model", "small")


def subjects(path: Path) -> list[str]:
    """The story of the only run, filed or open."""
    options = ("--reverse", "--format=%s", "--grep=^Relay-Step: ", "--glob=refs/relay/*")
    return git(path, "log", *options).splitlines()


def steps(path: Path) -> list[dict[str, object]]:
    """The records of the run's steps, in order."""
    options = ("--reverse", "--grep=^Relay-Step: ", "--glob=refs/relay/*")
    commits = git(path, "rev-list", *options).split()
    return [json.loads(git(path, "cat-file", "blob", f"{one}:step.json")) for one in commits]


def system_prompts(path: Path) -> dict[str, str]:
    """Of the roles, as the files have them."""
    folder = Path(find_workflow(str(path / ".relay"), None, None)) / "roles"
    found = {}
    for file in folder.glob("*.yml"):
        role = yamlio.load(file.read_bytes(), str(file)).value
        found[role["name"]] = role["system_prompt"].strip()
    return found


# To the end


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_program_plays_a_template_to_its_end(tmp_path: Path, template: str) -> None:
    path = project(tmp_path / "p", template)
    log = played(path, template)
    out = done(path, "run", "--loop")
    assert "is done and filed in history" in out
    assert len(re.findall(r"^\w+: reject → ", out, re.M)) == 2
    assert len(prompts(log)) == len(texts(template)) == len(subjects(path)) - 1
    assert "the run moves on by itself" in prompts(log)[0].lower()
    done(path, "verify")
    assert git(path, "status", "--short", "--", ":!.relay/lessons", ":!.relay/LESSONS.md") == ""
    systems = system_prompts(path)
    for prompt in prompts(log):
        role = re.match(r"# You are the (\w+)", prompt)
        assert role and prompt.count(systems[role[1]]) == 1
    git(path, "fsck", "--strict")


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_service_plays_a_template_to_its_end(tmp_path: Path, template: str, kind: Kind) -> None:
    path = project(tmp_path / "p", template)
    said = texts(template)
    with service(*(kind.reply(text, tokens=100 + at) for at, text in enumerate(said))) as server:
        configure(path, kind.name, server.root)
        out = done(path, "run", "--loop")
    assert "is done and filed in history" in out
    assert len(server.questions) == len(said)
    records = steps(path)
    assert [record["budget"] for record in records] == [
        {"used": used, "total": None} for used in [0, *range(100, 100 + len(said))]
    ]
    systems = set(system_prompts(path).values())
    for question in server.questions:
        assert question.system in systems
        assert not any(system in question.prompt for system in systems)
        assert "Give the text of that file alone" in question.prompt
        assert "git relay advance" not in question.prompt
    bodies = git(path, "log", "--format=%b", "--glob=refs/relay/*")
    assert f"Made by {kind.name}, small: 50 tokens read, 50 written." in bodies


def test_what_a_service_answers_is_the_artifact_byte_for_byte(tmp_path: Path, kind: Kind) -> None:
    path = started(tmp_path / "p")
    text = "\r\n# list[int] [/foo]\r\n\x1b[1mé “ü”\x1b[0m {{ x }}\r\n\r\n"
    with service(kind.reply(text)) as server:
        configure(path, kind.name, server.root)
        done(path, "run")
    assert artifact(path, "draft.md").read_bytes() == text.encode()
    tip = git(path, "rev-parse", run_ref(path))
    assert git(path, "cat-file", "-s", f"{tip}:artifacts/draft.md") == str(len(text.encode()))


# Step by step


def test_without_loop_it_is_one_stage(tmp_path: Path) -> None:
    path = started(tmp_path / "p")
    scripted(path, draft=writing("draft.md", "A draft.\n"))
    assert "draft → review" in done(path, "run")
    assert subjects(path)[1:] == ["draft → review"]


def test_at_most_so_many_steps_are_made_and_a_later_run_goes_on(tmp_path: Path) -> None:
    path = started(tmp_path / "p")
    scripted(
        path,
        draft=[writing("draft.md", "A draft.\n"), writing("draft.md", "Another.\n")],
        review=[writing("review.md", REJECTED), writing("review.md", APPROVED)],
    )
    done(path, "run", "--loop", "--max-steps", "3")
    assert subjects(path)[1:] == [
        "draft → review",
        "review: reject → draft (visit 2)",
        "draft → review (visit 2)",
    ]
    assert "is done and filed" in done(path, "run", "--loop")


def test_a_run_that_reaches_its_limit_halts(tmp_path: Path) -> None:
    path = started(tmp_path / "p")
    drafts = [writing("draft.md", f"Draft {number}.\n") for number in range(9)]
    reviews = [writing("review.md", f"{REJECTED}\n{number}\n") for number in range(9)]
    scripted(path, draft=drafts, review=reviews)
    answer = call(path, "run", "--loop")
    assert answer.code == 1
    assert "halted: draft has had 3 of 3 visits" in answer.out
    assert len(subjects(path)) == 7
    again = call(path, "run", "--loop")
    assert again.code == 1
    assert "the run is halted" in again.err
    assert len(subjects(path)) == 7


def test_without_a_run_it_is_refused(tmp_path: Path) -> None:
    answer = call(make_repo(tmp_path / "p"), "run")
    assert (answer.code, answer.out) == (1, "")
    assert "no open run in this worktree" in answer.err


# What services do


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(b"nope", 400), "says HTTP 400: nope"),
        (Answer(b'{"error": {"message": "slow"}}', 429, {"Retry-After": "99"}), "says HTTP 429"),
        (Answer(b"x", 200, wait=30), "did not answer in time"),
    ],
    ids=["refusal", "busy for too long", "timeout"],
)
def test_a_service_that_fails_changes_nothing(
    tmp_path: Path, kind: Kind, answer: Answer, why: str
) -> None:
    path = started(tmp_path / "p")
    git(path, "config", f"relay.{kind.name}.timeout", "1")
    with service(answer) as server:
        configure(path, kind.name, server.root)
        before = everything(path)
        failed = call(path, "run", "--loop")
    assert failed.code == 1
    assert why in failed.err and failed.err.count("\n") == 1
    assert everything(path) == before


@pytest.mark.parametrize("broken", ["empty", "cut", "too long"])
def test_an_answer_that_is_not_whole_changes_nothing(
    tmp_path: Path, kind: Kind, broken: str
) -> None:
    path = started(tmp_path / "p")
    whole = kind.reply("A draft.\n" * 50)
    git(path, "config", "relay.maxArtifact", "300")
    answers = {"empty": kind.reply(""), "cut": whole.cut(400), "too long": whole}
    with service(answers[broken]) as server:
        configure(path, kind.name, server.root)
        before = everything(path)
        failed = call(path, "run", "--loop")
    assert failed.code == 1
    assert failed.err.count("\n") == 1
    assert everything(path) == before


def test_a_service_that_recovers_is_asked_on(tmp_path: Path, kind: Kind) -> None:
    """A 429 and a 500 on the way to the end."""
    path = started(tmp_path / "p")
    answers = [
        Answer(b"{}", 429, {"Retry-After": "0"}),
        kind.reply("A draft.\n"),
        Answer(b"oops", 500),
        kind.reply(APPROVED),
    ]
    with service(*answers) as server:
        configure(path, kind.name, server.root)
        assert "is done and filed" in done(path, "run", "--loop")
    assert len(server.questions) == 4


def test_a_failure_in_the_middle_keeps_what_was_done(tmp_path: Path, kind: Kind) -> None:
    path = started(tmp_path / "p")
    with service(kind.reply("A draft.\n"), Answer(b"", 401)) as server:
        configure(path, kind.name, server.root)
        failed = call(path, "run", "--loop")
    assert failed.code == 1
    assert "draft → review" in failed.out
    assert "HTTP 401" in failed.err
    assert subjects(path)[1:] == ["draft → review"]
    with service(kind.reply(APPROVED)) as server:
        configure(path, kind.name, server.root)
        assert "is done and filed" in done(path, "run", "--loop")


# Side by side


def test_two_worktrees_are_driven_at_once(tmp_path: Path) -> None:
    path = started(tmp_path / "p", ENDLESS)
    other = tmp_path / "other"
    git(path, "worktree", "add", "-q", str(other))
    done(other, "start")
    rounds = 4
    reviews = [writing("review.md", f"{REJECTED}\n{at}\n") for at in range(rounds - 1)]
    reviews.append(writing("review.md", APPROVED))
    drivers = []
    for place in (path, other):
        drafts = [writing("draft.md", f"Draft {at} of {place.name}\n") for at in range(rounds)]
        scripted(place, place.name, draft=drafts, review=reviews)
        drivers.append(spawn(place, "run", "--loop", "--backend", place.name))
    answers = [outcome(driver) for driver in drivers]
    assert [answer.code for answer in answers] == [0, 0], answers
    assert all("is done and filed" in answer.out for answer in answers)
    assert not [ref for ref in tips(path) if ref.startswith("refs/relay/runs/")]
    runs = json.loads(done(path, "runs", "--all", "--json"))
    assert len(runs) == 2
    for run in runs:
        story = json.loads(done(path, "log", run["run"], "--json"))["steps"]
        assert len(story) == 1 + 2 * rounds
    for place in (path, other):
        last = f"Draft {rounds - 1} of {place.name}\n"
        assert artifact(place, "draft.md").read_text() == last
    git(path, "fsck", "--strict")
    done(path, "verify")


def test_one_worktree_is_driven_once_at_a_time(tmp_path: Path) -> None:
    path = started(tmp_path / "p")
    waiting = f"pathlib.Path({str(tmp_path / 'here')!r}).touch(); time.sleep(60)"
    log = scripted(path, draft=waiting)
    first = spawn(path, "run")
    try:
        while not (tmp_path / "here").exists():
            assert first.poll() is None
        second = call(path, "run")
        assert second.code == 1
        assert "another `git relay run` drives this worktree" in second.err
        assert len(prompts(log)) == 1
    finally:
        first.terminate()
        assert outcome(first).code == 130
