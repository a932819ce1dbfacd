"""A workflow's files are read whole, and every problem is told at once with its line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from relay_git.errors import Invalid, RelayError
from relay_git.workflow.definition import Definition, load_definition, load_workflow
from relay_git.workflow.model import (
    rules_from_json,
    rules_to_json,
    workflow_from_json,
    workflow_to_json,
)

WORKFLOW = """\
name: bug-rca-fix
version: 1
initial_stage: reproduce
roles:
  reporter:
    description: Shows the bug.
    writes: [repro.md]
  analyst: {reads: [repro.md], writes: [hypothesis.md]}
  planner:
    rules: roles/planner.yml
    reads: [repro.md, hypothesis.md, plan_review.md, context.md]
    writes: [plan.md]
  reviewer: {reads: [plan.md], writes: [plan_review.md], lessons_for: planner}
  implementer: {reads: [plan.md, "src/**"], writes: [work.md, "src/**/*.py"]}
  auditor: {reads: [work.md], writes: [audit.md]}
stages:
  reproduce: {role: reporter, next: hypothesize}
  hypothesize: {role: analyst, next: fix_plan}
  fix_plan: {role: planner, next: plan_review, max_visits: 5}
  plan_review:
    role: reviewer
    next:
      approve: implement
      reject: fix_plan
  implement: {role: implementer, next: verify}
  verify: {role: auditor, next: {approve: done, reject: fix_plan}}
  done: {terminal: true}
