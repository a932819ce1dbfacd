"""`git relay export` as a person meets it: what it writes, says, refuses and leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exported import TARGETS, exported_files
from flow import Answer, call, done, everything, make_project
from support import git, make_repo

FIRST = {
    "claude-code": ".claude/agents/author.md",
    "cursor": ".cursor/agents/author.md",
    "codex": ".codex/agents/author.toml",
    "gemini": ".gemini/agents/author.md",
    "agents-md": "AGENTS.md",
}

any_target = pytest.mark.parametrize("target", TARGETS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_project(tmp_path / "p")


def again(path: Path, target: str, *words: str) -> Answer:
    return call(path, "export", target, *words)


def drop_the_critic(path: Path) -> None:
    folder = path / ".relay/workflows/loop"
    text = (folder / "workflow.yml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("  critic:")]
    (folder / "workflow.yml").write_text("\n".join(lines).replace("role: critic", "role: author"))
    text = (folder / "workflow.yml").read_text().replace("[draft.md]}", "[draft.md, review.md]}")
    (folder / "workflow.yml").write_text(text)


@any_target
def test_a_second_export_changes_nothing(path: Path, target: str) -> None:
    told = done(path, "export", target)
    written = [line.removeprefix("wrote ") for line in told.splitlines()]
    assert sorted(written) == [str(file.relative_to(path)) for file in exported_files(path)]
    assert written[0] == FIRST[target]
    before = everything(path)
    times = {file: file.stat().st_mtime_ns for file in exported_files(path)}
    assert done(path, "export", target).startswith("nothing to change: ")
    assert everything(path) == before
    assert times == {file: file.stat().st_mtime_ns for file in exported_files(path)}


@any_target
def test_check_writes_nothing_and_exits_with_1_while_something_would_change(
    path: Path, target: str
) -> None:
    before = everything(path)
    answer = again(path, target, "--check")
    assert answer.code == 1
    assert answer.out.startswith(f"would write {FIRST[target]}\n") and answer.err == ""
    assert everything(path) == before
    done(path, "export", target)
    assert again(path, target, "--check").code == 0
    (path / ".relay/workflows/loop/workflow.yml").write_text(
        (path / ".relay/workflows/loop/workflow.yml")
        .read_text()
        .replace("author: {", "author: {description: Writes, ")
    )
    assert again(path, target, "--check").code == 1
    done(path, "export", target)
    assert again(path, target, "--check").code == 0


@any_target
def test_a_hand_edit_is_refused_by_name_and_forced(path: Path, target: str) -> None:
    done(path, "export", target)
    exported = everything(path)
    file = path / FIRST[target]
    file.write_text(file.read_text().replace("git relay next", "git relay nxet"))
    edited = everything(path)
    assert edited != exported
    for words in ([], ["--check"]):
        answer = again(path, target, *words)
        assert answer.code == 1
        assert f"{FIRST[target]}: " in answer.err and "edited since it was generated" in answer.err
        assert "`--force`" in answer.err
        assert everything(path) == edited
    assert done(path, "export", target, "--force") == f"wrote {FIRST[target]}\n"
    assert everything(path) == exported


@pytest.mark.parametrize("target", TARGETS[:-1])
def test_every_file_of_a_person_is_refused_by_name(path: Path, target: str) -> None:
    foreign = [path / FIRST[target], path / FIRST[target].replace("author", "critic")]
    foreign[0].parent.mkdir(parents=True)
    for file in foreign:
        file.write_text("Mine.\n")
    before = everything(path)
    answer = again(path, target)
    assert answer.code == 1
    assert [line.partition("; ")[0].rpartition("/")[2] for line in answer.err.splitlines()] == [
        f"{file.name}: a person wrote this file" for file in foreign
    ]
    assert everything(path) == before
    done(path, "export", target, "--force")
    assert "Mine." not in foreign[0].read_text()


@pytest.mark.parametrize(
    ("target", "gone"),
    [
        ("claude-code", [".claude/agents/critic.md"]),
        ("cursor", [".cursor/agents/critic.md", ".cursor/rules/critic.mdc"]),
        ("codex", [".codex/agents/critic.toml"]),
        ("gemini", [".gemini/agents/critic.md"]),
    ],
)
def test_the_files_of_a_role_that_is_gone_go_with_it(
    path: Path, target: str, gone: list[str]
) -> None:
    done(path, "export", target)
    mine = (path / FIRST[target]).with_name("mine.md")
    mine.write_text("Mine.\n")
    drop_the_critic(path)
    assert again(path, target, "--check").code == 1
    told = done(path, "export", target)
    assert [line for line in told.splitlines() if "removed" in line] == [
        f"removed {file}" for file in gone
    ]
    assert not any((path / file).exists() for file in gone)
    assert mine.exists()


def test_the_edited_file_of_a_role_that_is_gone_stays(path: Path) -> None:
    done(path, "export", "codex")
    file = path / ".codex/agents/critic.toml"
    file.write_text(file.read_text() + "# mine\n")
    drop_the_critic(path)
    told = done(path, "export", "codex")
    assert "no longer needed, but edited, so it stays: .codex/agents/critic.toml\n" in told
    assert file.read_text().endswith("# mine\n")
    assert again(path, "codex", "--check").code == 0


def test_json_tells_every_file(path: Path) -> None:
    told = json.loads(done(path, "export", "codex", "--check", "--json") or "{}") if False else None
    answer = again(path, "codex", "--check", "--json")
    told = json.loads(answer.out)
    assert answer.code == 1
    assert (told["target"], told["workflow"]) == ("codex", "loop")
    assert told["written"][0] == FIRST["codex"] and "AGENTS.md" in told["written"]
    assert told["unchanged"] == told["removed"] == told["kept"] == []
    done(path, "export", "codex")
    again_told = json.loads(done(path, "export", "codex", "--json"))
    assert again_told["unchanged"] == told["written"] and again_told["written"] == []


def test_the_workflow_can_be_named(path: Path) -> None:
    done(path, "init", "--template", "bug-rca-fix", "--no-hooks")
    done(path, "export", "gemini", "-w", "loop")
    done(path, "export", "gemini", "--workflow", "bug-rca-fix")
    names = sorted(file.stem for file in (path / ".gemini/agents").iterdir())
    assert names == ["auditor", "implementer", "planner", "rca_agent", "reviewer"]
    answer = again(path, "gemini", "-w", "bug-rca-fxi")
    assert answer.code == 1
    assert "there is no workflow 'bug-rca-fxi'; did you mean" in answer.err


def test_below_the_top_of_the_work_tree_it_writes_at_the_top(path: Path) -> None:
    below = path / "src" / "deep"
    below.mkdir(parents=True)
    done(below, "export", "agents-md")
    assert (path / "AGENTS.md").exists() and not list(below.iterdir())


def test_a_broken_workflow_is_named_and_nothing_is_written(path: Path) -> None:
    (path / ".relay/workflows/loop/roles/critic.yml").write_text("name: critic\n")
    before = everything(path)
    answer = again(path, "cursor")
    assert answer.code == 1
    assert "roles/critic.yml" in answer.err and "system_prompt" in answer.err
    assert everything(path) == before


def test_an_unknown_tool_is_a_usage_error_that_lists_the_known(path: Path) -> None:
    answer = again(path, "emacs")
    assert answer.code == 2
    assert all(target in answer.err for target in TARGETS)


def test_without_a_workflow_it_says_what_to_do(tmp_path: Path) -> None:
    answer = call(make_repo(tmp_path / "bare"), "export", "codex")
    assert answer.code == 1
    assert "there is no workflow; run `git relay init`" in answer.err


def test_a_link_is_not_followed_out_of_the_work_tree(path: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (path / ".claude").symlink_to(outside)
    for words in ([], ["--force"]):
        answer = again(path, "claude-code", *words)
        assert answer.code == 1
        assert "a symbolic link, which is never followed" in answer.err
    assert not list(outside.iterdir())


def test_an_export_survives_a_checkout_with_other_line_ends(path: Path) -> None:
    (path / ".gitattributes").write_text("* text eol=crlf\n")
    for target in TARGETS:
        done(path, "export", target)
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "exported")
    for file in list(exported_files(path)):
        if file.name != ".gitattributes":
            file.unlink()
    git(path, "checkout", "--", ".")
    assert b"\r\n" in (path / "AGENTS.md").read_bytes()
    for target in TARGETS:
        assert done(path, "export", target, "--check").startswith("nothing to change: ")
