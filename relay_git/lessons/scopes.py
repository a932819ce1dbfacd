"""What the headings above a part of a review have announced about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from relay_git.lessons import evidence
from relay_git.lessons.headings import Announces
from relay_git.lessons.lead import Lead
from relay_git.lessons.model import Severity

EXPECTING: tuple[Announces, ...] = ("findings", "advice", "plan")
_DEFAULTS: dict[Announces, Severity] = {"findings": "warn", "advice": "info"}


@dataclass(frozen=True, slots=True)
class Scope:
    """What the headings above have announced."""

    announces: Announces = "topic"
    severity: Severity | None = None
    blamed: bool = False
    """Whether most of the listed sections beside each other are findings by their words."""
    alike: bool = False
    """Whether most of the sections beside each other are one finding each."""
    again: bool = False
    """Whether this goes over the findings of an earlier round: those settled are none."""

    def but(self, **changes: Any) -> Scope:
        """The same but for these fields; itself where they are so already, as is most common."""
        if all(getattr(self, name) == value for name, value in changes.items()):
            return self
        return replace(self, **changes)

    @property
    def expects(self) -> bool:
        return self.announces in EXPECTING

    def own(self, lead: Lead, level: Severity | None) -> Severity | None:
        """The level that a finding states; `P1` to `P7` below `Polish` only number it."""
        return None if lead.ordinal and self.severity == "info" else level

    def default(self, lead: Lead) -> Severity:
        """How bad a finding here is that does not say so itself."""
        fallback = "info" if evidence.is_soft(lead) else _DEFAULTS.get(self.announces, "warn")
        return self.severity or lead.hint or fallback
