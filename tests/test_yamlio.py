"""What the YAML reader accepts and refuses, and that edits touch nothing but the value."""

from __future__ import annotations

import time
from typing import Any

import pytest

from relay_git.errors import RelayError
from relay_git.yamlio import MAX_BYTES, dump_mapping, edit_mapping, load

SAMPLE = """\
# a workflow
name: fix
stages:
  plan:
    next: {approve: done,
           "reject": plan}
  done: {terminal: true}
tags:
- one
-   two   # spaced
text: |
  line one
  line two
last: 'x'
"""


def refusal(data: bytes | str, first_line: int = 1) -> str:
    with pytest.raises(RelayError) as caught:
        load(data, "f.yml", first_line)
    text = str(caught.value)
    assert "\n" not in text
    assert caught.value.hint
    return text


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("name",), 2),
        (("stages", "plan"), 4),
        (("stages", "plan", "next", "approve"), 5),
        (("stages", "plan", "next", "reject"), 6),
        (("stages", "done", "terminal"), 7),
        (("tags", 0), 9),
        (("tags", 1), 10),
        (("last",), 14),
        (("stages", "plan", "role"), 4),
        (("stages", "plan", "<tag>", "next", "<tag>", "reject"), 6),
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_every_path_has_its_line(
    path: tuple[str | int, ...], line: int, eol: str, bom: str
) -> None:
    data = (bom + SAMPLE.replace("\n", eol)).encode()
    assert load(data, "f.yml").line_of(path) == line
    assert load(data, "f.yml", first_line=11).line_of(path) == line + 10


def test_values_do_not_depend_on_line_ends_and_bom() -> None:
    value = load(SAMPLE, "f").value
    assert value["text"] == "line one\nline two\n"
    assert load("\ufeff" + SAMPLE.replace("\n", "\r\n"), "f").value == value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1),
        ("-7", -7),
        ("0x1F", 31),
        ("1.10", 1.1),
        ("1e10", 1e10),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("on", "on"),
        ("no", "no"),
        ("y", "y"),
        ('"1.10"', "1.10"),
        ("'null'", "null"),
        ("1.10.2", "1.10.2"),
        ("2026-04-28T09:30:00Z", "2026-04-28T09:30:00Z"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("3f9a12bc4d5e", "3f9a12bc4d5e"),
    ],
)
def test_plain_scalars_follow_the_core_schema(written: str, value: Any) -> None:
    document = load(f"key: {written}\n", "f")
    assert document.value == {"key": value}
    assert type(document.value["key"]) is type(value)
    assert document.written(("key",)) == written


