"""The main job on a real repository: this project itself, driven by the texts of an example."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from flow import copy_of, done
from support import git

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "templates/bug-rca-fix/example"
REJECTED = ("04-plan_review", "08-verify")


def clone_of_this_project(path: Path) -> Path:
    """Without the workflows and lessons that the project has of its own."""

    def build(made: Path) -> None:
        git(made.parent, "-c", "safe.directory=*", "clone", "-q", str(ROOT), str(made))
        git(made, "rm", "-rq", "--ignore-unmatch", ".relay")
        git(made, "commit", "-q", "--allow-empty", "-m", "nothing of git-relay yet")

    return copy_of("this project", build, path)


def play(project: Path, steps: Path) -> list[str]:
    """Write the artifacts of each step and advance; the subjects of the steps made."""
    told = []
    for step in sorted(steps.iterdir()):
        for artifact in step.iterdir():
            shutil.copy(artifact, project / ".relay/artifacts")
        told.append(done(project, "advance").splitlines()[0])
    return told


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """This project, set up for `bug-rca-fix`, with something staged and something dirty."""
    project = clone_of_this_project(tmp_path / "project")
    done(project, "init", "--template", "bug-rca-fix")
    git(project, "add", ".relay")
    git(project, "commit", "-qm", "set git-relay up")
    (project / "staged.txt").write_text("staged\n")
    git(project, "add", "staged.txt")
    (project / "relay_git/__init__.py").write_text("# dirty\n")
    (project / "untracked.txt").write_text("untracked\n")
    return project


def outside_done(project: Path) -> tuple[str, str, str]:
    """What no command may touch: HEAD, the index, the state of everything else."""
    status = git(project, "status", "--porcelain", "--", ":!.relay")
    return git(project, "rev-parse", "HEAD"), git(project, "ls-files", "--stage"), status


def test_two_rejections_become_lessons_of_the_next_run(project: Path) -> None:
    before = outside_done(project)
    done(project, "start", "--slug", "first", "--context", str(EXAMPLE / "context.md"))
    told = play(project, EXAMPLE / "steps")
    assert [line for line in told if "reject" in line] == [
        "plan_review: reject → fix_plan (visit 2)",
        "verify: reject → fix_plan (visit 3)",
    ]

    assert outside_done(project) == before
    assert git(project, "fsck", "--strict", "--no-dangling") == ""
    assert git(project, "for-each-ref", "refs/relay/runs/") == ""
    run = git(project, "log", "--glob=refs/relay/history", "--format=%s").splitlines()
    assert sum("reject" in subject for subject in run) == 2
    assert_every_text_is_in_history(project)

    lessons = json.loads(done(project, "lessons", "list", "--json"))
    by_step = {step for lesson in lessons for step in [evidence_step(project, lesson["path"])]}
    assert {5, 9} <= by_step, "the steps that the two rejections made"

    assert done(project, "distill") == "no change\n"
    assert done(project, "distill", "--all") == "no change\n"
    done(project, "distill", "--check")
    assert outside_done(project) == before

    done(project, "start", "--slug", "second", "--context", str(EXAMPLE / "second/context.md"))
    play(project, EXAMPLE / "second/steps")
    prompt = done(project, "next")
    planners = [lesson for lesson in lessons if lesson["role"] == "planner"]
    shown = [lesson for lesson in planners if lesson["claim"] in prompt]
    assert len(shown) == min(10, len(planners))
    relevant, rest = prompt.split("From prior planner work:")
    assert "`courier/store.py`" in relevant
    assert "`asyncio.sleep(0.05)`" in rest


def assert_every_text_is_in_history(project: Path) -> None:
    """Every version of every artifact, the rejected drafts too, is an object in the history."""
    kept = set(git(project, "rev-list", "--objects", "--glob=refs/relay/history").split())
    for artifact in EXAMPLE.glob("steps/*/*.md"):
        assert git(project, "hash-object", str(artifact)) in kept, artifact


def evidence_step(project: Path, path: str) -> int:
    lines = (project / path).read_text().splitlines()
    evidence = next(line for line in lines if line.startswith("evidence:"))
    return int(json.loads(evidence.partition(":")[2])["step"])


def test_the_same_run_settled_in_two_clones_gives_the_same_bytes(
    project: Path, tmp_path: Path, at: Callable[[int], None]
) -> None:
    at(1_777_368_600)
    done(project, "start", "--slug", "twice", "--context", str(EXAMPLE / "context.md"))
    play(project, EXAMPLE / "steps")
    tip = git(project, "log", "--glob=refs/relay/history", "--format=%P", "-1").split()[1]
    run = git(project, "log", "-1", "--format=%(trailers:key=Relay-Run,valueonly)", tip).strip()

    results = []
    for name, later in (("one", 1_777_400_000), ("two", 1_777_500_000)):
        at(later)
        clone = clone_of_this_project(tmp_path / name)
        git(clone, "config", "user.name", name)
        done(clone, "init", "--template", "bug-rca-fix")
        git(clone, "fetch", "-q", str(project), f"{tip}:refs/relay/runs/{run}")
        done(clone, "settle", "twice")
        results.append(settled_state(clone))
    assert results[0] == results[1]
    assert results[0]["lessons"], "there is something to compare"


def settled_state(clone: Path) -> dict[str, object]:
    lessons = clone / ".relay/lessons"
    return {
        "history": git(clone, "for-each-ref", "--format=%(refname) %(objectname)", "refs/relay/"),
        "notes": git(clone, "for-each-ref", "--format=%(objectname)", "refs/notes/relay/"),
        "lessons": {
            str(path.relative_to(lessons)): path.read_bytes() for path in lessons.rglob("*.md")
        },
        "index": (clone / ".relay/LESSONS.md").read_bytes(),
    }


def test_a_run_given_up_teaches_too(project: Path) -> None:
    done(project, "start", "--slug", "given-up", "--context", str(EXAMPLE / "context.md"))
    for step in sorted((EXAMPLE / "steps").iterdir())[:4]:
        for artifact in step.iterdir():
            shutil.copy(artifact, project / ".relay/artifacts")
        done(project, "advance")
    told = done(project, "abandon", "-m", "the queue is replaced")
    assert "is abandoned and filed in history" in told
    assert os.listdir(project / ".relay/lessons/planner")
