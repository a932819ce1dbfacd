"""An optional rule that counts names: too many new ones at once, or too many lost.

A guess and no more, so nothing uses it unless asked: an ordinary step may well add many names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from relay_git.pipeline.codes import Code, PipelineError, quoted
from relay_git.pipeline.frozen import Json
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.rules import Checked, Finding, Rule

_SHORTEST, _LONGEST = 3, 99
_NAMING = frozenset(("entity", "entities", "subject", "object", "name", "id", "identifier"))


def entity_drift(fabricated: float | None = 2.0, lost: int | None = 3) -> Rule:
    """Of the texts of 3 to 99 characters at any depth, and of what stands at keys like `name`: at
    most `fabricated` new ones for each that went, and at most `lost` that went for none that came.
    None sets no limit. A payload without any before is no drift. Raises `PipelineError`
    (INVALID_SETTING)."""
    for limit in (fabricated, lost):
        if limit is not None and not _is_limit(limit):
            raise PipelineError(Code.INVALID_SETTING, f"a limit of {quoted(limit)} names")

    def check(before: Mapping[str, Json], after: Mapping[str, Json], manifest: Manifest) -> Checked:
        known, now = set(_entities(before)), set(_entities(after))
        came, went = len(now - known), len(known - now)
        found = []
        if fabricated is not None and known and went and came / went > fabricated:
            found.append(f"{came} new names for {went} that went")
        if lost is not None and went > lost and not came:
            found.append(f"{went} names went and none came")
        findings = tuple(Finding(Code.ENTITY_DRIFT, None, reason) for reason in found)
        return Checked(len(known), findings)

    return check


def _is_limit(limit: object) -> bool:
    return isinstance(limit, int | float) and not isinstance(limit, bool) and limit >= 0


def _entities(value: object, naming: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if naming or _SHORTEST <= len(value) <= _LONGEST:
            yield value.strip().casefold()
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entities(inner, key in _NAMING)
    elif isinstance(value, list):
        for inner in value:
            yield from _entities(inner, naming)
