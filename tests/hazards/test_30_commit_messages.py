"""However a commit's message comes about: one trailer for the run, and every other word kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow import add_workflow, copy_of, done, run_ref
from hooking import Done, hooked, hooks_of, run, write_hook
from support import git, make_repo

EDIT = """\
#!/bin/sh
{ printf 'written in the editor\\n\\nwith a body\\n'; cat "$1"; } >"$1.new" && mv "$1.new" "$1"
"""


def build(path: Path) -> None:
    """Without the hook that records commits: it comes after their messages."""
    done(hooked(path), "start")
    (hooks_of(path) / "post-commit").unlink()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An open run, and something staged."""
    path = copy_of("hooked-to-write-messages", build, tmp_path / "project")
    (path / "a.txt").write_text("diff --git a/a.txt b/a.txt\n")
    git(path, "add", "a.txt")
    return path


def body(path: Path, rev: str = "HEAD") -> str:
    return git(path, "log", "-1", "--format=%B", rev)


def trailers(path: Path, rev: str = "HEAD") -> list[str]:
    return git(path, "log", "-1", "--format=%(trailers:key=Relay-Run,valueonly)", rev).split()


def run_of(path: Path) -> str:
    return run_ref(path).rpartition("/")[2]


def trailer_of(path: Path) -> str:
    return f"Relay-Run: {run_of(path)}"


def editor(path: Path, script: str = EDIT) -> str:
    return str(write_hook(path.parent / "editor", script))


def commit(path: Path, *options: str, message: str | None = None, **environment: str) -> Done:
    done = run(path, "git", "commit", "-q", *options, input=message, **environment)
    assert done.code == 0, done.err
    return done


@pytest.mark.parametrize("char", ["#", ";", "auto"])
@pytest.mark.parametrize("cleanup", ["default", "scissors", "whitespace"])
@pytest.mark.parametrize("verbose", [(), ("-v",)], ids=["", "v"])
def test_an_editor_and_what_git_shows_in_it(
    project: Path, char: str, cleanup: str, verbose: tuple[str, ...]
) -> None:
    git(project, "config", "core.commentChar", char)
    git(project, "config", "commit.cleanup", cleanup)
    commit(project, *verbose, "-e", GIT_EDITOR=editor(project))
    lines = body(project).splitlines()
    assert lines[:3] == ["written in the editor", "", "with a body"]
    assert trailers(project) == [run_of(project)]
    assert not any(line.startswith("diff --git") for line in lines)
    if cleanup != "whitespace":
        assert lines[3:] == ["", trailer_of(project)]


@pytest.mark.parametrize("verbose", [(), ("-v",)], ids=["", "v"])
def test_git_chooses_another_comment_character(project: Path, verbose: tuple[str, ...]) -> None:
    """As it does for a message with lines that begin with `#`."""
    git(project, "config", "core.commentChar", "auto")
    commit(project, *verbose, "-m", "# subject", "-m", "# body", "-e", GIT_EDITOR="true")
    assert body(project).splitlines() == ["# subject", "", "# body", "", trailer_of(project)]


MESSAGES = {
    "subject": "only a subject",
    "body": "subject\n\nA body of one line.",
    "prose like a trailer": "subject\n\nNote: this is how it goes, and then some.",
    "prose among": "subject\n\nFixes: the timer\nand more of the sentence",
    "trailers": "subject\n\nbody\n\nSigned-off-by: Ada <ada@example.com>\nFixes: #12",
    "another's trailer": "subject\n\nRelay-Stage: draft",
    "heading": "# not a comment\n\n## nor this\n\nand a body",
    "rule": "subject\n\n---\n\nbelow a rule",
    "scissors": "subject\n\n# ------- >8 -------\n\nbelow them",
    "quoted": "subject\n\n> Relay-Run: 20260101-0000-other-aaaa\n\nwas quoted",
    "fixup inside": "explain fixup! commits\n\nfixup! is no subject here",
    "latin": "Zeilenumbrüche ✂ 改行\n\n本文",
    "two blanks": "subject\n\n\n\nbody  with  spaces",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_from_a_file(project: Path, name: str) -> None:
    """What git itself would make of it, and the trailer."""
    for end in ("\n", "\r\n"):
        text = MESSAGES[name].replace("\n", end) + end
        commit(project, "-F", "-", "--allow-empty", message=text, GIT_RELAY="0")
        plain = words(project)
        commit(project, "-F", "-", "--allow-empty", message=text)
        assert trailers(project) == [run_of(project)]
        assert words(project) == [*plain, trailer_of(project)]


def words(path: Path) -> list[str]:
    """The lines of the message that are not blank."""
    return [line.rstrip("\r") for line in body(path).split("\n") if line.strip("\r")]


def test_the_id_of_the_run_in_prose_is_no_trailer(project: Path) -> None:
    commit(project, "-m", "explain", "-m", f"Say `Relay-Run: {run_of(project)}` in a message.")
    assert trailers(project) == [run_of(project)]


def test_sign_off_and_the_users_own_trailers_stay_one_block(project: Path) -> None:
    commit(project, "-s", "-m", "subject", "--trailer", "Fixes: #12")
    assert body(project).splitlines()[2:] == [
        "Signed-off-by: Ada <ada@example.com>",
        "Fixes: #12",
        trailer_of(project),
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {"trailer.ifMissing": "doNothing"},
        {"trailer.ifExists": "doNothing", "trailer.where": "start"},
        {"trailer.separators": "=:"},
    ],
    ids=lambda settings: " ".join(settings),
)
def test_how_the_user_wants_trailers_does_not_lose_ours(
    project: Path, settings: dict[str, str]
) -> None:
    for key, value in settings.items():
        git(project, "config", key, value)
    commit(project, "-m", "subject")
    assert trailers(project) == [run_of(project)]


