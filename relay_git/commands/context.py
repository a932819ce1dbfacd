"""What every command is given."""

from __future__ import annotations

import sys
from functools import cached_property

from relay_git import arriving, files
from relay_git.errors import RelayError
from relay_git.git.repo import discover
from relay_git.output import Output
from relay_git.workflow import pending
from relay_git.workspace import Workspace


class Context:
    """`directory` is where the command was asked to run, `json` whether a program reads it."""

    def __init__(self, directory: str = ".", json: bool = False) -> None:
        self.directory = directory
        self.json = json
        self.out = Output()

    @cached_property
    def workspace(self) -> Workspace:
        """The repository, after what a fetch of git's own brought has been taken in, and what an
        earlier command was stopped in has been completed."""
        if arriving.waiting(self.as_it_is) and _take_in(self.as_it_is):
            self._look_again()
        if pending.all_pending(self.as_it_is) and _complete(self.as_it_is):
            self._look_again()
        return self.as_it_is

    def _look_again(self) -> None:
        """This worktree's run may stand elsewhere now."""
        self.as_it_is.store.close()
        del self.as_it_is

    @cached_property
    def as_it_is(self) -> Workspace:
        return _opened(self.directory)


def _opened(directory: str) -> Workspace:
    """Raises `RelayError` where our folder in the git directory is a link: we follow none."""
    ws = Workspace(discover(directory))
    for folder in {ws.common_path(), ws.git_path()}:
        files.refuse_link(folder)
    return ws


def _take_in(ws: Workspace) -> bool:
    """Whether anything was. What cannot be done now waits on."""
    from relay_git.redact import redact
    from relay_git.sync.telling import arrived

    try:
        lines = [line for report in arriving.take_in(ws) for line in arrived(report)]
    except RelayError as error:
        lines = [f"what was fetched is not taken in yet: {error}"]
    for line in lines:
        sys.stderr.write(f"git relay: {redact(line)[0]}\n")
    return bool(lines)


def _complete(ws: Workspace) -> bool:
    """Whether anything was. What cannot be done now stays pending."""
    from relay_git.workflow.settle import settle_pending

    try:
        settled = settle_pending(ws)
    except RelayError as error:
        sys.stderr.write(f"git relay: a finished run cannot be settled yet: {error}\n")
        return True
    for item in settled:
        sys.stderr.write(f"git relay: settled {item.run}, which was left unsettled\n")
    return bool(settled)
