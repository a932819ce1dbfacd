"""What one agent may see and change, and what it is then shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from relay_git import canonical
from relay_git.chain.envelope import sha256
from relay_git.errors import InvalidName
from relay_git.names import Word
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.sections import is_text
from relay_git.pipeline.tokens import is_count
from relay_git.record import Record, as_dict


class Manifest(Record):
    """Which sections an agent reads and writes, and how many tokens each way.

    Its slice holds at most `max_tokens`; `max_output` tokens of the budget are set aside for what
    it writes, and it may write no more. `reads` are in order of importance. `task` says in words
    what it is to do, for prompts and for packers that choose by relevance. `text_section`, one of
    `writes`, is where a runner's plain text goes. Raises `PipelineError` (INVALID_MANIFEST).
    """

    agent_id: str
    reads: Sequence[str] = ()
    writes: Sequence[str] = ()
    max_tokens: int = 2_000
    max_output: int = 1_000
    task: str = ""
    text_section: str | None = None

    def __post_init__(self) -> None:
        for field in ("reads", "writes"):
            self.__dict__[field] = _names(getattr(self, field), field)
        for field in ("max_tokens", "max_output"):
            limit = getattr(self, field)
            if not is_count(limit):
                raise _invalid(f"{field} is {limit!r}, not a number of tokens")
        if not is_text(self.task):
            raise _invalid("its task is not text")
        if self.text_section is not None and self.text_section not in self.writes:
            raise _invalid(f"text_section {self.text_section!r} is not among its writes")
        _names((self.agent_id,), "agent_id")

    @cached_property
    def digest(self) -> str:
        """sha256 of its canonical JSON, by which steps name it."""
        fields = as_dict(self)
        if self.text_section is None:
            del fields["text_section"]
        return sha256(canonical.dumps(fields))


class Slice(Record):
    """What an agent is given: read-only at any depth, and nothing that it has not declared.

    `step` is the one that it was taken from; `tokens` by the pipeline's counter. `thaw` gives a
    copy of a section that may be changed.
    """

    run: str
    step: int
    agent_id: str
    sections: Mapping[str, Any]
    tokens: int

    def __getitem__(self, section: str) -> Any:
        return self.sections[section]


def _names(given: object, field: str) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise _invalid(f"{field} is not a list of names")
    try:
        return tuple(Word(name) for name in dict.fromkeys(given))
    except (InvalidName, TypeError) as error:
        raise _invalid(f"{field}: {error}") from None


def _invalid(what: str) -> PipelineError:
    return PipelineError(Code.INVALID_MANIFEST, what)
