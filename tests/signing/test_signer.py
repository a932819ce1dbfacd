from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from relay_git.errors import Corrupt, Refused, RelayError
from relay_git.signing import sshsig
from relay_git.signing.keys import Key, KeyStore
from relay_git.signing.signer import LocalSigner, SshKeygenSigner, signer_for
from relay_git.signing.wire import PublicKey

if TYPE_CHECKING:
    from signing.conftest import Ssh

MESSAGE = b'{"step":1}'
NAMESPACE = "relay.step"
SIGN = """
import json, sys
from relay_git.signing.signer import signer_for
heavy = ["tempfile", "random", "shutil", "pathlib", "logging", "email", "cryptography"]
def loaded():
    return [name for name in heavy if name in sys.modules]
signer = signer_for(sys.argv[1], None, "clone")
before = loaded()
print(json.dumps([before, signer.sign(b"a step", "relay.step"), loaded()]))
"""


@pytest.fixture
def key(common_dir: str) -> Key:
    return KeyStore(common_dir).ensure("ada@laptop")


def test_without_a_setting_the_clone_signs_with_its_own_key(common_dir: str) -> None:
    signer = signer_for(common_dir, None, "ada@laptop")
    own = KeyStore(common_dir).current()
    assert own
    assert (signer.public, signer.fingerprint) == (own.public, own.public.fingerprint)
    assert sshsig.verify(signer.sign(MESSAGE, NAMESPACE), MESSAGE, NAMESPACE) == own.public
    assert signer_for(common_dir, "", "x").public == own.public


def test_the_setting_names_another_key(ssh: Ssh, common_dir: str) -> None:
    key = ssh.key("rsa")
    signer = signer_for(common_dir, str(key), "ada@laptop")
    assert signer.public == PublicKey.parse(ssh.public(key))
    assert os.listdir(common_dir) == []


def test_a_short_process_imports_little_and_starts_nothing(
    key: Key, common_dir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
    argv = [sys.executable, "-c", SIGN, common_dir]
    done = subprocess.run(argv, capture_output=True, check=True)
    before, armored, after = json.loads(done.stdout)
    assert armored == sshsig.sign(key.seed, b"a step", NAMESPACE)
    assert (before, after) == ([], ["cryptography"])
    assert not trace.exists()


def test_openssh_need_not_be_installed(key: Key, without_program: Callable[[], None]) -> None:
    without_program()
    armored = LocalSigner(key).sign(MESSAGE, NAMESPACE)
    assert sshsig.verify(armored, MESSAGE, NAMESPACE) == key.public


def test_a_secret_that_does_not_fit_its_public_half_never_signs(key: Key) -> None:
    other = bytes([key.seed[0] ^ 1]) + key.seed[1:]
    with pytest.raises(Corrupt, match="signs as another") as caught:
        LocalSigner(Key(key.path, key.public, key.comment, other)).sign(MESSAGE, NAMESPACE)
    assert caught.value.where == key.path


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
@pytest.mark.parametrize("suffix", ["", ".pub"])
def test_a_key_of_ones_own_signs(ssh: Ssh, kind: str, suffix: str) -> None:
    key = ssh.key(kind)
    signer = SshKeygenSigner(str(key) + suffix)
    armored = signer.sign(MESSAGE, "relay.trust")
    allowed = f"ada {signer.public.line}\n"
    assert signer.public == PublicKey.parse(ssh.public(key))
    assert signer.fingerprint == signer.public.fingerprint
    assert ssh.verifies(armored, MESSAGE, allowed, "ada", namespace="relay.trust")
    assert sshsig.verify(armored, MESSAGE, "relay.trust") == signer.public


def test_a_path_may_begin_at_home(ssh: Ssh, monkeypatch: pytest.MonkeyPatch) -> None:
    key = ssh.key(name="a key")
    monkeypatch.setenv("HOME", str(ssh.folder))
    assert SshKeygenSigner("~/a key").public == PublicKey.parse(ssh.public(key))


def test_a_private_key_alone_is_enough(ssh: Ssh) -> None:
    key = ssh.key()
    public = PublicKey.parse(ssh.public(key))
    os.unlink(f"{key}.pub")
    signer = SshKeygenSigner(str(key))
    assert signer.public == public
    assert sshsig.verify(signer.sign(MESSAGE, NAMESPACE), MESSAGE, NAMESPACE) == public


def test_a_public_file_of_another_key_is_noticed(ssh: Ssh) -> None:
    key, other = ssh.key(), ssh.key(name="other")
    os.replace(f"{other}.pub", f"{key}.pub")
    with pytest.raises(RelayError):
        SshKeygenSigner(str(key)).sign(MESSAGE, NAMESPACE)


@pytest.mark.parametrize("name", ["missing", "missing.pub", "key::ssh-ed25519 AAAA", "key::"])
def test_a_key_that_is_nowhere_is_refused(ssh: Ssh, name: str) -> None:
    with pytest.raises(RelayError) as caught:
        SshKeygenSigner(name if "::" in name else str(ssh.folder / name))
    assert caught.value.where


def test_a_key_that_is_locked_is_refused_with_what_to_do(
    ssh: Ssh, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ssh.key(passphrase="secret words")
    monkeypatch.setenv("SSH_ASKPASS", "false")
    monkeypatch.setenv("SSH_ASKPASS_REQUIRE", "force")
    with pytest.raises(Refused, match=r"ssh-keygen cannot sign with it: .*ssh-agent") as caught:
        SshKeygenSigner(str(key)).sign(MESSAGE, NAMESPACE)
    assert caught.value.where == str(key)


@pytest.fixture
def agent(ssh: Ssh, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A key that only the agent has: its public half is at the path."""
    key = ssh.key(passphrase="")
    address = ssh.folder / "agent"
    server = subprocess.Popen(
        ["ssh-agent", "-D", "-a", str(address)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdout
    server.stdout.readline()
    monkeypatch.setenv("SSH_AUTH_SOCK", str(address))
    subprocess.run(["ssh-add", "-q", str(key)], check=True)
    key.unlink()
    yield Path(f"{key}.pub")
    server.send_signal(signal.SIGTERM)
    server.communicate()


@pytest.mark.parametrize("literal", [False, True])
def test_the_agent_signs(agent: Path, literal: bool) -> None:
    line = agent.read_text()
    signer = SshKeygenSigner(f"key::{line}" if literal else str(agent))
    public = sshsig.verify(signer.sign(MESSAGE, NAMESPACE), MESSAGE, NAMESPACE)
    assert public == signer.public == PublicKey.parse(line)
