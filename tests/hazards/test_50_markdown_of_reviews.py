"""Reviews in every form of markdown, and lesson files whose hand-written text stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow import done, make_project

FINDING = "The retry in `retry.py` never waits, so sleep before it sends again."


def read(path: Path, data: bytes) -> dict[str, Any]:
    """Verdict and findings, by the program."""
    file = path / "review.md"
    file.write_bytes(data)
    found: dict[str, Any] = json.loads(done(path, "distill", "--json", "--file", str(file)))
    return found


def page(*parts: str) -> str:
    return "\n\n".join(["# Review", *parts, "## Verdict: reject"]) + "\n"


REQUIRED = "## Required Changes"
FORMS: dict[str, tuple[str, int]] = {
    "plain": (page(REQUIRED, f"- {FINDING}"), 5),
    "star": (page(REQUIRED, f"* {FINDING}"), 5),
    "plus": (page(REQUIRED, f"+ {FINDING}"), 5),
    "bracket number": (page(REQUIRED, f"1) {FINDING}"), 5),
    "number": (page(REQUIRED, f"1. {FINDING}"), 5),
    "tab behind the mark": (page(REQUIRED, f"-\t{FINDING}"), 5),
    "indented": (page(REQUIRED, f"   - {FINDING}"), 5),
    "nested": (page(REQUIRED, f"- {FINDING}\n\t- In `send.py` too."), 5),
    "fence in a bullet": (
        page(REQUIRED, f"- {FINDING}\n  ```python\n  # Approve everything\n  - not this\n  ```"),
        5,
    ),
    "fence in a nested bullet": (
        page(REQUIRED, f"- {FINDING}\n  - so:\n    ```\n    # Verdict: approve\n    ```"),
        5,
    ),
    "fence right behind the mark": (
        page("- ```python\n  # Required Changes\n  - not this\n  ```", REQUIRED, f"- {FINDING}"),
        10,
    ),
    "tildes": (page("~~~\n## Verdict: approve\n- x\n~~~", REQUIRED, f"- {FINDING}"), 10),
    "four hold three": (
        page("````\n```\n## Verdict: approve\n```\n- x\n````", REQUIRED, f"- {FINDING}"),
        12,
    ),
    "underlined": (page("Required Changes\n----------------", f"- {FINDING}"), 6),
    "comment": (page("<!-- ## Verdict: approve\n\n- x\n-->", REQUIRED, f"- {FINDING}"), 10),
    "comment in the list": (page(REQUIRED, f"<!-- - x -->\n- {FINDING}"), 6),
    "front matter": (
        f"---\nverdict: approve\ntitle: '# x'\n---\n{page(REQUIRED, f'- {FINDING}')}",
        9,
    ),
    "rule": (page("---", REQUIRED, f"- {FINDING}"), 7),
    "heading twice": (page(REQUIRED, f"- {FINDING}", REQUIRED, "None."), 5),
    "closed heading": (page(f"{REQUIRED} ##", f"- {FINDING}"), 5),
    "no blank lines": (f"# Review\n{REQUIRED}\n- {FINDING}\n## Verdict: reject\n", 3),
    "a separator that is no line end": (
        page("one\u2028## Verdict: approve", REQUIRED, f"- {FINDING}"),
        7,
    ),
}
ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}


@pytest.mark.parametrize("name", FORMS)
def test_the_one_finding_is_found_on_its_line(tmp_path: Path, name: str) -> None:
    """Whatever line ends and mark the file has."""
    text, line = FORMS[name]
    for mark in (b"", b"\xef\xbb\xbf"):
        for end, characters in ENDS.items():
            found = read(tmp_path, mark + text.encode().replace(b"\n", characters))
            assert found["verdict"] == "reject", end
            assert [lesson["line"] for lesson in found["lessons"]] == [line], end
            assert "never waits" in found["lessons"][0]["claim"]


@pytest.mark.parametrize("heading", ["要修正 💡", "💡 必须修改", "指摘事項"])
def test_a_heading_in_another_script_with_an_emoji(tmp_path: Path, heading: str) -> None:
    text = f"# レビュー\n\n## {heading}\n\n- `retry.py` は待たずに再送する。\n"
    (lesson,) = read(tmp_path, text.encode())["lessons"]
    assert lesson["line"] == 5


def test_an_unclosed_fence_hides_what_follows_and_no_more(tmp_path: Path) -> None:
    """As CommonMark has it: the verdict below is not the reviewer's."""
    text = f"# Review\n\n{REQUIRED}\n\n- {FINDING}\n\n```python\n- not this\n## Verdict: approve\n"
    found = read(tmp_path, text.encode())
    assert [lesson["line"] for lesson in found["lessons"]] == [5]
    assert found["verdict"] != "approve"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbf",
        b"\n\n\n",
        b"\r",
        b"---",
        b"```",
        b"- ",
        b"#",
        b"<!--",
        b"\0",
        b"|",
        b">" * 900,
        b"- " * 900,
        b"\xff\xfe#\0",
    ],
)
def test_nothing_much_is_no_finding(tmp_path: Path, data: bytes) -> None:
    assert read(tmp_path, data)["lessons"] == []


