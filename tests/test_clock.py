"""Times of ours, read without the library that would take a millisecond to import."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_git import clock


@given(st.integers(0, 253_402_300_799))
def test_what_is_written_is_read(seconds: int) -> None:
    """Up to the end of the year 9999."""
    assert clock.parse_iso(clock.isoformat(seconds)) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "2026-04-28", "2026-04-28T09:30:00", "2026-04-28 09:30:00Z", "2026-13-01T00:00:00Z", "x"],
)
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        clock.parse_iso(text)
