"""How much there is: what git counts, and what is remembered of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import histories
import pytest
from flow import call, copy_of, done, draft, review, started, write
from histories import Size
from support import git, make_repo, processes

from relay_git.names import HISTORY, NOTES


def project(path: Path, runs: int = 72) -> Path:
    """Runs of three years, two a month or one."""

    def build(made: Path) -> None:
        histories.build(make_repo(made), Size(runs, rejections=1))

    return copy_of(f"{runs} runs", build, path)


def told(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done(path, "stats", "--json"))
    return found


def reached(path: Path, month: str) -> dict[str, int]:
    """Objects and bytes of a month, by git's own count."""
    asked = ["rev-list", "--objects", f"{HISTORY}{month}", f"{NOTES}{month}"]
    size = int(git(path, *asked, "--disk-usage"))
    return {"objects": len(git(path, *asked).splitlines()), "bytes": size}


def test_runs_steps_notes_and_objects_are_those_that_git_counts(tmp_path: Path) -> None:
    path = project(tmp_path / "p")
    found = told(path)
    assert len(found["months"]) == 36
    for month in ("2023-05", "2026-04"):
        expected = {"runs": 2, "hidden": 0, "steps": 14, "notes": 2, **reached(path, month)}
        assert found["months"][month] == expected
    filed = found["filed"]
    assert (filed["runs"], filed["steps"], filed["notes"]) == (72, 504, 72)
    assert filed["bytes"] == sum(month["bytes"] for month in found["months"].values())


def test_open_runs_and_lessons_count_too(tmp_path: Path) -> None:
    path = started(tmp_path / "p")
    draft(path)
    review(path)
    write(path, "draft.md", "A better draft.\n" * 3000)
    done(path, "advance")
    found = told(path)
    assert found["open"]["runs"] == 1 and found["open"]["steps"] == 4
    largest = found["largest"][0]
    assert (largest["path"], largest["size"], largest["month"]) == (
        "artifacts/draft.md",
        48000,
        "open",
    )
    done(path, "abandon")
    again = told(path)
    assert again["open"] == dict.fromkeys(again["open"], 0)
    assert again["filed"]["runs"] == 1 and again["filed"]["steps"] == 5
    assert again["lessons"] == {"in_force": 1, "retired": 0}
    assert again["largest"][0]["path"].endswith("/artifacts/draft.md")
    shown = done(path, "stats")
    assert "1 lesson in force" in shown and "48.0 kB" in shown


def test_hidden_runs_are_told_apart(tmp_path: Path) -> None:
    path = project(tmp_path / "p")
    done(path, "prune", "--before", "2023-06-01")
    first = told(path)["months"]["2023-05"]
    assert (first["runs"], first["hidden"], first["steps"]) == (0, 2, 14)


def test_a_month_that_did_not_change_is_not_counted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project(tmp_path / "p")
    first = told(path)
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
    assert told(path) == first
    assert not [line for line in processes(trace) if "rev-list" in line]
    git(path, "update-ref", f"{HISTORY}2026-04", f"{HISTORY}2026-04^")
    again = told(path)
    assert len([line for line in processes(trace) if "--objects" in line]) == 1
    assert again["months"]["2026-04"]["runs"] == 1
    assert again["months"]["2026-03"] == first["months"]["2026-03"]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"v":1,"months":{"2026-04":{"tips":1}}}'])
def test_a_cache_that_is_damaged_is_made_again(tmp_path: Path, damage: str) -> None:
    path = project(tmp_path / "p", 36)
    first = told(path)
    cache = path / ".git/relay/cache/stats.json"
    assert cache.read_text()
    cache.write_text(damage)
    assert told(path) == first


def test_where_there_is_nothing_all_is_zero(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "p")
    found = told(path)
    assert found["months"] == {} and found["largest"] == []
    assert set(found["filed"].values()) == set(found["open"].values()) == {0}


def test_a_bare_repository_has_no_lessons(tmp_path: Path) -> None:
    path = project(tmp_path / "p", 36)
    git(tmp_path, "clone", "-q", "--mirror", str(path), "bare")
    found = told(tmp_path / "bare")
    assert found["lessons"] == {"in_force": None, "retired": None}
    assert found["filed"]["runs"] == 36
    assert call(tmp_path / "bare", "stats").code == 0


def test_a_partial_clone_stays_partial(tmp_path: Path) -> None:
    path = project(tmp_path / "p", 36)
    git(path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", path.as_uri(), "part")
    part = tmp_path / "part"
    git(part, "fetch", "-q", "origin", "refs/relay/*:refs/relay/*")
    before = git(part, "count-objects", "-v")
    found = told(part)
    assert found["filed"]["steps"] == 36 * 7
    assert git(part, "count-objects", "-v") == before