def test_a_very_long_number_is_no_int() -> None:
    assert isinstance(load("key: " + "9" * 5000, "f").value["key"], float)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "f.yml:1: empty"),
        (" \n\n", "f.yml:1: empty"),
        ("# only\n# comments\n", "nothing but comments"),
        ("- a\n- b\n", "f.yml:1: not a mapping"),
        ("# c\n\njust text\n", "f.yml:3: not a mapping"),
        ("a: 1\nb: 2\na: 3\n", "f.yml:3: 'a' stands on line 1 already"),
        ('a:\n  b: 1\n  "b": 2\n', "f.yml:3: 'b' stands on line 2 already"),
        ("a:\n\tb: 1\n", "f.yml:2: not valid YAML: a tab cannot indent; use spaces"),
        ("a: 1\n<<<<<<< HEAD\nb: 1\n=======\n", "f.yml:2: a merge conflict is not resolved"),
        ("a: 1\n>>>>>>> main\n", "f.yml:2: a merge conflict is not resolved"),
        ("a: 1\nb: &x 2\n", "f.yml:2: anchors and aliases are not read"),
        ("a: *x\n", "f.yml:1: anchors and aliases are not read"),
        ("a: 1\n*x : 2\n", "f.yml:2: anchors and aliases are not read"),
        (
            "a: 1\nb: !!python/object:os.system x\n",
            "f.yml:2: a YAML tag (tag:yaml.org,2002:python/object:os.system)",
        ),
        ("a: !mine\n  b: 1\n", "f.yml:1: a YAML tag (!mine)"),
        ("%YAML 1.1\n---\na: 1\n", "f.yml:2: a YAML directive"),
        ("a: 1\n---\nb: 2\n", "f.yml:2: a second document"),
        ("a: 1\n? [x]\n: 2\n", "f.yml:2: a key that is a collection"),
        ("a: 1\n1.10: 2\n", 'f.yml:2: the key 1.10 is not text; quote it: "1.10"'),
        ("null: 2\n", 'f.yml:1: the key null is not text; quote it: "null"'),
        ("a: b: c\n", "f.yml:1: not valid YAML: mapping values"),
        ("a: @x\n", "f.yml:1: not valid YAML: found character '@'"),
        ('a: 1\nb: "open\nc: 2\n', "f.yml:2: not valid YAML: found unexpected end of stream"),
        ("a: 1\nb: [1,\nc: 2\n", "f.yml:2: not valid YAML"),
        ("a: 1\nb: \x07\n", "f.yml:2: a control character"),
        ('a: 1\nb: "\\U00110000"\n', "f.yml:2: an escape beyond"),
        (b"a: 1\nb: \xff\n", "f.yml:2: not UTF-8 text (byte 8); save it as UTF-8"),
        ("a: 1\n".encode("utf-16"), "f.yml:1: not UTF-8 text (byte 0)"),
        ("a: " + "[" * 200 + "]" * 200, "nested more than 20 deep"),
        ("a: " + "x" * MAX_BYTES, f"f.yml:1: {MAX_BYTES + 3} bytes are more than"),
    ],
)
def test_refusals_are_one_line_with_the_place(data: bytes | str, message: str) -> None:
    assert message in refusal(data)


def test_front_matter_is_refused_at_the_line_of_the_file() -> None:
    assert refusal("a: 1\na: 2\n", first_line=2).startswith("f.yml:3: 'a' stands on line 2")
    assert refusal(b"a: 1\nb: \xff\n", first_line=2).startswith("f.yml:3: ")


def test_billion_laughs_are_refused_at_once() -> None:
    bomb = "a0: &a0 [x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    begin = time.monotonic()
    assert "anchors" in refusal(bomb)
    assert time.monotonic() - begin < 2


# Writing


def test_a_dump_is_one_line_a_key_and_reads_back() -> None:
    pairs: list[tuple[str, Any]] = [
        ("id", "123456789012"),
        ("version", "1.10"),
        ("sha", "1e10"),
        ("role", "planner"),
        ("null", "no"),
        ("claim", 'say "no": it\'s 🎉\n# not a comment ' + "long " * 60),
        ("odd", "\x85\u2028\u2029\ufeff\x7f\x00\ttab"),
        ("tags", ["src/a.py", "parse"]),
        ("evidence", {"step": 4, "line": None, "fresh": True}),
        ("none", []),
    ]
    text = dump_mapping(pairs)
    assert load(text, "f").value == dict(pairs)
    assert text.splitlines()[:5] == [
        'id: "123456789012"',
        'version: "1.10"',
        'sha: "1e10"',
        'role: "planner"',
        '"null": "no"',
    ]
    assert 'tags: ["src/a.py", "parse"]\n' in text
    assert text.count("\n") == len(pairs)
    assert dump_mapping(pairs) == text


