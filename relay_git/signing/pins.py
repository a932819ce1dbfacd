"""Trust on first use: which key a principal had when it was first seen.

`<common git dir>/relay/known_signers` has one line for each: `fingerprint principal first-seen
run`, and `accepted` at the end where a person vouched for it. It only grows, and deleting it
loses only this knowledge.
"""

from __future__ import annotations

import os
import re
from typing import Literal

from relay_git import clock, files
from relay_git.errors import Corrupt, RelayError
from relay_git.record import Record
from relay_git.signing.keys import KeyStore

_ACCEPTED = "accepted"
_NO_RUN = "-"
_UNSAFE = re.compile(r"[\s%\x00-\x1f\x7f\ud800-\udfff]")

Standing = Literal["pinned", "known", "unknown"]


class Pin(Record):
    """One line. `principal` is escaped, as it stands in the file."""

    fingerprint: str
    principal: str
    accepted: bool


class Pins:
    """The keys that one clone has seen; its own are always known."""

    def __init__(self, common_dir: str) -> None:
        self._path = os.path.join(common_dir, "relay", "known_signers")
        self._keys = KeyStore(common_dir)

    def check(self, fingerprint: str, principal: str, run: str, at: int) -> Standing:
        """`pinned`: the first key seen for this principal, now remembered. `unknown`: the
        principal has another key, so a person must `accept` this one.
        """
        if self._keys.owns(fingerprint):
            return "known"
        keys = self._keys_of(principal)
        if keys:
            return "known" if fingerprint in keys else "unknown"
        self._append(fingerprint, principal, clock.isoformat(at), run)
        return "pinned" if fingerprint in self._keys_of(principal) else "unknown"

    def knows(self, fingerprint: str) -> bool:
        """Whether it is ours, or the key of somebody who was seen here before."""
        principals = {pin.principal for pin in self.all() if pin.fingerprint == fingerprint}
        known = any(fingerprint in self._keys_of(principal) for principal in principals)
        return known or self._keys.owns(fingerprint)

    def accept(self, fingerprint: str, principal: str, at: int) -> None:
        """A person says that this key too is that principal's."""
        self._append(fingerprint, principal, clock.isoformat(at), _NO_RUN, _ACCEPTED)

    def _keys_of(self, principal: str) -> set[str]:
        """The first, which settles a race of two to be it, and those accepted since."""
        pins = [pin for pin in self.all() if pin.principal == _word(principal)]
        return {pin.fingerprint for pin in pins if pin.accepted or pin is pins[0]}

    def all(self) -> list[Pin]:
        """A last line without its newline was cut short by a crash, and says nothing."""
        data = files.read_optional(self._path) or b""
        lines = data.decode("utf-8", "replace").split("\n")[:-1]
        return [
            _parse(line.split(" "), f"{self._path}:{number}")
            for number, line in enumerate(lines, start=1)
            if line
        ]

    def _append(self, *words: str) -> None:
        line = " ".join(map(_word, words)) + "\n"
        folder = os.path.dirname(self._path)
        try:
            os.makedirs(folder, exist_ok=True)
            with files.exclusive(folder):
                self._drop_cut_line()
                with open(self._path, "ab") as file:
                    file.write(line.encode())
        except OSError as error:
            what = f"cannot remember a signer: {error.strerror}"
            raise RelayError(what, where=self._path, hint=files.remedy(error)) from None

    def _drop_cut_line(self) -> None:
        """Or the next line would be taken for its end."""
        whole, newline, cut = (files.read_optional(self._path) or b"").rpartition(b"\n")
        if cut:
            os.truncate(self._path, len(whole + newline))


def _parse(words: list[str], where: str) -> Pin:
    if len(words) not in (4, 5) or words[4:] not in ([], [_ACCEPTED]):
        raise Corrupt(
            "not a line of known signers", where=where, hint="remove it; its key is then new again"
        )
    return Pin(words[0], words[1], len(words) == 5)


def _word(text: str) -> str:
    """One word of a line: spaces, control characters and `%` as `%` and hex digits."""
    return _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", text) or "%"
