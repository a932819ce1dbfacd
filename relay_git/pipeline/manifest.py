"""What one agent may see and change, and what it is then shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from relay_git import canonical
from relay_git.chain.envelope import sha256
from relay_git.errors import InvalidName
from relay_git.names import Word
from relay_git.pipeline.codes import Code, PipelineError, quoted, short, words
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
        _name(self.agent_id, "agent_id")
        for field in ("reads", "writes"):
            self.__dict__[field] = self._names(field)
        for field in ("max_tokens", "max_output"):
            limit = getattr(self, field)
            if not is_count(limit):
                raise self._invalid(f"{field} is {quoted(limit)}, not a number of tokens")
        if not is_text(self.task):
            raise self._invalid(f"its task is {quoted(self.task)}, not text")
        if self.text_section is not None and self.text_section not in self.writes:
            what = f"text_section {quoted(self.text_section)} is not among its writes"
            raise self._invalid(what)

    def _names(self, field: str) -> tuple[str, ...]:
        given = getattr(self, field)
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise self._invalid(f"{field} is {quoted(given)}, not a list of names of sections")
        try:
            listed = list(given)
        except Exception as error:
            raise self._invalid(f"{field} cannot be read: {words(error)}") from error
        return tuple(dict.fromkeys(_name(name, f"{self.agent_id}: {field}") for name in listed))

    def _invalid(self, what: str) -> PipelineError:
        return PipelineError(Code.INVALID_MANIFEST, f"{self.agent_id}: {what}")

    @cached_property
    def digest(self) -> str:
        """sha256 of its canonical JSON, by which steps name it."""
        fields = as_dict(self)
        if self.text_section is None:
            del fields["text_section"]
        return sha256(canonical.dumps(fields))


class Slice(Record):
    """What an agent is given: read-only at any depth, and nothing that it has not declared.

    `given["FACTS"]` is a section, `"FACTS" in given` whether it is there, and `sections` all of
    them by name, in the packer's order. `step` is the one that it was taken from; `tokens` by the
    pipeline's counter. `thaw` gives a copy of a section that may be changed.
    """

    run: str
    step: int
    agent_id: str
    sections: Mapping[str, Any]
    tokens: int

    def __getitem__(self, section: str) -> Any:
        """Raises `KeyError` for what is not among the manifest's `reads`, was never written, or had
        no room."""
        try:
            return self.sections[section]
        except KeyError:
            there = ", ".join(self.sections) or "nothing"
            raise KeyError(f"the slice has no section {section}, it holds {there}") from None

    def __contains__(self, section: object) -> bool:
        return section in self.sections

    def __iter__(self) -> Iterator[str]:
        """The names of its sections."""
        return iter(self.sections)


def _name(given: object, field: str) -> Word:
    """Raises `PipelineError` (INVALID_MANIFEST)."""
    if not isinstance(given, str):
        raise PipelineError(Code.INVALID_MANIFEST, f"{field}: {quoted(given)} is not a name")
    try:
        return Word(given)
    except InvalidName as error:
        raise PipelineError(Code.INVALID_MANIFEST, short(f"{field}: {error}")) from None
