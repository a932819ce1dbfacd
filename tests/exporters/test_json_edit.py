"""Only the one item is new: characters before and after it stay, whatever the layout."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_git.exporters.json_edit import append, parse

ITEM = {"do": ["x"]}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_what_is_missing_is_made() -> None:
    assert append("{}\n", ("a", "b"), 1) == '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": []}', '{"a": [\n  1\n]}'),
        ('{"a": [0]}', '{"a": [0, 1]}'),
        ('{\n\t"a": [\n\t\t0\n\t]\n}', '{\n\t"a": [\n\t\t0,\n\t\t1\n\t]\n}'),
        ('{\n    "z": 0,\n    "a": [ ]\n}', '{\n    "z": 0,\n    "a": [\n        1\n    ]\n}'),
        ('{\n  "z": 0\n\n}\n\n', '{\n  "z": 0,\n  "a": [\n    1\n  ]\n\n}\n\n'),
        ('{\r\n  "a": [\r\n    0\r\n  ]\r\n}', '{\r\n  "a": [\r\n    0,\r\n    1\r\n  ]\r\n}'),
        ('\ufeff{"z": "]}\\"", "a": [0]}', '\ufeff{"z": "]}\\"", "a": [0, 1]}'),
        (' { "z" : {"a":[2]} , "a" :[ 0 ] } ', ' { "z" : {"a":[2]} , "a" :[ 0, 1 ] } '),
    ],
)
def test_the_layout_is_kept(text: str, expected: str) -> None:
    assert append(text, ("a",), 1) == expected


@given(st.dictionaries(st.text(), VALUES, max_size=3), st.sampled_from([None, 1, 4, "\t"]))
def test_everything_else_stays(other: dict[str, Any], indent: int | str | None) -> None:
    value = {**other, "hooks": {**other, "Start": [*other.values()]}, "last": 1.50}
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    new = append(text, ("hooks", "Start"), ITEM)
    value["hooks"]["Start"].append(ITEM)
    assert parse(new) == value
    kept = iter(new)
    assert all(character in kept for character in text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1}', "'a' is not an object"),
        ('{"a": []}', "'a' is not an object"),
        ('{"a": {"b": {}}}', "'a.b' is not a list"),
        ('{"a": {"b": null}}', "'a.b' is not a list"),
        ('{"a": {}, "a": {}}', "'a' occurs twice"),
    ],
)
def test_what_is_in_the_way_is_named(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        append(text, ("a", "b"), 1)


@pytest.mark.parametrize("text", ["", "[]", "1", '{"a": 1,}', '{"a": 1 // why\n}', "{'a': 1}"])
def test_what_is_not_a_json_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)
