"""The real ssh-keygen as the judge, and keys of every usual type made by it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

NAMESPACE = "relay.step"


class Ssh:
    """What a person does with ssh-keygen, in a folder of its own."""

    namespace = NAMESPACE

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["ssh-keygen", *args], input=stdin, capture_output=True, cwd=self.folder, check=False
        )

    def key(self, kind: str = "ed25519", *, name: str = "", passphrase: str = "") -> Path:
        path = self.folder / (name or f"id_{kind}")
        bits = ["-b", "2048"] if kind == "rsa" else []
        args = ["-q", "-t", kind, *bits, "-N", passphrase, "-C", f"{kind} key", "-f", str(path)]
        made = self.run(*args)
        assert made.returncode == 0, made.stderr
        return path

    def public(self, key: Path) -> str:
        return key.with_name(key.name + ".pub").read_text()

    def sign(self, key: Path, message: bytes, namespace: str = NAMESPACE, *args: str) -> str:
        signed = self.run("-Y", "sign", "-f", str(key), "-n", namespace, *args, stdin=message)
        assert signed.returncode == 0, signed.stderr
        return signed.stdout.decode()

    def verifies(
        self,
        armored: str,
        message: bytes,
        allowed: str,
        principal: str,
        *options: str,
        namespace: str = NAMESPACE,
    ) -> bool:
        (self.folder / "allowed_signers").write_text(allowed)
        (self.folder / "sig").write_text(armored)
        args = ("-Y", "verify", "-f", "allowed_signers", "-I", principal, "-n", namespace)
        return not self.run(*args, "-s", "sig", *options, stdin=message).returncode

    def holds(self, armored: str, message: bytes, namespace: str = NAMESPACE) -> bool:
        (self.folder / "sig").write_text(armored)
        args = ("-Y", "check-novalidate", "-n", namespace, "-s", "sig")
        return not self.run(*args, stdin=message).returncode


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ssh:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    folder = tmp_path / "ssh"
    folder.mkdir(mode=0o700)
    return Ssh(folder)


@pytest.fixture
def common_dir(tmp_path: Path) -> str:
    """Stands for a common git dir: keys and pins ask nothing of git."""
    folder = tmp_path / "a repository's" / ".git"
    folder.mkdir(parents=True)
    return str(folder)


@pytest.fixture
def without_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Hides every program, as on a machine where OpenSSH is not installed."""

    def hide() -> None:
        monkeypatch.setenv("PATH", str(tmp_path / "empty"))

    return hide
