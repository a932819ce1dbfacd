"""Everything that can keep a step from being made, as one closed list of codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from relay_git.errors import Conflict, Corrupt, MissingObject, NewerFormat, RelayError

_LONGEST = 1_000
_LONGEST_VALUE = 100


class Code(StrEnum):
    """Why a step was not made, was rolled back, or could not be read; docs/pipeline.md has a line
    on each. A rule of your own may give any of them: SCHEMA_VIOLATED where none fits better."""

    # Asked for wrongly
    INVALID_NAME = "INVALID_NAME"
    INVALID_MANIFEST = "INVALID_MANIFEST"
    INVALID_PAYLOAD = "INVALID_PAYLOAD"
    INVALID_SETTING = "INVALID_SETTING"
    PIPELINE_MISMATCH = "PIPELINE_MISMATCH"
    # Before the agent is called
    INVALID_SLICE = "INVALID_SLICE"
    INVALID_TOKEN_COUNT = "INVALID_TOKEN_COUNT"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    # The agent itself
    AGENT_FAILED = "AGENT_FAILED"
    INVALID_OUTPUT = "INVALID_OUTPUT"
    # What a rule finds in an output
    UNDECLARED_WRITE = "UNDECLARED_WRITE"
    OUTPUT_TOO_LARGE = "OUTPUT_TOO_LARGE"
    SECTION_TOO_LARGE = "SECTION_TOO_LARGE"
    SCHEMA_VIOLATED = "SCHEMA_VIOLATED"
    PIN_DROPPED = "PIN_DROPPED"
    CRITICAL_REMOVED = "CRITICAL_REMOVED"
    ENTITY_DRIFT = "ENTITY_DRIFT"
    RULE_FAILED = "RULE_FAILED"
    # Forks and their join
    INVALID_FORK = "INVALID_FORK"
    MERGE_CONFLICT = "MERGE_CONFLICT"
    ALL_FORKS_FAILED = "ALL_FORKS_FAILED"
    # The chain and its store
    HEAD_MOVED = "HEAD_MOVED"
    DIVERGED = "DIVERGED"
    NO_SUCH_STEP = "NO_SUCH_STEP"
    TAMPERED = "TAMPERED"
    BROKEN_PARENT = "BROKEN_PARENT"
    STALE_NONCE = "STALE_NONCE"
    UNKNOWN_SIGNER = "UNKNOWN_SIGNER"
    NEWER_FORMAT = "NEWER_FORMAT"
    STORE_FAILED = "STORE_FAILED"


class PipelineError(RelayError):
    """What a `Failure` or a `RolledBack` says, where there is nothing else to return. `code` is a
    `Code`, and its text says what is wrong and where."""

    def __init__(self, code: Code, what: str, *, where: str | None = None) -> None:
        super().__init__(what, where=where)
        self.code = code


def short(text: str) -> str:
    """One line, fit to be stored and shown."""
    line = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def quoted(value: object) -> str:
    """Somebody else's value, for a message: on one line, cut short, and whatever it is."""
    try:
        shown = short(repr(value))
    except Exception:
        return type(value).__name__
    return shown if len(shown) <= _LONGEST_VALUE else f"{shown[:_LONGEST_VALUE]}…"


def words(error: BaseException, ours: type | tuple[type, ...] = RelayError) -> str:
    """What somebody else's code raised, whatever that is: its type, if it is not one of `ours`, and
    what it says."""
    try:
        said = short(str(error))
    except Exception:
        said = ""
    return said if isinstance(error, ours) else f"{type(error).__name__}: {said}"


def code_of(error: Exception) -> Code:
    """The code of an error from below."""
    match error:
        case PipelineError():
            return error.code
        case Conflict():
            return Code.HEAD_MOVED
        case Corrupt() | MissingObject():
            return Code.TAMPERED
        case NewerFormat():
            return Code.NEWER_FORMAT
    return Code.STORE_FAILED


@contextmanager
def told() -> Iterator[None]:
    """Raise what comes from below as a `PipelineError`, with its code."""
    try:
        yield
    except PipelineError:
        raise
    except RelayError as error:
        raise PipelineError(code_of(error), str(error)) from error
    except OSError as error:
        raise PipelineError(Code.STORE_FAILED, str(error)) from error
