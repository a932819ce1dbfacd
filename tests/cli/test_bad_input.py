"""Bad input gets one line that says what, where and what to do; exit 1; and nothing changes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from flow import (
    APPROVED,
    LOOP,
    REJECTED,
    Answer,
    add_workflow,
    artifact,
    call,
    copy_of,
    done,
    draft,
    everything,
    make_project,
    outcome,
    review,
    run_ref,
    spawn,
    started,
    tips,
    write,
)
from support import git, make_repo

from relay_git import canonical

RUNS = "refs/relay/runs/"
WORKFLOW = ".relay/workflows/loop/workflow.yml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_of("project", make_project, tmp_path / "project")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """An open run whose draft is to be written."""
    return copy_of("run", started, tmp_path / "run")


@pytest.fixture
def reviewing(tmp_path: Path) -> Path:
    """A run whose draft is to be reviewed."""

    def build(path: Path) -> None:
        started(path)
        draft(path)

    return copy_of("reviewing", build, tmp_path / "reviewing")


def refused(path: Path, *words: str, lines: int = 1) -> str:
    """What the command says on standard error. It must say nothing else, and change nothing."""
    before = everything(path)
    answer = call(path, *words)
    after = everything(path)
    assert answer.code == 1, answer
    assert answer.out == ""
    assert after == before
    said = answer.err.splitlines()
    assert len(said) == lines, answer.err
    assert all(line.startswith("git relay: ") and "; " in line for line in said), answer.err
    return answer.err


# Names


def test_an_unknown_template(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "project")
    said = refused(path, "init", "--template", "bug-rca-fxi")
    assert "there is no template 'bug-rca-fxi'; did you mean 'bug-rca-fix'?" in said


def test_an_unknown_workflow(project: Path) -> None:
    said = refused(project, "start", "lopo")
    assert f"{project}/.relay/workflows: there is no workflow 'lopo'; did you mean 'loop'?" in said


def test_no_workflow_at_all(repo_path: Path) -> None:
    assert "there is no workflow; run `git relay init`" in refused(repo_path, "start")


@pytest.mark.parametrize(
    "name", ["../../outside", "a/b", "/etc", ".git", "..", "", "-x", "con", "a b", "x.lock", "é"]
)
def test_a_workflow_name_that_climbs_out_or_cannot_be(tmp_path: Path, name: str) -> None:
    path = make_repo(tmp_path / "project")
    said = refused(path, "init", f"--name={name}")
    assert f"--name: {name!r}" in said
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "slug", ["../../../heads/main", "a/b", "A", "a b", "", "-a", "a--b", "é", "x" * 41, "a.lock"]
)
def test_a_slug_that_climbs_out_or_cannot_be(project: Path, slug: str) -> None:
    assert f"{slug!r} cannot be a slug" in refused(project, "start", f"--slug={slug}")


@pytest.mark.parametrize("words", [("switch",), ("show",), ("verify",), ("settle",), ("log",)])
def test_an_unknown_run(run: Path, words: tuple[str, ...]) -> None:
    assert "no run is named 'nosuch'" in refused(run, *words, "nosuch")


def test_an_ambiguous_run(run: Path) -> None:
    done(run, "start")
    assert "'loop' names 2 runs: " in refused(run, "switch", "loop")


@pytest.mark.parametrize("words", [("next",), ("advance",), ("abandon",), ("reset",)])
def test_no_run_in_this_worktree(project: Path, words: tuple[str, ...]) -> None:
    said = refused(project, *words)
    assert "no open run in this worktree; begin one with `git relay start`" in said


def test_a_run_that_is_open_elsewhere(run: Path, tmp_path: Path) -> None:
    git(run, "worktree", "add", "-q", str(tmp_path / "other"))
    said = refused(tmp_path / "other", "advance")
    assert "choose one of `git relay runs` with `git relay switch RUN`" in said


def test_a_step_that_never_was(run: Path) -> None:
    for step in ("0", "2", "99"):
        assert f"no step {step}; see `git relay log`" in refused(run, "rollback", "--to", step)
    assert "has no step 7" in refused(run, "show", ":7")
    assert "has no step 9" in refused(run, "show", ":" + "9" * 5_000)


def test_a_line_that_no_file_has(run: Path) -> None:
    assert call(run, "blame", "README:" + "9" * 5_000).code == 1


# Definitions


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("next: review, max", "next: revue, max", "8: there is no stage 'revue'; did you mean"),
        ("approve: done", "approve: dnoe", "9: there is no stage 'dnoe'; did you mean 'done'?"),
        ("initial_stage: draft", "initial_stage: drfat", "3: there is no stage 'drfat'"),
        ("role: critic", "role: critik", "9: there is no role 'critik'; did you mean"),
        ("version: 1", "versoin: 1", "2: unknown key"),
        ("reads: [draft.md]", "reads: [daft.md]", "6: no role writes 'daft.md'"),
    ],
)
def test_a_definition_that_makes_no_sense(project: Path, good: str, bad: str, said: str) -> None:
    (project / WORKFLOW).write_text(LOOP.replace(good, bad))
    assert f"{WORKFLOW}:{said}" in refused(project, "start")
    answer = call(project, "validate")
    assert answer.code == 1
    assert f"{WORKFLOW}:{said}" in answer.err + answer.out


def test_several_problems_are_told_at_once_a_line_each(project: Path) -> None:
    (project / WORKFLOW).write_text(
        LOOP.replace("next: review, max", "next: revue, max").replace(
            "role: critic", "role: critik"
        )
    )
    said = refused(project, "start", lines=2)
    assert f"{WORKFLOW}:8: " in said
    assert f"{WORKFLOW}:9: " in said


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        (WORKFLOW, LOOP.replace("stages:", "stages: ["), 9),
        (WORKFLOW, "name: loop\n\tversion: 1\n", 2),
        (WORKFLOW, "name: loop\nname: again\n", 2),
        (".relay/workflows/loop/roles/author.yml", "name: author\nsystem_prompt: [\n", 3),
        (".relay/relay.yml", "version: 1\nlessons: {\n", 3),
    ],
)
def test_yaml_that_cannot_be_read(project: Path, file: str, text: str, line: int) -> None:
    (project / file).write_text(text)
    assert f"{file}:{line}: " in refused(project, "start")


def test_a_missing_role_file(project: Path) -> None:
    (project / ".relay/workflows/loop/roles/critic.yml").unlink()
    assert "roles/critic.yml" in refused(project, "start")


def test_settings_of_a_newer_git_relay(project: Path) -> None:
    (project / ".relay" / "relay.yml").write_text("version: 2\n")
    said = refused(project, "start")
    assert ".relay/relay.yml:1: version 2 is newer than 1; upgrade git-relay" in said


@pytest.mark.parametrize(
    ("name", "what"), [("nosuch.md", "cannot be read"), (".", "cannot be read")]
)
def test_a_context_that_cannot_be_read(project: Path, name: str, what: str) -> None:
    answer = call(project, "start", "--context", name)
    assert (answer.code, what in answer.err) == (1, True)


def test_a_context_that_is_no_text(project: Path) -> None:
    (project / "issue.bin").write_bytes(b"\0\1\2")
    assert "context.md: binary" in refused(project, "start", "--context", "issue.bin")


# Artifacts


def test_a_missing_artifact(run: Path) -> None:
    said = refused(run, "advance")
    assert ".relay/artifacts/draft.md: not written yet; author writes it" in said


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n\n", "\ufeff\n"])
def test_an_empty_artifact(run: Path, text: str) -> None:
    write(run, "draft.md", text)
    assert ".relay/artifacts/draft.md: empty; write it" in refused(run, "advance")


def test_an_unchanged_artifact(reviewing: Path) -> None:
    review(reviewing)
    said = refused(reviewing, "advance")
    assert ".relay/artifacts/draft.md: unchanged since draft was entered; let author" in said
    done(reviewing, "advance", "--allow-unchanged")


def test_an_artifact_that_is_not_utf_8(run: Path) -> None:
    artifact(run, "draft.md").write_bytes("# Plan\n\nÜber\n".encode("latin-1"))
    assert ".relay/artifacts/draft.md:3: not UTF-8; save it as UTF-8" in refused(run, "advance")


def test_a_binary_artifact(run: Path) -> None:
    artifact(run, "draft.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert ".relay/artifacts/draft.md: binary; an artifact is text" in refused(run, "advance")


def test_an_artifact_of_12_mb(run: Path) -> None:
    write(run, "draft.md", "x" * 12 * 2**20)
    said = refused(run, "advance")
    assert ".relay/artifacts/draft.md: larger than 10 MB; shorten it, or allow more with" in said
    git(run, "config", "relay.maxArtifact", "50m")
    done(run, "advance")


def test_a_bad_artifact_of_another_stage(run: Path) -> None:
    """It would become part of the step."""
    write(run, "draft.md", "A draft.\n")
    artifact(run, "review.md").write_bytes(b"\0")
    assert "review.md: binary" in refused(run, "advance")


@pytest.mark.parametrize("command", ["advance", "status", "next"])
def test_an_artifact_that_is_a_link_out_of_the_repository(
    reviewing: Path, tmp_path: Path, command: str
) -> None:
    (tmp_path / "secret").write_text("a secret\n")
    for name in ("draft.md", "review.md"):
        artifact(reviewing, name).unlink(missing_ok=True)
        artifact(reviewing, name).symlink_to(tmp_path / "secret")
    said = refused(reviewing, command)
    assert ".md: a symbolic link, which is never followed; replace it" in said
    assert (tmp_path / "secret").read_text() == "a secret\n"


@pytest.mark.parametrize("command", ["advance", "start", "switch loop", "rollback --to 1"])
@pytest.mark.parametrize("link", [".relay/artifacts", ".relay"])
def test_a_working_set_that_is_a_link_out_of_the_repository(
    run: Path, tmp_path: Path, link: str, command: str
) -> None:
    outside = tmp_path / "outside"
    (run / link).rename(outside)
    (run / link).symlink_to(outside)
    before = contents(outside)
    said = refused(run, *command.split())
    assert "a symbolic link, which is never followed; replace it" in said
    assert contents(outside) == before


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("kind", ["directory", "fifo"])
def test_an_artifact_that_is_no_file(run: Path, kind: str) -> None:
    if kind == "fifo":
        os.mkfifo(artifact(run, "draft.md"))
        answer = call(run, "advance")
        assert answer.code == 1
        assert "draft.md: not a regular file; replace it by a plain file" in answer.err
    else:
        artifact(run, "draft.md").mkdir()
        assert "draft.md: not a regular file; replace it" in refused(run, "advance")


def test_a_working_set_that_is_a_file(run: Path) -> None:
    shutil.rmtree(run / ".relay" / "artifacts")
    (run / ".relay" / "artifacts").write_text("in the way\n")
    assert "draft.md: not written yet" in refused(run, "advance")
    assert ".relay/artifacts" in refused(run, "start")


# Verdicts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Review\n\nFine.\n", "review.md: no verdict; write a line `## Verdict: approve`"),
        ("## Verdict: approve | reject\n", "review.md: no verdict; write a line"),
        (f"{APPROVED}\n{REJECTED}", "verdicts disagree: .relay/artifacts/review.md:5: ## Verdict"),
        ("## Verdict: maybe\n", "unknown verdict: .relay/artifacts/review.md:1: "),
    ],
)
def test_a_verdict_that_does_not_decide(reviewing: Path, text: str, said: str) -> None:
    write(reviewing, "review.md", text)
    answer = refused(reviewing, "advance")
    assert said in answer
    assert "approve, reject" in answer
    assert "--verdict" in answer


def test_both_lines_of_a_contradiction_are_shown(reviewing: Path) -> None:
    write(reviewing, "review.md", "## Verdict: approve\n\ntext\n\n## Verdict: reject\n")
    said = refused(reviewing, "advance")
    assert "review.md:1: ## Verdict: approve" in said
    assert "review.md:5: ## Verdict: reject" in said


def test_a_branch_on_the_command_line_that_the_stage_has_not(reviewing: Path) -> None:
    write(reviewing, "review.md", APPROVED)
    said = refused(reviewing, "advance", "--verdict", "bogus")
    assert "stage review has no branch 'bogus'; known: approve, reject" in said


def test_an_empty_branch_on_the_command_line(reviewing: Path) -> None:
    write(reviewing, "review.md", APPROVED)
    refused(reviewing, "advance", "--verdict", "")


def test_a_verdict_where_there_is_no_choice(run: Path) -> None:
    write(run, "draft.md", "A draft.\n")
    said = refused(run, "advance", "--verdict", "approve")
    assert "stage draft does not branch, so it takes no verdict; leave the verdict out" in said


# Limits


@pytest.fixture
def at_the_limit(tmp_path: Path) -> Path:
    """The third draft, of three, is about to be rejected."""

    def build(path: Path) -> None:
        started(path)
        for number in range(3):
            draft(path, f"Draft {number}.\n")
            if number < 2:
                review(path, f"{REJECTED}\n{number}\n")
        write(path, "review.md", f"{REJECTED}\nthe last\n")

    return copy_of("at-the-limit", build, tmp_path / "project")


def test_a_stage_beyond_its_limit_halts_the_run_as_a_step(at_the_limit: Path) -> None:
    path, before = at_the_limit, tips(at_the_limit)
    answer = call(path, "advance")
    assert answer.code == 1
    ref = run_ref(path)
    assert git(path, "rev-parse", f"{ref}^") == before[ref]
    assert git(path, "log", "-1", "--format=%s", ref) == (
        "review: reject, halted: draft has had 3 of 3 visits"
    )
    assert git(path, "show", f"{ref}:artifacts/review.md").endswith("the last")
    assert "git relay advance --force" in answer.out
    assert "7 of 7 steps ok" in done(path, "verify")
    status = json.loads(done(path, "status", "--json"))
    assert (status["status"], status["halted"]) == ("halted", "draft has had 3 of 3 visits")


def test_a_halted_run_goes_on_by_force_or_by_rollback(at_the_limit: Path) -> None:
    path = at_the_limit
    call(path, "advance")
    for words in (("advance",), ("next",)):
        assert "the run is halted: draft has had 3 of 3 visits; " in refused(path, *words)
    said = refused(path, "advance", "--force", "--verdict", "approve")
    assert "halted on its way to draft by 'reject'; leave the verdict out" in said
    done(path, "advance", "--force", "--message", "one more")
    subject = git(path, "log", "-1", "--format=%s", run_ref(path))
    assert subject == "review: reject → draft (visit 4) by force"
    done(path, "rollback", "--to", "6")
    assert json.loads(done(path, "status", "--json"))["stage"] == "review"
    assert "9 of 9 steps ok" in done(path, "verify")


# Refs that are not ours


def foreign_refs(path: Path) -> dict[str, str]:
    """What may stand where a run should, by a run's id."""
    ref = run_ref(path)
    blob = git(path, "hash-object", "-w", "--stdin", input=b"no run")
    return {
        f"{RUNS}20260101-0000-blob-aaaa": blob,
        f"{RUNS}20260101-0000-commit-bbbb": git(path, "rev-parse", "HEAD"),
        f"{RUNS}20260101-0000-other-cccc": git(path, "rev-parse", ref),
        f"{RUNS}no-run-at-all": git(path, "rev-parse", "HEAD"),
    }


