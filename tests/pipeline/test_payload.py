"""Sections as bytes: the same value is the same bytes, and comes back as it was."""

from __future__ import annotations

import copy
import heapq
import json
import pickle
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relay_git.errors import Corrupt
from relay_git.pipeline import PipelineError, thaw
from relay_git.pipeline.decoded import Decoded
from relay_git.pipeline.diff import Change, diff, same
from relay_git.pipeline.frozen import Frozen, FrozenDict, FrozenList, another, freeze
from relay_git.pipeline.sections import (
    applied,
    decode,
    encode,
    json_of,
    read_output,
    text_of,
)

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(JSON.filter(lambda value: value is not None))
def test_a_value_comes_back_as_it_was_and_is_always_the_same_bytes(value: Any) -> None:
    data = encode(value)
    back = decode(data, "here")
    assert same(back, value)
    assert encode(back) == data
    assert encode(freeze(value)) == data


@settings(max_examples=300, deadline=None)
@given(JSON.filter(lambda value: value is not None))
def test_the_json_of_a_section_is_its_bytes_without_line_breaks(value: Any) -> None:
    output = read_output({"A": value})
    one_line = encode(value).decode().replace(",\n", ", ").replace("\n", "")
    assert one_line == json_of(value) == json_of(freeze(value)) == json_of(output.values["A"])
    assert output.contents["A"] == encode(value)
    assert text_of(output.values["A"]) == text_of(value)
    assert same(output.values["A"], freeze(value))


def test_git_sees_a_line_for_each_item() -> None:
    assert encode({"b": [1, 2], "a": "é"}) == '{\n"a": "é",\n"b": [1, 2]\n}\n'.encode()
    assert encode([{"y": 1, "x": 2}, 3]) == b'[\n{"x": 2, "y": 1},\n3\n]\n'
    assert (encode("t"), encode([]), encode({})) == (b'"t"\n', b"[]\n", b"{}\n")


def test_what_is_written_otherwise_is_otherwise() -> None:
    assert len({encode(value) for value in (1, 1.0, True, "1")}) == 4
    assert encode("\u00e9") != encode("e\u0301")
    assert decode(encode("e\u0301"), "here") == "e\u0301"


@pytest.mark.parametrize(
    "data", [b'{"a": 1, "a": 2}', b"NaN", b"null", b"\xff", b"", b"[1", b"[" * 100_000]
)
def test_what_is_no_section_is_refused(data: bytes) -> None:
    with pytest.raises(Corrupt):
        decode(data, "here")


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def circle() -> Any:
    value: list[Any] = [1]
    value.append({"again": value})
    return value


@pytest.mark.parametrize(
    "value",
    [
        *({"a": (1, 2)}, {1: 2}, {1: "a", "1": "b"}, {"a": [{None: 1}]}, {"a": {"b": {1}}}),
        *(float("inf"), [float("nan")], object(), b"a", {"a": b"a"}, [{1, 2}]),
        *("\ud800", ["\ud800"], {"\ud800": 1}, deep(101), deep(5_000), circle()),
    ],
)
def test_what_is_no_json_is_no_output_and_its_section_is_named(value: Any) -> None:
    with pytest.raises(PipelineError, match="section 'NOTES'"):
        read_output({"NOTES": value})


@pytest.mark.parametrize("value", [deep(101), circle()], ids=["deep", "circle"])
def test_what_is_nested_too_deep_is_told_as_that(value: Any) -> None:
    with pytest.raises(PipelineError, match="section 'NOTES': nested deeper than 100"):
        read_output({"NOTES": value})


def test_what_is_json_in_another_coat_is_an_output() -> None:
    class Name(str):
        pass

    given = MappingProxyType({"b": OrderedDict(y=1, x=[Name("a"), True]), "a": deep(99)})
    output = read_output({"A": given})
    assert output.contents["A"] == encode(dict(given))
    written: Any = output.values["A"]
    assert same(written, freeze(json.loads(json.dumps(dict(given)))))
    assert type(written["b"]["x"][0]) is str


def test_what_is_read_shares_nothing_with_what_was_given() -> None:
    given = freeze({"TEXTS": ["b", "a"], "DEEP": {"a": [[1]]}})
    output = read_output(given)
    heapq.heappush(given["TEXTS"], "c")
    heapq.heappush(given["DEEP"]["a"][0], 2)
    assert output.values == {"TEXTS": ["b", "a"], "DEEP": {"a": [[1]]}}


