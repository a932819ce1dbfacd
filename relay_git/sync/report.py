"""What a sync did and what it could not do, as data."""

from __future__ import annotations

from relay_git.names import RefName
from relay_git.record import Record


class Trouble(Record):
    """A ref, and in one line what is the matter with it."""

    ref: RefName
    reason: str


class Report(Record):
    """`taken` are new or further here, `merged` had diverged, `ended` are gone here since they are
    kept elsewhere, `rewritten` are without what was purged. `sent` and `removed` are so at the
    remote. `apart` is not merged, `unsent` not at the remote; `unknown` are refs that another
    version may know. `unreached` says why the remote could not be asked, or not for all."""

    remote: str
    taken: tuple[RefName, ...] = ()
    merged: tuple[RefName, ...] = ()
    ended: tuple[RefName, ...] = ()
    rewritten: tuple[RefName, ...] = ()
    sent: tuple[RefName, ...] = ()
    removed: tuple[RefName, ...] = ()
    apart: tuple[Trouble, ...] = ()
    unsent: tuple[Trouble, ...] = ()
    unknown: tuple[RefName, ...] = ()
    unreached: str | None = None

    @property
    def ok(self) -> bool:
        return not (self.apart or self.unsent or self.unreached)

    def then(self, later: Report) -> Report:
        """Both together: what was done adds up, what could not be is as it was in the end."""
        done = ("taken", "merged", "ended", "rewritten", "sent", "removed")
        both = {name: getattr(self, name) + getattr(later, name) for name in done}
        return later.replace(**{name: tuple(dict.fromkeys(refs)) for name, refs in both.items()})
