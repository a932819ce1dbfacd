"""Our own files, cut short by a crash or replaced by something else: commands go on, or say so in
one line, and `doctor` names them. A disk that fills up: `repositories/test_disk_full.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow import REJECTED, call, copy_of, done, draft, review, write
from hooking import WELL, hooked, line_of_doctor, mend, run, with_program

SEEN = "SHA256:" + "A" * 43 + " eve@example.com 2026-04-28T09:30:00Z 20260428-0930-fix-bug-3f9a\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs; in this worktree's own a review has been written."""
    monkeypatch.setenv("PATH", with_program())

    def build(path: Path) -> None:
        hooked(path)
        done(path, "start", "--slug", "first")
        draft(path)
        review(path)
        done(path, "start", "--slug", "second")
        draft(path)
        done(path, "verify")
        (path / ".git" / "relay" / "known_signers").write_text(SEEN)
        write(path, "review.md", REJECTED)
        assert done(path, "doctor") == WELL

    return copy_of("cut short", build, tmp_path / "project")


def own(project: Path, name: str = "") -> Path:
    return project / ".git" / "relay" / name


def cut(file: Path, size: int) -> None:
    file.write_bytes(file.read_bytes()[:size])


def assert_commits_go_on(project: Path) -> None:
    made = run(project, "git", "commit", "-q", "--allow-empty", "-m", "a change")
    assert made.code == 0
    assert len(made.err.splitlines()) <= 1


def assert_all_works(project: Path) -> None:
    done(project, "switch", "second")
    write(project, "review.md", REJECTED)
    for command in ("status", "runs", "verify", "next", "advance", "lessons list", "start"):
        done(project, *command.split())
    assert_commits_go_on(project)


@pytest.mark.parametrize("size", [0, 1, 20])
def test_which_run_is_this_worktrees_own(project: Path, size: int) -> None:
    cut(own(project, "current"), size)
    assert "no open run in this worktree" in done(project, "status")
    answer = call(project, "advance")
    assert answer.code == 1
    assert "choose one of `git relay runs` with `git relay switch RUN`" in answer.err
    line = line_of_doctor(project)
    assert f"files: {own(project, 'current')}: names no run; run `git relay switch RUN`" in line
    assert_commits_go_on(project)
    assert_all_works(project)


@pytest.mark.parametrize("size", [0, 1, 20])
def test_what_this_worktree_was_shown(project: Path, size: int) -> None:
    cut(own(project, "shown"), size)
    assert_all_works(project)
    assert done(project, "doctor") == WELL


@pytest.mark.parametrize("content", [b"", b'{"br', b"\0" * 50, b"[]\n", b'{"format":1}\n'])
def test_the_mark_of_a_run_that_ends(project: Path, content: bytes) -> None:
    run_id = own(project, "current").read_text().strip()
    own(project, "pending").mkdir(exist_ok=True)
    own(project, f"pending/{run_id}").write_bytes(content)
    assert_all_works(project)


@pytest.mark.parametrize("size", [0, 1, 30, 80])
def test_who_was_seen_to_sign(project: Path, size: int) -> None:
    """A line that was cut short is as if it had not been begun."""
    cut(own(project, "known_signers"), size)
    assert_all_works(project)
    assert done(project, "doctor") == WELL


def test_a_strange_line_of_who_was_seen_to_sign(project: Path) -> None:
    with own(project, "known_signers").open("ab") as file:
        file.write(b"\0" * 40 + b"\n")
    assert "known_signers:2: not a line of known signers; remove it" in line_of_doctor(project)
    assert_commits_go_on(project)


@pytest.mark.parametrize("how", ["empty", "half", "zeros", "folder"])
def test_caches(project: Path, how: str) -> None:
    for file in [file for file in own(project, "cache").rglob("*") if file.is_file()]:
        whole = file.read_bytes()
        if how == "folder":
            file.unlink()
            file.mkdir()
        else:
            file.write_bytes({"empty": b"", "half": whole[: len(whole) // 2]}.get(how, bytes(99)))
    assert_all_works(project)
    assert done(project, "doctor") == WELL


@pytest.mark.parametrize("size", [0, 30])
def test_the_list_of_keys(project: Path, size: int) -> None:
    cut(own(project, "keys/current"), size)
    answer = call(project, "advance")
    assert (answer.code, answer.out) == (1, "")
    (said,) = answer.err.splitlines()
    assert f"{own(project, 'keys/current')}" in said
    assert "; remove th" in said
    assert str(own(project, "keys/current")) in line_of_doctor(project)
    assert_commits_go_on(project)
    own(project, "keys/current").unlink()
    done(project, "init")
    assert_all_works(project)


def test_a_key(project: Path) -> None:
    (key,) = [file for file in own(project, "keys").glob("SHA256-*") if not file.suffix]
    cut(key, 0)
    answer = call(project, "advance")
    assert answer.code == 1
    assert f"{key}: not an armored OPENSSH PRIVATE KEY; `git relay keys rotate`" in answer.err
    assert str(key) in line_of_doctor(project)
    done(project, "keys", "rotate")
    assert_all_works(project)


# Something else in their place


def to_link(project: Path, path: Path) -> None:
    aside = project.with_name("aside")
    path.rename(aside)
    path.symlink_to(aside)


def to_file(project: Path, path: Path) -> None:
    path.rename(project.with_name("aside"))
    path.write_bytes(b"")


@pytest.mark.parametrize(
    "name", ["current", "shown", "held", "keys", "known_signers", "cache", "saved"]
)
def test_a_link_in_the_place_of_one_of_our_files(project: Path, name: str) -> None:
    to_link(project, own(project, name))
    assert f"files: {own(project, name)}: a symbolic link; replace it" in line_of_doctor(project)
    assert_all_works(project)


@pytest.mark.parametrize("name", ["", "pending"])
def test_a_link_that_is_not_followed(project: Path, name: str) -> None:
    own(project, "pending").mkdir(exist_ok=True)
    link = own(project, name)
    to_link(project, link)
    before = listed(project.with_name("aside"))
    for command in ("status", "advance", "start", "settle"):
        answer = call(project, command)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err == (
            f"git relay: {link}: a symbolic link, which is never followed; "
            "replace it by a plain file or folder\n"
        )
    assert_commits_go_on(project)
    assert f"files: {link}: a symbolic link; replace it" in call(project, "doctor").out
    assert listed(project.with_name("aside")) == before


def listed(folder: Path) -> dict[Path, tuple[int, int]]:
    """Every file below it, and when and in what size it was written."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


@pytest.mark.parametrize(
    ("name", "needed"), [("pending", False), ("cache", False), ("saved", True)]
)
def test_a_file_in_the_place_of_one_of_our_folders(project: Path, name: str, needed: bool) -> None:
    own(project, name).mkdir(exist_ok=True)
    to_file(project, own(project, name))
    answer = call(project, "start")
    assert answer.code == needed
    assert len(answer.err.splitlines()) == needed
    assert_commits_go_on(project)
    line = line_of_doctor(project)
    assert f"files: {own(project, name)}: not a folder; run `rm " in line
    mend(project, line)
    assert_all_works(project)


def test_a_file_in_the_place_of_them_all(project: Path) -> None:
    to_file(project, own(project))
    assert "no open run" in done(project, "status")
    assert call(project, "start").code == 1
    assert_commits_go_on(project)
    told = call(project, "doctor").out
    assert f"files: {own(project)}: not a folder; run `rm " in told
