"""What is printed: nothing from elsewhere can steer the terminal that it is printed to."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from flow import call

from relay_git.output import Output

STEERING = "\x1b[31m \x07 \x7f \x9b2J \u2028 \u202e \u2066 \r"


def test_json_says_the_same_without_the_characters_themselves() -> None:
    stream = io.StringIO()
    value = {STEERING: [f"é \U0001f600 {STEERING}", None]}
    Output(stream).json(value)
    assert json.loads(stream.getvalue()) == value
    assert set(stream.getvalue()).isdisjoint(set(STEERING) - set("31m[2J "))
    assert "é \U0001f600" in stream.getvalue()


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_error_quotes_what_it_is_about(repo_path: Path, options: list[str]) -> None:
    answer = call(repo_path, "purge", "--yes", "--literal-file", STEERING.strip(), *options)
    assert answer.code == 1
    assert "there is no such file" in answer.err
    assert set(answer.out + answer.err).isdisjoint(set(STEERING) - set("31m[2J "))
