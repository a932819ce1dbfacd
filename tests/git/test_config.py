from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support import git, processes, repository

from relay_git.errors import GitError, InvalidName, RelayError
from relay_git.git.config import Config, edit_config, read_config


def config_of(path: Path, *settings: tuple[str, str]) -> Config:
    for key, value in settings:
        git(path, "config", "--add", key, value)
    return read_config(repository(path))


def test_the_last_value_wins_and_all_can_be_had(repo_path: Path) -> None:
    config = config_of(repo_path, ("relay.ref", "one"), ("relay.ref", "two"))
    assert config.get("relay.ref") == "two"
    assert config.get_all("relay.ref") == ["one", "two"]
    assert config.get("relay.none") is None
    assert config.get("relay.none", "x") == "x"
    assert config.get_all("relay.none") == []


def test_case_matters_in_the_subsection_alone(repo_path: Path) -> None:
    config = config_of(repo_path, ("Branch.My.Feature.REMOTE", "origin=x"))
    assert config.get("branch.My.Feature.remote") == "origin=x"
    assert config.get("BRANCH.My.Feature.Remote") == "origin=x"
    assert config.get("branch.my.feature.remote") is None
    with pytest.raises(InvalidName):
        config.get("nonsense")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, True) for text in ("true", "Yes", "on", "1", "-1", "2k")),
        *((text, False) for text in ("false", "NO", "off", "0", "")),
    ],
)
def test_truth_as_git_sees_it(repo_path: Path, text: str, value: bool) -> None:
    assert config_of(repo_path, ("relay.flag", text)).bool("relay.flag") is value
    asked = git(repo_path, "config", "--type=bool", "relay.flag")
    assert asked == str(value).lower()


def test_a_key_without_a_value_is_true(repo_path: Path) -> None:
    with (repo_path / ".git/config").open("a") as file:
        file.write("[relay]\n\tflag\n\tempty =\n")
    config = read_config(repository(repo_path))
    assert config.bool("relay.flag")
    assert not config.bool("relay.empty", default=True)
    assert config.bool("relay.absent", default=True)


@pytest.mark.parametrize("text", ["7", "7k", "7M", "7g", "-3", "0x10"])
def test_numbers_as_git_sees_them(repo_path: Path, text: str) -> None:
    number = config_of(repo_path, ("relay.n", text)).int("relay.n")
    assert str(number) == git(repo_path, "config", "--type=int", "relay.n")


def test_what_is_no_number_is_named(repo_path: Path) -> None:
    config = config_of(repo_path, ("relay.n", "many"))
    with pytest.raises(RelayError, match=r"relay\.n.*'many' is not a number"):
        config.int("relay.n")
    assert config.int("relay.absent", 5) == 5


def test_values_of_several_lines_do_not_blur(repo_path: Path) -> None:
    alias = "!f() {\nuser.name=Mallory\nGIT_AUTHOR_IDENT=x\necho; }; f"
    config = config_of(repo_path, ("alias.x", alias), ("relay.after", "seen"))
    assert config.get("alias.x") == alias
    assert config.get("user.name") == "Ada"
    assert config.get("relay.after") == "seen"
    assert config.identity()[0].name == "Ada"


def test_an_equals_sign_in_the_subsection(repo_path: Path) -> None:
    config = config_of(repo_path, ("url.https://a.b=c.insteadOf", "x"), ("relay.x", "a.b=c"))
    assert config.get("url.https://a.b=c.insteadof") == "x"
    assert config.get("relay.x") == "a.b=c"


def test_one_process_for_settings_and_identity(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repository(repo_path)
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    config = read_config(repo)
    config.identity()
    assert processes(tmp_path / "trace") == ["git var -l"]


def test_identity_of_the_environment_and_the_time_of_our_clock(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch, at: Callable[[int], None]
) -> None:
    at(1777368600)
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "grace@example.com")
    author, committer = read_config(repository(repo_path)).identity()
    assert str(author) == "Grace <grace@example.com> 1777368600 +0530"
    assert str(committer) == "Ada <ada@example.com> 1777368600 +0530"


def test_identity_of_an_include(repo_path: Path, sealed: Path) -> None:
    """pygit2 does not know includeIf; git does."""
    (sealed / "work").write_text("[user]\n\temail = ada@work.example\n")
    key = f"includeIf.gitdir:{repo_path}/.path"
    git(repo_path, "config", "--global", key, str(sealed / "work"))
    assert read_config(repository(repo_path)).identity()[1].email == "ada@work.example"


def test_author_and_committer_sections(repo_path: Path) -> None:
    config = config_of(repo_path, ("author.name", "Grace"), ("author.email", "g@example.com"))
    author, committer = config.identity()
    assert (author.name, committer.name) == ("Grace", "Ada")


def test_no_identity_is_one_line_of_advice(repo_path: Path, sealed: Path) -> None:
    (sealed / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    with pytest.raises(RelayError) as caught:
        read_config(repository(repo_path)).identity()
    text = str(caught.value)
    assert "no identity is configured" in text
    assert "user.name" in text and "user.email" in text
    assert "\n" not in text


def test_the_names_between_section_and_variable(repo_path: Path) -> None:
    for key in ("remote.a.url", "remote.b/c.url", "remote.b/c.fetch", "remote.d.e.url"):
        git(repo_path, "config", key, "x")
    git(repo_path, "config", "remote.pushDefault", "a")
    assert config_of(repo_path).subsections("remote") == ["a", "b/c", "d.e"]
    assert config_of(repo_path).subsections("branch") == []


def test_an_edit_waits_for_the_lock_of_another(repo_path: Path) -> None:
    lock = repo_path / ".git/config.lock"
    lock.touch()
    timer = threading.Timer(0.3, lock.unlink)
    timer.start()
    edit_config(repository(repo_path), "x.y", "z")
    timer.join()
    assert config_of(repo_path).get("x.y") == "z"
    with pytest.raises(GitError, match="does not contain a section"):
        edit_config(repository(repo_path), "no-key", "z")