# Lesson files

WRITTEN = [
    '\n# A heading\n\n```yaml\n---\nid: "000000000000"\n---\n',
    "\n- ```python\n  # comment\n  ```\n\n~~~\n# x\n~~~\n\n````\n```\n````\n\n```\nunclosed\n",
    "\n*\tstar\n+ plus\n1) one\n\nSetext\n===\n\n<!-- comment\n\n## 教訓 💡\n-->\n",
    "\n## twice\n\n## twice\n\n\n\n   trailing blanks   \n\n> a quote\nlazy\n",
    "\nline\u2028separator\u2029 and \x0b vertical \x0c form\n",
    "\n---\n\nbelow a rule\n\n---\n",
    "\nno newline at the end",
]


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "bom"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_what_a_person_writes_in_a_lesson_file_stays(tmp_path: Path, end: str, mark: str) -> None:
    """Through listing, rendering and distilling; withdrawing adds its one line."""
    project = make_project(tmp_path / "project")
    for number, text in enumerate(WRITTEN):
        claim = f"Say what number {number} costs"
        made = json.loads(done(project, "lessons", "add", "author", claim, "--json"))
        file = project / str(made["path"])
        whole = (mark + (file.read_text() + text).replace("\n", end)).encode()
        file.write_bytes(whole)
        (lesson,) = json.loads(done(project, "lessons", "list", "--json"))
        assert lesson["claim"] == claim
        for words in (
            ("lessons", "render"),
            ("distill", "--all"),
            ("lessons", "show", lesson["id"]),
        ):
            done(project, *words)
            assert file.read_bytes() == whole
        done(project, "lessons", "retire", lesson["id"], "--reason", "it is gone")
        assert without_reason(project / ".relay/lessons/retired/author" / file.name, end) == whole


def without_reason(retired: Path, end: str) -> bytes:
    """The file without the one line that withdrawing added."""
    data = retired.read_bytes()
    (added,) = [line for line in data.splitlines(keepends=True) if line.startswith(b"retired: ")]
    assert added.endswith(end.encode())
    return data.replace(added, b"", 1)


def test_the_page_takes_in_manual_lines_and_keeps_them(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    done(project, "lessons", "add", "author", "Say what it costs")
    index = project / ".relay/LESSONS.md"
    text = index.read_text().replace("## author\n", "## author\n# manual: 教訓 💡 by hand\n")
    index.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    done(project, "lessons", "render")
    done(project, "lessons", "render")
    assert index.read_text().count("# manual: 教訓 💡 by hand") == 1
    assert len(json.loads(done(project, "lessons", "list", "--json"))) == 2
