"""Any program: an agent's command line. It is given the prompt, and works or answers.

A command is a list of words, run without a shell. `{prompt}` in it is a file that holds the
prompt, which else is on standard input; `{answer}` a file that the program writes its answer to,
which else is on standard output; `{model}` the model; `{writes}` the files that are waited for.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Sequence

from relay_git import files
from relay_git.backends.backend import Setup
from relay_git.backends.presets import PRESETS, Preset
from relay_git.drive.asking import Answer, Follower, Question
from relay_git.errors import BackendError, RelayError
from relay_git.git.process import Result
from relay_git.git.shell import Stopped, bounded
from relay_git.redact import excerpt

_PATIENCE, _PATIENCE_FOR_WORDS = 1800, 120
_RESULTS = ("artifacts", "stdout")


class Command:
    """A program as it was set up. `where` says who named it."""

    takes_system = False

    def __init__(
        self, setup: Setup, preset: Preset, argv: Sequence[str], where: str, writes_files: bool
    ) -> None:
        self.name = setup.name
        self.model = setup.model_named() or None
        self.writes_files = writes_files
        self._argv = argv
        self._read = preset.read
        self._where = where
        self._timeout = setup.timeout(_PATIENCE_FOR_WORDS if setup.answers else _PATIENCE)

    def ask(self, question: Question, follower: Follower) -> Answer:
        with tempfile.TemporaryDirectory(prefix="git-relay-") as folder:
            prompt, answer = os.path.join(folder, "prompt.md"), os.path.join(folder, "answer.md")
            data = question.prompt.encode("utf-8", "replace")
            files.write_atomic(prompt, data, 0o600)
            result = self._run(self._words(question, prompt, answer), data, question, follower)
            return self._answer(result, answer, question.most)

    def _words(self, question: Question, prompt: str, answer: str) -> list[str]:
        named = {"{prompt}": prompt, "{answer}": answer, "{model}": self.model or ""}
        words: list[str] = []
        for word in self._argv:
            for mark, value in named.items():
                word = word.replace(mark, value)
            words += question.writes if word == "{writes}" else [word]
        return words

    def _run(
        self, words: Sequence[str], data: bytes, question: Question, follower: Follower
    ) -> Result:
        on_stdin = not any("{prompt}" in word for word in self._argv)
        try:
            return bounded(
                *words,
                cwd=question.directory,
                input=data if on_stdin else None,
                timeout=self._timeout,
                most=question.most,
                keep_end=self.writes_files,
                hear=lambda chunk: follower.hear(chunk.decode("utf-8", "replace")),
            )
        except Stopped as stopped:
            raise self._error(stopped.how, stopped.stderr) from None
        except RelayError as error:
            raise BackendError(error.what, where=self._where, hint=error.hint) from None

    def _answer(self, result: Result, answer: str, most: int) -> Answer:
        if result.code:
            raise self._error(_how(result.code) + self._said(result.stdout), result.stderr)
        if self.writes_files:
            return self._count(result.stdout)
        said = self._parsed(self._text(self._written(answer, result.stdout, most)))
        if not said.text.strip():
            raise self._error("answered nothing")
        return said

    def _said(self, stdout: bytes) -> str:
        """Of a failure, where the program's form has a place for it."""
        try:
            self._read(stdout.decode("utf-8", "replace"))
        except BackendError as error:
            return f" and {error.what}"
        except ValueError:
            pass
        return ""

    def _count(self, stdout: bytes) -> Answer:
        """The work is in files: what is printed counts tokens at best."""
        try:
            return self._read(stdout.decode("utf-8", "replace")).replace(text="")
        except ValueError:
            return Answer()
        except BackendError as error:
            raise self._error(error.what) from None

    def _parsed(self, text: str) -> Answer:
        try:
            return self._read(text)
        except ValueError:
            raise self._error("answered in another form than it was asked to") from None
        except BackendError as error:
            raise self._error(error.what) from None

    def _written(self, answer: str, stdout: bytes, most: int) -> bytes:
        if not any("{answer}" in word for word in self._argv):
            return stdout
        data = files.read_in(os.path.dirname(answer), os.path.basename(answer), most)
        if data is None:
            raise self._error("wrote no answer into the file that it was given")
        if len(data) > most:
            raise self._error(f"wrote an answer of more than {most} bytes")
        return data

    def _text(self, answer: bytes) -> str:
        try:
            return answer.decode("utf-8")
        except UnicodeDecodeError as error:
            how = f"answered what is not UTF-8 text (byte {error.start + 1})"
            raise self._error(how) from None

    def _error(self, how: str, said: bytes = b"") -> BackendError:
        shown = excerpt(said.decode("utf-8", "replace"))
        what = f"{self.name} {excerpt(how)}" + (f": {shown}" if shown else "")
        return BackendError(what, where=self._where, hint="try it by hand with a short prompt")


def make(setup: Setup) -> Command:
    line, where = setup.setting("command")
    if line:
        return _own(setup, line, where)
    preset = PRESETS[setup.name]
    mode = preset.answering if setup.answers else preset.editing
    if mode is None:
        what = f"{setup.name} works on files, and cannot answer a question"
        raise BackendError(what, hint="name another backend for that")
    model = preset.model if setup.model_named() else ()
    argv = (*preset.argv, *mode, *model, *preset.last)
    return Command(setup, preset, argv, f"the backend {setup.name}", not setup.answers)


def _own(setup: Setup, line: str, where: str) -> Command:
    argv = _split(line, where)
    result, place = setup.setting("result")
    if result not in ("", *_RESULTS):
        raise BackendError(f"{result!r} is no result", where=place, hint="use artifacts or stdout")
    if any("{model}" in word for word in argv) and not setup.model_named():
        hint = f"name one with `git config relay.{setup.name}.model …`"
        raise BackendError("the command wants a model, and none is named", where=where, hint=hint)
    text = setup.answers or result == "stdout" or any("{answer}" in word for word in argv)
    return Command(setup, Preset(argv, (), ()), argv, where, not text)


def _split(line: str, where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise BackendError(f"not a command: {error}", where=where) from None
    if not words:
        raise BackendError("an empty command", where=where, hint="name a program")
    return words


def _how(code: int) -> str:
    return f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
