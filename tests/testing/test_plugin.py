"""The pytest plugin, in real runs of pytest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import pytest
from relay_git.pipeline import Code, Failure, Fork, Manifest, Pipeline, memory_steps, pinned

WRITER = Manifest("writer", reads=["FACTS"], writes=["FACTS"])
FACTS = {"FACTS": ["red", "green"]}
marked = pytest.mark.relay_pipeline(payload=FACTS, rules=[pinned("FACTS")], token_budget=500)


def saying(**changes):
    return lambda given, manifest: changes
"""

GOOD = """
def test_it_is_a_new_pipeline_in_memory(relay_pipeline):
    assert (relay_pipeline.head.step, relay_pipeline.head.payload) == (1, {})
    relay_pipeline.step_sync(WRITER, saying(FACTS=1)).unwrap()


def test_it_is_another_one_in_the_next_test(relay_pipeline):
    assert (relay_pipeline.head.step, relay_pipeline.head.payload) == (1, {})


@marked
def test_a_marker_has_its_options(relay_pipeline, snapshot_at):
    assert relay_pipeline.head.payload == FACTS
    assert relay_pipeline.head.budget_total == 500
    assert snapshot_at(1) == relay_pipeline.head


@marked
@pytest.mark.parametrize("by", ["number", "result"])
def test_steps(relay_pipeline, assert_clean_handoff, assert_rolled_back, snapshot_at, by):
    manifest = WRITER.replace(max_output=50)
    clean = relay_pipeline.step_sync(manifest, saying(FACTS=["red", "green", "blue"]))
    bad = relay_pipeline.step_sync(manifest, saying(FACTS=["blue"]))
    at = assert_clean_handoff(2 if by == "number" else clean)
    assert at == snapshot_at(2) == clean.unwrap()
    back = assert_rolled_back(3 if by == "number" else bad, Code.PIN_DROPPED)
    assert back.payload == at.payload
    assert_rolled_back(relay_pipeline.rollback(1))


def test_results_of_another_pipeline(assert_clean_handoff, assert_rolled_back):
    other = Pipeline.open(memory_steps(), "other")
    assert_clean_handoff(other.step_sync(WRITER, saying(FACTS=1)))
    assert_rolled_back(other.step_sync(WRITER, saying(PLAN=1)))
    assert_clean_handoff(other.fork_sync([Fork("a", WRITER, saying(FACTS=2))]))


class TestInAClass:
    @marked
    def test_too(self, relay_pipeline):
        assert relay_pipeline.head.payload == FACTS
"""

BAD = """
@marked
@pytest.mark.parametrize("by", ["number", "result"])
def test_dropped(relay_pipeline, assert_clean_handoff, by):
    manifest = WRITER.replace(max_output=50)
    step = relay_pipeline.step_sync(manifest, saying(FACTS=["green", {"a": "x" * 90}]))
    assert_clean_handoff(2 if by == "number" else step)


@marked
@pytest.mark.parametrize("by", ["number", "result"])
def test_accepted(relay_pipeline, assert_rolled_back, by):
    many = ["red", "green", *range(30)]
    step = relay_pipeline.step_sync(WRITER.replace(max_output=200), saying(FACTS=many))
    assert_rolled_back(2 if by == "number" else step)


@marked
def test_other_code(relay_pipeline, assert_rolled_back):
    step = relay_pipeline.step_sync(WRITER.replace(max_output=50), saying(FACTS=[]))
    assert_rolled_back(step, Code.SCHEMA_VIOLATED)


@marked
def test_over_budget(relay_pipeline, assert_rolled_back):
    assert_rolled_back(relay_pipeline.step_sync(WRITER, saying(FACTS=[])))


@pytest.mark.relay_pipeline({"FACTS": []})
def test_no_such_option(relay_pipeline):
    pass


def test_no_step(snapshot_at):
    snapshot_at(7)


def test_start(assert_clean_handoff):
    assert_clean_handoff(1)


def test_by_hand(relay_pipeline, assert_clean_handoff):
    relay_pipeline.step_sync(WRITER, saying(FACTS=1)).unwrap()
    relay_pipeline.rollback(1)
    assert_clean_handoff(3)
"""

COLD = """
import sys

def test_nothing_was_imported():
    assert "relay_git.testing.plugin" in sys.modules
    ours = {name for name in sys.modules if name.startswith("relay_git")}
    assert ours == {"relay_git", "relay_git.testing", "relay_git.testing.plugin"}
    assert not {"cryptography", "pygit2", "pydantic", "opentelemetry"} & set(sys.modules)
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run these tests as a process of its own, with this plugin and those that are named."""

    def run(tests: str, *args: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=tests)
        return pytester.runpytest_subprocess("-p", "relay_git.testing.plugin", *args)

    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return run


def test_the_fixtures_do_as_they_say(run: Run) -> None:
    run(TESTS + GOOD, "--strict-markers", "-W", "error").assert_outcomes(passed=7)


def test_each_process_of_xdist_has_its_own(run: Run) -> None:
    result = run(TESTS + GOOD, "-p", "xdist.plugin", "-n", "2", "--strict-markers")
    result.assert_outcomes(passed=7)


def test_what_fails_shows_why_and_what_would_have_changed(run: Run) -> None:
    result = run(TESTS + BAD, "-rN")
    result.assert_outcomes(failed=9, errors=1)
    result.stdout.fnmatch_lines(["E *TypeError: *Pipeline.open() takes *positional arguments*"])
    shown = "\n".join(line.removeprefix("E").strip() for line in result.outlines)
    dropped = (
        "AssertionError: step 2 by writer was rejected, and rolled back to step 1\n"
        "PIN_DROPPED in FACTS: FACTS is pinned and was changed\n"
        "it would have changed:\n"
        '~ FACTS/0: "red" -> "green"\n'
        '~ FACTS/1: "green" -> {"a": "' + 73 * "x" + "…\n"
    )
    accepted = (
        "AssertionError: step 2 by writer was accepted\nit changed:\n+ FACTS/2: 0\n+ FACTS/3: 1\n"
    )
    assert shown.count(dropped) == shown.count(accepted) == 2
    assert shown.count("+ FACTS/21: 19\n… and 10 more\n") == 2
    for once in (
        "SCHEMA_VIOLATED was not found: step 2 by writer was rejected",
        "there is no step: BUDGET_EXCEEDED: step 2 of writer would take",
        "NO_SUCH_STEP: test has no step 7",
        "step 1 is no handoff but start",
        "step 3 is a rollback by hand to step 1",
    ):
        assert shown.count(f"AssertionError: {once}") == 1, once


def test_a_failure_points_at_the_line_of_the_test(run: Run) -> None:
    result = run(TESTS + BAD, "-k", "start or no_step or budget or by_hand")
    result.assert_outcomes(failed=4, deselected=6)
    assert "handoffs.py" not in result.stdout.str()
    result.stdout.fnmatch_lines([">   *assert_clean_handoff(1)"])


def test_a_run_that_does_not_use_it_imports_nothing_for_it(run: Run) -> None:
    run(COLD).assert_outcomes(passed=1)
