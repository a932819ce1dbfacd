"""`git relay distill` on history: what is new, everything, or nothing, and what that costs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import histories
import pytest
from flow import call, copy_of, done
from histories import Size
from support import git, make_repo, processes

from relay_git.names import DISTILLED, NOTES


def project(path: Path, size: Size) -> Path:
    return copy_of(f"{size}", lambda made: histories.build(make_repo(made), size), path)


def notes(path: Path) -> dict[str, str]:
    """What git itself says of every note, by the object that it is on."""
    found = {}
    for ref in git(path, "for-each-ref", "--format=%(refname)", NOTES).splitlines():
        for line in git(path, "notes", f"--ref={ref}", "list").splitlines():
            blob, target = line.split()
            found[target] = git(path, "cat-file", "blob", blob)
    return found


def lessons(path: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (path / ".relay/lessons").rglob("*.md")}


def test_new_runs_are_noted_in_one_commit_a_month(tmp_path: Path) -> None:
    path = project(tmp_path / "p", Size(72, settled=False))
    assert len(done(path, "distill").splitlines()) == 73
    assert len(lessons(path)) == 72
    noted = notes(path)
    tips = git(path, "log", "--format=%P", "--merges", "--glob=refs/relay/history").splitlines()
    assert sorted(noted) == sorted(line.split()[1] for line in tips)
    assert all('"kind":"settled"' in note and '"kind":"lesson"' in note for note in noted.values())
    commits = git(path, "rev-list", "--count", f"--glob={NOTES}")
    assert int(commits) == len(git(path, "for-each-ref", NOTES).splitlines()) == 36
    assert done(path, "distill") == "no change\n"
    assert notes(path) == noted


def test_what_others_have_settled_is_not_distilled_again(tmp_path: Path) -> None:
    path = project(tmp_path / "p", Size(8, settled=True))
    before = notes(path)
    assert done(path, "distill") == "no change\n"
    assert lessons(path) == {}
    assert len(done(path, "distill", "--all").splitlines()) == 9
    assert notes(path) == before


def test_all_gives_the_same_files_again_and_again(tmp_path: Path) -> None:
    path = project(tmp_path / "p", Size(8, rejections=1))
    done(path, "distill", "--all")
    first = lessons(path)
    assert len(first) == 24
    assert done(path, "distill", "--all") == "no change\n"
    shutil.rmtree(path / ".relay")
    assert call(path, "distill", "--all", "--check").code == 1
    done(path, "distill", "--all")
    assert lessons(path) == first


@pytest.mark.parametrize("runs", [36, 180])
def test_with_nothing_new_a_few_refs_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: int
) -> None:
    path = project(tmp_path / "p", Size(runs))
    done(path, "distill")
    assert len(git(path, "for-each-ref", DISTILLED).splitlines()) == 36
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    assert done(path, "distill") == "no change\n"
    _, *refs = processes(tmp_path / "trace")
    assert [line.split()[1] for line in refs] == ["for-each-ref"] * 2, refs


def test_a_month_that_another_process_has_read_further_stays_so(tmp_path: Path) -> None:
    path = project(tmp_path / "p", Size(36, settled=False))
    done(path, "distill")
    ref = git(path, "for-each-ref", "--format=%(refname)", "--count=1", DISTILLED)
    month = ref.removeprefix(DISTILLED)
    tip = git(path, "rev-parse", f"refs/relay/history/{month}")
    git(path, "update-ref", ref, f"{tip}^")
    assert done(path, "distill") == "no change\n"
    assert git(path, "rev-parse", ref) == tip


def test_with_nothing_new_nothing_is_imported_that_reads_reviews(tmp_path: Path) -> None:
    path = project(tmp_path / "p", Size(36))
    done(path, "distill")
    script = (
        "import sys; from relay_git.main import main; main(sys.argv[1:]);"
        "print(*(m for m in sys.modules if 'markdown' in m or m.endswith('lessons.distill')))"
    )
    argv = [sys.executable, "-c", script, "distill"]
    told = subprocess.run(argv, cwd=path, check=True, capture_output=True, text=True).stdout
    assert told == "no change\n\n"