@pytest.mark.parametrize("name", ["", "a/b", ".git", "..", "x" * 120, "a b", 7])
def test_a_name_that_no_file_can_have_is_refused(name: Any) -> None:
    with pytest.raises(PipelineError):
        read_output({name: 1})


def test_changes_are_applied_in_order_of_the_names() -> None:
    after = applied({"B": b"1\n", "C": b"2\n"}, {"A": b"0\n", "C": None})
    assert list(after.items()) == [("A", b"0\n"), ("B", b"1\n")]


# Read-only


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(a=1),
        lambda d: d.pop("list"),
        lambda d: d.clear(),
        lambda d: d.popitem(),
        lambda d: d.setdefault("b", 1),
        lambda d: d.__setitem__("a", 1),
        lambda d: d.__delitem__("list"),
        lambda d: d.__ior__({"a": 1}),
        lambda d: d["list"].append(1),
        lambda d: d["list"].extend([1]),
        lambda d: d["list"].insert(0, 1),
        lambda d: d["list"].remove(1),
        lambda d: d["list"].pop(),
        lambda d: d["list"].clear(),
        lambda d: d["list"].sort(),
        lambda d: d["list"].reverse(),
        lambda d: d["list"].__setitem__(0, 1),
        lambda d: d["list"].__delitem__(0),
        lambda d: d["list"].__iadd__([1]),
        lambda d: d["list"].__imul__(2),
        lambda d: d["list"][1].update(a=2),
    ],
)
def test_nothing_frozen_can_be_changed(change: Any) -> None:
    frozen = freeze({"list": [1, {"a": 1}]})
    with pytest.raises(TypeError, match="read-only"):
        change(frozen)
    assert frozen == {"list": [1, {"a": 1}]}


def test_copies_are_plain_and_what_was_frozen_no_longer_follows_its_source() -> None:
    source: dict[str, Any] = {"list": [1, {"a": 1}]}
    frozen = freeze(source)
    source["list"].append(2)
    assert frozen == {"list": [1, {"a": 1}]}
    for plain in (thaw(frozen), copy.deepcopy(frozen), pickle.loads(pickle.dumps(frozen))):
        assert type(plain) is dict and type(plain["list"]) is list
        plain["list"][1]["a"] = 2
    assert json.dumps(frozen) == '{"list": [1, {"a": 1}]}'
    assert isinstance(frozen, FrozenDict) and isinstance(frozen["list"], FrozenList)


def test_another_copy_shares_nothing_that_can_be_changed_from_c() -> None:
    source = freeze({"list": ["b", "c"], "inner": [["d"], {"e": ["f"]}]})
    copied = another(source)
    assert same(copied, source)
    heapq.heappush(copied["list"], "a")
    list.append(copied["inner"][0], "more")
    dict.clear(copied["inner"][1])
    assert source == {"list": ["b", "c"], "inner": [["d"], {"e": ["f"]}]}
    assert isinstance(copied["list"], Frozen) and isinstance(copied["inner"][0], Frozen)


def test_a_section_is_decoded_once_while_it_is_in_use() -> None:
    known, contents = Decoded(), {"A": encode(["a"]), "B": encode(["b"]), "C": b"1\n"}
    first = known.values(contents)
    again = known.values({**contents, "D": None})
    assert again == first == {"A": ["a"], "B": ["b"], "C": 1}
    assert again["A"] is first["A"]
    known.keep({"A": contents["A"]})
    third = known.values(contents)
    assert third["A"] is first["A"] and third["B"] is not first["B"]
    assert third == first
    with pytest.raises(Corrupt, match=r"not a section"):
        known.values({"X": b"{"})


# Differences


def test_a_diff_names_sections_and_the_values_inside_them() -> None:
    before = {"A": {"x": [1, 2], "y": 1}, "B": 1, "C": 1}
    after = {"A": {"x": [1, 3, 4]}, "B": 1.0, "D": None}
    found = diff(before, after)  # type: ignore[arg-type]
    assert (found.added, found.removed, found.modified) == (("D",), ("C",), ("A", "B"))
    assert found.sections == ("A", "B", "C", "D")
    assert found.changes == (
        Change("A/x/1", "modified", 2, 3),
        Change("A/x/2", "added", after=4),
        Change("A/y", "removed", before=1),
        Change("B", "modified", 1, 1.0),
        Change("C", "removed", before=1),
        Change("D", "added"),
    )
