"""Code commits during a run: trailer, step, note, rewrites, and the once-only advance."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from flow import APPROVED, done, draft, make_project, review, run_ref, started, write
from support import git, make_commits, repository

from relay_git.names import NOTES, Oid, RunId, notes_ref
from relay_git.workflow import commits
from relay_git.workspace import Workspace


def opened(path: Path) -> Workspace:
    return Workspace(repository(path), durability="os")


def code_commit(path: Path, name: str = "app.py", message: str = "code") -> Oid:
    (path / name).write_text(f"{message}\n")
    git(path, "add", name)
    git(path, "commit", "-q", "-m", message)
    return Oid(git(path, "rev-parse", "HEAD"))


def run_of(path: Path) -> str:
    return run_ref(path).rpartition("/")[2]


def notes(path: Path, commit: str) -> list[dict[str, object]]:
    """What all notes refs say of a commit."""
    found = []
    for ref in git(path, "for-each-ref", "--format=%(refname)", NOTES).splitlines():
        shown = subprocess.run(
            ["git", "notes", f"--ref={ref}", "show", commit], cwd=path, capture_output=True
        )
        found += [json.loads(line) for line in shown.stdout.splitlines()]
    return found


def story(path: Path) -> list[str]:
    return git(path, "log", "--format=%s", run_ref(path)).splitlines()


# The message


def message_file(path: Path, text: str) -> Path:
    file = path / ".git" / "COMMIT_EDITMSG"
    file.write_text(text)
    return file


def test_the_trailer_is_added_once(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    file = message_file(project, "fix the timer\n\nIt fired twice.\n")
    assert commits.add_trailer(opened(project), str(file))
    once = file.read_text()
    assert once == f"fix the timer\n\nIt fired twice.\n\nRelay-Run: {run_of(project)}\n"
    assert not commits.add_trailer(opened(project), str(file))
    assert file.read_text() == once


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n# Please enter the commit message\n#\n",
        "# On branch main\n# ------------------------ >8 -----------\ndiff --git a b\n",
        "fixup! fix the timer\n",
        "squash! fix the timer\n",
        "amend! fix the timer\n",
    ],
)
def test_an_empty_or_foreign_message_stays_as_it_is(tmp_path: Path, text: str) -> None:
    project = started(tmp_path / "p")
    file = message_file(project, text)
    assert not commits.add_trailer(opened(project), str(file))
    assert file.read_text() == text


def test_without_a_run_there_is_no_trailer(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    file = message_file(project, "fix\n")
    assert not commits.add_trailer(opened(project), str(file))


@pytest.mark.parametrize("mark", ["MERGE_HEAD", "SQUASH_MSG", "CHERRY_PICK_HEAD", "rebase-merge"])
def test_git_s_own_commits_are_left_alone(tmp_path: Path, mark: str) -> None:
    project = started(tmp_path / "p")
    code_commit(project)
    (project / ".git" / mark).mkdir()
    file = message_file(project, "merge\n")
    assert not commits.add_trailer(opened(project), str(file))
    assert commits.record(opened(project)) is None


# The step and the note


def test_a_commit_becomes_a_step_and_a_note(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    write(project, "draft.md", "half a draft\n")
    code = code_commit(project)
    recorded = commits.record(opened(project))
    assert recorded and recorded.left_out == () and recorded.moved is None
    assert story(project)[0] == f"commit {code[:12]} at draft (visit 1)"
    assert git(project, "show", f"{run_ref(project)}:artifacts/draft.md") == "half a draft"
    (note,) = notes(project, code)
    assert note == {
        "v": 1,
        "kind": "commit",
        "run": run_of(project),
        "step": 2,
        "stage": "draft",
        "visit": 1,
        "role": "author",
    }
    step = json.loads(git(project, "show", f"{run_ref(project)}:step.json"))
    assert step["state"]["event"] == {
        "kind": "commit",
        "code": code,
        "paths": ["app.py"],
        "left_out": 0,
    }
    done(project, "verify")


def test_the_same_commit_is_recorded_once(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    code_commit(project)
    commits.record(opened(project))
    before = story(project)
    commits.record(opened(project))
    assert story(project) == before


def test_what_cannot_be_recorded_is_named(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    (project / ".relay/artifacts/draft.md").write_bytes(b"\x89PNG\0")
    code_commit(project)
    recorded = commits.record(opened(project))
    assert recorded
    assert "draft.md: binary" in recorded.left_out[0]
    assert "commit" in story(project)[0]


def test_a_commit_step_makes_no_artifact_stale(tmp_path: Path) -> None:
    """The draft that it recorded half-written is still new when the visit ends."""
    project = started(tmp_path / "p")
    write(project, "draft.md", "written before the commit\n")
    code_commit(project)
    commits.record(opened(project))
    assert "draft → review" in done(project, "advance")


def test_many_paths_are_cut_and_counted(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    for number in range(commits.MOST_PATHS + 7):
        (project / f"file-{number}.txt").write_text("x")
    git(project, "add", ".")
    code_commit(project)
    commits.record(opened(project))
    event = json.loads(git(project, "show", f"{run_ref(project)}:step.json"))["state"]["event"]
    assert len(event["paths"]) == commits.MOST_PATHS
    assert event["left_out"] == 8


def test_touched_paths_tag_a_finding_that_names_none(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    code_commit(project, "timer.py")
    commits.record(opened(project))
    draft(project)
    review(project, "## Required Changes\n\n- Say how to go back.\n\n## Verdict: reject\n")
    done(project, "abandon")
    (lesson,) = json.loads(done(project, "lessons", "list", "--json"))
    assert lesson["tags"] == ["timer.py"]


def test_sixteen_processes_note_sixteen_commits(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    oids = make_commits(project, 16)
    program = (
        "import sys\n"
        "from relay_git.git.repo import discover\n"
        "from relay_git.names import Oid\n"
        "from relay_git.workflow import commits, runs\n"
        "from relay_git.workspace import Workspace\n"
        "ws = Workspace(discover(), durability='os')\n"
        "commits._record(ws, runs.current(ws), Oid(sys.argv[1]))\n"
    )
    started_ = [subprocess.Popen([sys.executable, "-c", program, oid], cwd=project) for oid in oids]
    assert [process.wait(120) for process in started_] == [0] * 16
    assert all(len(notes(project, oid)) == 1 for oid in oids)
    assert sum(subject.startswith("commit") for subject in story(project)) == 16
    done(project, "verify")


# Rewrites


def noted(project: Path, message: str = "code") -> Oid:
    code = code_commit(project, f"{message}.py", message)
    commits.record(opened(project))
    return code


def test_an_amended_commit_keeps_its_note(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    old = noted(project)
    git(project, "commit", "-q", "--amend", "-m", "better")
    new = Oid(git(project, "rev-parse", "HEAD"))
    assert commits.move_notes(opened(project), [(old, new)]) == 1
    assert notes(project, new) == notes(project, old) != []


def test_notes_of_commits_melted_into_one_are_united(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    first, second = noted(project, "one"), noted(project, "two")
    git(project, "reset", "-q", "--soft", "HEAD~2")
    git(project, "commit", "-q", "-m", "both")
    both = Oid(git(project, "rev-parse", "HEAD"))
    commits.move_notes(opened(project), [(first, both), (second, both)])
    assert {note["step"] for note in notes(project, both)} == {2, 3}
    commits.move_notes(opened(project), [(first, both), (second, both)])
    assert len(notes(project, both)) == 2


def test_a_foreign_note_does_not_travel(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    old, new = make_commits(project, 2)
    ref = notes_ref(RunId(run_of(project)).month)
    git(project, "notes", f"--ref={ref}", "add", "-m", "by hand", old)
    assert commits.move_notes(opened(project), [(Oid(old), Oid(new))]) == 0
    assert git(project, "notes", f"--ref={ref}", "show", old) == "by hand"


def test_twelve_worktrees_amend_at_once(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    pairs = []
    for number in range(12):
        old = noted(project, f"code-{number}")
        tree = git(project, "rev-parse", f"{old}^{{tree}}")
        new = git(project, "commit-tree", tree, "-p", f"{old}~1", "-m", f"amended {number}")
        pairs.append((old, new))
    program = (
        "import sys\n"
        "from relay_git.git.repo import discover\n"
        "from relay_git.names import Oid\n"
        "from relay_git.workflow import commits\n"
        "from relay_git.workspace import Workspace\n"
        "ws = Workspace(discover(), durability='os')\n"
        "commits.move_notes(ws, [(Oid(sys.argv[1]), Oid(sys.argv[2]))])\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, *pair], cwd=project) for pair in pairs
    ]
    assert [process.wait(120) for process in running] == [0] * 12
    assert all(notes(project, new) for _, new in pairs)


# Relay-Advance


def test_a_commit_advances_the_run_that_it_names(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    draft(project)
    write(project, "review.md", "No verdict in here, the commit has it.\n")
    code_commit(project, message="done\n\nRelay-Advance: review.1=approve")
    recorded = commits.record(opened(project))
    assert recorded and recorded.moved
    assert recorded.moved.after.state.status == "done"


def test_it_advances_once(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    write(project, "draft.md", "A draft.\n")
    message = "draft it\n\nRelay-Advance: draft.1"
    code_commit(project, message=message)
    first = commits.record(opened(project))
    assert first and first.moved and first.moved.after.state.stage == "review"
    write(project, "review.md", APPROVED)
    git(project, "commit", "-q", "--amend", "--allow-empty", "-m", f"again\n\n{message}")
    again = commits.record(opened(project))
    assert again and again.moved is None
    assert again.run.state.stage == "review"


def test_a_commit_for_another_visit_does_nothing(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    write(project, "draft.md", "A draft.\n")
    code_commit(project, message="x\n\nRelay-Advance: draft.2\nRelay-Advance: nonsense")
    recorded = commits.record(opened(project))
    assert recorded and recorded.moved is None


# Blame


def test_blame_says_what_it_knows_and_no_more(tmp_path: Path) -> None:
    project = started(tmp_path / "p")
    noted_ = noted(project)
    run = run_of(project)
    assert done(project, "blame", "code.py:1") == (
        f"    1  commit {noted_[:12]}, run {run}, stage draft, visit 1, role author\n"
    )
    picked = code_commit(project, "picked.py", f"picked\n\nRelay-Run: {run}")
    assert f"commit {picked[:12]}, run {run}, stage unknown" in done(project, "blame", "picked.py")
    plain = code_commit(project, "plain.py", "by hand")
    assert done(project, "blame", "plain.py") == f"    1  commit {plain[:12]}, unknown run\n"
    two = f"Relay-Run: {run}\nRelay-Run: 20250101-0000-other-1234"
    code_commit(project, "two.py", f"squashed\n\n{two}")
    assert "unknown run" in done(project, "blame", "two.py")
    (project / "plain.py").write_text("changed\n")
    assert "not committed yet" in done(project, "blame", "plain.py")