"""

ROLES = ("reporter", "analyst", "planner", "reviewer", "implementer", "auditor")


class Files(dict[str, str]):
    """A workflow in memory, as the pre-commit hook reads what is staged."""

    def read(self, path: str) -> bytes | None:
        return self[path].encode() if path in self else None

    def list(self, path: str) -> Sequence[str]:
        names = [name.removeprefix(f"{path}/") for name in self if name.startswith(f"{path}/")]
        return sorted(name for name in names if "/" not in name)


def example() -> Files:
    files = Files({"workflow.yml": WORKFLOW, "seeds/context.md": "given\n"})
    for name in ROLES:
        files[f"roles/{name}.yml"] = f"name: {name}\nsystem_prompt: |\n  You are the {name}.\n"
    return files


def edited(*changes: tuple[str, str]) -> Files:
    """The example with some text of `workflow.yml` replaced."""
    files = example()
    for old, new in changes:
        assert old in files["workflow.yml"]
        files["workflow.yml"] = files["workflow.yml"].replace(old, new, 1)
    return files


def load(files: Files) -> Definition:
    return load_definition(files, "wf")


def problems(files: Files) -> list[str]:
    with pytest.raises(Invalid) as caught:
        load(files)
    found = [str(problem) for problem in caught.value.problems]
    assert all("\n" not in problem and problem.startswith("wf/") for problem in found)
    return found


def save(files: Files, directory: Path) -> str:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(directory)


# What is read


def test_the_example_loads() -> None:
    definition = load(example())
    workflow = definition.workflow
    assert (workflow.name, workflow.version, workflow.initial_stage) == (
        "bug-rca-fix",
        1,
        "reproduce",
    )
    assert list(workflow.stages) == [
        *("reproduce", "hypothesize", "fix_plan", "plan_review", "implement", "verify", "done")
    ]
    assert workflow.stages["fix_plan"].next == "plan_review"
    assert workflow.stages["fix_plan"].max_visits == 5
    assert workflow.stages["plan_review"].branches == {"approve": "implement", "reject": "fix_plan"}
    assert workflow.stages["plan_review"].max_visits is None
    assert workflow.stages["done"].terminal
    assert workflow.stages["done"].role is None
    assert workflow.roles["reporter"].description == "Shows the bug."
    assert workflow.roles["reviewer"].lessons_for == "planner"
    assert workflow.seeds == ("context.md",)
    assert definition.seeds == {"context.md": b"given\n"}
    assert list(definition.rules) == list(ROLES)
    assert definition.rules["planner"].system_prompt == "You are the planner.\n"


def test_a_stage_may_be_for_some_of_its_role_s_artifacts() -> None:
    files = edited(
        ("writes: [plan.md]", "writes: [plan.md, risks.md]"),
        ("max_visits: 5", "writes: [risks.md]"),
    )
    workflow = load(files).workflow
    assert workflow.stages["fix_plan"].writes == ("risks.md",)
    assert workflow.stages["reproduce"].writes == ()


def test_globs_name_code_and_are_no_artifacts() -> None:
    role = load(example()).workflow.roles["implementer"]
    assert role.reads == ("plan.md",)
    assert role.writes == ("work.md",)


def test_what_is_read_survives_the_record_of_a_run() -> None:
    definition = load(example())
    record = workflow_to_json(definition.workflow)
    assert workflow_from_json(record, "x") == definition.workflow
    for rules in definition.rules.values():
        assert rules_from_json(rules_to_json(rules), "x") == rules


def test_a_role_file_says_all_it_can() -> None:
    files = example()
    files["roles/planner.yml"] += (
        "output_format: As a list.\ninject_lessons: true\nbackend: claude\nmodel: large\n"
        "tools: [read, search]\nverdict_labels: [Decision, Verdict]\n"
    )
    definition = load(files)
    rules = definition.rules["planner"]
    assert (rules.output_format, rules.inject_lessons, rules.model) == ("As a list.", True, "large")
    assert (rules.backend, rules.tools) == ("claude", ("read", "search"))
    assert rules_from_json(rules_to_json(rules), "x") == rules
    assert definition.workflow.roles["planner"].verdict_labels == ("Decision",)


@pytest.mark.parametrize("name", ["bin/agent", "touch evil", "-x", "../up"])
def test_a_role_names_a_backend_and_no_program(name: str) -> None:
    files = example()
    files["roles/planner.yml"] += f"backend: {name!r}\n"
    with pytest.raises(Invalid, match=r"roles/planner\.yml:\d+: ") as caught:
        load(files)
    assert repr(name) in str(caught.value)


def test_a_role_of_a_run_from_before_there_were_backends_has_none() -> None:
    record = rules_to_json(load(example()).rules["planner"])
    del record["backend"]
    assert rules_from_json(record, "x").backend is None


def test_the_work_tree_and_the_memory_give_the_same(tmp_path: Path) -> None:
    directory = save(example(), tmp_path / "wf")
    (tmp_path / "wf/seeds/.gitkeep").touch()
    (tmp_path / "wf/seeds/folder").mkdir()
    assert load_workflow(directory) == load(example())


def test_crlf_and_bom_change_nothing() -> None:
    files = Files({name: "\ufeff" + text.replace("\n", "\r\n") for name, text in example().items()})
    files["seeds/context.md"] = "given\n"
    assert load(files) == load(example())


def test_no_directory_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(RelayError) as caught:
        load_workflow(str(tmp_path / "none"))
    assert caught.value.where == f"{tmp_path}/none/workflow.yml"


def test_branch_names_are_free_words() -> None:
    files = edited(
        ("{approve: done, reject: fix_plan}", "{yes: done, no: fix_plan, needs-rework: implement}")
    )
    branches = load(files).workflow.stages["verify"].branches
    assert list(branches) == ["yes", "no", "needs-rework"]


def test_two_roles_may_write_one_artifact() -> None:
    load(edited(("writes: [audit.md]", "writes: [audit.md, plan.md]")))


# The older format

OLDER = """\
name: feature
roles:
  planner:
    description: Plans.
    writes: [plan.md]
    reads: [plan_review.md]
    rules: roles/planner.yml
  reviewer:
    description: Reviews.
    writes: [plan_review.md]
    reads: [plan.md]
    rules: roles/reviewer.yml
  implementer:
    description: Builds.
    writes: [implementation.md, "src/**"]
    reads: [plan.md]
    rules: roles/implementer.yml
stages:
  plan_draft:
    agent: planner
    next: plan_review
  plan_review:
    agent: reviewer
    next:
      approve: implement
      reject: plan_draft
  implement:
    agent: implementer
    next: done
  done:
    terminal: true
initial_stage: plan_draft
limits:
  max_plan_iterations: 5
  max_review_iterations: 3
  implement: 2