def break_ref(path: Path) -> str:
    """A ref file of zeros, as a power cut leaves it."""
    ref = f"{RUNS}20260101-0000-broken-dddd"
    (path / ".git" / ref).write_bytes(b"\0" * 41)
    return ref


def test_foreign_and_broken_refs_are_named_and_the_other_runs_stay_usable(run: Path) -> None:
    strange = foreign_refs(run)
    for ref, oid in strange.items():
        git(run, "update-ref", ref, oid)
    names = [ref.removeprefix(RUNS) for ref in (*strange, break_ref(run))]
    listed = done(run, "runs")
    answer = call(run, "verify")
    assert answer.code == 1
    for name in names:
        assert name in listed, listed
        assert name in answer.out
    assert "1 of " in answer.out
    assert " loop, step 1" in done(run, "status")
    draft(run)
    review(run)
    for word in ("blob", "commit", "other"):
        (line,) = [line for line in listed.splitlines() if f"-{word}-" in line]
        assert "unreadable" in line


@pytest.mark.parametrize("name", ["blob-aaaa", "commit-bbbb", "other-cccc"])
@pytest.mark.parametrize("command", ["switch", "show", "settle", "log"])
def test_a_foreign_ref_is_not_taken_for_a_run(run: Path, name: str, command: str) -> None:
    for ref, oid in foreign_refs(run).items():
        git(run, "update-ref", ref, oid)
    before = everything(run)
    answer = call(run, command, name)
    assert (answer.code, answer.out) == (1, "")
    assert len(answer.err.splitlines()) == 1
    assert everything(run) == before


