from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest
from support import git, repository

from relay_git.backends.registry import open_backend
from relay_git.drive.asking import MOST, Answer, Backend, Nobody, Question
from relay_git.drive.choice import Choice
from relay_git.errors import BackendError
from relay_git.git.config import read_config

PROMPT = "Say “é” and nothing else.\r\n\x1b[1mlist[int] [/foo]\n"


def program(script: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-c", script, *arguments])


def shell(line: str) -> str:
    return shlex.join(["sh", "-c", line])


def opened(path: Path, line: str, timeout: int = 20, model: str | None = None) -> Backend:
    """A program whose answer is what it prints."""
    git(path, "config", "relay.house.command", line)
    git(path, "config", "relay.house.timeout", str(timeout))
    choice = Choice("house", model, "")
    return open_backend(choice, read_config(repository(path)), answers=True)


def ask(path: Path, line: str, timeout: int = 20, *, prompt: str = PROMPT) -> str:
    return opened(path, line, timeout).ask(Question(prompt, str(path)), Nobody()).text


def failure(path: Path, line: str, timeout: int = 20) -> str:
    with pytest.raises(BackendError) as caught:
        ask(path, line, timeout)
    assert caught.value.where == "git config relay.house.command"
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return caught.value.what


def test_prompt_and_answer_pass_unchanged(repo_path: Path) -> None:
    assert ask(repo_path, "cat") == PROMPT
    assert ask(repo_path, "pwd") == f"{repo_path.resolve()}\n"


def test_no_shell_reads_the_command(repo_path: Path) -> None:
    assert ask(repo_path, "echo $HOME '; echo `x`' *") == "$HOME ; echo `x` *\n"
    assert ask(repo_path, shell("echo $((1 + 1))")) == "2\n"


def test_the_prompt_can_be_a_file(repo_path: Path) -> None:
    assert ask(repo_path, "cat {prompt}") == PROMPT
    assert (
        ask(repo_path, program("import sys; print(repr(sys.stdin.read()))", "{prompt}")) == "''\n"
    )


def test_a_prompt_file_is_readable_for_its_owner_alone_and_goes(repo_path: Path) -> None:
    script = "import os, sys; print(oct(os.stat(sys.argv[1]).st_mode & 0o777), sys.argv[1])"
    mode, path = ask(repo_path, program(script, "{prompt}")).split()
    assert mode == "0o600"
    assert not Path(path).exists()


def test_the_answer_can_be_in_a_file(repo_path: Path) -> None:
    script = "import sys; print('chatter'); open(sys.argv[1], 'w').write('said')"
    assert ask(repo_path, program(script, "{answer}")) == "said"
    script = "import sys; open(sys.argv[1], 'w').write('said')"
    assert ask(repo_path, program(script, "{answer}")) == "said"


def test_a_file_that_it_does_not_write_is_missed(repo_path: Path) -> None:
    assert "house wrote no answer into the file" in failure(repo_path, "true {answer}")
    script = f"import sys; open(sys.argv[1], 'w').write('x' * {MOST + 1})"
    assert f"more than {MOST} bytes" in failure(repo_path, program(script, "{answer}"))


def test_the_model_has_its_place(repo_path: Path) -> None:
    backend = opened(repo_path, "echo --model={model}", model="opus")
    assert backend.ask(Question("", str(repo_path)), Nobody()).text == "--model=opus\n"
    with pytest.raises(BackendError, match=r"wants a model.*git config relay\.house\.model"):
        opened(repo_path, "echo {model}")


def test_the_files_that_are_waited_for_are_words_of_their_own(repo_path: Path) -> None:
    question = Question("", str(repo_path), writes=("a b.md", "c.md"))
    line = program("import sys; print(sys.argv[1:])", "{writes}", "{writes}x")
    said = opened(repo_path, line).ask(question, Nobody()).text
    assert said == "['a b.md', 'c.md', '{writes}x']\n"


def test_one_that_works_leaves_its_work_in_files(repo_path: Path) -> None:
    git(repo_path, "config", "relay.house.command", shell("yes | head -c 5000000; echo x >f"))
    backend = open_backend(Choice("house", None, ""), read_config(repository(repo_path)))
    assert backend.writes_files
    assert backend.ask(Question(PROMPT, str(repo_path)), Nobody()) == Answer()
    assert (repo_path / "f").read_text() == "x\n"


@pytest.mark.parametrize(("line", "result"), [("cat", "stdout"), ("cp {prompt} {answer}", "")])
def test_one_can_be_told_to_answer_with_its_work(repo_path: Path, line: str, result: str) -> None:
    git(repo_path, "config", "relay.house.command", line)
    git(repo_path, "config", "relay.house.result", result)
    backend = open_backend(Choice("house", None, ""), read_config(repository(repo_path)))
    assert not backend.writes_files
    assert backend.ask(Question(PROMPT, str(repo_path)), Nobody()).text == PROMPT


def test_what_is_no_result_is_refused(repo_path: Path) -> None:
    git(repo_path, "config", "relay.house.result", "stdin")
    with pytest.raises(BackendError, match=r"relay\.house\.result: 'stdin' is no result"):
        opened(repo_path, "cat")


@pytest.mark.parametrize(
    ("line", "why"), [("agent 'x", "not a command: No closing"), (" ", "an empty command")]
)
def test_what_is_no_command_is_refused(repo_path: Path, line: str, why: str) -> None:
    with pytest.raises(BackendError, match=rf"relay\.house\.command: {why}"):
        opened(repo_path, line)


def test_a_failure_is_told_with_what_it_complained_of(repo_path: Path) -> None:
    what = failure(repo_path, shell("echo out; printf 'no\\nmodel' >&2; exit 3"))
    assert what == "house failed with exit code 3: no model"
    assert failure(repo_path, shell("kill -9 $$")) == "house was ended by signal 9"


def test_a_program_that_is_not_there_is_told(repo_path: Path) -> None:
    what = failure(repo_path, "no-such-program --x")
    assert what == "cannot start no-such-program: No such file or directory"


def test_a_complaint_is_short_and_without_secrets(repo_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    what = failure(repo_path, program(f"import sys; sys.exit('x' * 5000 + ' {secret}')"))
    assert secret not in what
    assert "[redacted:github-token]" in what
    assert len(what) < 400


def test_one_that_is_slow_is_stopped(repo_path: Path) -> None:
    started = time.monotonic()
    what = failure(repo_path, program("import time; print(1, flush=True); time.sleep(60)"), 1)
    assert what == "house was stopped after 1 seconds"
    assert time.monotonic() - started < 10


def test_an_answer_that_is_not_utf8_is_refused(repo_path: Path) -> None:
    assert "not UTF-8 text (byte 3)" in failure(repo_path, r"printf ab\377".replace("\\", "\\\\"))


def test_an_answer_may_be_so_large_and_no_larger(repo_path: Path) -> None:
    write = "import sys; sys.stdout.write('x' * {})"
    assert len(ask(repo_path, program(write.format(MOST)))) == MOST
    assert f"more than {MOST} bytes" in failure(repo_path, program(write.format(MOST + 1)))


def test_no_answer_is_none(repo_path: Path) -> None:
    assert failure(repo_path, shell("echo; echo ' '")) == "house answered nothing"


def test_it_is_heard_while_it_works(repo_path: Path) -> None:
    class Listener(Nobody):
        heard = ""

        def hear(self, fragment: str) -> None:
            self.heard += fragment

    listener = Listener()
    line = shell("echo thinking >&2; cat")
    opened(repo_path, line).ask(Question(PROMPT, str(repo_path)), listener)
    assert listener.heard == "thinking\n"