WRITTEN_BY_HAND = """\
# kept
id:   '0123'   # an id
severity: warn
claim: "short"
tags:
  - 'a'
  # about b
  -   b   # why b

evidence:
  step: 4
  line: ~
empty:
long: aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj kkkk llll mmmm nnnn oooo pppp qqqq rrrr
emoji: "\\U0001F4A5"
body: |
  one
  two

end: x
"""


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({}, "", ""),
        ({"severity": "warn", "id": "0123"}, "", ""),
        ({"severity": "error"}, "severity: warn", "severity: error"),
        ({"severity": "no"}, "severity: warn", 'severity: "no"'),
        ({"severity": "1.10"}, "severity: warn", 'severity: "1.10"'),
        ({"severity": True}, "severity: warn", "severity: true"),
        ({"id": "it's"}, "'0123'   # an id", "'it''s'   # an id"),
        ({"id": "a\nb"}, "'0123'   # an id", '"a\\nb"   # an id'),
        ({"claim": 'say "x"'}, '"short"', '"say \\"x\\""'),
        ({"tags": ["a", "c"]}, "-   b   # why b", "-   c   # why b"),
        ({"evidence": {"step": 5, "line": None}}, "step: 4", "step: 5"),
        ({"evidence": {"step": 4, "line": 12}}, "line: ~", "line: 12"),
        ({"evidence": {}}, "step: 4\n  line: ~", "{}"),
        ({"empty": "full"}, "empty:\n", "empty: full\n"),
        ({"empty": ["x"]}, "empty:\n", 'empty: ["x"]\n'),
        ({"body": "flat"}, "|\n  one\n  two\n", '"flat"\n'),
        ({"added": "1.10"}, "end: x\n", 'end: x\nadded: "1.10"\n'),
        (
            {"z": 1, "severity": "info", "new_key": ["q"]},
            "end: x\n",
            'end: x\nz: 1\nnew_key: ["q"]\n',
        ),
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_an_edit_changes_its_own_characters_only(
    changes: dict[str, Any], old: str, new: str, eol: str, bom: str
) -> None:
    before = bom + WRITTEN_BY_HAND.replace("\n", eol)
    after = WRITTEN_BY_HAND.replace(old, new, 1) if old else WRITTEN_BY_HAND
    if changes.get("z"):
        after = after.replace("severity: warn", "severity: info")
    assert edit_mapping(before, changes) == bom + after.replace("\n", eol)


def test_mixed_line_ends_stay() -> None:
    assert edit_mapping("a: 1\r\nb: 2\nc: 3\r\n", {"b": 5}) == "a: 1\r\nb: 5\nc: 3\r\n"


def test_a_block_list_grows_and_shrinks_in_its_own_form() -> None:
    text = "tags:\n-   'a'\n- b\nend: x"
    assert edit_mapping(text, {"tags": ["a", "b", "c: d"]}) == (
        "tags:\n- 'a'\n- b\n- \"c: d\"\nend: x"
    )
    assert edit_mapping(text, {"tags": ["b"]}) == "tags:\n- b\nend: x"
    comment = "tags:\n- a\n\n# about the end\nend: x\n"
    assert edit_mapping(comment, {"tags": ["a", "b"]}) == comment.replace("- a", '- a\n- "b"')
    assert edit_mapping("tags: [ a, 'b' ]\n", {"tags": ["b"]}) == 'tags: ["b"]\n'
    assert edit_mapping("a: 1", {"b": "x"}) == 'a: 1\nb: "x"'


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (
            "tags:\n  - a\n  # about b\n  - b\n",
            {"tags": ["a"]},
            "f:2: the old value holds comments",
        ),
        ("tags: [a, # c\n  b]\n", {"tags": []}, "f:1: the old value holds comments"),
        ("{a: 1}\n", {"b": 2}, "f: cannot be edited cleanly"),
        ("a: 1\n...\n", {"b": 2}, "f: cannot be edited cleanly"),
        ("tags:\n- a\n", {"tags": []}, "f: cannot be edited cleanly"),
        ("a: 1\na: 2\n", {"a": 3}, "f:2: 'a' stands on line 1 already"),
        ("a: [1\n", {"a": 3}, "not valid YAML"),
    ],
)
def test_an_edit_that_would_cost_something_is_refused(
    text: str, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(RelayError) as caught:
        edit_mapping(text, changes, "f")
    assert message in str(caught.value)