@pytest.mark.parametrize("command", ["status", "next", "advance", "abandon", "reset"])
def test_the_worktrees_own_run_replaced_by_something_else(run: Path, command: str) -> None:
    ref = run_ref(run)
    write(run, "draft.md", "A draft.\n")
    blob = git(run, "hash-object", "-w", "--stdin", input=b"no run")
    for oid in (blob, git(run, "rev-parse", "HEAD")):
        git(run, "update-ref", ref, oid)
        before = everything(run)
        answer = call(run, command)
        assert (answer.code, answer.out) == (1, ""), answer
        assert len(answer.err.splitlines()) == 1
        assert everything(run) == before
    (run / ".git" / ref).write_bytes(b"\0" * 41)
    answer = call(run, command)
    assert answer.code == 1
    assert f"{ref}: the ref is broken; see `git fsck`" in answer.err


def test_a_step_whose_objects_are_gone(run: Path) -> None:
    ref = run_ref(run)
    blob = git(run, "rev-parse", f"{ref}:step.json")
    (run / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert f"object {blob} is missing" in refused(run, "status")
    assert "unreadable" in done(run, "runs")


def test_a_step_whose_objects_are_empty_after_a_power_cut(run: Path) -> None:
    ref = run_ref(run)
    blob = git(run, "rev-parse", f"{ref}:step.json")
    file = run / ".git" / "objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(b"")
    answer = call(run, "status")
    assert answer.code == 1
    assert f"{file}: the object is empty, as after a crash" in answer.err
    assert done(run, "start")


# Formats


def rewrite(path: Path, file: str, change: Callable[[dict[str, object]], object]) -> None:
    """The run's tip with another record in one file, built by git's plumbing."""
    ref = run_ref(path)
    record = json.loads(git(path, "show", f"{ref}:{file}"))
    change(record)
    blob = git(path, "hash-object", "-w", "--stdin", input=canonical.dumps(record))
    listed = git(path, "ls-tree", ref).splitlines()
    lines = [
        f"100644 blob {blob}\t{file}" if line.endswith(f"\t{file}") else line for line in listed
    ]
    tree = git(path, "mktree", input=("\n".join(lines) + "\n").encode())
    git(path, "update-ref", ref, git(path, "commit-tree", tree, "-m", "newer"))


@pytest.mark.parametrize(
    "command", ["status", "next", "advance", "abandon", "reset --clean", "log"]
)
@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("step.json", {"relay_version": 2}, "step.json: step format 2 is newer"),
        ("workflow.json", {"format": 9}, "workflow.json: format 9 is newer"),
    ],
)
def test_a_run_of_a_newer_git_relay_says_upgrade(
    run: Path, file: str, change: dict[str, object], said: str, command: str
) -> None:
    rewrite(run, file, lambda record: record.update(change))
    write(run, "draft.md", "A draft.\n")
    if command != "log" or file == "step.json":
        answer = refused(run, *command.split())
        assert said in answer
        assert "upgrade git-relay" in answer
    assert "upgrade git-relay" in done(run, "runs")


