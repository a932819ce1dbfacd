"""What every command is given."""

from __future__ import annotations

import sys
from functools import cached_property

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
        """The repository, after what an earlier command was stopped in has been completed."""
        if pending.all_pending(self.as_it_is):
            _complete(self.as_it_is)
        return self.as_it_is

    @cached_property
    def as_it_is(self) -> Workspace:
        return Workspace(discover(self.directory))


def _complete(ws: Workspace) -> None:
    """What cannot be done now stays pending."""
    from relay_git.workflow.settle import settle_pending

    try:
        settled = settle_pending(ws)
    except RelayError as error:
        sys.stderr.write(f"git relay: a finished run cannot be settled yet: {error}\n")
        return
    for item in settled:
        sys.stderr.write(f"git relay: settled {item.run}, which was left unsettled\n")