"""


def older() -> Files:
    files = Files({"workflow.yml": OLDER})
    for name in ("planner", "reviewer", "implementer"):
        files[f"roles/{name}.yml"] = f"name: {name}\nsystem_prompt: Act.\n"
    files["roles/reviewer.yml"] += (
        'output_format: Say it.\nverdict_field: "## Outcome:"\n'
        "approve_value: APPROVED\nreject_value: CHANGES REQUESTED\n"
    )
    return files


def test_the_older_format_loads() -> None:
    workflow = load(older()).workflow
    assert workflow.version == 1
    assert workflow.stages["plan_draft"].role == "planner"
    assert workflow.roles["reviewer"].verdict_labels == ("Outcome",)
    visits = {name: stage.max_visits for name, stage in workflow.stages.items()}
    assert visits == {"plan_draft": 5, "plan_review": 3, "implement": 2, "done": None}


@pytest.mark.parametrize(
    ("limits", "visits"),
    [
        ("max_plan_review_iterations: 4", (None, 4)),
        ("{max_plan_iterations: 4, plan_review: 9}", (4, 9)),
        ("{max_plan_iterations: 4, max_review_iterations: 9}", (4, 4)),
        ("max_DRAFT_iterations: 4", (4, None)),
    ],
)
def test_a_limit_speaks_of_stages_by_their_words(limits: str, visits: tuple[int, int]) -> None:
    files = older()
    head = files["workflow.yml"].partition("limits:")[0]
    files["workflow.yml"] = head + ("limits: " if "{" in limits else "limits:\n  ") + limits + "\n"
    stages = load(files).workflow.stages
    assert (stages["plan_draft"].max_visits, stages["plan_review"].max_visits) == visits


@pytest.mark.parametrize("key", ["max_audit_iterations", "max_pla_iterations", "plan", "done"])
def test_a_limit_without_a_stage_is_told(key: str) -> None:
    files = older()
    files["workflow.yml"] = files["workflow.yml"].replace("max_plan_iterations", key)
    assert problems(files) == [
        f"wf/workflow.yml:34: no stage is called {key!r}; "
        "name the stage: plan_draft, plan_review, implement"
    ]


def test_a_stage_has_its_own_limit_before_the_older_map() -> None:
    files = older()
    files["workflow.yml"] = files["workflow.yml"].replace(
        "next: plan_review", "next: plan_review\n    max_visits: 7"
    )
    assert load(files).workflow.stages["plan_draft"].max_visits == 7


def test_the_three_older_verdict_keys_come_together() -> None:
    files = older()
    files["roles/reviewer.yml"] = (
        "name: reviewer\nsystem_prompt: Act.\nverdict_field: V\napprove_value: APPROVED\n"
    )
    assert problems(files) == [
        "wf/roles/reviewer.yml:3: `verdict_field` without `reject_value`; "
        "use `verdict_labels` in place of the three"
    ]


def test_an_older_verdict_value_that_no_verdict_says() -> None:
    files = older()
    text = files["roles/reviewer.yml"]
    files["roles/reviewer.yml"] = text.replace("APPROVED", "GREEN")
    assert problems(files) == [
        "wf/roles/reviewer.yml:5: 'GREEN' is not read as 'approve'; write approve"
    ]
    files["workflow.yml"] = files["workflow.yml"].replace("approve:", "green:")
    assert load(files).workflow.stages["plan_review"].branches["green"] == "implement"


# What is refused


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "max_visits: 5",
            "max_visit: 5",
            "19: unknown key 'max_visit'; did you mean 'max_visits'? "
            "known: role, agent, next, writes, max_visits, terminal",
        ),
        ("version: 1", "versoin: 1", "2: unknown key 'versoin'; did you mean 'version'?"),
        ("    writes: [repro.md]", "    writes: [repro.md]\n    color: red", "8: unknown key"),
        ("name: bug-rca-fix\n", "", "1: `name` is missing; add it"),
        ("version: 1", 'version: "1"', "2: `version` must be a whole number"),
        ("version: 1", "version: 0", "2: `version` is 0; write 1 or more"),
        ("version: 1", "version: true", "2: `version` must be a whole number"),
        ("name: bug-rca-fix", "name: 1.10", '1: `name` must be text; quote it: "1.10"'),
        ("name: bug-rca-fix", "name:", "1: `name` must be text; write something after it"),
        ("name: bug-rca-fix", "name: a/b", "1: 'a/b' cannot be a name"),
        ("[repro.md, hyp", "[1e10, hyp", '11: item 1 of `reads` must be text; quote it: "1e10"'),
        ("writes: [plan.md]", "writes: plan.md", "12: `writes` must be a list"),
        ("writes: [plan.md]", "writes: [../plan.md]", "12: '../plan.md' cannot be an artifact"),
        ("writes: [plan.md]", "writes: [.git]", "12: '.git' cannot be an artifact name"),
        ("reject: fix_plan\n", "reject: 2\n", '24: `reject` must be text; quote it: "2"'),
        ("next: hypothesize", "next: [a]", "17: `next` must be text"),
        ("{terminal: true}", "{terminal: yes}", "27: `terminal` must be true or false"),
        ("{terminal: true}", "terminal", "27: `done` must be a map"),
        ("max_visits: 5", "max_visits: 0", "19: `max_visits` is 0; write 1 or more"),
        ("max_visits: 5", "max_visits: 1.5", "19: `max_visits` must be a whole number"),
        (
            "next: hypothesize}",
            "next: hypothesise}",
            "17: there is no stage 'hypothesise'; did you mean 'hypothesize'? known: reproduce,",
        ),
        ("reject: fix_plan\n", "reject: fix\n", "24: there is no stage 'fix'"),
        (
            "role: reviewer",
            "role: reviwer",
            "21: there is no role 'reviwer'; did you mean 'reviewer'? known: reporter, analyst,",
        ),
        ("initial_stage: reproduce", "initial_stage: repro", "3: there is no stage 'repro'"),
        ("initial_stage: reproduce", "initial_stage: done", "3: 'done' is terminal"),
        ("{terminal: true}", "{terminal: true, next: verify}", "27: the terminal stage 'done' has"),
        ("{terminal: true}", "{terminal: true, role: auditor}", "27: the terminal stage 'done' h"),
        ("{terminal: true}", "{terminal: true, writes: [a.md]}", "27: the terminal stage 'done' h"),
        (
            "max_visits: 5",
            "writes: [plan.md, plam.md]",
            "19: its role 'planner' does not write 'plam.md'; did you mean 'plan.md'?",
        ),
        (
            "next: verify}",
            'next: verify, writes: ["src/**/*.py"]}',
            "25: its role 'implementer' do",
        ),
        ("    role: reviewer\n", "", "20: the stage 'plan_review' has no `role`"),
        (", next: verify}", "}", "25: the stage 'implement' has no `next`"),
        (", next: verify}", ", next: {}}", "25: the stage 'implement' has no `next`"),
        ("role: reviewer", "role: reviewer\n    agent: reviewer", "22: `role` and `agent`"),
        (
            "[repro.md, hypothesis.md,",
            "[repro.md, hypothesi.md,",
            "11: no role writes 'hypothesi.md' and no seed is called so; "
            "did you mean 'hypothesis.md'?",
        ),
        ("lessons_for: planner", "lessons_for: planer", "13: there is no role 'planer'"),
        (
            "writes: [plan_review.md]",
            "writes: []",
            "21: its role 'reviewer' writes no artifact; the verdict is read from one",
        ),
        (
            'writes: [work.md, "src/**/*.py"]',
            'writes: ["src/**/*.py"]',
            "25: its role 'implementer' writes no artifact; a stage is finished when",
        ),
        ("approve: implement", '"changes requested": implement', "23: 'changes requested' is not"),
        ("approve: implement", "Reject: implement", "24: a verdict that says 'reject' does not"),
        ("approve: implement", "aprove: implement\n      approve: gone", "24: there is no stage"),
        ("writes: [audit.md]", "writes: [Plan.md]", "15: 'Plan.md' and 'plan.md' differ only in"),
        (
            "writes: [audit.md]",
            "writes: [caf\u00e9.md, cafe\u0301.md]",
            "15: 'cafe\u0301.md' and 'caf\u00e9.md' differ only in how accents are coded",
        ),
        ("  auditor:", "  Planner: {writes: [a.md]}\n  auditor:", "15: 'Planner' and 'planner'"),
        ("rules: roles/planner.yml", "rules: ../planner.yml", "10: '../planner.yml' is not a pat"),
        ("rules: roles/planner.yml", "rules: /etc/passwd", "10: '/etc/passwd' is not a path"),
        ("rules: roles/planner.yml", 'rules: "C:\\\\x.yml"', "10: 'C:\\\\x.yml' is not a path"),
        (
            "rules: roles/planner.yml",
            "rules: roles/planer.yml",
            "10: there is no role file roles/planer.yml; did you mean 'roles/planner.yml'?",
        ),
        (
            "  auditor:",
            "  helper: {writes: [h.md]}\n  auditor:",
            "15: there is no role file roles/",
        ),
    ],
)
def test_a_problem_is_told_with_its_line(old: str, new: str, expected: str) -> None:
    found = problems(edited((old, new)))
    assert any(problem.startswith(f"wf/workflow.yml:{expected}") for problem in found), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max_visits: 5", "max_visit: 5"),
        ("version: 1", 'version: "1"'),
        ("reject: fix_plan\n", "reject: 2\n"),
        ("{terminal: true}", "{terminal: true, next: verify}"),
        ("lessons_for: planner", "lessons_for: planer"),
        ("rules: roles/planner.yml", "rules: ../planner.yml"),
    ],
)
def test_one_mistake_is_one_problem(old: str, new: str) -> None:
    assert len(problems(edited((old, new)))) == 1


def test_unreachable_stages_are_named() -> None:
    files = edited(("next: {approve: done, reject: fix_plan}", "next: done"))
    files["workflow.yml"] += "  lost: {role: planner, next: stray}\n"
    files["workflow.yml"] += "  stray: {role: planner, next: done}\n"
    assert problems(files) == [
        "wf/workflow.yml:28: the stage 'lost' is never reached from 'reproduce'; "
        "lead to it, or delete it",
        "wf/workflow.yml:29: the stage 'stray' is never reached from 'reproduce'; "
        "lead to it, or delete it",
    ]


def test_a_stage_without_a_way_out_is_named() -> None:
    files = edited(("next: {approve: done, reject: fix_plan}", "next: {approve: done, trap: pit}"))
    files["workflow.yml"] += "  pit: {role: planner, next: fall}\n"
    files["workflow.yml"] += "  fall: {role: planner, next: pit}\n"
    assert problems(files) == [
        "wf/workflow.yml:28: no way leads from the stage 'pit' to a terminal stage; lead to 'done'",
        "wf/workflow.yml:29: no way leads from the stage 'fall' to a terminal stage; "
        "lead to 'done'",
    ]


def test_a_workflow_without_an_end_is_told_once() -> None:
    files = edited(("done: {terminal: true}", "done: {role: planner, next: reproduce}"))
    assert problems(files) == ["wf/workflow.yml:16: no stage is terminal; add `terminal: true`"]


def test_problems_of_all_files_come_at_once_and_in_order() -> None:
    files = edited(
        ("version: 1", "version: 0\nextra: 1"),
        ("next: hypothesize}", "next: hypothesise}"),
        ("max_visits: 5", "max_visits: -1"),
    )
    files["workflow.yml"] += "  lost: {role: planner, next: done}\n"
    files["roles/analyst.yml"] = "name: annalist\nsystem_prompt: ' '\ntool: [x]\n"
    files["roles/planner.yml"] = "name: planner\n"
    files["roles/reviewer.yml"] = "name: reviewer\nsystem_prompt: x\nname: y\n"
    files["seeds/bad:name"] = ""
    assert [problem.partition(";")[0] for problem in problems(files)] == [
        "wf/roles/analyst.yml:1: the role is called 'annalist' here and 'analyst' in the workflow",
        "wf/roles/analyst.yml:2: `system_prompt` says nothing",
        "wf/roles/analyst.yml:3: unknown key 'tool'",
        "wf/roles/planner.yml:1: `system_prompt` is missing",
        "wf/roles/reviewer.yml:3: 'name' stands on line 1 already",
        "wf/seeds/bad:name: 'bad:name' cannot be an artifact name",
        "wf/workflow.yml:2: `version` is 0",
        "wf/workflow.yml:3: unknown key 'extra'",
        "wf/workflow.yml:18: there is no stage 'hypothesise'",
        "wf/workflow.yml:20: `max_visits` is -1",
        "wf/workflow.yml:29: the stage 'lost' is never reached from 'reproduce'",
    ]


@pytest.mark.parametrize("label", ["", "a\nb", "Verdict:"])
def test_a_label_that_cannot_introduce_a_verdict(label: str) -> None:
    files = example()
    files["roles/planner.yml"] += f"verdict_labels:\n- Decision\n- {label!r}\n".replace("'", '"')
    assert problems(files) == [
        f"wf/roles/planner.yml:6: {label!r} cannot introduce a verdict; "
        "write the words before the colon"
    ]


def test_a_link_out_of_the_workflow_is_never_followed(tmp_path: Path) -> None:
    directory = Path(save(example(), tmp_path / "wf"))
    outside = tmp_path / "outside.yml"
    outside.write_text("name: planner\nsystem_prompt: from outside\n")
    (directory / "roles/planner.yml").unlink()
    os.symlink(outside, directory / "roles/planner.yml")
    with pytest.raises(Invalid) as caught:
        load_workflow(str(directory))
    (problem,) = caught.value.problems
    assert problem.where == f"{directory}/workflow.yml:10"
    assert "symbolic link" in problem.what


def test_a_workflow_that_cannot_be_read_is_one_error() -> None:
    with pytest.raises(RelayError) as caught:
        load(Files({"workflow.yml": "name: x\nname: y\n"}))
    assert caught.value.where == "wf/workflow.yml:2"
