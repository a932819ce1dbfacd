"""What is left to ssh-keygen: the user's own keys, and signatures by other types of key."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from relay_git.errors import Refused
from relay_git.git.process import Result, run
from relay_git.signing.wire import PublicKey

_UNLOCK = "add the key to ssh-agent, or run the command where its passphrase can be asked for"


def sign(path: str, message: bytes, namespace: str) -> str:
    """The armored signature by the key in a file: a private one, or a public one of the agent's.

    Raises `Refused` with what ssh-keygen says.
    """
    argv = ("-Y", "sign", "-q", "-n", namespace, "-f", path)
    result = _run(*argv, input=message)
    if result.code:
        raise _refused("sign with it", path, result)
    return result.stdout.decode("ascii", "replace")


def is_signed(armored: str, message: bytes, namespace: str) -> bool:
    """Whether the signature holds, whoever made it."""
    with scratch_file(armored) as path:
        argv = ("-Y", "check-novalidate", "-q", "-n", namespace, "-s", path)
        return not _run(*argv, input=message).code


def public_key(path: str) -> PublicKey:
    """The public half of a private key that has no `.pub` file beside it."""
    result = _run("-y", "-f", path)
    if result.code:
        raise _refused("read it", path, result)
    return PublicKey.parse(result.stdout.decode("utf-8", "replace"), path)


@contextlib.contextmanager
def scratch_file(text: str) -> Iterator[str]:
    """The path of a file that holds the text for as long as ssh-keygen needs it."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="git-relay-") as folder:
        path = os.path.join(folder, "file")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        yield path


def _run(*argv: str, input: bytes | None = None) -> Result:
    env = {**os.environ, "LC_ALL": "C"}
    return run("ssh-keygen", *argv, cwd=os.sep, input=input, env=env, check=False)


def _refused(deed: str, path: str, result: Result) -> Refused:
    said = result.stderr.decode("utf-8", "replace").strip()
    return Refused(f"ssh-keygen cannot {deed}: {said}", where=path, hint=_UNLOCK)
