"""The text of a hook: the shim that ships, told where the program is, beside what else is there.

A shim is its shebang and a marked block. In a hook of somebody else's the block stands right
after the shebang; what stands around it stays byte for byte as it was.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from functools import cache

from relay_git import resources

HOOKS = (
    *("commit-msg", "post-checkout", "post-commit", "post-merge", "post-rewrite"),
    *("pre-commit", "pre-push"),
)
SERVER_HOOKS = ("pre-receive",)
"""Put in where others push to, when that is asked for."""

KEPT = ".before-relay"
"""The end of the name of a hook that was moved aside; the shim in its place runs it."""

SHEBANG = b"#!/bin/sh\n"
_BLOCK = re.compile(rb"^# >>> git-relay >>>.*?^# <<< git-relay <<<(?:\n|\Z)", re.M | re.S)
_PROGRAM = re.compile(rb"(?<= relay=)(.*?)(?=; \[ -x )")
_SHELLS = ("sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh")
_RUNS_ITSELF = re.compile(rb"""["']?exec["']?\s[^\n]*\s["']?\$\{?0\}?["']?(?:\s|$)""")
"""A script of another language that sh only starts: `exec python "$0" "$@"`."""


def program() -> str:
    """The path of the program that runs now, to be called by git; else its name, for PATH."""
    called = sys.argv[0] if os.path.basename(sys.argv[0]).startswith("git-relay") else ""
    beside = os.path.join(os.path.dirname(sys.executable), "git-relay")
    found = next(filter(None, map(shutil.which, filter(None, (called, beside)))), None)
    return os.path.abspath(found).replace(os.sep, "/") if found else "git-relay"


def own_text(hook: str, path: str) -> bytes:
    """The whole shim, for a place where there is no other hook."""
    word = os.fsencode(shlex.quote(path))
    return _PROGRAM.sub(lambda _: word, _shipped(hook), count=1)


def program_in(block: bytes) -> str | None:
    """The program that a block calls; None where it asks git alone, or is not ours."""
    found = _PROGRAM.search(block)
    try:
        words = shlex.split(os.fsdecode(found[0])) if found else []
    except ValueError:
        return None
    return words[0] if len(words) == 1 else None


def block_of(text: bytes) -> bytes | None:
    found = _BLOCK.search(text)
    return found[0] if found else None


def is_own(text: bytes) -> bool:
    """Whether the block in it came with the file: then it also runs what was moved aside."""
    return KEPT.encode() in (block_of(text) or b"")


def guest_block(own: bytes) -> bytes:
    """The block as it stands in somebody else's hook."""
    lines = (block_of(own) or b"").splitlines(keepends=True)
    return b"".join(line for line in lines if KEPT.encode() not in line)


def insert(text: bytes, block: bytes) -> bytes:
    """Right after the shebang, and so before any `exit`. `remove` takes it out again."""
    if not text.startswith(b"#!"):
        return block + text
    first, newline, rest = text.partition(b"\n")
    return first + b"\n" + block + rest if newline else first + b"\n" + block[:-1]


def renew(text: bytes, own: bytes) -> bytes:
    """The hook with the block that it should have now."""
    before = block_of(text) or b""
    after = block_of(own) or b"" if is_own(text) else guest_block(own)
    return text.replace(before, after if before.endswith(b"\n") else after[:-1], 1)


def remove(text: bytes) -> bytes:
    found = _BLOCK.search(text)
    if found is None:
        return text
    start, end = found.span()
    ours = not found[0].endswith(b"\n")
    return text[: start - 1 if ours else start] + text[end:]


def odd_form(text: bytes) -> str | None:
    """What keeps every sh from running it as meant."""
    if text.startswith(b"\xef\xbb\xbf"):
        return "it begins with a byte order mark"
    if text.partition(b"\n")[0].endswith(b"\r"):
        return "it has Windows line ends"
    return None


def is_sh(text: bytes) -> bool:
    """Whether lines of sh may be put into it. Without a shebang, git runs it by sh."""
    if b"\0" in text or _RUNS_ITSELF.search(text):
        return False
    if not text.startswith(b"#!"):
        return True
    words = text.partition(b"\n")[0][2:].decode("utf-8", "replace").split()
    names = [os.path.basename(word) for word in words if not word.startswith("-")]
    if names[:1] == ["env"]:
        names = [name for name in names[1:] if "=" not in name]
    return bool(names) and names[0] in _SHELLS


@cache
def _shipped(hook: str) -> bytes:
    with open(os.path.join(resources.directory("hooks"), hook), "rb") as file:
        return file.read()
