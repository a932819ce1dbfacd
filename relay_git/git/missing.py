"""Objects that should be there and are not: one git process over all that some tips reach."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from relay_git.errors import MissingObject, RelayError
from relay_git.git.repo import Repository
from relay_git.names import Oid

_SAID = re.compile(r"(?:error|fatal): (.+)")
_UNREAD = re.compile(r"(?:Could not read|bad object|unexpected missing \w+ object) '?([0-9a-f]+)")
_QUERY = ("--no-replace-objects", "rev-list", "--quiet", "--objects", "--stdin")
_TIMEOUT = 600.0


def missing(repo: Repository, tips: Iterable[Oid]) -> Iterator[RelayError]:
    """One problem for each object. A damaged one is told by its file, and git may stop there.

    What a partial clone left with its remote is not missing, nor what is beyond a shallow one.
    """
    wanted = "".join(f"{tip}\n" for tip in dict.fromkeys(tips))
    if not wanted:
        return
    mode = "--missing=allow-promisor" if _is_partial(repo) else "--missing=print"
    result = repo.git(*_QUERY, mode, input=wanted.encode(), timeout=_TIMEOUT, check=False)
    said = "; ".join(_SAID.findall(result.stderr.decode("utf-8", "replace")))
    for line in result.stdout.decode("ascii").splitlines():
        if line[3:] not in said:
            yield MissingObject(Oid(line[1:]))
    if result.code or said:
        yield _problem(said)


def _is_partial(repo: Repository) -> bool:
    asked = ("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$")
    return repo.git(*asked, check=False).code == 0


def _problem(said: str) -> RelayError:
    unread = _UNREAD.match(said)
    return MissingObject(unread[1]) if unread else RelayError(said or "git cannot walk the objects")
