"""Many commits in one process: a range, the last change of a path, and who reaches whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import git, make_commits, make_repo, processes, repository

from relay_git.errors import GitError
from relay_git.git.revisions import last_change, reaches, revisions
from relay_git.names import Oid


def commit(path: Path, name: str, message: str = "x") -> Oid:
    (path / name).write_text(f"{name} {message}\n")
    git(path, "add", name)
    git(path, "commit", "-q", "-m", message)
    return head(path)


def head(path: Path) -> Oid:
    return Oid(git(path, "rev-parse", "HEAD"))


def test_every_commit_of_a_range_comes_before_its_parents(repo_path: Path) -> None:
    base = head(repo_path)
    ours = [commit(repo_path, name) for name in ("x.txt", "y.txt", "z.txt")]
    git(repo_path, "switch", "-q", "-c", "side", base)
    theirs = [commit(repo_path, name) for name in ("a.txt", "b.txt")]
    git(repo_path, "merge", "-q", "--no-ff", "-m", "a merge", ours[-1])
    found = list(revisions(repository(repo_path), head(repo_path), base))
    order = [revision.oid for revision in found]
    assert order[0] == head(repo_path)
    assert sorted(order[1:]) == sorted(ours + theirs)
    for revision in found:
        later = order[order.index(revision.oid) :]
        assert all(parent in (*later, base) for parent in revision.parents)
    assert found[0].parents == (theirs[-1], ours[-1])
    assert found[0].message == "a merge\n"
    assert found[0].tree == git(repo_path, "rev-parse", "HEAD^{tree}")
    assert [r.oid for r in revisions(repository(repo_path), base)] == [base]
    assert list(revisions(repository(repo_path), base, head(repo_path))) == []


def test_a_range_costs_one_process(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_commits(repo_path, 5)
    repo = repository(repo_path)
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    assert len(list(revisions(repo, head(repo_path)))) == 6
    assert len(processes(tmp_path / "trace")) == 1


@pytest.mark.parametrize(
    "message",
    ["", "one line", "two\n\nparagraphs\n", "no end", "umläut 教訓\n", "\x01 odd \x7f\n"],
)
def test_messages_of_any_kind_do_not_break_the_listing(repo_path: Path, message: str) -> None:
    tree = git(repo_path, "rev-parse", "HEAD^{tree}")
    odd = git(repo_path, "commit-tree", tree, "-p", "HEAD", input=message.encode())
    first, second = revisions(repository(repo_path), Oid(odd))
    assert first.message.rstrip("\n") == message.rstrip("\n")
    assert second.message == "first\n"


def test_a_message_in_another_encoding_is_read(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repo_path, "config", "i18n.commitEncoding", "latin1")
    tree = git(repo_path, "rev-parse", "HEAD^{tree}")
    odd = git(repo_path, "commit-tree", tree, input="grün\n".encode("latin1"))
    git(repo_path, "config", "i18n.logOutputEncoding", "utf-16")
    (found,) = revisions(repository(repo_path), Oid(odd))
    assert found.message == "grün\n"


def test_replaced_commits_are_read_as_they_are(repo_path: Path) -> None:
    old = head(repo_path)
    new = commit(repo_path, "a.txt")
    git(repo_path, "replace", new, git(repo_path, "commit-tree", "HEAD^{tree}", input=b"other\n"))
    repo = repository(repo_path)
    assert [r.message for r in revisions(repo, new)] == ["x\n", "first\n"]
    assert reaches(repo, new, old)


def test_a_shallow_clone_ends_where_it_was_cut(repo_path: Path, tmp_path: Path) -> None:
    commits = make_commits(repo_path, 3)
    git(tmp_path, "clone", "-q", "--depth=2", repo_path.as_uri(), "clone")
    found = list(revisions(repository(tmp_path / "clone"), Oid(commits[-1])))
    assert [r.oid for r in found] == commits[:0:-1]
    assert found[-1].parents == ()


def test_the_last_change_of_a_path_is_found_on_either_side_of_a_merge(repo_path: Path) -> None:
    first = commit(repo_path, "a.txt", "1")
    git(repo_path, "switch", "-q", "-c", "side")
    second = commit(repo_path, "a.txt", "2")
    make_commits(repo_path, 1)
    git(repo_path, "switch", "-q", "main")
    other = commit(repo_path, "[ab].txt")
    git(repo_path, "merge", "-q", "--no-edit", "side")
    repo, tip = repository(repo_path), head(repo_path)
    assert last_change(repo, tip, "a.txt") == second
    assert last_change(repo, first, "a.txt") == first
    assert last_change(repo, tip, "[ab].txt") == other
    assert last_change(repo, tip, "[a].txt") is None


def test_who_reaches_whom(repo_path: Path) -> None:
    old = head(repo_path)
    new = Oid(make_commits(repo_path, 2)[-1])
    repo = repository(repo_path)
    assert reaches(repo, new, old) and reaches(repo, new, new)
    assert not reaches(repo, old, new)


def test_a_commit_that_is_not_there_is_an_error_and_no_answer(repo_path: Path) -> None:
    repo, lost = repository(repo_path), Oid("1" * 40)
    with pytest.raises(GitError):
        reaches(repo, head(repo_path), lost)
    with pytest.raises(GitError):
        list(revisions(repo, lost))
    with pytest.raises(GitError):
        last_change(repo, lost, "a.txt")


def test_sha256(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "r", object_format="sha256")
    changed = commit(path, "a.txt")
    repo = repository(path)
    assert next(revisions(repo, changed)).oid == changed
    assert last_change(repo, changed, "a.txt") == changed
