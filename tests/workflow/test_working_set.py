"""The working set: what is read of it, and that moving it away never costs a file."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from relay_git.errors import Refused, RelayError
from relay_git.names import ArtifactName
from relay_git.workflow import working_set

PLAN, REVIEW = ArtifactName("plan.md"), ArtifactName("review.md")
MOST = 1000


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A work tree with two artifacts, one of them with bytes that are no text."""
    folder = tmp_path / "tree" / ".relay" / "artifacts"
    folder.mkdir(parents=True)
    (folder / "plan.md").write_text("A plan.\n")
    (folder / "notes.bin").write_bytes(b"\0\xff")
    (folder / "deep").mkdir()
    (folder / "deep" / "link").symlink_to("../plan.md")
    return tmp_path / "tree"


def content(folder: Path) -> dict[str, bytes | str]:
    found: dict[str, bytes | str] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def artifacts(tree: Path) -> Path:
    return tree / ".relay" / "artifacts"


def save(tree: Path) -> str | None:
    return working_set.save(str(tree), str(tree.parent / "git"), "a-run")


@pytest.fixture
def across(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes the next renames of directories fail with this error."""

    def fail(number: int) -> None:
        def rename(source: str, target: str) -> None:
            raise OSError(number, os.strerror(number), source)

        monkeypatch.setattr(os, "rename", rename)

    return fail


def test_only_what_is_named_and_there_is_read(tree: Path) -> None:
    assert working_set.read(str(tree), [PLAN, REVIEW], MOST) == {PLAN: b"A plan.\n"}
    assert working_set.strays(str(tree), [PLAN]) == ["notes.bin"]


@pytest.mark.parametrize(
    ("data", "what", "where"),
    [
        (b"x" * (MOST + 1), "larger than", ""),
        (b"text\0", "binary", ""),
        (b"one\ntwo\n\xff\n", "not UTF-8", ":3"),
        (b"\xef\xbb\xbf \n", "empty", ""),
        (b"", "empty", ""),
    ],
)
def test_what_cannot_be_an_artifact_is_named(
    tree: Path, data: bytes, what: str, where: str
) -> None:
    (artifacts(tree) / "plan.md").write_bytes(data)
    with pytest.raises(Refused, match=what) as refused:
        working_set.read(str(tree), [PLAN], MOST)
    assert refused.value.where == f".relay/artifacts/plan.md{where}"
    assert refused.value.hint


def test_an_artifact_of_just_the_limit_is_read(tree: Path) -> None:
    (artifacts(tree) / "plan.md").write_bytes(b"x" * MOST)
    assert len(working_set.read(str(tree), [PLAN], MOST)[PLAN]) == MOST


def test_saving_moves_everything_raw_and_putting_back_undoes_it(tree: Path) -> None:
    before = content(artifacts(tree))
    saved = save(tree)
    assert saved
    assert content(Path(saved)) == before
    assert not artifacts(tree).exists()
    working_set.put_back(str(tree), saved)
    assert content(artifacts(tree)) == before
    assert not Path(saved).exists()


def test_an_empty_or_absent_set_is_not_saved(tmp_path: Path) -> None:
    assert save(tmp_path) is None
    artifacts(tmp_path).mkdir(parents=True)
    assert save(tmp_path) is None
    working_set.put_back(str(tmp_path), None)


def test_nothing_saved_is_ever_overwritten(tree: Path) -> None:
    saved = []
    for text in ("one", "two", "three"):
        working_set.write(str(tree), {PLAN: text.encode()})
        saved.append(save(tree))
    assert len({Path(str(folder)) for folder in saved}) == 3
    assert [(Path(str(f)) / "plan.md").read_text() for f in saved] == ["one", "two", "three"]


def test_a_git_directory_on_another_file_system_gets_a_copy(
    tree: Path, across: Callable[[int], None]
) -> None:
    before = content(artifacts(tree))
    across(errno.EXDEV)
    saved = save(tree)
    assert saved
    assert content(Path(saved)) == before
    assert not artifacts(tree).exists()


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOSPC, errno.EBUSY])
def test_a_move_that_fails_is_told_and_leaves_the_files(
    tree: Path, across: Callable[[int], None], number: int
) -> None:
    before = content(artifacts(tree))
    across(number)
    with pytest.raises(RelayError, match="cannot move it"):
        save(tree)
    assert content(artifacts(tree)) == before


def test_what_cannot_be_put_back_says_where_it_lies(tree: Path) -> None:
    """An agent began to write anew meanwhile: neither of the two is lost."""
    saved = save(tree)
    working_set.write(str(tree), {PLAN: b"Written meanwhile.\n"})
    with pytest.raises(RelayError, match="cannot move it") as error:
        working_set.put_back(str(tree), saved)
    assert error.value.where == saved
    assert (artifacts(tree) / "plan.md").read_text() == "Written meanwhile.\n"
    assert (Path(str(saved)) / "plan.md").read_text() == "A plan.\n"


@pytest.mark.parametrize("link", [".relay", ".relay/artifacts"])
def test_a_link_is_never_followed(tree: Path, tmp_path: Path, link: str) -> None:
    (tree / link).rename(tmp_path / "outside")
    (tree / link).symlink_to(tmp_path / "outside")
    before = content(tmp_path / "outside")
    with pytest.raises(RelayError, match="symbolic link"):
        save(tree)
    with pytest.raises(RelayError, match="symbolic link"):
        working_set.read(str(tree), [PLAN], MOST)
    with pytest.raises(RelayError, match="symbolic link"):
        working_set.write(str(tree), {PLAN: b"x"})
    assert content(tmp_path / "outside") == before
