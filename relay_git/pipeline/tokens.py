"""How many tokens a text costs, and the budget that no step can pass."""

from __future__ import annotations

from typing import Protocol

from relay_git.pipeline.codes import Code, PipelineError


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


def count(counter: TokenCounter, text: str) -> int:
    """Raises `PipelineError` (INVALID_TOKEN_COUNT) for what is no number of tokens."""
    try:
        tokens = counter.count(text)
    except Exception as error:
        what = f"the token counter failed: {type(error).__name__}: {error}"
        raise PipelineError(Code.INVALID_TOKEN_COUNT, what) from error
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
        raise PipelineError(Code.INVALID_TOKEN_COUNT, f"the token counter says {tokens!r}")
    return tokens


def check_budget(step: int, agent: str, limit: int, usage: int, more: int) -> None:
    """Raises `PipelineError` (BUDGET_EXCEEDED) if `usage` and `more` are over the limit; to reach
    it is allowed."""
    if usage + more > limit:
        raise PipelineError(
            Code.BUDGET_EXCEEDED,
            f"step {step} of {agent} would take {more} tokens more than the {usage} used so far, "
            f"over the limit of {limit}",
        )
