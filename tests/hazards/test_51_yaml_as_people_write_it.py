"""YAML that people wrote is read as they meant it, and an edit touches one line of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flow import call, copy_of, done, make_project

ODD = """\
---
# who wrote this

"version":   1   # the format

id:    '0123456789ab'
role: "author"


# a comment between blank lines

severity:   'warn'
'kind': pitfall
tags:
-   "src/retry.py"
-     'a: b'   # spaced
- x
run: ~
observed_at: '2026-04-28'
extra: {a: 1, b: [x,
    y]}
note: "\\U0001F4A5 and a line that is far longer than eighty columns, which many wrap"
folded: >-
   one
   two
hex: 0x1F
ver: 1.10
sha: 1e10
nothing:
---

Say what it costs
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_of("project", make_project, tmp_path / "project")


def put(path: Path, data: bytes, name: str = "say-0123.md") -> Path:
    file = path / ".relay/lessons/author" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "bom"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_withdrawing_adds_one_line_to_whatever_is_there(
    project: Path, end: bytes, mark: bytes
) -> None:
    whole = mark + ODD.encode().replace(b"\n", end)
    file = put(project, whole)
    assert call(project, "lessons", "list").err == ""
    (lesson,) = json.loads(done(project, "lessons", "list", "--json"))
    assert (lesson["tags"], lesson["run"]) == (["src/retry.py", "a: b", "x"], None)
    done(project, "lessons", "retire", "0123456789ab", "--reason", "it: 'is' # \"gone\" 💥 ~")
    gone = (project / ".relay/lessons/retired/author" / file.name).read_bytes()
    lines = gone.splitlines(keepends=True)
    added = [line for line in lines if line.startswith(b"retired:")]
    assert len(added) == 1
    assert gone.replace(added[0], b"") == whole
    assert added[0].endswith(end)
    (lesson,) = json.loads(done(project, "lessons", "list", "--retired", "--json"))
    assert lesson["id"] == "0123456789ab"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('role: "author"\n', 'role: "author"\nrole: critic\n', 8),
        ("kind': pitfall\n", "kind': pitfall\n\tx: 1\n", 14),
        ("run: ~\n", "<<<<<<< HEAD\nrun: ~\n=======\n>>>>>>> b\n", 18),
        ("run: ~\n", "run: &a x\n", 18),
        ("run: ~\n", "run: !!python/name:os.system x\n", 18),
        ("id:    '0123456789ab'", "id: 012345678901", 6),
        ("id:    '0123456789ab'", "id: 123456789e01", 6),
        ("id:    '0123456789ab'", "id: 0x1234567890", 6),
        ("id:    '0123456789ab'", "id: ~", 6),
        ('version":   1 ', 'version":   1.10 ', 4),
        ("run: ~\n", "run: 20260428\n", 18),
        ("severity:   'warn'", "severity: yes", 12),
    ],
)
def test_what_would_be_guessed_is_refused_with_its_line(
    project: Path, old: str, new: str, line: int
) -> None:
    """And no command writes the file."""
    assert old in ODD
    data = ODD.replace(old, new).encode()
    file = put(project, data)
    told = call(project, "lessons", "list")
    assert f".relay/lessons/author/say-0123.md:{line}: " in told.err
    for words in (("lessons", "retire", "0123"), ("lessons", "render"), ("distill", "--all")):
        call(project, *words, *(("--reason", "x") if "retire" in words else ()))
        assert file.read_bytes() == data


@pytest.mark.parametrize(
    "data", [b"", b"---\n---\n\nx\n", b"---\n\n", b"\xef\xbb\xbf", b"---\n# x\n---\n\nx\n"]
)
def test_an_empty_file_is_named_and_stays_empty(project: Path, data: bytes) -> None:
    file = put(project, data)
    assert ".relay/lessons/author/say-0123.md" in call(project, "lessons", "list").err
    call(project, "lessons", "render")
    assert file.read_bytes() == data


def test_what_we_write_is_read_by_any_yaml_as_we_meant_it(project: Path) -> None:
    """A YAML of 1.1 takes `no`, `1e10` and `12:30` for something else, unless they are quoted."""
    from ruamel.yaml import YAML

    tags = ["no", "1.10", "1e10", "12:30", "~", "0x1F", "a: b", "# x", "- y", "💥", "x" * 200, "é"]
    options = [word for tag in tags for word in ("--tag", tag)]
    made = json.loads(done(project, "lessons", "add", "author", "Cost: no # 1", *options, "--json"))
    front = (project / str(made["path"])).read_text().split("---\n")[1]
    for version in ("1.1", "1.2"):
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        found = reader.load(front)
        assert found["tags"] == tags
        assert isinstance(found["id"], str) and isinstance(found["observed_at"], str)
    (lesson,) = json.loads(done(project, "lessons", "list", "--json"))
    assert (lesson["claim"], lesson["tags"]) == ("Cost: no # 1", tags)


# Settings and workflows, which are read and never written


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version: 1.10\n", "relay.yml:1: "),
        ("version: 1\nversion: 1\n", "relay.yml:2: 'version' stands on line 1 already"),
        ("version: 1\ndefault_workflow: 1e10\n", "relay.yml:2: "),
        ("version: 1\nlessons:\n\tmax_per_role: 3\n", "relay.yml:3: not valid YAML: a tab"),
        ("version: 1\n<<<<<<< HEAD\n", "relay.yml:2: a merge conflict"),
        ("version: 1\nlessons: {max_per_role: '3'}\n", "relay.yml:2: "),
        ("version: 1\nlessons: {max_per_role: 1_0}\n", "relay.yml:2: "),
        ("", "relay.yml:1: empty"),
        ("null\n...\n", "relay.yml:1: not a mapping"),
    ],
)
def test_settings_name_the_line(project: Path, text: str, told: str) -> None:
    file = project / ".relay/relay.yml"
    for end in (b"\n", b"\r\n"):
        data = text.encode().replace(b"\n", end)
        file.write_bytes(data)
        refused = call(project, "validate")
        assert refused.code == 1
        assert told in refused.err
        assert file.read_bytes() == data


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("max_visits: 3", "max_visits: 1e1", 8),
        ("max_visits: 3", "max_visits: 3.0", 8),
        ("max_visits: 3", "max_visits: '3'", 8),
        ("version: 1", "version: 1.10", 2),
        ("terminal: true", "terminal: yes", 10),
        ("name: loop", "name: 1e10", 1),
        ("approve: done", "no: done, approve: 1.10", 9),
    ],
)
def test_a_workflow_names_the_line(project: Path, old: str, new: str, line: int) -> None:
    file = project / ".relay/workflows/loop/workflow.yml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    refused = call(project, "validate")
    assert refused.code == 1
    assert f"workflow.yml:{line}: " in refused.err


def test_a_workflow_as_people_write_it_runs(project: Path) -> None:
    """Quotes, comments, flow over lines, a mark and Windows line ends; nothing is rewritten."""
    file = project / ".relay/workflows/loop/workflow.yml"
    text = file.read_text().replace("version: 1\n", "# x\n\n'version':   1  # one\n")
    text = text.replace(
        "{approve: done, reject: draft}", "{\n    approve: done,\n    'reject': draft}"
    )
    data = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    file.write_bytes(data)
    done(project, "start")
    assert "## Verdict" not in done(project, "next")
    (project / ".relay/artifacts/draft.md").write_text("A draft.\n")
    done(project, "advance")
    assert "## Verdict: reject" in done(project, "next")
    assert file.read_bytes() == data
