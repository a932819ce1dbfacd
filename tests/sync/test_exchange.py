"""Fetch, take in, push, again: what is sent, what is refused, and what it costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clones import assert_same, in_step, make_clone, make_server, reachable, relay_refs
from flow import APPROVED, Answer, call, done, draft, outcome, spawn, started, tips, write
from hooking import write_hook
from silent import Silent
from support import git, processes, repository

from relay_git.joining import rules
from relay_git.sync import exchange
from relay_git.sync.incoming import take_in
from relay_git.workspace import Workspace

COUNTING = """#!/bin/sh
count=$(($(cat '{count}' 2>/dev/null || echo 0) + 1))
echo $count >'{count}'
[ $count -gt {refusals} ] || {{ echo 'not now' >&2; exit 1; }}
"""


@pytest.fixture
def silent() -> Iterator[Silent]:
    with Silent() as server:
        yield server


def begun(path: Path, slug: str = "work") -> str:
    """The ref of a new run."""
    before = set(relay_refs(path))
    done(path, "start", "--slug", slug)
    (ref,) = set(relay_refs(path)) - before
    return ref


def finished(path: Path, slug: str = "work") -> str:
    """The id of a run that was given up."""
    ref = begun(path, slug)
    done(path, "abandon")
    return ref.rpartition("/")[2]


# What is said


def test_a_sync_says_what_it_did_and_then_nothing(ada: Path, bob: Path) -> None:
    ref = begun(ada)
    assert done(ada, "sync") == "sent 1 run to origin\n"
    assert done(ada, "sync") == "in step with origin\n"
    assert done(bob, "sync") == "took in 1 run from origin\n"
    done(ada, "abandon")
    said = "sent 1 month of history, 1 month of notes to origin\n1 run no longer open at origin\n"
    assert done(ada, "sync") == said
    said = "took in 1 month of history, 1 month of notes from origin\n"
    assert done(bob, "sync") == f"{said}1 run finished elsewhere, and filed\n"
    assert done(bob, "sync") == "in step with origin\n"
    assert ref not in relay_refs(bob)


def test_json_lists_every_ref(ada: Path, bob: Path) -> None:
    ref = begun(ada)
    report = json.loads(done(ada, "sync", "--json"))
    done_there = ("taken", "merged", "ended", "rewritten", "sent", "removed")
    assert report.keys() == {"remote", *done_there, "apart", "unsent", "unknown", "unreached"}
    assert (report["remote"], report["sent"], report["unreached"]) == ("origin", [ref], None)
    assert json.loads(done(bob, "fetch", "--json"))["taken"] == [ref]
    git(ada, "remote", "set-url", "origin", "https://me:sekret-pass@127.0.0.1:1/x")
    draft(ada)
    answer = call(ada, "sync", "--json")
    assert answer.code == 1
    report = json.loads(answer.out)
    assert report["unsent"] == [{"ref": ref, "reason": "not sent"}]
    assert report["unreached"].startswith("cannot reach origin: ")
    assert "sekret" not in answer.out + answer.err + call(ada, "sync").out


def test_a_command_after_a_fetch_of_gits_own_sees_what_it_brought(ada: Path, bob: Path) -> None:
    """And not where this worktree's run stood before."""
    begun(ada, "shared")
    done(ada, "sync")
    done(bob, "sync")
    done(bob, "switch", "shared")
    draft(ada)
    done(ada, "sync")
    git(bob, "fetch", "-q")
    assert json.loads(call(bob, "status", "--json").out)["stage"] == "review"
    write(ada, "review.md", APPROVED)
    done(ada, "advance")
    done(ada, "sync")
    git(bob, "fetch", "-q")
    assert json.loads(call(bob, "status", "--json").out)["run"] is None


