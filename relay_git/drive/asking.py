"""A question, an answer, and who gives it, as the loop sees them. `backends` has the kinds."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from relay_git import clock
from relay_git.record import Record

MOST = 1 << 20
"""Bytes of an answer where nothing else is said."""


class Question(Record):
    """What is asked, about the work tree `directory`.

    `system` says who is asked, where that goes apart. `writes` are the files below `directory`
    in which the work is waited for; `most` is how many bytes of text the answer may have.
    """

    prompt: str
    directory: str
    system: str = ""
    writes: tuple[str, ...] = ()
    most: int = MOST


class Answer(Record):
    """`text` is empty where the work is in files. Tokens that nobody counted are 0."""

    text: str = ""
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


class Follower(Protocol):
    """Whoever sits in front of the program, or nobody."""

    def during(self, what: str) -> AbstractContextManager[object]:
        """Somebody is asked, as `what` says, and nothing else is told meanwhile."""
        ...

    def show(self, text: str) -> None:
        """What a person is to read and to act on, as it is."""
        ...

    def hear(self, fragment: str) -> None:
        """A sign of life: some of what is said, or nothing yet."""
        ...

    def wait(self, seconds: float) -> bool:
        """Let so much time pass, less if the person says that it is enough: True then."""
        ...


class Backend(Protocol):
    """Something that answers. One that `writes_files` leaves its work where it was told to;
    otherwise its text is the work. One that `takes_system` is told apart who it is."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str | None: ...

    @property
    def writes_files(self) -> bool: ...

    @property
    def takes_system(self) -> bool: ...

    def ask(self, question: Question, follower: Follower) -> Answer:
        """Within the time that the backend has. Raises `BackendError`."""
        ...


class Nobody:
    """A follower that is not there."""

    def during(self, what: str) -> AbstractContextManager[object]:
        del what
        return nullcontext()

    def show(self, text: str) -> None:
        del text

    def hear(self, fragment: str) -> None:
        del fragment

    def wait(self, seconds: float) -> bool:
        clock.sleep(seconds)
        return False
