"""The values of sections, each decoded once for as long as its bytes are in use."""

from __future__ import annotations

from collections.abc import Mapping

from relay_git import names
from relay_git.pipeline.frozen import Json, freeze
from relay_git.pipeline.sections import Output, decode


class Decoded:
    """Read-only values by the bytes of their sections."""

    def __init__(self) -> None:
        self._known: dict[bytes, Json] = {}

    def values(self, contents: Mapping[str, bytes | None]) -> dict[str, Json]:
        """Of the sections that are there. Raises `Corrupt`."""
        there = {name: data for name, data in contents.items() if data is not None}
        return {name: self._value(name, data) for name, data in there.items()}

    def learn(self, output: Output) -> None:
        """The sections that an output writes."""
        there = {name: data for name, data in output.contents.items() if data is not None}
        self._known |= {data: output.values[name] for name, data in there.items()}

    def keep(self, contents: Mapping[str, bytes]) -> None:
        """Forget all other sections."""
        known = self._known
        self._known = {data: known[data] for data in contents.values() if data in known}

    def _value(self, name: str, data: bytes) -> Json:
        known = self._known
        if data not in known:
            known[data] = freeze(decode(data, names.section_path(name)))
        return known[data]
