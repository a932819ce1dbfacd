"""Whose keys a folder knows, and how they lie there."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from pipelining import WRITER, saying

from relay_git.errors import Corrupt, Refused
from relay_git.pipeline import Code, Failure, Pipeline, PipelineError
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.memory import MemoryStore
from relay_git.signing.keys import KeyStore
from relay_git.stores import KeyFolder


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def opened(store: MemoryStore, keys: KeyFolder) -> Pipeline:
    return Pipeline.open(ChainSteps(store, keys, tuple), "demo", payload={"FACTS": 1})


def refused(store: MemoryStore, keys: KeyFolder) -> PipelineError:
    with pytest.raises(PipelineError) as found:
        opened(store, keys)
    return found.value


def public(folder: Path) -> str:
    """The line of the key that is in use there."""
    key = KeyStore(str(folder)).current()
    assert key
    return key.public.line


def test_a_key_is_made_where_it_is_first_needed_and_for_its_owner_alone(
    store: MemoryStore, tmp_path: Path
) -> None:
    folder = tmp_path / "deep" / "keys"
    keys = KeyFolder(folder)
    assert not folder.exists()
    head = opened(store, keys).head
    assert head.key == keys.signer.fingerprint
    private = [path for path in (folder / "relay" / "keys").iterdir() if path.suffix != ".pub"]
    assert len(private) == 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    assert opened(store, KeyFolder(folder)).head == head


def test_steps_are_in_the_name_that_is_given(store: MemoryStore, tmp_path: Path) -> None:
    keys = KeyFolder(tmp_path, name="Ada", email="ada@example.com")
    author = opened(store, keys).head.record.commit.author
    assert (author.name, author.email) == ("Ada", "ada@example.com")


def test_old_keys_verify_what_they_signed(store: MemoryStore, tmp_path: Path) -> None:
    pipeline = opened(store, KeyFolder(tmp_path))
    before = pipeline.head.key
    fingerprint = pipeline.rotate_key()
    last = pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap()
    assert last.key == fingerprint != before
    again = opened(store, KeyFolder(tmp_path))
    assert [step.key for step in again.history()] == [fingerprint, before]
    assert KeyFolder(tmp_path).signer.fingerprint == fingerprint


def test_a_stranger_is_refused(store: MemoryStore, tmp_path: Path) -> None:
    opened(store, KeyFolder(tmp_path / "theirs"))
    error = refused(store, KeyFolder(tmp_path / "ours"))
    assert error.code == Code.UNKNOWN_SIGNER
    assert KeyFolder(tmp_path / "theirs").signer.fingerprint in str(error)


def test_a_key_that_lies_in_the_folder_is_known_until_it_is_taken_out(
    store: MemoryStore, tmp_path: Path
) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    head = opened(store, KeyFolder(theirs)).head
    ours.mkdir()
    (ours / "bob.pub").write_text(public(theirs) + " bob\n")
    pipeline = opened(store, KeyFolder(ours))
    assert pipeline.head == head
    pipeline.step_sync(WRITER, saying(FACTS=2)).unwrap()
    (ours / "bob.pub").unlink()
    found = pipeline.snapshot_at(1)
    assert isinstance(found, Failure) and found.code == Code.UNKNOWN_SIGNER


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ("", True),
        ('namespaces="relay.step" ', True),
        ('namespaces="file" ', False),
        ('valid-before="20200101" ', False),
    ],
)
def test_a_file_says_who_may_sign_what_and_when(
    store: MemoryStore, tmp_path: Path, options: str, known: bool
) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    opened(store, KeyFolder(theirs))
    ours.mkdir()
    line = f"bob@example.com {options}{public(theirs)}\n"
    (ours / "allowed_signers").write_text(line)
    if known:
        assert opened(store, KeyFolder(ours)).head.step == 1
    else:
        assert refused(store, KeyFolder(ours)).code == Code.UNKNOWN_SIGNER


@pytest.mark.parametrize("name", ["bob.pub", "allowed_signers"])
def test_a_file_that_says_no_key_is_named(store: MemoryStore, tmp_path: Path, name: str) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    opened(store, KeyFolder(theirs))
    ours.mkdir()
    (ours / name).write_text("nonsense\n")
    error = refused(store, KeyFolder(ours))
    assert error.code in (Code.TAMPERED, Code.STORE_FAILED)
    assert str(ours / name) in str(error)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_private_key_that_others_can_read_is_not_used(store: MemoryStore, tmp_path: Path) -> None:
    key = KeyStore(str(tmp_path)).ensure("pipeline")
    os.chmod(key.path, 0o644)
    with pytest.raises(Refused, match="others can read"):
        _ = KeyFolder(tmp_path).signer


def test_a_private_key_that_is_lost_is_told_and_another_can_be_made(
    store: MemoryStore, tmp_path: Path
) -> None:
    head = opened(store, KeyFolder(tmp_path)).head
    os.unlink(KeyStore(str(tmp_path)).ensure("pipeline").path)
    with pytest.raises(Corrupt, match=r"KeyFolder\(…\)\.rotate\(\)"):
        _ = KeyFolder(tmp_path).signer
    KeyFolder(tmp_path).rotate()
    assert opened(store, KeyFolder(tmp_path)).head == head


@pytest.mark.parametrize("named", [None, "relative/state"])
def test_without_a_folder_it_is_the_users_own_for_state(
    sealed: Path, monkeypatch: pytest.MonkeyPatch, named: str | None, store: MemoryStore
) -> None:
    if named:
        monkeypatch.setenv("XDG_STATE_HOME", named)
    opened(store, KeyFolder())
    assert public(sealed / ".local" / "state" / "git-relay")


def test_the_folder_for_state_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: MemoryStore
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    opened(store, KeyFolder())
    assert public(tmp_path / "git-relay")


def test_no_secret_is_shown(tmp_path: Path) -> None:
    keys: Any = KeyFolder(tmp_path)
    seed = keys.signer._key.seed
    assert seed.hex() not in repr(vars(keys)) and repr(seed) not in repr(vars(keys))
