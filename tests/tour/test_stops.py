"""The stops fit the template and its example, word for word."""

from __future__ import annotations

import shlex
from pathlib import Path

from relay_git.commands import COMMANDS
from relay_git.tour.stops import STOPS, TEMPLATE, Run, Write
from relay_git.workflow.definition import load_workflow

ROOT = Path(__file__).parents[2] / "templates" / TEMPLATE
ACTS = [act for stop in STOPS for act in stop.acts]


def test_every_step_of_the_example_is_played_in_order() -> None:
    played = [act.step for act in ACTS if isinstance(act, Write)]
    assert played == sorted(path.name for path in (ROOT / "example" / "steps").iterdir())


def test_the_roles_are_those_of_the_workflow() -> None:
    stages = load_workflow(str(ROOT)).workflow.stages
    for act in ACTS:
        if isinstance(act, Write):
            assert act.role == stages[act.step.partition("-")[2]].role


def test_the_commands_are_commands() -> None:
    lines = [shlex.split(act.line) for act in ACTS if isinstance(act, Run)]
    ours = [words[2] for words in lines if words[:2] == ["git", "relay"]]
    assert set(ours) <= set(COMMANDS)
    assert ours.count("advance") == 8


def test_a_stop_is_said_in_a_sentence_or_two() -> None:
    for stop in STOPS:
        assert stop.acts
        assert 1 <= stop.why.count(". ") + stop.why.endswith(".") <= 2
        assert len(stop.why) <= 200
