"""What rules, packers and counters of somebody else may do, and never spoil a pipeline with."""

from __future__ import annotations

import heapq
import http.server
import threading
from typing import Any

import pytest
from pipelining import WRITER, saying

from relay_git.pipeline import (
    AgentOutput,
    Checked,
    Code,
    Failure,
    Finding,
    Pipeline,
    Result,
    RolledBack,
    Slice,
    memory_steps,
    pinned,
    schemas,
)

WRONG: list[Any] = [7, 0.5, "word", b"bytes", [7], {"a": 1}, (1,), ..., True, 10**30, None]
TOKEN = "ghp_" + "aB1c" * 9


def stepped(agent: Any = None, **options: Any) -> Result:
    """And the pipeline stands, for others too."""
    pipeline = Pipeline.open(memory_steps(), "demo", payload={"FACTS": ["a"]}, **options)
    result = pipeline.step_sync(WRITER, agent or saying(FACTS=["b"]))
    assert Pipeline.open(pipeline._store, "demo").head == pipeline.head
    return result


def failed(result: Result, code: Code) -> None:
    assert isinstance(result, Failure) and result.code == code, result
    assert "writer" in result.reason and "step 2" in result.reason


class Odd(dict[str, Any]):
    def keys(self) -> Any:
        raise ZeroDivisionError

    __iter__ = items = keys


class Does:
    def __init__(self, result: Any) -> None:
        self._result = result

    def pack(self, *given: object) -> Any:
        return self._result

    def count(self, text: str) -> Any:
        return self._result


def test_what_a_rule_says_is_checked_before_it_is_stored() -> None:
    good: dict[str, Any] = {"code": Code.PIN_DROPPED, "section": "FACTS", "reason": "so"}
    findings = [good | {"code": wrong} for wrong in [*WRONG, "PIN_DROPPED"]]
    findings += [good | {"section": wrong} for wrong in WRONG if wrong not in ("word", None)]
    findings += [good | {"reason": wrong} for wrong in WRONG if wrong != "word"]
    rules: list[Any] = [lambda *given, one=one: Checked(1, (Finding(**one),)) for one in findings]
    rules += [lambda *given, wrong=wrong: wrong for wrong in WRONG]
    rules += [lambda *given, wrong=wrong: Checked(1, wrong) for wrong in WRONG]
    for rule in rules:
        failed(stepped(rules=[rule]), Code.RULE_FAILED)


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -1, 2_000_000, "7", None])
def test_a_confidence_is_from_0_to_1_whatever_rules_weigh(weight: Any) -> None:
    failed(stepped(rules=[lambda *given: Checked(1, (), weight)]), Code.RULE_FAILED)


@pytest.mark.parametrize(("section", "reason"), [("a\n\nb", "so"), ("a/b", "so"), ("A", "\ud800")])
def test_a_finding_holds_no_words_that_a_commit_cannot(section: str, reason: str) -> None:
    found = lambda *given: Checked(1, (Finding(Code.PIN_DROPPED, section, reason),))  # noqa: E731
    failed(stepped(rules=[found]), Code.RULE_FAILED)


def test_a_finding_is_stored_without_secrets_and_short() -> None:
    found = (Finding(Code.PIN_DROPPED, TOKEN, f"it was {TOKEN} " + "x" * 100_000),)
    result = stepped(rules=[lambda *given: Checked(1, found)])
    assert isinstance(result, RolledBack)
    stored = result.value.event.findings[0]
    assert stored.section is None and TOKEN not in stored.reason and len(stored.reason) < 1_200


PACKED = [{"FACTS": ...}, {"FACTS": float("nan")}, {"FACTS": ({"a": [1]},)}, {7: 1, "x": 2}]


@pytest.mark.parametrize("wrong", [*WRONG, *PACKED], ids=repr)
def test_what_a_packer_gives_is_json_of_the_sections_that_it_was_given(wrong: Any) -> None:
    failed(stepped(packer=Does(wrong)), Code.INVALID_SLICE)


@pytest.mark.parametrize("wrong", [wrong for wrong in WRONG if wrong != 7], ids=repr)
def test_what_a_counter_says_is_a_number_that_a_record_can_hold(wrong: Any) -> None:
    failed(stepped(counter=Does(wrong)), Code.INVALID_TOKEN_COUNT)


@pytest.mark.parametrize("count", [False, True, [], 0.5, -1, 10**30, "7"])
def test_so_is_what_a_runner_says(count: Any) -> None:
    def agent(given: object, manifest: object) -> AgentOutput:
        return AgentOutput("mine", structured={"FACTS": ["b"]}, token_count=count)

    failed(stepped(agent), Code.AGENT_FAILED)


@pytest.mark.parametrize(
    "answer",
    [Odd(), AgentOutput("mine", text="x", structured=Odd(FACTS=1)), {"FACTS": Odd(a=[1])}],
    ids=["mapping", "structured", "section"],
)
def test_a_mapping_that_cannot_be_read_is_no_output(answer: Any) -> None:
    failed(stepped(lambda given, manifest: answer), Code.INVALID_OUTPUT)


@pytest.mark.parametrize("taken", [["FACTS", "facts"], ["facts"]])
def test_sections_that_only_case_tells_apart_are_refused(taken: list[str]) -> None:
    failed(stepped(lambda given, manifest: dict.fromkeys(taken, 1)), Code.INVALID_OUTPUT)


def test_a_schema_fetches_nothing() -> None:
    asked: list[str] = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *given: object) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        schema = {"$ref": f"http://127.0.0.1:{server.server_port}/facts.json"}
        failed(stepped(rules=[schemas({"FACTS": schema})]), Code.RULE_FAILED)
        server.shutdown()
    assert asked == []
    inside = {"$ref": "#/$defs/facts", "$defs": {"facts": {"type": "array"}}}
    assert stepped(rules=[schemas({"FACTS": inside})]).unwrap().payload == {"FACTS": ["b"]}


def test_whatever_rules_and_packers_do_to_a_payload_agents_see_what_is_stored() -> None:
    """What is made in C changes lists and objects that refuse it."""

    def rule(before: Any, after: Any, manifest: object) -> Checked:
        heapq.heappush(before["FACTS"], "0 of a rule")
        heapq.heappush(after["FACTS"], "0 of a rule")
        dict.__setitem__(after, "MORE", 1)
        return Checked(1)

    class Pushing:
        def pack(self, sections: Any, manifest: object, counter: object) -> Any:
            heapq.heappush(sections["FACTS"], "0 of a packer")
            return {}

    seen = []

    def agent(given: Slice, manifest: object) -> dict[str, Any]:
        seen.append(dict(given.sections))
        return {"FACTS": ["c", "a", "b"]}

    steps, facts = memory_steps(), {"FACTS": ["c", "a", "b"]}
    for options in ({}, {"rules": [rule, rule]}, {"packer": Pushing()}, {"rules": [rule]}, {}):
        pipeline = Pipeline.open(steps, "demo", payload=facts, **options)
        for _ in range(2):
            assert pipeline.step_sync(WRITER, agent).unwrap().payload == facts
    assert seen == [facts] * 4 + [{}] * 2 + [facts] * 4
    pipeline = Pipeline.open(steps, "demo", packer=Pushing(), rules=[pinned("FACTS")])
    assert pipeline.step_sync(WRITER, agent).unwrap().payload == facts
    assert pipeline.step_sync(WRITER, agent).unwrap().payload == facts
