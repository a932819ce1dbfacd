"""`git relay tour`, as a newcomer meets it: on a terminal, and where nobody is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flow import outcome, spawn
from support import git, relay
from terminal import CTRL_C, Terminal

from relay_git.tour.stops import STOPS

ACTS = [act for stop in STOPS for act in stop.acts]
CLAIM = "A `Session` in `src/resume.rs` that is found by path alone joins parts of two different"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the tour makes its folder, and nothing else lies."""
    folder = tmp_path / "with a space"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def only(temporary: Path) -> Path:
    (folder,) = temporary.iterdir()
    return folder


def test_it_goes_through_by_itself_and_leaves_a_repository_to_go_on_in(
    temporary: Path, tmp_path: Path
) -> None:
    answer = outcome(spawn(tmp_path, "tour"))
    assert (answer.code, answer.err) == (0, "")
    folder = only(temporary)
    assert_told(answer.out, folder)
    assert_left(folder)


def assert_told(out: str, folder: Path) -> None:
    """Everything, and nobody has to press Enter."""
    numbers = re.findall(r"^(\d+)/(\d+)  ", out, re.M)
    assert numbers == [(str(n), str(len(STOPS))) for n in range(1, len(STOPS) + 1)]
    assert "Enter" not in out
    lesson, way = out.index(f"[error] {CLAIM}"), out.index("look around")
    assert out.index("next planner reads") < lesson < way
    assert str(folder) in out.splitlines()[0]
    assert f"rm -rf '{folder}'" in out


def assert_left(folder: Path) -> None:
    assert "11 of 11 steps ok in 2 runs" in relay(folder, "verify", "--all")
    assert "▶ plan_draft" in relay(folder, "status")
    assert "uploads" in relay(folder, "runs", "--all")
    assert git(folder, "log", "-1", "--format=%s") == "Lessons of the uploads"
    assert "Relay-Run: " in git(folder, "log", "-1", "--format=%B", "HEAD~1")
    assert "lessons/planner/" in git(folder, "ls-files", ".relay")


def test_json_tells_every_stop_and_where_each_excerpt_begins(
    temporary: Path, tmp_path: Path
) -> None:
    told = json.loads(relay(tmp_path, "tour", "--json"))
    assert told["folder"] == str(only(temporary))
    assert [stop["title"] for stop in told["stops"]] == [stop.title for stop in STOPS]
    for act, shown in zip(ACTS, (a for stop in told["stops"] for a in stop["acts"]), strict=True):
        assert not act.since or shown["shown"][0].startswith(act.since), act
    who = git(only(temporary), "log", "-1", "--format=%an <%ae>")
    assert who == "Tour <tour@example.com>"
    last = told["stops"][-1]["acts"][-1]
    assert last["did"] == "$ git relay next"
    assert any(CLAIM in line for line in last["shown"])


def test_on_a_terminal_it_waits_for_enter_between_two_stops(
    temporary: Path, tmp_path: Path
) -> None:
    terminal = Terminal(tmp_path, "tour")
    for number in range(1, len(STOPS)):
        terminal.until("Enter \x1b[0m", number)
        assert f"{number + 1}/{len(STOPS)}".encode() not in terminal.shown
        terminal.press("\n")
    assert terminal.end() == 0
    assert terminal.shown.count(b"Enter \x1b[0m") == len(STOPS) - 1
    assert b"be done with it" in terminal.shown


def test_with_yes_it_waits_for_nobody(temporary: Path, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "tour", "--yes")
    assert terminal.end() == 0
    assert b"Enter" not in terminal.shown
    assert f"{len(STOPS)}/{len(STOPS)}".encode() in terminal.shown


def test_ctrl_c_names_the_folder_and_leaves_nothing_else(
    temporary: Path, tmp_path: Path, sealed: Path
) -> None:
    before = sorted(sealed.iterdir())
    terminal = Terminal(tmp_path, "tour")
    terminal.until("Enter \x1b[0m", 1)
    terminal.press("\n")
    terminal.until("Enter \x1b[0m", 2)
    terminal.press(CTRL_C)
    assert terminal.end() == 130
    folder = only(temporary)
    assert f"the tour ends here; its folder stays: {folder}".encode() in terminal.shown
    assert sorted(tmp_path.iterdir()) == [temporary]
    assert sorted(sealed.iterdir()) == before


def test_ctrl_c_in_the_middle_of_a_command_is_no_different(temporary: Path, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "tour", "--yes")
    terminal.until(f"6/{len(STOPS)}")
    terminal.press(CTRL_C)
    assert terminal.end() == 130
    assert f"its folder stays: {only(temporary)}".encode() in terminal.shown
    assert git(only(temporary), "fsck", "--strict") == ""


def test_a_command_that_fails_ends_it_with_the_folder_named(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/nowhere")
    monkeypatch.setenv("GIT_RELAY_ENGINE", "nonsense")
    answer = outcome(spawn(tmp_path, "tour"))
    assert answer.code == 1
    assert f"its folder stays: {only(temporary)}" in answer.err
    assert "nonsense" in answer.err
