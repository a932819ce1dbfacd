"""Settings: read from one tracked file, cached, and never a place for secrets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from relay_git import settings_file
from relay_git.errors import Invalid, InvalidName, NewerFormat, RelayError
from relay_git.settings import (
    LessonSettings,
    OrchestratorSettings,
    Settings,
    default_settings_text,
    load_settings,
)

EVERYTHING = """\
version: 1
default_workflow: bug-rca-fix
backend: claude
model: opus
max_artifact_chars: 900
redaction: refuse
redact_literals: [build.example.internal, "1.10"]
lessons:
  max_per_role: 3
  deliver: branch
orchestrator:
  enabled: true
  intent: " Ship it small "
  backend: openai
  model: small
"""

PARSED = Settings(
    version=1,
    default_workflow="bug-rca-fix",
    backend="claude",
    model="opus",
    max_artifact_chars=900,
    redaction="refuse",
    redact_literals=("build.example.internal", "1.10"),
    lessons=LessonSettings(max_per_role=3, deliver="branch"),
    orchestrator=OrchestratorSettings(True, "Ship it small", "openai", "small"),
)


def write(worktree: Path, text: str | bytes) -> Path:
    path = worktree / ".relay/relay.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def load(worktree: Path, text: str | bytes) -> Settings:
    write(worktree, text)
    return load_settings(str(worktree), str(worktree / "cache"))


def problems(worktree: Path, text: str) -> list[str]:
    with pytest.raises(Invalid) as caught:
        load(worktree, text)
    assert not list(worktree.glob("cache/*"))
    return [str(problem) for problem in caught.value.problems]


def cached(worktree: Path) -> Path:
    (path,) = worktree.glob("cache/*")
    return path


def test_no_file_and_no_work_tree_give_the_defaults(tmp_path: Path) -> None:
    assert load_settings(None, str(tmp_path)) == Settings()
    assert load_settings(str(tmp_path), str(tmp_path / "cache")) == Settings()
    assert not (tmp_path / "cache").exists()


def test_every_setting_is_read(tmp_path: Path) -> None:
    assert load(tmp_path, EVERYTHING) == PARSED
    assert load(tmp_path, "version: 1\n") == Settings()
    assert load(tmp_path, "lessons: {deliver: none}\n").lessons == LessonSettings(deliver="none")


def test_the_text_of_init_holds_the_defaults(tmp_path: Path) -> None:
    text = default_settings_text("bug-rca-fix")
    assert load(tmp_path, text) == Settings(default_workflow="bug-rca-fix")
    assert load(tmp_path, default_settings_text("1.10")).default_workflow == "1.10"
    with pytest.raises(InvalidName):
        default_settings_text("../../evil")


# The cache


def test_a_file_that_has_not_changed_is_not_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load(tmp_path, EVERYTHING) == PARSED
    monkeypatch.delattr(settings_file, "parse_settings")
    assert load(tmp_path, EVERYTHING) == PARSED
    with pytest.raises(ImportError):
        load(tmp_path, EVERYTHING + "# changed\n")


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"settings":{}}',
        b'{"digest":1,"settings":{"version":"x"}}',
        None,
    ],
)
def test_a_cache_of_garbage_is_made_anew(tmp_path: Path, garbage: bytes | None) -> None:
    load(tmp_path, EVERYTHING)
    path = cached(tmp_path)
    good = path.read_bytes()
    path.write_bytes(good.replace(b"900", b"901") if garbage is None else garbage)
    assert load(tmp_path, EVERYTHING) == PARSED
    assert path.read_bytes() == good


def test_a_cache_of_other_fields_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(tmp_path, EVERYTHING)
    path = cached(tmp_path)
    monkeypatch.setattr("relay_git.settings._digest", lambda data: "same")
    path.write_text('{"digest":"same","settings":{"lessons":{},"redact_literals":[],"x":1}}')
    path.rename(path.with_name("settings-same.json"))
    assert load(tmp_path, EVERYTHING) == PARSED


def test_a_cache_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the directory should be")
    assert load(tmp_path, EVERYTHING) == PARSED


def test_a_warm_start_imports_neither_the_yaml_reader_nor_pydantic(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from relay_git.settings import load_settings\n"
        f"settings = load_settings({str(tmp_path)!r}, {str(tmp_path / 'cache')!r})\n"
        "print(settings.max_artifact_chars)\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'pydantic', 'pydantic_core', 'ruamel', 'difflib', 'typing_extensions'}))\n"
    )

    def start() -> list[str]:
        result = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        return result.stdout.splitlines()

    write(tmp_path, EVERYTHING)
    cold = start()
    assert cold[0] == "900"
    assert "pydantic" in cold[1]
    assert "ruamel" in cold[1]
    assert start() == ["900", "[]"]


# What is refused


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "version: 1\nredactoin: mask\n",
            "2: unknown key 'redactoin'; did you mean 'redaction'? known: version, default_",
        ),
        (
            "lessons:\n  max_per_rol: 1\n",
            "2: unknown key 'max_per_rol'; did you mean 'max_per_role'? "
            "known: max_per_role, deliver",
        ),
        ("redaction: hide\n", "1: `redaction` must be 'mask' or 'refuse'"),
        ("lessons:\n  deliver: email\n", "2: `deliver` must be 'worktree', 'branch' or 'none'"),
        ("lessons:\n  max_per_role: -1\n", "2: `max_per_role` must be 0 or more"),
        ("lessons:\n  max_per_role: ten\n", "2: `max_per_role` must be a whole number"),
        ("lessons:\n", "1: `lessons` must be a map"),
        ("max_artifact_chars: 0\n", "1: `max_artifact_chars` must be 1 or more"),
        ("version: 0\n", "1: `version` must be 1 or more"),
        ("version: true\n", "1: `version` must be a whole number"),
        ("version: 1\ndefault_workflow: ../x\n", "2: '../x' cannot be a name"),
        ("default_workflow: 1.10\n", '1: `default_workflow` must be text; quote it: "1.10"'),
        ("redact_literals:\n- a.b\n- ' '\n", "3: item 2 of `redact_literals` is blank; delete it"),
        ("redact_literals:\n- 12\n", '2: item 1 of `redact_literals` must be text; quote it: "12"'),
        ("backend: bin/agent\n", "1: 'bin/agent' cannot be a name"),
        ("orchestrator:\n  backend: a b\n", "2: 'a b' is not a valid name"),
        ("orchestrator: {enabled: true}\n", "1: the orchestrator has no intent; say in `intent`"),
        ("orchestrator: {provider: openai}\n", "1: unknown key 'provider'"),
        ("history:\n  enabled: true\n", "1: `history` is no longer read; delete it: every fini"),
        ("backend_config:\n  model: x\n", "1: `backend_config` is no longer read; `model` names"),
    ],
)
def test_one_mistake_is_one_problem_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    (problem,) = problems(tmp_path, text)
    assert problem.startswith(f".relay/relay.yml:{expected}")


@pytest.mark.parametrize(
    "key",
    [
        *("api_key", "apiKey", "API-KEY", "openai_api_key", "apikey", "token", "github_token"),
        *("accessToken", "secret", "client_secret", "password", "privateKey", "credentials"),
    ],
)
def test_a_key_that_holds_a_secret_is_refused_at_any_depth(tmp_path: Path, key: str) -> None:
    hint = "delete it and renew the secret: those go into git config or the environment"
    told = f"`{key}` holds a secret in a tracked file; {hint}"
    assert problems(tmp_path, f"version: 1\n{key}: hunter2\n") == [f".relay/relay.yml:2: {told}"]
    found = problems(tmp_path, f"lessons:\n  deep:\n  - x: 1\n    {key}: hunter2\n")
    assert f".relay/relay.yml:4: {told}" in found
    assert "hunter2" not in "".join(found)


@pytest.mark.parametrize("key", ["max_tokens", "keyboard", "secretary", "tokenizer"])
def test_a_key_that_only_sounds_like_a_secret_is_just_unknown(tmp_path: Path, key: str) -> None:
    (problem,) = problems(tmp_path, f"{key}: 1\n")
    assert f"unknown key {key!r}" in problem


def test_all_problems_come_at_once_by_line(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        "history: x\nbackend_config:\n  api_key: x\nverson: 1\nredaction: 1\n"
        "redact_literals: ['']\n",
    )
    assert [problem.partition(" ")[0] for problem in found] == [
        f".relay/relay.yml:{line}:" for line in (1, 2, 3, 4, 5)
    ]


def test_a_newer_format_is_not_guessed_at(tmp_path: Path) -> None:
    with pytest.raises(NewerFormat) as caught:
        load(tmp_path, "# new\nversion: 2\nunheard_of: 1\n")
    assert caught.value.where == ".relay/relay.yml:2"
    assert caught.value.hint == "upgrade git-relay"


@pytest.mark.parametrize("data", [b"", b"\xff", b"- a\n", b"a: 1\na: 2\n"])
def test_what_is_no_mapping_is_one_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(RelayError) as caught:
        load(tmp_path, data)
    assert str(caught.value).startswith(".relay/relay.yml:")