def test_the_halves(ada: Path, bob: Path, server: Path) -> None:
    one, two = begun(ada), begun(bob)
    assert done(ada, "push") == "sent 1 run to origin\n"
    assert done(bob, "fetch") == "took in 1 run from origin\n"
    assert relay_refs(server).keys() == {one}
    assert relay_refs(bob).keys() == {one, two}
    assert done(bob, "push") == "sent 1 run to origin\n"
    assert done(ada, "push") == "in step with origin\n"
    assert relay_refs(ada).keys() == {one}


def test_a_push_without_a_fetch_says_what_is_unsent(ada: Path, bob: Path, server: Path) -> None:
    finished(ada, "one")
    finished(bob, "two")
    done(ada, "push")
    before = relay_refs(server)
    answer = call(bob, "push")
    assert answer.code == 1
    (line,) = answer.out.splitlines()
    assert line.startswith("unsent: refs/relay/history/")
    assert line.endswith(" and 1 other: [rejected] (fetch first)")
    assert relay_refs(server) == before
    done(bob, "sync")
    done(ada, "sync")
    assert_same([ada, bob, server])


# Refusals


def test_a_remote_that_has_another_address_now(ada: Path, server: Path, tmp_path: Path) -> None:
    """What is kept says what the old one has: a push alone asks first."""
    begun(ada)
    done(ada, "push")
    second = make_server(tmp_path / "second")
    git(ada, "remote", "set-url", "origin", str(second))
    assert done(ada, "push") == "sent 1 run to origin\n"
    assert relay_refs(second) == relay_refs(ada)
    assert done(ada, "push") == "in step with origin\n"


def refusing(server: Path, refusals: int, hook: str = "pre-receive") -> Path:
    count = server / "count"
    write_hook(server / "hooks" / hook, COUNTING.format(count=count, refusals=refusals))
    return count


def test_a_remote_that_refuses_once(ada: Path, server: Path) -> None:
    ref = begun(ada)
    count = refusing(server, 1)
    assert done(ada, "sync") == "sent 1 run to origin\n"
    assert count.read_text() == "2\n"
    assert relay_refs(server) == {ref: relay_refs(ada)[ref]}


def test_a_remote_that_always_refuses(ada: Path, server: Path) -> None:
    """Bounded, and nothing is lost: what is unsent is sent when it can be."""
    finished(ada)
    begun(ada)
    count = refusing(server, 1000)
    begin = time.monotonic()
    answer = call(ada, "sync")
    assert time.monotonic() - begin < exchange.DEADLINE
    assert answer.code == 1
    assert answer.err == ""
    (line,) = answer.out.splitlines()
    assert line.startswith("unsent: refs/relay/history/")
    assert line.endswith("and 2 others: [remote rejected] (pre-receive hook declined): not now")
    assert int(count.read_text()) <= 2 * exchange.ROUNDS
    assert relay_refs(server) == {}
    (server / "hooks/pre-receive").unlink()
    done(ada, "sync")
    assert relay_refs(server) == relay_refs(ada)


def test_a_ref_that_is_refused_for_good_holds_back_no_other(ada: Path, server: Path) -> None:
    finished(ada)
    begun(ada)
    write_hook(server / "hooks/update", "#!/bin/sh\ncase $1 in *history*) exit 1; esac\n")
    answer = call(ada, "sync")
    assert answer.code == 1
    assert [line for line in answer.out.splitlines() if line.startswith("unsent: ")]
    kinds = sorted(ref.split("/")[2] for ref in relay_refs(server))
    assert kinds == ["relay", "runs"], "notes and the open run are there"


def test_a_run_stays_open_there_until_its_history_is_there(ada: Path, server: Path) -> None:
    ref = begun(ada)
    done(ada, "sync")
    before = relay_refs(server)
    done(ada, "abandon")
    hook = write_hook(server / "hooks/update", "#!/bin/sh\ncase $1 in *history*) exit 1; esac\n")
    assert call(ada, "sync").code == 1
    assert relay_refs(server)[ref] == before[ref]
    hook.unlink()
    assert "1 run no longer open at origin" in done(ada, "sync")


