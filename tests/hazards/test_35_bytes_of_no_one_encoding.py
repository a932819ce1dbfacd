"""Content, messages and names that are not UTF-8: kept byte for byte, or refused by name."""

from __future__ import annotations

import os
import subprocess
import zlib
from pathlib import Path

import pytest
from flow import artifact, call, copy_of, done, draft, run_ref
from hooking import hooked, program, run, write_hook
from support import git, repository

from relay_git.git.open import ENGINES, open_store

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))
FILES = {
    "gbk.txt": "\u4f60\u597d\uff0c\u4e16\u754c\n".encode("gbk"),
    "latin1.txt": "na\xefve caf\xe9\r\n".encode("latin-1"),
    "utf16.txt": "\ufeffwide\r\n".encode("utf-16-le"),
    "picture.png": PNG,
    "nul.txt": b"one\0two\n",
    "packed.z": zlib.compress(PNG),
    "no-newline.txt": b"no newline",
    "cr.txt": b"old\rmac\r",
    "nothing.txt": b"",
}
LATIN = {
    "GIT_AUTHOR_NAME": os.fsdecode("Andr\xe9".encode("latin-1")),
    "GIT_COMMITTER_NAME": os.fsdecode("Jos\xe9".encode("latin-1")),
}


def build(path: Path) -> None:
    done(hooked(path), "start")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_of("hooked-and-started", build, tmp_path / "project")


def put(project: Path) -> None:
    for name, data in FILES.items():
        (project / name).write_bytes(data)
    git(project, "add", *FILES)


def raw(project: Path, *args: str) -> bytes:
    return subprocess.run(["git", *args], cwd=project, capture_output=True, check=True).stdout


def test_files_of_any_bytes_are_committed_as_they_are(project: Path) -> None:
    put(project)
    answer = run(project, "git", "commit", "-q", "-m", "any bytes")
    assert (answer.code, answer.err) == (0, "")
    for name, data in FILES.items():
        assert raw(project, "cat-file", "blob", f"HEAD:{name}") == data
        assert (project / name).read_bytes() == data
    for name in FILES.keys() - {"nothing.txt"}:
        assert "stage draft" in done(project, "blame", f"{name}:1"), name
    assert git(project, "status", "--short", "--untracked-files=no") == ""


@pytest.mark.parametrize("name", ["gbk.txt", "latin1.txt", "utf16.txt", "picture.png", "nul.txt"])
def test_an_artifact_of_such_bytes_is_refused_by_name_and_the_commit_is_made(
    project: Path, name: str
) -> None:
    artifact(project, "draft.md").write_bytes(FILES[name])
    before = git(project, "rev-parse", run_ref(project))
    refused = call(project, "advance")
    assert refused.code == 1
    assert ".relay/artifacts/draft.md" in refused.err
    assert "not UTF-8" in refused.err or "binary" in refused.err
    assert git(project, "rev-parse", run_ref(project)) == before
    put(project)
    done = run(project, "git", "commit", "-q", "-m", "any bytes")
    assert done.code == 0
    assert "not recorded: " in done.err and "draft.md" in done.err
    assert artifact(project, "draft.md").read_bytes() == FILES[name]
    assert "draft.md" not in git(project, "ls-tree", "-r", "--name-only", run_ref(project))
    for words in (("status",), ("next",)):
        assert program(project, *words).code == 0


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfwith a mark\r\nand CRLF\r\n",
        "e\u0301 and \xe9, \u2028 too\n".encode(),
        b"old\rmac\r",
        b"  no newline",
        "\ufffd was there before\n".encode(),
    ],
)
def test_an_artifact_of_text_is_recorded_byte_for_byte(project: Path, data: bytes) -> None:
    artifact(project, "draft.md").write_bytes(data)
    done(project, "advance")
    assert raw(project, "cat-file", "blob", f"{run_ref(project)}:artifacts/draft.md") == data
    done(project, "verify")


@pytest.mark.parametrize("engine", ENGINES)
def test_objects_are_what_git_hashes(project: Path, engine: str) -> None:
    store = open_store(repository(project), engine=engine)
    for name, data in FILES.items():
        oid = store.put_blob(data)
        (project / name).write_bytes(data)
        assert oid == git(project, "hash-object", "--no-filters", name)
        assert store.blob(oid) == data == raw(project, "cat-file", "blob", oid)
    store.close()