def test_amended_three_times_it_is_there_once(project: Path) -> None:
    commit(project, "-m", "subject")
    commit(project, "--amend", "--no-edit")
    commit(project, "--amend", "-m", "reworded")
    commit(project, "--amend", "-v", "-e", GIT_EDITOR=editor(project))
    assert trailers(project) == [run_of(project)]
    assert body(project).startswith("written in the editor\n")


def test_amended_in_another_run_it_names_both(project: Path) -> None:
    first = run_of(project)
    commit(project, "-m", "subject")
    done(project, "abandon", "-m", "enough")
    done(project, "start", "--slug", "other")
    commit(project, "--amend", "--no-edit")
    assert trailers(project) == [first, run_of(project)]


def test_a_reused_message_names_the_run_once(project: Path) -> None:
    commit(project, "-m", "subject")
    commit(project, "--allow-empty", "-C", "HEAD")
    assert trailers(project) == [run_of(project)]


def side_branch(project: Path, name: str = "b.txt") -> None:
    """A branch with a commit that no hook has seen."""
    commit(project, "-m", "here")
    git(project, "checkout", "-q", "-b", "side", "HEAD~1")
    (project / name).write_text("side\n")
    git(project, "add", name)
    commit(project, "-m", "there", GIT_RELAY="0")
    git(project, "checkout", "-q", "main")


def test_merges_and_reverts_stay_as_git_words_them(project: Path) -> None:
    side_branch(project)
    git(project, "merge", "-q", "--no-ff", "side")
    assert body(project) == "Merge branch 'side'\n"
    git(project, "revert", "--no-edit", "-m", "1", "HEAD")
    assert trailers(project) == []
    git(project, "cherry-pick", "--allow-empty", "side")
    assert body(project) == "there\n"


def test_a_merge_with_conflicts_stays_as_it_is(project: Path) -> None:
    side_branch(project, "a.txt")
    assert run(project, "git", "merge", "side").code == 1
    git(project, "add", "a.txt")
    commit(project, "--no-edit")
    assert trailers(project) == []


def test_a_squash_is_worded_by_its_own_commits(project: Path) -> None:
    commit(project, "-m", "here")
    git(project, "checkout", "-q", "-b", "target", "HEAD~1")
    git(project, "merge", "-q", "--squash", "main")
    commit(project, "--no-edit")
    assert body(project).count("Relay-Run") == 1


@pytest.mark.parametrize("kind", ["--fixup=HEAD", "--squash=HEAD", "--fixup=amend:HEAD"])
def test_a_fixup_stays_a_fixup_and_melts_into_one_trailer(project: Path, kind: str) -> None:
    commit(project, "-m", "subject", "-m", "body")
    (project / "b.txt").write_text("b\n")
    git(project, "add", "b.txt")
    commit(project, kind, GIT_EDITOR="true")
    assert body(project).count("Relay-Run") == (1 if "amend" in kind else 0)
    sequence = {"GIT_SEQUENCE_EDITOR": "true", "GIT_EDITOR": "true"}
    done = run(project, "git", "rebase", "-q", "-i", "--autosquash", "HEAD~2", **sequence)
    assert done.code == 0, done.err
    assert trailers(project) == [run_of(project)]
    assert body(project).startswith("subject\n\nbody\n")


def test_an_empty_message_still_stops_the_commit(project: Path) -> None:
    for script in ("#!/bin/sh\n:\n", '#!/bin/sh\necho >"$1"\n', '#!/bin/sh\necho "# x" >"$1"\n'):
        refused = run(project, "git", "commit", "-v", GIT_EDITOR=editor(project, script))
        assert refused.code == 1
        assert "empty commit message" in refused.err
    commit(project, "--allow-empty-message", "-m", "")
    assert trailers(project) == []


def test_without_the_hook_the_framework_s_does_the_same(tmp_path: Path) -> None:
    """`git relay hook commit-msg`, for those whose hooks another tool manages."""
    project = make_repo(tmp_path / "project")
    add_workflow(project)
    done(project, "start")
    file = project / ".git" / "COMMIT_EDITMSG"
    git(project, "config", "trailer.ifMissing", "doNothing")
    for text in MESSAGES.values():
        file.write_text(text + "\n")
        done(project, "hook", "commit-msg", str(file))
        assert file.read_text().splitlines()[-1] == trailer_of(project)
    scissors = f"{'-' * 24} >8 {'-' * 24}"
    file.write_text(f"# subject\n; comment\n; {scissors}\n--- a/a.txt\n+++ b/a.txt\n")
    done(project, "hook", "commit-msg", str(file))
    assert file.read_text().startswith(f"# subject\n\n{trailer_of(project)}\n; comment\n; -")
