"""Any program that reads a prompt on standard input and answers on standard output."""

from __future__ import annotations

from relay_git.backends.backend import MOST, excerpt, setting
from relay_git.errors import BackendError
from relay_git.git.config import Config
from relay_git.git.shell import Stopped, shell

HINT = "set relay.llmCommand in git config"


class Command:
    """A command line, run by `sh` in `directory`; `where` says who named it."""

    name = "command"

    def __init__(self, line: str, directory: str, where: str) -> None:
        self._line = line
        self._directory = directory
        self._where = where

    def ask(self, prompt: str, timeout: float) -> str:
        data = prompt.encode("utf-8", "replace")
        try:
            result = shell(self._line, cwd=self._directory, input=data, timeout=timeout, most=MOST)
        except Stopped as stopped:
            raise self._error(stopped.how, stopped.stderr) from None
        if result.code:
            raise self._error(f"failed with exit code {result.code}", result.stderr)
        return self._text(result.stdout)

    def _text(self, answer: bytes) -> str:
        try:
            text = answer.decode("utf-8")
        except UnicodeDecodeError as error:
            how = f"answered what is not UTF-8 text (byte {error.start + 1})"
            raise self._error(how) from None
        if not text.strip():
            raise self._error("answered nothing")
        return text

    def _error(self, how: str, stderr: bytes = b"") -> BackendError:
        said = excerpt(stderr.decode("utf-8", "replace"))
        what = f"the command {how}" + (f": {said}" if said else "")
        return BackendError(what, where=self._where, hint="try it by hand with a short prompt")


def configured(config: Config, directory: str) -> Command | None:
    line, where = setting(config, "relay.llmCommand", "GIT_RELAY_LLM_COMMAND")
    return Command(line, directory, where) if line else None