@pytest.mark.parametrize("encoding", ["latin-1", "gbk"])
def test_a_message_in_another_encoding(project: Path, encoding: str) -> None:
    """git keeps the bytes and says which encoding they are in."""
    git(project, "config", "i18n.commitEncoding", encoding)
    text = {"latin-1": "gr\xf6\xdfer\n\nna\xefve\n", "gbk": "\u4f60\u597d\n\n\u4e16\u754c\n"}
    message = write_hook(project.parent / "message", text[encoding].encode(encoding))
    put(project)
    answer = run(project, "git", "commit", "-q", "-F", str(message), **LATIN)
    assert (answer.code, answer.err) == (0, "")
    kept = raw(project, "cat-file", "commit", "HEAD")
    assert f"\nencoding {encoding}\n".encode() in kept
    assert kept.split(b"\n\n", 1)[1].startswith(text[encoding].encode(encoding))
    run_id = run_ref(project).rpartition("/")[2]
    assert kept.endswith(f"\n\nRelay-Run: {run_id}\n".encode())
    assert "stage draft" in done(project, "blame", "gbk.txt")
    assert "Relay-Run" not in call(project, "doctor").out


def test_a_message_that_says_to_advance_in_another_encoding(project: Path) -> None:
    git(project, "config", "i18n.commitEncoding", "latin-1")
    git(project, "config", "i18n.logOutputEncoding", "utf-16")
    artifact(project, "draft.md").write_text("A draft.\n")
    message = "gr\xf6\xdfer\n\nRelay-Advance: draft.1\n".encode("latin-1")
    file = write_hook(project.parent / "message", message)
    put(project)
    answer = run(project, "git", "commit", "-q", "-F", str(file))
    assert answer.code == 0
    assert "draft → review" in answer.err
    assert "stage draft" in done(project, "blame", "gbk.txt")


@pytest.mark.parametrize("where", ["environment", "configuration"])
def test_a_name_in_latin_1_signs_and_reads_back(
    project: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    if where == "environment":
        for variable, name in LATIN.items():
            monkeypatch.setenv(variable, name)
    else:
        git(project, "config", "user.name", LATIN["GIT_AUTHOR_NAME"])
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    put(project)
    answer = run(project, "git", "commit", "-q", "-m", "any bytes")
    assert answer.code == 0
    assert "git-relay" not in answer.err, "the warning is git's own"
    draft(project)
    assert b"author Andr\xe9 <" in raw(project, "cat-file", "commit", run_ref(project))
    for words in (("verify",), ("log",), ("show",), ("show", "--json"), ("status",)):
        told = program(project, *words)
        assert (told.code, told.err) == (0, ""), words
    done(project, "abandon", "-m", "enough")
    done(project, "verify", "--all")


def test_a_lesson_and_the_page_in_another_encoding_are_named_and_kept(project: Path) -> None:
    """Reading them anyway would write other characters over what a person typed."""
    done(project, "lessons", "add", "author", "Say what it costs")
    page = project / ".relay/LESSONS.md"
    page.write_bytes(page.read_bytes() + b"\n## author\n# manual: caf\xe9 au lait\n")
    (lesson,) = (project / ".relay/lessons/author").iterdir()
    lesson.write_bytes(lesson.read_bytes() + b"\ncaf\xe9\n")
    before = page.read_bytes(), lesson.read_bytes()
    line = before[0].count(b"\n")
    for words in (("lessons", "render"), ("distill", "--all")):
        told = call(project, *words)
        assert told.code == 1
        assert f"LESSONS.md:{line}: not UTF-8 text; save it as UTF-8" in told.err
    assert "not UTF-8 text" in call(project, "lessons", "list").err
    assert call(project, "lessons", "retire", lesson.stem, "--reason", "x").code == 1
    put(project)
    assert run(project, "git", "commit", "-q", "-m", "any bytes").code == 0
    assert (page.read_bytes(), lesson.read_bytes()) == before
