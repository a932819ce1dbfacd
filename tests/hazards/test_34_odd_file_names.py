"""File names that git quotes, that look like pathspecs, and that are no text at all."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from flow import REJECTED, artifact, copy_of, done, draft, run_ref, write
from hooking import hooked, program, run, with_program
from support import git

NAMES = [
    "bläh.txt",
    "a b.txt",
    "tab\tx.txt",
    "nl\nx.txt",
    ":(top)x.txt",
    ":!x.txt",
    '"q".txt',
    "日本語.txt",
    "back\\slash.txt",
    "-x.txt",
    "*.txt",
    "line:12",
    "sep\u2028x.txt",
    "nfd-e\u0301.txt",
    "emoji 💥.txt",
    os.fsdecode(b"byte-\xff.txt"),
]
SHOWN = [
    name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for name in NAMES
]


def learning(path: Path) -> None:
    """Hooks, and an author who is shown lessons."""
    hooked(path)
    role = path / ".relay/workflows/loop/roles/author.yml"
    role.write_text("name: author\nsystem_prompt: Write.\ninject_lessons: true\n")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "learn")


@pytest.fixture(autouse=True)
def strict_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on any desktop: what is not text cannot be printed as it is."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_of("hooked-and-learning", learning, tmp_path / "project")


def write_all(path: Path) -> None:
    for number, name in enumerate(NAMES):
        (path / name).write_text(f"{number}\n")


def commit_all(path: Path) -> None:
    write_all(path)
    git(path, "add", "-A", ".")
    made = run(path, "git", "commit", "-q", "-m", "odd names")
    assert (made.code, made.err) == (0, "")


def test_a_commit_s_step_has_them_and_blame_finds_them(project: Path) -> None:
    done(project, "start")
    commit_all(project)
    event = json.loads(git(project, "show", f"{run_ref(project)}:step.json"))["state"]["event"]
    assert sorted(event["paths"]) == sorted(SHOWN)
    for name in NAMES:
        (origin,) = json.loads(done(project, "blame", "--json", "--", name))
        assert (origin["line"], origin["stage"]) == (1, "draft"), name
        assert "stage draft" in done(project, "blame", "--", f"{name}:1")
    done(project, "blame", "--", NAMES[-1])
    done(project, "verify")


def test_they_tag_a_lesson_that_meets_the_same_files_again(project: Path) -> None:
    """A finding that names no file is tagged with those that the run's commits touched."""
    done(project, "start")
    commit_all(project)
    draft(project)
    write(project, "review.md", REJECTED.replace("`retry.py` calls `send`", "it calls"))
    done(project, "advance")
    done(project, "abandon", "-m", "enough")
    (lesson,) = json.loads(done(project, "lessons", "list", "--json"))
    assert sorted(lesson["tags"]) == sorted(SHOWN)
    git(project, "checkout", "-q", "-b", "topic", "HEAD~1")
    for name in NAMES:
        assert is_relevant(project, name), name
    assert not is_relevant(project, "other.txt")


def is_relevant(project: Path, changed: str) -> bool:
    """Whether the one lesson is, in a new run on a branch that changed this file alone."""
    git(project, "--literal-pathspecs", "rm", "-q", "--cached", "--ignore-unmatch", "--", *NAMES)
    for name in (*NAMES, "other.txt"):
        (project / name).unlink(missing_ok=True)
    (project / changed).write_text("changed\n")
    git(project, "--literal-pathspecs", "add", "-A", "--", changed)
    done(project, "start")
    return "Highly relevant to the files at hand" in done(project, "next")


def test_strays_in_the_working_set_are_named(project: Path) -> None:
    done(project, "start")
    for name in NAMES:
        artifact(project, name).write_text("stray\n")
    draft(project)
    for words in (("status",), ("status", "--json"), ("next",), ("show",)):
        assert program(project, *words).code == 0, words
    write(project, "review.md", REJECTED)
    told = program(project, "advance", "--json")
    assert told.code == 0, told.err
    write(project, "draft.md", "again\n")
    told = program(project, "advance")
    assert told.code == 0, told.err
    assert all(name in told.out + told.err for name in ("bläh.txt", "日本語.txt"))


def test_a_file_that_is_missing_and_one_that_is_read_are_told_by_name(project: Path) -> None:
    """What cannot be printed is shown escaped, and nothing falls over."""
    for name in ("nl\nx.txt", "*.txt", NAMES[-1]):
        told = program(project, "blame", "--", name)
        assert told.code == 1, name
        assert "bug" not in told.err
        told = program(project, "distill", f"--file={name}")
        assert told.code == 1, name
        assert "bug" not in told.err
        (project / name).write_text(REJECTED)
        told = program(project, "distill", "--json", f"--file={name}")
        assert (told.code, told.err) == (0, ""), name


def test_they_pass_the_gate_below_our_own_directory(project: Path) -> None:
    for below in (".relay", ".relay/lessons", ".relay/lessons/author", ".relay/workflows/loop"):
        (project / below).mkdir(exist_ok=True, parents=True)
        write_all(project / below)
    git(project, "add", "-A", ".")
    made = run(project, "git", "commit", "-q", "-m", "odd names")
    assert (made.code, made.err) == (0, "")


def test_lesson_files_with_odd_names_are_lessons(project: Path) -> None:
    done(project, "lessons", "add", "author", "Say what it costs")
    (made,) = (project / ".relay/lessons/author").iterdir()
    text = made.read_text()
    made.unlink()
    names = [name.removesuffix(".txt") + ".md" for name in NAMES]
    for number, name in enumerate(names):
        page = text.replace(text[text.index('id: "') :][5:17], f"{number:012x}")
        (made.parent / name).write_text(page.replace("costs", f"costs {number}"))
    told = program(project, "lessons", "list", "--json")
    assert told.code == 0, told.err
    assert len(json.loads(told.out)) == len(NAMES) - 1
    assert "a file name that is not UTF-8" in told.err
    assert program(project, "lessons", "render").code == 0
    git(project, "add", "-A", ".")
    assert run(project, "git", "commit", "-q", "-m", "lessons").code == 0
    done(project, "start")
    assert "uncommitted" not in done(project, "next")


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes UTF-8 names alone")
@pytest.mark.parametrize("where", [b"d\xff r", "dïr ':(top)".encode()])
def test_a_repository_in_an_odd_directory_on_an_odd_branch(tmp_path: Path, where: bytes) -> None:
    project = hooked(tmp_path / os.fsdecode(where))
    git(project, "checkout", "-q", "-b", os.fsdecode(b"br\xff-\xc3\xa4"))
    done(project, "start")
    commit_all(project)
    draft(project)
    write(project, "review.md", REJECTED)
    done(project, "advance")
    done(project, "abandon", "-m", "enough")
    assert len(list((project / ".relay/lessons/author").iterdir())) == 1
    assert program(project, "doctor", PATH=with_program()).code == 0
    assert "bug" not in program(project, "status").err