# Repositories


def test_no_identity(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("[user]\n\tuseConfigOnly = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "empty"))
    for words in (("start",), ("init",)):
        said = refused(project, *words)
        assert "no identity is configured" in said
        assert "git config --global user.name" in said


@pytest.mark.parametrize(
    "command", ["init", "start", "status", "next", "advance", "runs", "verify"]
)
def test_not_a_repository(tmp_path: Path, command: str) -> None:
    answer = call(tmp_path, command)
    assert answer.code == 1
    assert answer.err == (
        f"git relay: {tmp_path}: not a git repository (or any of the parent directories): .git\n"
    )
    assert not list(tmp_path.iterdir())


def test_no_such_directory(tmp_path: Path) -> None:
    answer = call(tmp_path / "nowhere", "status")
    assert answer.code == 1
    assert "nowhere" in answer.err
    assert "cannot read the directory: No such file or directory" in answer.err


def test_a_repository_without_commits_works(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "project", commit=False)
    done(path, "init", "--template", "bug-rca-fix")
    shutil.rmtree(path / ".relay")
    add_workflow(path)
    done(path, "start")
    draft(path)
    review(path)
    draft(path, "A better draft.\n")
    review(path, APPROVED)
    assert "5 of 5 steps ok" in done(path, "verify", "--all")
    assert len(list((path / ".relay" / "lessons").rglob("*.md"))) == 1
    assert git(path, "rev-parse", "--verify", "-q", "HEAD", code=1) == ""


def test_a_bare_repository(project: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(project), str(bare))
    for command in ("init", "start", "status"):
        said = refused(bare, command)
        assert "bare repository, without a work tree" in said
        assert "git worktree add" in said
    assert "no open runs" in done(bare, "runs")
    done(bare, "verify")
    tree = tmp_path / "tree"
    git(bare, "worktree", "add", "-q", str(tree), "main")
    done(tree, "start")
    draft(tree)


def test_inside_the_git_directory(run: Path) -> None:
    answer = call(run / ".git", "status")
    assert answer.code == 1
    assert len(answer.err.splitlines()) == 1


def test_a_repository_of_somebody_else_is_refused_with_gits_own_advice(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() == 0:
        for folder, _, _ in os.walk(run):
            os.chown(folder, 12345, 12345)
    else:
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    for command in ("init", "start", "status", "advance", "verify"):
        answer = call(run, command)
        assert answer.code == 1
        assert f"detected dubious ownership in repository at '{run}'" in answer.err
        assert f"git config --global --add safe.directory {run}" in answer.err


def locked_down(path: Path, *words: str) -> Answer:
    """As a user whom file modes bind, which they do not bind root."""
    argv = [sys.executable, "-m", "relay_git", *words]
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("root is bound by no file mode, and setpriv is missing")
        argv = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", *argv]
    ended = subprocess.run(argv, cwd=path, capture_output=True, text=True, check=False)
    return Answer(ended.returncode, ended.stdout, ended.stderr)


@pytest.mark.parametrize(
    "words", ["advance", "start", "abandon", "reset --clean", "rollback --to 1", "switch loop"]
)
@pytest.mark.parametrize("sealed_off", [".git", ".git/objects", ".git/refs/relay/runs"])
def test_a_git_directory_that_cannot_be_written(run: Path, sealed_off: str, words: str) -> None:
    write(run, "draft.md", "A draft.\n")
    before, files = everything(run), run / ".relay" / "artifacts"
    texts = {file.name: file.read_bytes() for file in files.iterdir()}
    folders = [Path(folder) for folder, _, _ in os.walk(run / sealed_off)]
    modes = {folder: folder.stat().st_mode for folder in folders}
    try:
        for folder in folders:
            folder.chmod(0o555)
        answer = locked_down(run, *words.split())
    finally:
        for folder, mode in modes.items():
            folder.chmod(mode)
    only_reads = words == "switch loop" and sealed_off != ".git"
    assert answer.code == (0 if only_reads else 1), answer.err
    if only_reads:
        return
    assert "bug" not in answer.err
    assert {ref: oid for ref, oid in everything(run).items() if ref.startswith("ref ")} == {
        ref: oid for ref, oid in before.items() if ref.startswith("ref ")
    }
    assert {file.name: file.read_bytes() for file in files.iterdir()} == texts


# Usage and interruption


@pytest.mark.parametrize(
    "words",
    [
        ("advnace",),
        ("rollback",),
        ("rollback", "--to", "one"),
        ("switch",),
        ("advance", "--nosuch"),
        ("advance", "surplus"),
        ("show", "loop:one"),
        ("start", "--slug"),
    ],
)
def test_a_command_line_that_does_not_fit_is_exit_2(run: Path, words: tuple[str, ...]) -> None:
    before = everything(run)
    answer = call(run, *words)
    assert (answer.code, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert "; " in answer.err
    assert everything(run) == before


def test_an_error_as_json_is_one_document(run: Path) -> None:
    answer = call(run, "advance", "--json")
    assert answer.code == 1
    error = json.loads(answer.out)["error"]
    assert error["where"] == ".relay/artifacts/draft.md"
    assert error["what"] == "not written yet"
    assert error["hint"]


SLOW = """\
#!/bin/sh
case "$*" in
*$SLOW_AT*) : >"$SLOW_DIR/reached"; sleep 20 ;;
esac
exec "$SLOW_GIT" "$@"
"""


@pytest.mark.parametrize("command", ["rev-parse", "var", "update-ref"])
def test_an_interrupted_advance_is_exit_130_and_leaves_a_clean_state(
    run: Path, tmp_path: Path, command: str
) -> None:
    found, folder = shutil.which("git"), tmp_path / "slow"
    assert found
    folder.mkdir()
    (folder / "git").write_text(SLOW)
    (folder / "git").chmod(0o755)
    write(run, "draft.md", "A draft.\n")
    before = everything(run)
    environment = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "SLOW_DIR": str(folder)}
    process = spawn(run, "advance", SLOW_AT=command, SLOW_GIT=found, **environment)
    deadline = time.monotonic() + 30
    while not (folder / "reached").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    answer = outcome(process)
    assert (answer.code, answer.err) == (130, "git relay: interrupted\n")
    assert everything(run) == before
    done(run, "advance")
