"""Python's own reader gets back what was written, whatever it is."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from relay_git.exporters.toml import dump

TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text('"\\\n\r\x7f a')


@given(TEXTS)
@example('"""')
@example('\n""""""')
@example('\n\\"')
@example("\nends in a backslash\\")
@example("\r\n")
def test_any_text_comes_back(text: str) -> None:
    assert tomllib.loads(dump([("a", text), ("b", "next")])) == {"a": text, "b": "next"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('say "no"', '"say \\"no\\""'),
        ('say "no"\nC:\\x', '"""\nsay "no"\nC:\\\\x"""'),
        ('the last "word"\nis "no"', '"""\nthe last "word"\nis "no\\""""'),
        ("bell \x07\n", '"""\nbell \\u0007\n"""'),
    ],
)
def test_a_text_stays_readable(text: str, written: str) -> None:
    assert dump([("a", text)]) == f"a = {written}\n"
