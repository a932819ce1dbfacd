"""What each rule finds, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from relay_git.pipeline import (
    Checked,
    Code,
    Finding,
    Manifest,
    Rule,
    critical,
    entity_drift,
    pinned,
    schemas,
    size_bounds,
)
from relay_git.pipeline.frozen import freeze
from relay_git.pipeline.validator import validate

MANIFEST = Manifest("a", writes=["FACTS", "PLAN"])


class Plan(BaseModel):
    title: str
    steps: list[int]


def codes(rule: Rule, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [finding.code for finding in rule(freeze(before), freeze(after), MANIFEST).findings]


@pytest.mark.parametrize(
    ("path", "before", "after", "kept"),
    [
        ("FACTS", ["a", "b"], ["b", "a", "c"], True),
        ("FACTS", ["a", "a"], ["a"], False),
        ("FACTS", [1], [1.0], False),
        ("FACTS", {"x": 1, "y": ["p"]}, {"x": 1, "y": ["p", "q"], "z": 2}, True),
        ("FACTS", {"x": 1}, {"x": 2}, False),
        ("FACTS", {"x": 1}, {}, False),
        ("FACTS", "text", "another", False),
        ("FACTS", ["a"], {"0": "a"}, False),
        ("FACTS/x", {"x": 1, "y": 1}, {"x": 1, "y": 2}, True),
        ("FACTS/x", {"x": 1}, {"y": 1}, False),
        ("FACTS/0/id", [{"id": 1}], [{"id": 1, "more": 2}], True),
        ("FACTS/0/id", [{"id": 1}], [{"id": 2}], False),
        ("FACTS/absent", {"x": 1}, {"x": 2}, True),
        ("PLAN", ["a"], ["b"], True),
    ],
)
def test_what_is_pinned_may_only_be_added_to(
    path: str, before: Any, after: Any, kept: bool
) -> None:
    found = codes(pinned(path), {"FACTS": before}, {"FACTS": after})
    assert found == ([] if kept else [Code.PIN_DROPPED])


def test_a_pinned_section_cannot_be_taken_out() -> None:
    assert codes(pinned("FACTS"), {"FACTS": []}, {}) == [Code.PIN_DROPPED]


def test_a_critical_section_stays_once_it_is_there() -> None:
    assert codes(critical("FACTS"), {"FACTS": 1}, {}) == [Code.CRITICAL_REMOVED]
    assert codes(critical("FACTS"), {"FACTS": 1}, {"FACTS": ""}) == []
    assert codes(critical("FACTS"), {}, {}) == []


def test_sections_are_measured_in_bytes() -> None:
    assert codes(size_bounds(4), {}, {"FACTS": "éé"}) == []
    assert codes(size_bounds(4), {}, {"FACTS": "ééa"}) == [Code.SECTION_TOO_LARGE]


@pytest.mark.parametrize("schema", [Plan, Plan.model_json_schema()])
def test_a_schema_is_a_model_or_json_schema(schema: Any) -> None:
    rule = schemas({"PLAN": schema})
    assert codes(rule, {}, {"PLAN": {"title": "t", "steps": [1]}}) == []
    found = rule({}, freeze({"PLAN": {"title": 7, "steps": ["x"]}}), MANIFEST).findings
    assert [(finding.code, finding.section) for finding in found] == [
        (Code.SCHEMA_VIOLATED, "PLAN"),
        (Code.SCHEMA_VIOLATED, "PLAN"),
    ]
    assert "title" in found[0].reason and "steps/0" in found[1].reason
    assert rule({}, {}, MANIFEST) == Checked(0)


def test_three_short_texts_more_are_no_drift_but_invented_ones_for_lost_ones_are() -> None:
    rule = entity_drift()
    assert codes(rule, {"FACTS": ["one"]}, {"FACTS": ["one", "two", "three", "four"]}) == []
    assert codes(rule, {"FACTS": ["one"]}, {"FACTS": ["two", "three", "four"]}) == [
        Code.ENTITY_DRIFT
    ]
    assert codes(rule, {"FACTS": ["one", "two", "three", "four"]}, {}) == [Code.ENTITY_DRIFT]
    assert codes(entity_drift(None, None), {"FACTS": ["one", "two", "three", "four"]}, {}) == []
    assert codes(rule, {"FACTS": {"name": "x"}}, {"FACTS": ["a" * 100] * 9}) == []


def confidence(before: dict[str, Any], after: dict[str, Any], *rules: Rule) -> float:
    return validate(rules, freeze(before), freeze(after), MANIFEST, 1).confidence


def test_confidence_is_the_share_of_rules_that_had_something_to_check_and_passed() -> None:
    pins, bad = pinned("PLAN"), critical("PLAN")
    assert confidence({}, {"FACTS": 1}) == 1
    assert confidence({}, {"FACTS": 1}, pins) == pytest.approx(2 / 3)
    assert confidence({"PLAN": 1}, {"FACTS": 1, "PLAN": 1}, pins) == 1
    assert confidence({"PLAN": 1}, {"FACTS": 1}, pins, bad) == pytest.approx(2 / 4)
    assert confidence({"PLAN": 1}, {"PLAN": 1}, pins) == 0
    assert confidence({}, {"FACTS": [" ", {"a": ""}]}) == 0


def test_weights_count() -> None:
    def heavy(before: Any, after: Any, manifest: Manifest) -> Checked:
        return Checked(1, (Finding(Code.PIN_DROPPED, None, "no"),), weight=6)

    report = validate([heavy], {}, freeze({"FACTS": 1}), MANIFEST, 1)
    assert report.confidence == pytest.approx(2 / 8)
    assert (report.ok, report.reason) == (False, "no")
