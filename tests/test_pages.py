"""A page that is not true is found out."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Session, fits


@pytest.mark.parametrize(
    ("pattern", "output", "expected"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("…\nc\n", "a\nb\nc\n", True),
        ("a … c\n", "a b c\n", True),
        ("a … c\n", "a b\nc\n", False),
        ("a.\n", "ab\n", False),
        ("", "a\n", False),
    ],
)
def test_output_fits_only_what_is_shown(pattern: str, output: str, expected: bool) -> None:
    assert fits(pattern, output) is expected


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "here").mkdir()
    return Session(tmp_path / "here", tmp_path)


def console(*lines: str) -> str:
    return "\n".join(["```console", *lines, "```"])


def test_a_session_goes_on_where_it_was(session: Session, tmp_path: Path) -> None:
    session.follow(console("$ cd ..", "$ pwd", str(tmp_path)))
    session.follow("<!--\n$ mkdir there\n$ cd there\n-->")
    session.follow(console("$ pwd", f"{tmp_path}/there"))


def test_a_block_with_a_name_is_a_file(session: Session) -> None:
    session.follow("```yaml deep/notes.yml\na: 1\n```\n" + console("$ cat deep/notes.yml", "a: 1"))


@pytest.mark.parametrize(
    "lines",
    [
        ["$ echo no", "yes"],
        ["$ false"],
        ["$ echo yes; exit 1", "yes"],
        ["$ git relay status", "no open run in this worktree"],
    ],
    ids=["output", "failure", "failure after output", "refusal that is not shown"],
)
def test_what_is_not_so_is_found(session: Session, lines: list[str]) -> None:
    with pytest.raises(AssertionError):
        session.follow(console(*lines))


def test_what_is_hidden_must_succeed_too(session: Session) -> None:
    with pytest.raises(AssertionError):
        session.follow("<!--\n$ false\n$ true\n-->")


def test_a_refusal_that_is_shown_is_one(session: Session) -> None:
    session.follow(console("$ git relay status", "git relay: …"))
