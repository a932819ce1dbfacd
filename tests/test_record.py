"""Frozen values behave as a frozen dataclass does."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from functools import cached_property
from inspect import signature
from pydoc import render_doc
from typing import Any

import pytest

from relay_git.record import EMPTY, Record, as_dict, values


class Point(Record):
    x: int
    y: int = 0


class Place(Point):
    name: str = "here"

    @cached_property
    def shown(self) -> str:
        return f"{self.name} at {self.x},{self.y}"


class Checked(Record):
    count: int

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError(f"{self.count} is negative")


class Holder(Record):
    items: Mapping[str, Any] = EMPTY


def test_fields_are_given_by_place_or_by_name_and_have_defaults() -> None:
    assert (Point(1).x, Point(1).y) == (1, 0)
    assert Point(1, 2) == Point(y=2, x=1)


@pytest.mark.parametrize(
    ("given", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 2}), ((1,), {"z": 2})]
)
def test_missing_surplus_and_unknown_fields_are_type_errors(
    given: tuple[int, ...], named: dict[str, int]
) -> None:
    with pytest.raises(TypeError):
        Point(*given, **named)


def test_a_value_can_be_neither_changed_nor_taken_out() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match=r"Point\.x cannot be changed"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match=r"Point\.x cannot be taken out"):
        del point.x
    with pytest.raises(AttributeError):
        setattr(point, "new", 2)  # noqa: B010
    assert point == Point(1)


def test_equality_is_by_value_and_by_type() -> None:
    assert Point(1) == Point(1, 0)
    assert Point(1) != Point(2)
    assert Point(1) != Place(1)
    assert Point(1) != (1, 0)


def test_equal_values_have_one_hash() -> None:
    assert len({Point(1), Point(1, 0), Point(2)}) == 2
    assert hash(Point(1)) != hash(Place(1))


def test_a_value_that_holds_a_mapping_cannot_be_hashed_but_compared() -> None:
    assert Holder({"a": 1}) == Holder({"a": 1})
    with pytest.raises(TypeError):
        hash(Holder({"a": 1}))


def test_a_subclass_adds_fields_after_those_it_inherits() -> None:
    place = Place(1, 2, "home")
    assert as_dict(place) == {"x": 1, "y": 2, "name": "home"}
    assert list(values(place)) == [1, 2, "home"]
    assert repr(place) == "Place(x=1, y=2, name='home')"


def test_what_was_computed_is_no_part_of_the_value() -> None:
    place = Place(1)
    assert place.shown == "here at 1,0"
    assert place == Place(1)
    assert as_dict(place) == as_dict(Place(1))
    assert place.replace(name="there").shown == "there at 1,0"


def test_replace_makes_another_and_checks_it() -> None:
    checked = Checked(1)
    assert checked.replace(count=2) == Checked(2)
    assert checked == Checked(1)
    with pytest.raises(ValueError, match="negative"):
        checked.replace(count=-1)
    with pytest.raises(TypeError):
        checked.replace(other=1)


def test_values_are_checked_when_they_are_made() -> None:
    with pytest.raises(ValueError, match="-1 is negative"):
        Checked(-1)


def test_the_default_mapping_cannot_be_written() -> None:
    with pytest.raises(TypeError):
        Holder().items["a"] = 1  # type: ignore[index]


def test_fields_are_matched_by_name_and_in_their_order() -> None:
    match Place(3, name="there"):
        case Point(x=x, y=0):
            assert x == 3
        case _:
            pytest.fail("the pattern does not match")
    match Place(3, 4, "there"):
        case Place(x, 4, name):
            assert (x, name) == (3, "there")
        case _:
            pytest.fail("the pattern does not match")


def test_a_class_shows_what_it_is_made_of_before_there_is_a_value() -> None:
    class Fresh(Point):
        note: str = "none"

    assert str(signature(Fresh)) == "(x: 'int', y: 'int' = 0, note: 'str' = 'none')"
    assert Fresh(1).note == "none"
    assert "note: 'str' = 'none'" in render_doc(Fresh)


def test_a_value_survives_copying_and_pickling() -> None:
    for again in (copy.deepcopy(Place(1, 2)), pickle.loads(pickle.dumps(Place(1, 2)))):
        assert again == Place(1, 2)
