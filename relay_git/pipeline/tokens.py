"""How many tokens a text costs, and the budget that no step can pass."""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

from relay_git.pipeline.codes import Code, PipelineError, quoted, words
from relay_git.pipeline.settings import seconds, text_of

if TYPE_CHECKING:
    from tiktoken import Encoding

MOST = 10**12
"""Nothing has more tokens, so that a signed record holds any sum of them."""


class TokenCounter(Protocol):
    """Counts as the model does that reads the text."""

    def count(self, text: str) -> int:
        """Tokens, 0 or more; the same for the same text."""
        ...


class HeuristicCounter:
    """A token for three ASCII characters and one for every other, so an estimate on the safe side
    for prose in any language. Nothing costs nothing."""

    def count(self, text: str) -> int:
        wide = 0 if text.isascii() else sum(character > "\x7f" for character in text)
        return wide + (len(text) - wide + 2) // 3


class TikTokenCounter:
    """Tokens as OpenAI's models count them, by the extra `tiktoken`.

    `encoding` is one that `tiktoken.list_encoding_names()` names. tiktoken downloads the table of
    an encoding when it is first used, and keeps it in the folder `TIKTOKEN_CACHE_DIR`. Raises
    `PipelineError` (INVALID_SETTING) where that fails, or takes longer than `timeout` seconds.
    """

    def __init__(self, encoding: str = "cl100k_base", timeout: float = 30.0) -> None:
        self._encoding = _encoding(text_of(encoding, "encoding"), seconds(timeout))

    def count(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(text))


def count(counter: TokenCounter, text: str) -> int:
    """Raises `PipelineError` (INVALID_TOKEN_COUNT) for what is no number of tokens."""
    try:
        tokens = counter.count(text)
    except Exception as error:
        what = f"the token counter failed: {words(error)}"
        raise PipelineError(Code.INVALID_TOKEN_COUNT, what) from error
    if not is_count(tokens):
        raise PipelineError(Code.INVALID_TOKEN_COUNT, f"the token counter says {quoted(tokens)}")
    return tokens


def is_count(tokens: object) -> bool:
    return isinstance(tokens, int) and not isinstance(tokens, bool) and 0 <= tokens <= MOST


def check_budget(step: int, agent: str, limit: int, usage: int, more: int) -> None:
    """Raises `PipelineError` (BUDGET_EXCEEDED) if `usage` and `more` are over the limit; to reach
    it is allowed."""
    if usage + more > limit:
        raise PipelineError(
            Code.BUDGET_EXCEEDED,
            f"step {step} of {agent} would take {more} tokens more than the {usage} used so far, "
            f"over the limit of {limit}",
        )


def _encoding(name: str, seconds: float) -> Encoding:
    """tiktoken sets no limit to how long it waits for an answer, so a thread of nobody's asks."""
    try:
        from tiktoken import get_encoding
    except ImportError as error:
        what = f"TikTokenCounter needs a package that is not here ({error})"
        raise _unusable(f"{what}; install it: pip install 'git-relay[tiktoken]'") from error
    answers: SimpleQueue[Encoding | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(get_encoding(name))
        except Exception as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        answer = TimeoutError(f"no answer within {seconds:g} s")
    if isinstance(answer, Exception):
        raise _unloaded(name, answer) from answer
    return answer


def _unloaded(name: str, error: Exception) -> PipelineError:
    if isinstance(error, ValueError) and not isinstance(error, OSError):
        first = str(error).partition("\n")[0]
        return _unusable(f"the encoding {quoted(name)}: {first}")
    why = error if isinstance(error, TimeoutError) else type(error).__name__
    return _unusable(
        f"the table of the encoding {quoted(name)} is not here and cannot be downloaded ({why}); "
        "let TIKTOKEN_CACHE_DIR name a folder that has it"
    )


def _unusable(what: str) -> PipelineError:
    return PipelineError(Code.INVALID_SETTING, what)
