"""One turn: what an agent may do, what is refused, and the second attempt."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from agents import prompts, scripted, writing
from chat import completion, service
from flow import (
    APPROVED,
    LOOP,
    artifact,
    call,
    done,
    draft,
    everything,
    run_ref,
    started,
    write,
)
from support import git

RELAY = shlex.join([sys.executable, "-P", "-m", "relay_git"])
NO_VERDICT = "# Review\n\nI am not sure.\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return started(tmp_path / "p")


def last_step(path: Path) -> dict[str, object]:
    record: dict[str, object] = json.loads(
        git(path, "cat-file", "blob", f"{run_ref(path)}:step.json")
    )
    return record


# The second attempt


def test_an_attempt_that_is_refused_is_followed_by_one_that_is_told_why(path: Path) -> None:
    log = scripted(
        path,
        draft=writing("draft.md", "A draft.\n"),
        review=[writing("review.md", NO_VERDICT), writing("review.md", APPROVED)],
    )
    answer = call(path, "run", "--loop")
    assert answer.code == 0
    assert "asked critic again: .relay/artifacts/review.md: no verdict" in answer.err
    first, second = prompts(log)[1:]
    assert "What was wrong with the last attempt" not in first
    told = second.partition("# What was wrong with the last attempt\n\n")[2].splitlines()[0]
    assert told.startswith("> .relay/artifacts/review.md: no verdict; write a line `## Verdict: ")


def test_there_is_no_third_attempt_and_nothing_is_lost(path: Path) -> None:
    draft(path)
    log = scripted(path, review=writing("review.md", NO_VERDICT))
    before = everything(path)
    answer = call(path, "run", "--loop")
    assert answer.code == 1
    assert answer.err.splitlines()[-1].startswith(
        "git relay: .relay/artifacts/review.md: no verdict"
    )
    assert len(prompts(log)) == 2
    assert artifact(path, "review.md").read_text() == NO_VERDICT
    artifact(path, "review.md").unlink()
    assert everything(path) == before


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("pass", "draft.md: not written yet"),
        (writing("draft.md", " \n"), "draft.md: empty"),
        ("pathlib.Path('.relay/artifacts/draft.md').write_bytes(b'a\\xff')", "not UTF-8"),
        ("pathlib.Path('.relay/artifacts/draft.md').write_bytes(b'x' * 2000)", "larger than"),
    ],
)
def test_what_advance_refuses_is_refused(path: Path, line: str, why: str) -> None:
    git(path, "config", "relay.maxArtifact", "1000")
    log = scripted(path, draft=line)
    answer = call(path, "run")
    assert answer.code == 1
    assert why in answer.err.splitlines()[0] and why in answer.err.splitlines()[-1]
    assert len(prompts(log)) == 2


def test_an_artifact_that_is_as_it_was_is_refused(path: Path) -> None:
    draft(path)
    write(path, "review.md", "# Review\n\n## Verdict: reject\n")
    done(path, "advance")
    scripted(path, draft=writing("draft.md", "A draft.\n"))
    answer = call(path, "run")
    assert answer.code == 1
    assert "unchanged since draft was entered" in answer.err.splitlines()[-1]


def test_an_agent_that_fails_is_not_asked_again(path: Path) -> None:
    line = f"{writing('draft.md', 'Half a dr')}; sys.exit('out of tokens')"
    log = scripted(path, draft=line)
    answer = call(path, "run", "--loop")
    assert answer.code == 1
    assert "agent failed with exit code 1: out of tokens" in answer.err
    assert len(prompts(log)) == 1
    assert artifact(path, "draft.md").read_text() == "Half a dr"
    assert last_step(path)["step"] == 1


# What an agent does besides


def test_an_agent_may_move_the_run_on_by_itself(path: Path) -> None:
    line = f"{writing('draft.md', 'A draft.')}; subprocess.run({RELAY + ' advance'!r}, shell=True)"
    log = scripted(path, draft=line, review=writing("review.md", APPROVED))
    answer = call(path, "run", "--loop")
    assert answer.code == 0, answer
    assert "the role moved the run on by itself: open at review (visit 1)" in answer.out
    assert "review: approve → done" in answer.out
    assert len(prompts(log)) == 2


def test_an_agent_may_end_the_run_by_itself(path: Path) -> None:
    scripted(path, draft=f"subprocess.run({RELAY + ' abandon'!r}, shell=True)")
    answer = call(path, "run", "--loop")
    assert answer.code == 0, answer
    assert "the role moved the run on by itself: abandoned at draft" in answer.out


def test_an_agent_may_commit(path: Path) -> None:
    """With the hooks in, a commit is a step of its own, at the same visit."""
    done(path, "hooks", "install")
    commit = "git add code.py && git commit -q -m code"
    line = f"pathlib.Path('code.py').touch(); subprocess.run({commit!r}, shell=True, check=True)"
    scripted(path, draft=f"{line}; {writing('draft.md', 'A draft.')}")
    done(path, "run")
    shown = [step["event"] for step in json.loads(done(path, "log", "--json"))["steps"]]
    assert shown == ["start", "commit", "advance"]


def test_a_worktree_that_the_agent_moved_to_another_run_is_left(path: Path) -> None:
    first = json.loads(done(path, "status", "--json"))["run"]
    line = f"{writing('draft.md', 'A draft.')}; subprocess.run({RELAY + ' start'!r}, shell=True)"
    scripted(path, draft=line)
    answer = call(path, "run", "--loop")
    assert answer.code == 1
    assert f"this worktree has left the run {first} meanwhile" in answer.err


def test_a_run_that_somebody_else_moved_is_left_to_them(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(path, "worktree", "add", "-q", str(other))
    run = json.loads(done(path, "status", "--json"))["run"]
    done(other, "switch", run)
    elsewhere = (
        f"cd {shlex.quote(str(other))} && echo x >.relay/artifacts/draft.md && {RELAY} advance"
    )
    line = f"subprocess.run({elsewhere!r}, shell=True, check=True)"
    scripted(path, draft=f"{writing('draft.md', 'Mine.')}; {line}")
    answer = call(path, "run", "--loop")
    assert answer.code == 1
    assert "the run has moved on to review (visit 1) meanwhile" in answer.err
    assert artifact(path, "draft.md").read_text() == "Mine."
    assert last_step(path)["step"] == 2


# Prompts and texts


def test_the_prompt_is_handed_over_byte_for_byte(path: Path) -> None:
    text = "list[int] [/foo] [bold]x[/bold] \x1b[1m\r\nsecond “é”\r\n"
    artifact(path, "context.md").write_bytes(text.encode())
    log = scripted(path, draft=writing("draft.md", "A draft.\n"))
    done(path, "run")
    assert text.rstrip("\n").encode() in log.read_bytes()


def test_no_secret_is_handed_over(path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    write(path, "context.md", f"The token is {secret}.\n")
    log = scripted(path, draft=writing("draft.md", "A draft.\n"))
    done(path, "run")
    assert secret not in log.read_text()
    assert "The token is [redacted:" in log.read_text()


def test_a_service_is_shown_who_it_is_apart(path: Path) -> None:
    with service(completion("A draft.\n")) as server:
        git(path, "config", "relay.openai.url", server.url)
        git(path, "config", "relay.openai.model", "small")
        done(path, "run", "--backend", "openai")
    (question,) = server.questions
    assert question.system == "Write."
    assert question.prompt.startswith("# You are the author\n")
    assert "Write." not in question.prompt.partition("# Your task")[0]


def test_a_text_is_one_artifact_and_no_more(tmp_path: Path) -> None:
    path = started(
        tmp_path / "p", LOOP.replace("[draft.md]}\n  critic", "[draft.md, plan.md]}\n  critic")
    )
    git(path, "config", "relay.openai.url", "http://localhost:1/v1")
    git(path, "config", "relay.openai.model", "small")
    before = everything(path)
    answer = call(path, "run", "--backend", "openai")
    assert answer.code == 1
    assert "draft is for 2 files, and openai answers with one" in answer.err
    assert everything(path) == before
    line = f"{writing('draft.md', 'A draft.')}; {writing('plan.md', 'A plan.')}"
    scripted(path, draft=line)
    assert "draft → review" in done(path, "run")


def test_a_text_that_cannot_be_written_is_refused(path: Path) -> None:
    with service(completion("half a pair: \ud800")) as server:
        git(path, "config", "relay.openai.url", server.url)
        git(path, "config", "relay.openai.model", "small")
        answer = call(path, "run", "--backend", "openai")
    assert answer.code == 1
    assert "the answer is not UTF-8 text" in answer.err
    assert not artifact(path, "draft.md").exists()


# What the step says


def test_the_step_says_who_made_it_and_what_it_took(path: Path) -> None:
    with service(completion("A draft.\n", tokens=1235)) as server:
        git(path, "config", "relay.openai.url", server.url)
        git(path, "config", "relay.openai.model", "small")
        done(path, "run", "--backend", "openai")
    assert last_step(path)["budget"] == {"used": 1235, "total": None}
    assert "Made by openai, small: 617 tokens read, 618 written." in done(path, "log")
    done(path, "verify")


def test_both_attempts_count(path: Path) -> None:
    draft(path)
    with service(completion(NO_VERDICT, tokens=10), completion(APPROVED, tokens=20)) as server:
        git(path, "config", "relay.openai.url", server.url)
        git(path, "config", "relay.openai.model", "small")
        ref = run_ref(path)
        assert call(path, "run", "--backend", "openai").code == 0
    tip = git(path, "log", "-1", "--format=%H", "--grep=^Relay-Step: 3", "--glob=refs/relay/*")
    record = json.loads(git(path, "cat-file", "blob", f"{tip}:step.json"))
    assert record["budget"]["used"] == 30
    assert ref