def test_a_server_that_keeps_every_ref(ada: Path, bob: Path, server: Path) -> None:
    """An ended run stays open there, which harms nobody and is not tried every time."""
    ref = begun(ada)
    done(ada, "sync")
    write_hook(server / "hooks/update", "#!/bin/sh\ncase $3 in *[!0]*) ;; *) exit 1; esac\n")
    done(ada, "abandon")
    assert "no longer open" not in done(ada, "sync")
    assert ref in relay_refs(server)
    count = refusing(server, 0)
    assert done(ada, "sync") == "in step with origin\n"
    assert not count.exists()
    done(bob, "sync")
    assert ref not in relay_refs(bob)
    assert done(bob, "sync") == "in step with origin\n"


def test_a_run_goes_on_where_it_was_about_to_be_removed(ada: Path, bob: Path, server: Path) -> None:
    """The one finishes it, the other works on: it is open again, and asks to be resolved."""
    ref = begun(ada)
    done(ada, "sync")
    done(bob, "sync")
    done(bob, "switch", ref.rpartition("/")[2])
    draft(bob)
    mine = git(bob, "rev-parse", ref)
    done(ada, "abandon")
    done(ada, "sync")
    assert "merged 1 run" in done(bob, "sync")
    state = json.loads(git(bob, "show", f"{ref}:step.json"))["state"]
    assert state["status"] == "diverged"
    assert "took in 1 run" in done(ada, "sync")
    refs = assert_same([ada, bob, server])
    assert ref in refs
    done(ada, "resolve", ref.rpartition("/")[2], mine)
    in_step([ada, bob])
    done(bob, "abandon")
    in_step([bob, ada])
    assert ref not in assert_same([ada, bob, server])
    assert mine in reachable(ada)
    assert done(ada, "verify", "--all")


def test_two_that_went_on_from_one_step(ada: Path, bob: Path, server: Path) -> None:
    ref = begun(ada)
    done(ada, "sync")
    done(bob, "sync")
    done(bob, "switch", ref.rpartition("/")[2])
    for path in (ada, bob):
        draft(path, f"By {path.name}.\n")
    tips_before = {git(path, "rev-parse", ref) for path in (ada, bob)}
    done(ada, "sync")
    assert done(bob, "sync") == "merged 1 run\nsent 1 run to origin\n"
    done(ada, "sync")
    refs = assert_same([ada, bob, server])
    assert set(git(ada, "rev-parse", f"{ref}^1", f"{ref}^2").split()) == tips_before
    assert len(refs) == 1


def test_merging_the_same_pair_is_the_same_commit(ada: Path, bob: Path, server: Path) -> None:
    """So two clones that merge what both fetched have nothing to merge afterwards."""
    finished(ada, "one")
    finished(bob, "two")
    for path, other in ((ada, bob), (bob, ada)):
        git(path, "remote", "add", "other", str(other))
    for path in (ada, bob):
        git(path, "fetch", "-q", "other", *both("other"))
    for path in (ada, bob):
        report = take_in(Workspace(repository(path)), "other", rules())
        assert len(report.merged) == 2
    assert_same([ada, bob])


def both(remote: str) -> list[str]:
    return [
        f"+refs/relay/*:refs/relay-local/remotes/{remote}/relay/*",
        f"+refs/notes/relay/*:refs/relay-local/remotes/{remote}/notes/*",
    ]


# Marks for what is to be done afterwards


