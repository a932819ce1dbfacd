"""`git relay inspect`: which pipelines there are, and what the steps of one did."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from clones import in_step, make_clone, make_server
from flow import call, done, started
from pipelining import WRITER, saying
from support import git
from terminal import Terminal

from relay_git.pipeline import (
    Fork,
    JoinStrategy,
    Manifest,
    Pipeline,
    RolledBack,
    Slice,
    pinned,
)

NOTER = Manifest("noter", writes=["NOTES"])
KILLED = """
import os, subprocess, time
from relay_git.pipeline import Fork, Manifest, Pipeline

def waits_and_dies(given, manifest):
    asked = ("git", "for-each-ref", "refs/relay-local/forks/")
    while subprocess.run(asked, capture_output=True).stdout.count(b"commit") < 2:
        time.sleep(0.05)
    os._exit(9)

writer = Manifest("writer", writes=["FACTS"])
says = {"FACTS": ["b"]}
with Pipeline.open(".", "vote") as pipeline:
    pipeline.fork_sync([
        Fork("first", writer, lambda given, manifest: says),
        Fork("second", writer, lambda given, manifest: says),
        Fork("third", writer, waits_and_dies),
    ])
"""
"""A process that ends when two of three forks have answered."""


def make_run(path: Path, name: str = "tickets") -> str:
    """Five steps: started, written, rejected, written again and rolled back."""
    payload = {"FACTS": ["a"]}
    with Pipeline.open(path, name, payload=payload, rules=[pinned("FACTS")]) as pipeline:
        pipeline.step_sync(WRITER, saying(FACTS=["a", "b"])).unwrap()
        assert isinstance(pipeline.step_sync(WRITER, saying(FACTS=["b"])), RolledBack)
        pipeline.step_sync(NOTER, saying(NOTES={"to": "Ada"})).unwrap()
        return pipeline.rollback(2).unwrap().run


def told(path: Path, *words: str) -> list[str]:
    return done(path, "inspect", *words).splitlines()


def test_every_open_pipeline_is_listed(repo_path: Path) -> None:
    assert told(repo_path) == ["no pipeline has an open run (git relay runs --all)"]
    first, second = make_run(repo_path, "tickets"), make_run(repo_path, "audit")
    assert told(repo_path) == [
        "audit  open at step 5, 18 of 8000 tokens used, last noter",
        f"  {second}",
        "tickets  open at step 5, 18 of 8000 tokens used, last noter",
        f"  {first}",
    ]
    found = json.loads(done(repo_path, "inspect", "--json"))
    assert found["unreadable"] == {}
    assert {**found["pipelines"][0], "at": ""} == {
        "pipeline": "audit",
        "run": second,
        "status": "open",
        "step": 5,
        "at": "",
        "agent": "noter",
        "budget": {"used": 18, "total": 8000},
        "own": True,
        "forks": 0,
    }


def test_the_steps_of_one_are_a_table(repo_path: Path) -> None:
    run = make_run(repo_path)
    shown = told(repo_path, "tickets")
    assert shown == told(repo_path, run)
    assert shown[3:] == [
        "step  agent             what      sections                  slice  wrote   sure",
        "   1                    start     FACTS",
        "   2  writer            step      FACTS                         5      6   1.00",
        "   3  writer            rejected  FACTS                         6      5   0.67",
        "      PIN_DROPPED in FACTS: FACTS is pinned and was changed",
        "   4  noter             step      NOTES                         0      7   1.00",
        "   5                    rollback  -NOTES",
        "      to step 2",
        "",
        "every output is kept: git relay inspect tickets --step 3",
        "",
        "sections: FACTS 13 bytes",
    ]


def test_a_rejected_output_is_shown_with_its_step(repo_path: Path) -> None:
    make_run(repo_path)
    shown = done(repo_path, "inspect", "tickets", "--step", "3")
    assert "agent       writer, which saw step 2\n" in shown
    assert "found       PIN_DROPPED in FACTS: FACTS is pinned and was changed\n" in shown
    found = json.loads(done(repo_path, "inspect", "tickets", "--step", "3", "--json"))
    (kept,) = found["kept"]
    assert (found["event"], found["wrote"], found["values"]) == ("rollback", [], {})
    assert (kept["event"], kept["wrote"], kept["values"]) == ("output", ["FACTS"], {"FACTS": ["b"]})
    assert shown.endswith(f'\nrejected output ({kept["commit"]})\n\nFACTS\n[\n"b"\n]\n')
    assert git(repo_path, "cat-file", "-t", kept["commit"]) == "commit"


def make_forks(path: Path) -> str:
    """Three forks: one is accepted, one rejected, one fails."""

    def fails(given: Slice, manifest: Manifest) -> dict[str, object]:
        raise ValueError("no idea")

    forks = [
        Fork("first", WRITER, saying(FACTS=["a", "b"])),
        Fork("second", WRITER, saying(FACTS=["c"])),
        Fork("third", WRITER, fails),
    ]
    with Pipeline.open(path, "vote", payload={"FACTS": ["a"]}, rules=[pinned("FACTS")]) as pipeline:
        return pipeline.fork_sync(forks, JoinStrategy.VOTE).unwrap().run


def test_a_join_has_a_line_for_each_fork_and_all_their_outputs(repo_path: Path) -> None:
    make_forks(repo_path)
    shown = told(repo_path, "vote")
    assert shown[5:10] == [
        "   2                    join      FACTS                         5      6   1.00",
        "      VOTE of 3 forks:",
        "        first (writer) accepted 1.00, chosen",
        "        second (writer) rejected 0.67: PIN_DROPPED: FACTS: FACTS is pinned and",
        "          was changed",
    ]
    assert shown[10].startswith("        third (writer) failed: AGENT_FAILED: ")
    assert all(len(line) < 80 for line in shown)
    one = done(repo_path, "inspect", "vote", "--step", "2")
    assert one.count("\nfork ") == 2
    assert one.endswith('\n\nFACTS\n[\n"c"\n]\n')
    found = json.loads(done(repo_path, "inspect", "vote", "--step", "2", "--json"))
    assert [kept["fork"] for kept in found["kept"]] == ["first", "second"]
    assert [receipt["outcome"] for receipt in found["join"]["forks"]] == [
        *("accepted", "rejected", "failed"),
    ]


def make_waiting(path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED], cwd=path, timeout=60)
    assert ended.returncode == 9


def test_forks_that_wait_to_be_joined_are_listed(repo_path: Path) -> None:
    make_waiting(repo_path)
    shown = told(repo_path, "vote")
    assert shown[1].endswith(", 2 forks not joined yet")
    start = shown.index("forks not joined yet:")
    assert [line.split()[:4] for line in shown[start + 2 : start + 4]] == [
        ["2", "first", "fork", "FACTS"],
        ["2", "second", "fork", "FACTS"],
    ]
    assert shown[start + 5] == "what they said: git relay inspect vote --step 2"
    waiting = json.loads(done(repo_path, "inspect", "vote", "--json"))["waiting"]
    assert [fork["fork"] for fork in waiting] == ["first", "second"]


def test_what_a_waiting_fork_said_is_shown_where_its_step_will_be(repo_path: Path) -> None:
    make_waiting(repo_path)
    shown = done(repo_path, "inspect", "vote", "--step", "2")
    assert [line for line in shown.splitlines() if line.endswith(", not joined yet")] == [
        f"fork {name} at step 2 of {shown.split()[6]} not joined yet"
        for name in ("first", "second")
    ]
    assert shown.count('\n\nFACTS\n[\n"b"\n]\n') == 2
    found = json.loads(done(repo_path, "inspect", "vote", "--step", "2", "--json"))
    assert (found["step"], [one["values"] for one in found["waiting"]]) == (
        *(2, [{"FACTS": ["b"]}] * 2),
    )
    first = found["waiting"][0]["commit"][:12]
    assert "fork first at step 2" in done(repo_path, "inspect", "vote", "--step", first)
    words = ("inspect", "vote", "--section", "FACTS", "--step")
    assert done(repo_path, *words, first) == '[\n"b"\n]\n'
    assert "2 names 2 steps: " in call(repo_path, *words, "2").err


def test_forks_that_were_overtaken_are_shown_beside_the_step(repo_path: Path) -> None:
    make_waiting(repo_path)
    with Pipeline.open(repo_path, "vote") as pipeline:
        pipeline.step_sync(NOTER, saying(NOTES=1)).unwrap()
    shown = done(repo_path, "inspect", "vote", "--step", "2")
    titles = [line for line in shown.splitlines() if " of 20" in line]
    assert [title.partition(" of ")[0] for title in titles] == [
        *("step 2", "fork first at step 2", "fork second at step 2"),
    ]
    found = json.loads(done(repo_path, "inspect", "vote", "--step", "2", "--json"))
    assert found["agent"] == "noter"
    assert [fork["fork"] for fork in found["waiting"]] == ["first", "second"]
    assert json.loads(done(repo_path, "inspect", "vote", "--step", "1", "--json"))["waiting"] == []
    assert told(repo_path, "vote", "--section", "NOTES", "--step", "2") == ["1"]


def test_a_section_is_shown_as_a_step_has_it(repo_path: Path) -> None:
    make_run(repo_path)
    assert told(repo_path, "tickets", "--section", "FACTS") == ["[", '"a",', '"b"', "]"]
    assert told(repo_path, "tickets", "--section", "FACTS", "--step", "1") == ["[", '"a"', "]"]
    shown = done(repo_path, "inspect", "tickets", "--section", "NOTES", "--step", "4", "--json")
    assert json.loads(shown) == {"section": "NOTES", "step": 4, "value": {"to": "Ada"}}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--step", "3"), 2, "name the pipeline; see `git relay inspect`"),
        (("tickets", "--step", "9"), 1, "the run has no step 9"),
        (("tickets", "--step", "9" * 5_000), 1, "the run has no step 9"),
        (("tickets", "--step", "x"), 2, "neither the number of a step"),
        (("tickets", "--section", "PLAN"), 1, "step 5 has no section 'PLAN'; it has FACTS"),
        (("loop",), 1, "is a workflow's run; `git relay log` tells its story"),
        (("nothing",), 1, "no run is named 'nothing'"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(
    tmp_path: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    path = started(tmp_path / "p")
    make_run(path)
    answer = call(path, "inspect", *words)
    assert answer.code == code, answer
    assert says in answer.err and answer.err.count("\n") == 1


def test_a_name_stands_for_its_own_run_whatever_else_is_called_so(repo_path: Path) -> None:
    before = make_run(repo_path)
    done(repo_path, "abandon", "tickets")
    shown = told(repo_path, "tickets")
    assert shown[0].startswith("tickets  abandoned at step 6, ") and shown[1] == f"  {before}"
    now = make_run(repo_path)
    assert told(repo_path, "tickets")[1] == f"  {now}"
    assert told(repo_path, before)[0].startswith("tickets  abandoned at step 6, ")
    assert f"every output is kept: git relay inspect {before} --step 3" in told(repo_path, before)


def test_a_name_is_found_though_it_is_spelled_otherwise_in_the_run(repo_path: Path) -> None:
    run = make_run(repo_path, "My_Tickets")
    assert "-my-tickets-" in run
    assert told(repo_path, "My_Tickets")[1] == f"  {run}"


def test_a_run_of_another_clone_is_told_from_ones_own(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server")
    ada, bob = make_clone(server, tmp_path / "ada"), make_clone(server, tmp_path / "bob")
    run = make_run(ada)
    in_step([ada, bob])
    assert told(bob)[1] == f"  {run}, not this clone's own"
    with Pipeline.open(ada, "tickets") as pipeline:
        pipeline.step_sync(NOTER, saying(NOTES=1)).unwrap()
    with Pipeline.open(bob, "tickets", run=run) as pipeline:
        pipeline.step_sync(NOTER, saying(NOTES=2)).unwrap()
    in_step([ada, bob])
    shown = told(bob, "tickets")
    assert shown[0].startswith("tickets  diverged at step 7, ")
    assert [line.split()[0] for line in shown[4:11]] == [
        *("1", "2", "3", "PIN_DROPPED", "4", "5", "to"),
    ]
    assert [shown[at].split()[0] for at in (11, 13)] == ["6", "6"]
    sides = {shown[at].strip() for at in (12, 14)}
    assert sides == {tip[:12] for tip in git(bob, "rev-parse", f"{tip_of(bob)}^@").split()}
    assert shown[15].split() == ["7", "merge"]
    assert shown[17] == "it went on in two places: git relay resolve tickets STEP"


def tip_of(path: Path) -> str:
    return git(path, "rev-parse", "--glob=refs/relay/runs")


def test_a_run_that_cannot_be_read_hides_no_other(repo_path: Path) -> None:
    run = make_run(repo_path)
    git(repo_path, "update-ref", "refs/relay/runs/20260101-0000-odd-0000", "HEAD")
    shown = told(repo_path)
    assert shown[1] == f"  {run}"
    assert shown[2] == "refs/relay/runs/20260101-0000-odd-0000: not a step: it has no step.json"
    assert "odd-0000" in call(repo_path, "inspect", "odd").err


def test_a_value_that_was_changed_is_not_shown(repo_path: Path) -> None:
    make_run(repo_path)
    changed = git(repo_path, "rev-parse", "--glob=refs/relay/runs")
    blob = Path(
        repo_path, ".git", "objects", *place_of(repo_path, f"{changed}:artifacts/FACTS.json")
    )
    blob.chmod(0o644)
    blob.write_bytes(zlib.compress(b'blob 8\0[\n"x"\n]\n'))
    answer = call(repo_path, "inspect", "tickets", "--section", "FACTS")
    assert (answer.code, answer.out) == (1, "")
    assert "artifacts/FACTS.json: its content was changed" in answer.err


def place_of(path: Path, revision: str) -> tuple[str, str]:
    oid = git(path, "rev-parse", revision)
    return oid[:2], oid[2:]


def test_colours_are_for_terminals_alone(repo_path: Path) -> None:
    make_run(repo_path)
    assert "\x1b[" not in done(repo_path, "inspect", "tickets")
    terminal = Terminal(repo_path, "inspect", "tickets")
    terminal.until("\x1b[31m   3  writer            rejected")
    assert terminal.end() == 0
