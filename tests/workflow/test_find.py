"""Which workflow or template is meant by a name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from relay_git.errors import RelayError
from relay_git.workflow.find import find_workflow, resolve_template, workflow_names

TEMPLATES = ["bug-rca-fix", "plan-review-implement-audit", "rfc-then-implement", "data_check"]


def relay_dir(tmp_path: Path, *names: str) -> str:
    for name in names:
        directory = tmp_path / ".relay/workflows" / name
        directory.mkdir(parents=True)
        (directory / "workflow.yml").touch()
    return str(tmp_path / ".relay")


def refusal(relay: str, name: str | None, default: str | None = None) -> str:
    with pytest.raises(RelayError) as caught:
        find_workflow(relay, name, default)
    assert caught.value.where == os.path.join(relay, "workflows")
    return f"{caught.value.what}; {caught.value.hint}"


def test_names_are_those_of_directories_with_a_workflow_in_them(tmp_path: Path) -> None:
    relay = relay_dir(tmp_path, "fix", "audit", ".hidden", "bad name")
    (tmp_path / ".relay/workflows/empty").mkdir()
    (tmp_path / ".relay/workflows/README").touch()
    os.symlink(tmp_path / ".relay/workflows/fix", tmp_path / ".relay/workflows/linked")
    assert workflow_names(relay) == ["audit", "fix"]
    assert workflow_names(str(tmp_path / "none")) == []


def test_the_name_wins_over_the_default_and_the_default_over_the_rest(tmp_path: Path) -> None:
    relay = relay_dir(tmp_path, "fix", "audit")
    assert find_workflow(relay, "audit", "fix") == os.path.join(relay, "workflows", "audit")
    assert find_workflow(relay, None, "fix") == os.path.join(relay, "workflows", "fix")


def test_the_only_workflow_needs_no_name(tmp_path: Path) -> None:
    relay = relay_dir(tmp_path, "fix")
    assert find_workflow(relay, None, None).endswith("fix")


def test_what_is_not_found_is_told_with_what_there_is(tmp_path: Path) -> None:
    relay = relay_dir(tmp_path, "fix", "audit")
    assert refusal(relay, "audti") == (
        "there is no workflow 'audti'; did you mean 'audit'? known: audit, fix"
    )
    assert refusal(relay, None, "gone") == (
        "there is no workflow 'gone' (the `default_workflow` of .relay/relay.yml); "
        "known: audit, fix"
    )
    assert refusal(relay, None) == (
        "there are several workflows and no default; name one of them: audit, fix"
    )
    assert "no workflow '../workflows/fix'" in refusal(relay, "../workflows/fix")
    assert refusal(str(tmp_path / "none"), "fix") == "there is no workflow; run `git relay init`"


@pytest.mark.parametrize(
    ("name", "template"),
    [
        ("bug-rca-fix", "bug-rca-fix"),
        ("bug_rca_fix", "bug-rca-fix"),
        ("data-check", "data_check"),
        ("fix a bug with RCA", "bug-rca-fix"),
        ("rfc", "rfc-then-implement"),
        ("plan-review", "plan-review-implement-audit"),
        ("plan, review and implement it", "plan-review-implement-audit"),
    ],
)
def test_a_template_is_found_by_its_name_or_its_words(name: str, template: str) -> None:
    assert resolve_template(name, TEMPLATES) == template


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "implement",
            "'implement' may be any of 2 templates; "
            "name one of them: plan-review-implement-audit, rfc-then-implement",
        ),
        ("bug-fax", "there is no template 'bug-fax'; did you mean 'bug-rca-fix'? known: bug-rca-"),
        ("-", "there is no template '-'; known: bug-rca-fix, plan-review-implement-audit, rfc-"),
    ],
)
def test_a_template_that_is_not_clear_is_refused(name: str, message: str) -> None:
    with pytest.raises(RelayError) as caught:
        resolve_template(name, TEMPLATES)
    assert str(caught.value).startswith(message)