def test_a_finished_run_that_was_left_unsettled_is_settled_where_it_arrives(
    ada: Path, bob: Path, server: Path
) -> None:
    ref = begun(ada)
    settled = ada / ".git/relay/pending"
    done(ada, "abandon")
    tip = git(ada, "rev-parse", f"{history_of(ada)}^2")
    git(server, "fetch", "-q", str(ada), f"{tip}:{ref}")
    assert not list(settled.iterdir())
    assert done(bob, "sync") == "took in 1 run from origin\n"
    assert (bob / ".git/relay/pending" / ref.rpartition("/")[2]).exists()
    answer = call(bob, "runs")
    assert "settled" in answer.err
    assert ref not in relay_refs(bob)
    in_step([bob, ada])
    assert_same([ada, bob, server])


def history_of(path: Path) -> str:
    (ref,) = [ref for ref in relay_refs(path) if ref.startswith("refs/relay/history/")]
    return ref


def test_notes_that_arrive_follow_their_commits(ada: Path, bob: Path) -> None:
    """The hook looks for the mark before it starts a program."""
    begun(ada)
    git(ada, "commit", "-q", "--allow-empty", "-m", "code")
    done(ada, "hook", "post-commit")
    done(ada, "sync")
    assert not (bob / ".git/relay/noted").exists()
    done(bob, "sync")
    assert (bob / ".git/relay/noted").exists()


# Cost


