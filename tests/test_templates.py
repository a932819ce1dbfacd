"""The shipped workflows load, and their worked examples are runs that the machine would make."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from relay_git.lessons.document import read_document
from relay_git.workflow.definition import Definition, load_workflow
from relay_git.workflow.machine import Advance, Start, State, transition
from relay_git.workflow.verdict import Reading, read_verdicts

TEMPLATES = Path(__file__).parent.parent / "templates"
NAMES = ("bug-rca-fix", "rfc-then-implement", "plan-review-implement-audit")
BRANCHES = ("approve", "reject", "done")

REVIEW_HEADINGS = ("## Required Changes", "## Concerns", "## Suggestions")

# The severities of each review's findings, in the order in which it states them.
FINDINGS = {
    "bug-rca-fix": {
        "04-plan_review": "error warn warn warn warn info",
        "06-plan_review": "warn info info",
        "08-verify": "warn warn error error info",
        "10-plan_review": "info info",
        "12-verify": "warn info",
    },
    "rfc-then-implement": {
        "02-rfc_review": "error error error warn warn warn warn info info",
        "04-rfc_review": "warn warn info",
        "06-audit": "warn warn error error error info",
        "08-audit": "warn warn info",
    },
    "plan-review-implement-audit": {
        "02-plan_review": "error error error warn warn warn warn warn info",
        "04-plan_review": "warn info info",
        "06-audit": "warn warn warn error error error info",
        "08-audit": "warn info",
    },
}

every_template = pytest.mark.parametrize("name", NAMES)


@dataclass(frozen=True)
class Visit:
    """One directory of `example/steps/`: what a role wrote in one visit to a stage."""

    directory: Path

    @property
    def stage(self) -> str:
        return self.directory.name.partition("-")[2]

    @property
    def file(self) -> Path:
        (only,) = self.directory.iterdir()
        return only

    @property
    def text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @property
    def reading(self) -> Reading:
        return read_verdicts(self.text, BRANCHES)


def visits(name: str) -> list[Visit]:
    return [Visit(path) for path in sorted((TEMPLATES / name / "example" / "steps").iterdir())]


def definition(name: str) -> Definition:
    return load_workflow(str(TEMPLATES / name))


def reviews(name: str) -> Iterator[tuple[Visit, tuple[str, ...]]]:
    """Each review of the example, with the verdicts that the grammar finds in it."""
    stages = definition(name).workflow.stages
    for visit in visits(name):
        if stages[visit.stage].branches:
            yield visit, tuple(found.branch for found in visit.reading.found)


# The definitions


def test_every_directory_with_a_workflow_is_covered() -> None:
    assert {path.parent.name for path in TEMPLATES.glob("*/workflow.yml")} == set(NAMES)


@every_template
def test_a_template_loads_under_its_own_name(name: str) -> None:
    loaded = definition(name)
    assert loaded.workflow.name == name
    assert loaded.workflow.initial_stage == next(iter(loaded.workflow.stages))
    assert "context.md" in loaded.seeds


@every_template
def test_whoever_plans_or_builds_is_shown_the_lessons(name: str) -> None:
    injected = {role for role, rules in definition(name).rules.items() if rules.inject_lessons}
    assert injected == {"implementer", "architect" if name.startswith("rfc") else "planner"}


@every_template
def test_the_lessons_of_a_review_go_to_a_role_that_is_shown_them(name: str) -> None:
    loaded = definition(name)
    for stage in loaded.workflow.stages.values():
        reviewer = loaded.workflow.role_of(stage.name)
        if stage.branches and reviewer:
            assert reviewer.lessons_for is not None
            assert loaded.rules[reviewer.lessons_for].inject_lessons


@every_template
def test_reviewing_roles_ask_for_the_headings_that_are_read_best(name: str) -> None:
    loaded = definition(name)
    for stage in loaded.workflow.stages.values():
        if stage.branches and stage.role:
            asked = loaded.rules[stage.role].output_format
            assert all(f"\n{heading}\n" in asked for heading in REVIEW_HEADINGS)
            assert ("\n## Catches\n" in asked) == (stage.role == "auditor")
            assert all(f"`## Verdict: {branch}`" in asked for branch in stage.branches)


@every_template
def test_the_words_of_a_role_name_no_artifact_that_it_cannot_see(name: str) -> None:
    loaded = definition(name)
    for role, rules in loaded.rules.items():
        seen = {*loaded.workflow.roles[role].reads, *loaded.workflow.roles[role].writes}
        hidden = set(loaded.workflow.artifacts()) - seen
        words = set((rules.system_prompt + rules.output_format).replace(",", " ").split())
        assert not {artifact for artifact in hidden if {artifact, f"{artifact}."} & words}


@every_template
def test_every_loop_has_a_limit(name: str) -> None:
    stages = definition(name).workflow.stages
    returned_to = {s.branches["reject"] for s in stages.values() if "reject" in s.branches}
    assert returned_to
    assert all(stages[target].max_visits for target in returned_to)


# The seeds


@every_template
def test_a_seed_says_nothing_that_could_be_read_as_a_review(name: str) -> None:
    for seed in definition(name).seeds.values():
        text = seed.decode()
        document = read_document(text)
        assert read_verdicts(text, BRANCHES) == Reading((), (), ())
        assert (document.verdict, document.findings) == (None, ())


@every_template
def test_the_example_fills_in_every_seed(name: str) -> None:
    for seed, blank in definition(name).seeds.items():
        filled = (TEMPLATES / name / "example" / seed).read_text(encoding="utf-8")
        assert filled.encode() != blank
        assert "<!--" not in filled


@every_template
def test_the_second_run_touches_files_that_the_first_one_reviewed(name: str) -> None:
    second = (TEMPLATES / name / "example" / "second" / "context.md").read_text(encoding="utf-8")
    tags = {
        tag
        for visit, _ in reviews(name)
        for finding in read_document(visit.text).findings
        for tag in finding.tags
        if "/" in tag
    }
    assert len({tag for tag in tags if f"`{tag}`" in second}) >= 2


# The examples


@every_template
def test_the_example_is_a_run_that_the_machine_would_make(name: str) -> None:
    """1. each visit is to the stage where the run stands  2. it ends in a terminal stage."""
    workflow = definition(name).workflow
    state, _ = transition(workflow, None, Start(), {})
    files: dict[str, str] = {}
    for visit in visits(name):
        assert visit.stage == state.stage, visit.directory.name  # 1
        files[visit.file.name] = hashlib.sha256(visit.text.encode()).hexdigest()
        assert_written_by_the_role(name, visit, state, files)
        branch = visit.reading.found[0].branch if visit.reading.found else None
        event = Advance(state.stage, state.visit, branch)
        state, actions = transition(workflow, state, event, files)
    assert (state.status, actions) == ("done", ("settle",))  # 2


def assert_written_by_the_role(
    name: str, visit: Visit, state: State, files: dict[str, str]
) -> None:
    role = definition(name).workflow.role_of(visit.stage)
    assert role is not None
    assert visit.file.name in role.writes
    assert state.entered[visit.file.name] != files[visit.file.name]


@every_template
def test_the_visits_are_numbered_from_one(name: str) -> None:
    numbers = [visit.directory.name.partition("-")[0] for visit in visits(name)]
    assert numbers == [f"{n:02}" for n in range(1, len(numbers) + 1)]


@every_template
def test_each_review_says_its_verdict_once_and_as_asked(name: str) -> None:
    for visit, verdicts in reviews(name):
        assert len(verdicts) == 1
        assert visit.text.endswith(f"\n## Verdict: {verdicts[0]}\n")
        assert (visit.reading.unknown, visit.reading.template) == ((), ())
        assert read_document(visit.text).verdict == verdicts[0]


@every_template
def test_nothing_but_a_review_says_a_verdict(name: str) -> None:
    stages = definition(name).workflow.stages
    silent = [visit.text for visit in visits(name) if not stages[visit.stage].branches]
    example = TEMPLATES / name / "example"
    silent += [path.read_text(encoding="utf-8") for path in example.glob("**/context.md")]
    assert len(silent) >= 6
    assert {read_verdicts(text, BRANCHES) for text in silent} == {Reading((), (), ())}


@every_template
def test_the_reviewer_and_the_auditor_each_reject_once_at_least(name: str) -> None:
    workflow = definition(name).workflow
    rejecting = {
        workflow.stages[visit.stage].role for visit, said in reviews(name) if said == ("reject",)
    }
    assert rejecting == {"reviewer", "auditor"}


@every_template
def test_a_review_with_a_required_change_or_a_catch_rejects(name: str) -> None:
    """The rule that the roles are given, kept by those who wrote the example."""
    for visit, verdicts in reviews(name):
        sections = dict(part.split("\n", 1) for part in visit.text.split("\n## ")[1:-1])
        binding = [sections["Required Changes"], sections.get("Catches", "None.")]
        assert any(text.strip() != "None." for text in binding) == (verdicts == ("reject",))


@every_template
def test_the_findings_of_each_review_are_read_as_meant(name: str) -> None:
    read = {
        visit.directory.name: " ".join(f.severity for f in read_document(visit.text).findings)
        for visit, _ in reviews(name)
    }
    assert read == FINDINGS[name]


@every_template
def test_every_claim_stands_alone(name: str) -> None:
    """A sentence that names what it is about, since it is read without the run."""
    for visit, _ in reviews(name):
        for finding in read_document(visit.text).findings:
            assert finding.claim.endswith((".", "?"))
            assert not finding.claim.endswith("…")
            assert not finding.claim[0].islower()
            assert finding.severity == "info" or finding.tags


@every_template
def test_every_link_of_the_story_leads_somewhere(name: str) -> None:
    """All but the lessons, which are generated from the example."""
    example = TEMPLATES / name / "example"
    story = (example / "README.md").read_text(encoding="utf-8")
    targets = {part.partition(")")[0] for part in story.split("](")[1:]} - {"LESSONS.md"}
    assert len(targets) >= 8
    assert [target for target in targets if not (example / target).exists()] == []
