from __future__ import annotations

import re
from pathlib import Path

import pytest
from flow import call, copy_of, done, make_project
from hooking import Done, hooked, run
from support import git

SECRET = "ghp_" + "a1B2c3D4e5" * 4
CLAIM = "State the rollback in every plan"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Hooks in place, one lesson committed, everything clean."""

    def build(path: Path) -> None:
        done(hooked(path), "lessons", "add", "planner", CLAIM)
        git(path, "add", ".relay")
        git(path, "commit", "-q", "-m", "lesson")

    return copy_of("hooked-with-a-lesson", build, tmp_path / "project")


def lesson(project: Path) -> Path:
    [path] = (project / ".relay/lessons/planner").glob("*.md")
    return path


def try_commit(project: Path, *options: str) -> Done:
    return run(project, "git", "commit", "-q", "-m", "try", *options)


def refused(project: Path, *options: str) -> list[str]:
    """What the gate says, one problem a line; nothing was committed or staged anew."""
    before = git(project, "rev-parse", "HEAD"), git(project, "ls-files", "--stage")
    tried = try_commit(project, *options)
    assert tried.code == 1
    assert (git(project, "rev-parse", "HEAD"), git(project, "ls-files", "--stage")) == before
    assert "GIT_RELAY=0 git commit" in tried.err.splitlines()[-1]
    return tried.err.splitlines()[:-1]


def write(project: Path, path: str, text: str) -> None:
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_text(text)
    git(project, "add", "-f", path)


def test_what_is_staged_counts_and_not_what_lies_in_the_work_tree(project: Path) -> None:
    workflow = project / ".relay/workflows/loop/workflow.yml"
    good = workflow.read_text()
    write(
        project, ".relay/workflows/loop/workflow.yml", good.replace("next: review", "next: rewiev")
    )
    workflow.write_text(good)
    said = refused(project)
    assert any(re.search(r"\.relay/workflows/loop/workflow\.yml:\d+: .*'rewiev'", s) for s in said)
    git(project, "add", ".relay")
    workflow.write_text("initial_stage: [")
    (project / "code.txt").write_text("code\n")
    git(project, "add", "code.txt")
    assert try_commit(project).code == 0


def test_every_problem_is_named_with_file_and_line(project: Path) -> None:
    write(project, ".relay/relay.yml", "version: 1\nmax_artefact_chars: 5\n")
    write(project, ".relay/lessons/planner/broken.md", "---\nid: x\n---\n\nNo.\n")
    write(project, ".relay/workflows/other/seeds/a.md", "a seed and no workflow\n")
    said = "\n".join(refused(project))
    assert ".relay/relay.yml:2: " in said
    assert ".relay/lessons/planner/broken.md:" in said
    assert ".relay/workflows/other/workflow.yml: there is no such file" in said


def test_what_was_wrong_before_does_not_stop_other_commits(project: Path) -> None:
    write(project, ".relay/lessons/planner/broken.md", "no front matter\n")
    git(project, "commit", "-q", "--no-verify", "-m", "broken")
    write(project, ".relay/notes.txt", "something\n")
    assert try_commit(project).code == 0
    assert "broken.md" in call(project, "validate", "--staged").err


def test_a_secret_is_refused_by_place_and_kind_and_never_shown(project: Path) -> None:
    write(project, ".relay/lessons/planner/x.md", lesson(project).read_text() + f"\n{SECRET}\n")
    said = "\n".join(refused(project))
    assert re.search(r"planner/x\.md:\d+: a secret \(github-token\)", said)
    assert SECRET not in said
    write(project, ".relay/lessons/planner/x.md", "gone")
    git(project, "rm", "-q", "-f", ".relay/lessons/planner/x.md")
    write(project, ".relay/artifacts/forced.md", f"token: {SECRET}\n")
    assert "artifacts/forced.md:1: a secret" in "\n".join(refused(project))
    git(project, "rm", "-q", "-f", ".relay/artifacts/forced.md")
    write(project, f".relay/{SECRET}.txt", "named so\n")
    said = "\n".join(refused(project))
    assert "a secret in a file name" in said
    assert SECRET not in said


def test_what_the_staged_settings_call_secret_is(project: Path) -> None:
    write(project, ".relay/relay.yml", "version: 1\nredact_literals: [vault.internal]\n")
    write(project, ".relay/notes.txt", "look at vault.internal\n")
    said = refused(project)
    assert [line for line in said if "a secret (literal)" in line and "notes.txt:1" in line]
    assert not [line for line in said if "relay.yml" in line]


def test_a_link_is_refused(project: Path) -> None:
    (project / ".relay/lessons/planner/link.md").symlink_to("/etc/hostname")
    git(project, "add", ".relay")
    assert "a link, which is never followed" in "\n".join(refused(project))


def test_a_deleted_lesson_is_moved_and_staging_is_left_to_the_user(project: Path) -> None:
    path = lesson(project)
    target = project / ".relay/lessons/retired/planner" / path.name
    git(project, "rm", "-q", str(path))
    said = "\n".join(refused(project))
    assert f"`git add {target.relative_to(project)}`" in said
    assert CLAIM in target.read_text()
    assert "say here why" in target.read_text()
    once = target.read_bytes()
    assert "git add" in "\n".join(refused(project)), "again, as long as it is not staged"
    assert target.read_bytes() == once
    git(project, "add", ".relay/lessons")
    assert try_commit(project).code == 0
    assert done(project, "lessons", "list", "--retired").count("State the rollback") == 1


def test_a_lesson_taken_out_of_the_index_alone_is_moved_as_it_is(project: Path) -> None:
    path = lesson(project)
    path.write_text(path.read_text() + "\nAdded by hand.\n")
    git(project, "rm", "-q", "--cached", str(path))
    refused(project)
    assert not path.exists()
    moved = project / ".relay/lessons/retired/planner" / path.name
    assert "Added by hand." in moved.read_text()


def test_a_lesson_may_move_and_a_retired_one_may_go(project: Path) -> None:
    path = lesson(project)
    git(project, "mv", str(path), str(path.with_name("renamed.md")))
    assert try_commit(project).code == 0
    done(project, "lessons", "retire", "renamed", "--reason", "the queue is gone")
    git(project, "add", ".relay")
    assert try_commit(project).code == 0
    git(project, "rm", "-q", "-r", ".relay/lessons/retired")
    assert try_commit(project).code == 0


def test_half_of_a_move_is_refused(project: Path) -> None:
    assert call(project, "lessons", "retire", "rollback", "--reason", "x").code == 1
    path = lesson(project)
    done(project, "lessons", "retire", path.stem, "--reason", "the queue is gone")
    git(project, "add", ".relay/lessons/retired")
    git(project, "commit", "-q", "--no-verify", "-m", "half")
    path.write_text((project / ".relay/lessons/retired/planner" / path.name).read_text())
    git(project, "add", str(path))
    assert "and still here" in "\n".join(refused(project)) or not git(project, "diff", "--cached")


def test_the_other_side_of_a_merge_may_have_deleted_it(project: Path) -> None:
    git(project, "checkout", "-q", "-b", "other")
    git(project, "rm", "-q", str(lesson(project)))
    write(project, "a.txt", "theirs\n")
    git(project, "commit", "-q", "--no-verify", "-m", "deleted")
    git(project, "checkout", "-q", "main")
    write(project, "a.txt", "ours\n")
    git(project, "commit", "-q", "-m", "ours")
    run(project, "git", "merge", "other")
    write(project, "a.txt", "both\n")
    assert try_commit(project).code == 0


def test_leaving_git_relay_takes_no_questions(project: Path) -> None:
    git(project, "rm", "-q", "-r", ".relay")
    assert try_commit(project).code == 0


@pytest.mark.parametrize("form", [("-a",), ("--only", ".relay/notes.txt"), ("--amend",)])
def test_every_form_of_commit_is_checked_on_the_index_it_is_made_from(
    project: Path, form: tuple[str, ...]
) -> None:
    write(project, ".relay/notes.txt", "fine\n")
    git(project, "commit", "-q", "-m", "notes")
    (project / ".relay/notes.txt").write_text(f"{SECRET}\n")
    if form == ("--amend",):
        git(project, "add", ".relay/notes.txt")
    assert "notes.txt:1: a secret" in "\n".join(refused(project, *form))
    assert try_commit(project, *form, "--no-verify").code == 0


def test_the_first_commit_is_checked_too(tmp_path: Path) -> None:
    path = make_project(tmp_path / "project")
    git(path, "update-ref", "-d", "HEAD")
    done(path, "init")
    write(path, ".relay/notes.txt", f"{SECRET}\n")
    assert "a secret" in try_commit(path).err
    write(path, ".relay/notes.txt", "fine\n")
    assert try_commit(path).code == 0


def test_the_switch_turns_it_off_and_other_commits_never_turn_it_on(project: Path) -> None:
    write(project, ".relay/notes.txt", f"{SECRET}\n")
    assert run(project, "git", "commit", "-q", "-m", "x", GIT_RELAY="0").code == 0


def test_validate_reads_the_index_on_request(project: Path) -> None:
    write(project, ".relay/notes.txt", f"{SECRET}\n")
    assert "staged files ok" in done(project, "validate", "--staged")
    judged = call(project / ".relay", "validate", "--secrets")
    assert judged.code == 1
    assert ".relay/notes.txt:1: a secret (github-token)" in judged.err
    assert call(project, "validate", "--staged", "loop").code == 2