def test_a_sync_without_news_is_a_fetch_and_two_processes(
    ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the one in which every command finds its repository; also when all is packed. What a
    sync or a gc wrote, the command after it looks at once."""
    begun(ada, "open")
    for number in range(4):
        monkeypatch.setenv("GIT_RELAY_NOW", str(1777377600 + number * 40 * 86400))
        finished(ada, f"run-{number}")
    monkeypatch.delenv("GIT_RELAY_NOW")
    for packed in (False, True):
        if packed:
            git(ada, "gc", "-q", "--prune=now")
        done(ada, "sync")
        done(ada, "sync")
        trace = tmp_path / f"trace-{packed}"
        monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
        assert done(ada, "sync") == "in step with origin\n"
        monkeypatch.delenv("GIT_RELAY_TRACE")
        verbs = [line.split()[1] for line in processes(trace)]
        assert verbs == ["rev-parse", "var", "fetch", "for-each-ref"]


def test_the_cache_may_be_deleted_or_wrong(ada: Path, bob: Path, server: Path) -> None:
    begun(ada)
    done(ada, "sync")
    done(bob, "sync")
    for file in (bob / ".git/relay/cache").glob("sync-*"):
        file.write_text("junk")
    draft(ada)
    done(ada, "sync")
    assert done(bob, "sync") == "took in 1 run from origin\n"
    assert done(bob, "sync") == "in step with origin\n"


# Many at once


@pytest.mark.timeout(900)
def test_eight_clones_that_push_in_the_same_second(
    tmp_path: Path, server: Path, soak: bool
) -> None:
    """All in, nothing forced; whoever loses five times has said so, and is in with the next."""
    clones = [make_clone(server, tmp_path / f"clone{number}") for number in range(8)]
    git(server, "config", "core.logAllRefUpdates", "always")
    for number in range(10 if soak else 1):
        ids = {finished(path, f"{path.name}-{number}") for path in clones}
        running = [spawn(path, "sync") for path in clones]
        answers = [outcome(process) for process in running]
        assert {answer.code for answer in answers} <= {0, 1}, answers
        late = [path for path, answer in zip(clones, answers, strict=True) if answer.code]
        assert len(late) <= 2, answers
        for path in late:
            done(path, "sync")
        filed = git(server, "ls-tree", "-r", "--name-only", history_of(server))
        assert all(run in filed for run in ids)
    in_step(clones)
    assert_same([server, *clones])
    assert_only_forward(server)


def assert_only_forward(server: Path) -> None:
    """Every move of a ref that the server has logged followed the one before."""
    for log in (server / "logs/refs/relay/history").iterdir():
        for line in log.read_text().splitlines()[1:]:
            old, new = line.split()[:2]
            git(server, "merge-base", "--is-ancestor", old, new)


def test_two_syncs_of_one_clone_at_once(ada: Path, bob: Path, server: Path) -> None:
    """As of a hook and a command."""
    for number in range(3):
        finished(bob, f"run-{number}")
    begun(bob)
    done(bob, "sync")
    finished(ada)
    answers = [outcome(process) for process in [spawn(ada, "sync") for _ in range(4)]]
    assert {answer.code for answer in answers} <= {0, 1}, answers
    in_step([ada, bob])
    assert_same([ada, bob, server])


# Offline, and out of time


def test_a_week_offline(
    ada: Path, bob: Path, server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both work on; the refusal says what is unsent, and the first sync after it finds all."""
    ref = begun(ada, "shared")
    done(ada, "sync")
    done(bob, "sync")
    done(bob, "switch", ref.rpartition("/")[2])
    server.rename(server.with_name("away"))
    ids = []
    for day in range(1, 8):
        monkeypatch.setenv("GIT_RELAY_NOW", str(1777377600 + day * 86400))
        for path in (ada, bob):
            ids.append(finished(path, f"{path.name}-{day}"))
            answer = call(path, "sync")
            assert answer.code == 1
            first, last = answer.out.splitlines()
            assert first.startswith("cannot reach origin: ")
            assert last.startswith("unsent: refs/")
    server.with_name("away").rename(server)
    in_step([ada, bob])
    refs = assert_same([ada, bob, server])
    listed = "".join(git(ada, "ls-tree", "-r", "--name-only", r) for r in refs if "/history/" in r)
    assert all(run in listed for run in ids)


@pytest.mark.parametrize("command", ["sync", "fetch", "push"])
def test_a_remote_that_never_answers_ends_with_the_deadline(
    ada: Path, silent: Silent, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    ref = begun(ada)
    git(ada, "remote", "set-url", "origin", silent.url)
    before = tips(ada)
    begin = time.monotonic()
    ws = Workspace(repository(ada))
    report = getattr(exchange, command)(ws, "origin", rules(), deadline=0.3)
    assert time.monotonic() - begin < 5
    assert not report.ok
    assert str(report.unreached).startswith("origin did not answer within 0.3 seconds")
    assert [t.ref for t in report.unsent] == ([] if command == "fetch" else [ref])
    assert tips(ada) == before


def test_the_command_itself_ends_with_its_deadline(ada: Path, silent: Silent, soak: bool) -> None:
    """30 seconds: in full size only, else with less by the same way."""
    begun(ada)
    git(ada, "remote", "set-url", "origin", silent.url)
    code = "import sys; from relay_git.sync import exchange; from relay_git import main\n"
    less = "" if soak else "exchange.sync.__defaults__ = (0.5, *exchange.sync.__defaults__[1:])\n"
    run = ["-c", f"{code}{less}sys.exit(main.main(['sync']))"]
    begin = time.monotonic()
    answer = python(ada, *run)
    assert time.monotonic() - begin < (35 if soak else 8)
    assert answer.code == 1
    assert "did not answer within" in answer.out
    assert answer.err == ""


def python(path: Path, *words: str) -> Answer:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=path,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def test_a_repository_without_a_remote(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    answer = call(path, "sync")
    assert answer.code == 1
    assert (
        answer.err
        == "git relay: this repository has no remote; add one: `git remote add origin URL`\n"
    )


# An empty remote


def test_an_empty_remote_keeps_its_default_branch(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    server = tmp_path / "server"
    git(tmp_path, "init", "-q", "--bare", "--initial-branch=trunk", str(server))
    git(path, "remote", "add", "origin", str(server))
    done(path, "sync")
    assert len(relay_refs(server)) == 1
    assert git(server, "symbolic-ref", "HEAD") == "refs/heads/trunk"
    git(path, "push", "-q", "origin", "main:trunk")
    git(tmp_path, "clone", "-q", str(server), "clone")
    assert git(tmp_path / "clone", "rev-parse", "HEAD") == git(path, "rev-parse", "HEAD")
