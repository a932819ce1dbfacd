"""Names that cannot be wrong: what git, the filesystems and the shells could misread is refused."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_git import names
from relay_git.errors import InvalidName
from relay_git.names import ArtifactName, Oid, RefName, RunId, Word


@pytest.mark.parametrize(
    "name", ["plan.md", "plan_review.md", "a", "A-1", "bläh.md", "a b.md", "計画.md", "x" * 100]
)
def test_plain_file_names_are_artifacts(name: str) -> None:
    assert ArtifactName(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "-x", ".hidden", " x", "x ", "x."),
        *(".git", ".GIT", ".Git", ".g\u200cit", "git~1", "GIT~1", ".gitmodules", "\uff0egit"),
        *("plan.lock", "plan.md.lock", "a\0b", "a\nb", "a\tb", "a:b", "a|b", "a*b", "a?b", 'a"b'),
        *("con", "CON", "nul.md", "com1", "LPT9.txt", "aux", "x" * 101, "\udcff.md"),
    ],
)
def test_what_could_be_misread_is_no_artifact(name: str) -> None:
    with pytest.raises(InvalidName):
        ArtifactName(name)


@given(st.text(max_size=40))
def test_the_short_way_agrees_with_the_long_one(name: str) -> None:
    """Every ordinary name passes the checks that it is spared."""
    if not names._ORDINARY.fullmatch(name) or names._WINDOWS_DEVICE.match(name):
        return
    assert not re.search(names._UNSAFE_IN_PATH, name)
    assert not name.startswith(("-", ".", " ")) and not name.endswith((".", " ", ".lock"))
    assert not name.lower().startswith(".git") and name.lower() != "git~1"


@pytest.mark.parametrize("name", ["a b", "a/b", "é", "a..b", "x.", "-x", "", "a\nb", "a|b"])
def test_words_are_letters_digits_and_three_signs(name: str) -> None:
    with pytest.raises(InvalidName):
        Word(name)


@pytest.mark.parametrize("value", ["a" * 39, "A" * 40, "g" * 40, "a" * 41, "", "a" * 64 + "\n"])
def test_an_object_id_is_full_and_lower_case(value: str) -> None:
    with pytest.raises(InvalidName):
        Oid(value)


def test_a_run_id_says_its_month_and_day() -> None:
    run = RunId("20260428-0930-fix-bug-3f9a")
    assert (run.month, run.day) == ("2026-04", "28")
    assert names.history_path(run) == "28/20260428-0930-fix-bug-3f9a"


@pytest.mark.parametrize(
    "value",
    [
        "20260428-0930-fix-bug-3f9",
        "20260428-0930--3f9a",
        "20260428-0930-Fix-3f9a",
        "2026-0930-fix-3f9a",
        "20260428-0930-a..b-3f9a",
        "20260428-0930-fix-3f9a\n",
    ],
)
def test_what_is_no_run_id(value: str) -> None:
    with pytest.raises(InvalidName):
        RunId(value)


@given(st.text(min_size=1, max_size=30))
def test_ref_names_are_those_that_git_accepts(tail: str) -> None:
    """We may refuse more than git, never less."""
    try:
        name = RefName(f"refs/relay/{tail}")
    except InvalidName:
        return
    checked = subprocess.run(["git", "check-ref-format", name.encode("utf-8", "surrogateescape")])
    assert checked.returncode == 0


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Fix the Retry-Timer!", "fix-the-retry-timer"),
        ("Änderung über alles", "anderung-uber-alles"),
        ("../../evil", "evil"),
        ("計画", ""),
        ("a" * 50, "a" * 40),
        ("one two three four five six seven eight nine", "one-two-three-four-five-six-seven-eight"),
    ],
)
def test_slugs(text: str, slug: str) -> None:
    assert names.slug(text) == slug


@pytest.mark.parametrize(
    ("ref", "tracking"),
    [
        ("refs/relay/runs/x", "refs/relay-local/remotes/b/c/relay/runs/x"),
        ("refs/relay/*", "refs/relay-local/remotes/b/c/relay/*"),
        ("refs/notes/relay/2026-04", "refs/relay-local/remotes/b/c/notes/2026-04"),
    ],
)
def test_what_travels_has_a_place_for_each_remote(ref: str, tracking: str) -> None:
    assert names.tracking_ref("b/c", ref) == tracking
    if "*" not in ref:
        assert names.tracked_ref("b/c", tracking) == ref


def test_what_does_not_travel_has_none() -> None:
    for ref in ("refs/heads/main", "refs/relay-local/x/y", "refs/notes/commits"):
        with pytest.raises(InvalidName):
            names.tracking_ref("origin", ref)
        assert names.tracked_ref("origin", ref) is None
    assert names.tracked_ref("origin", "refs/relay-local/remotes/other/relay/x") is None


@given(st.from_regex(names._WORD, fullmatch=True).filter(lambda name: ".." not in name))
def test_all_refs_of_a_pipeline_have_one_slug(name: str) -> None:
    try:
        pointer = names.pipeline_ref(Word(name))
    except InvalidName:
        return
    run = RunId(f"20260428-0930-{names.slug(name)}-3f9a")
    base = Oid("0" * 64)
    refs = (pointer, names.run_ref(run), names.fork_ref(run, base, Word("one"), "0" * 64))
    assert {names.pipeline_slug(ref) for ref in refs} == {names.slug(name)}
    assert names.pipeline_slug(names.forks_prefix(run, base)) == names.slug(name)


def test_other_refs_have_no_slug_of_a_pipeline() -> None:
    for ref in ("refs/heads/main", "refs/relay/history/2026-04", names.RUNS, names.PIPELINES):
        assert names.pipeline_slug(ref) is None


@pytest.mark.parametrize("text", ["2026-04", "1999-12"])
def test_months(text: str) -> None:
    assert names.is_month(text)


@pytest.mark.parametrize("text", ["2026-13", "2026-00", "2026-4", "0999-01", "2026-04\n", "a", ""])
def test_what_is_no_month(text: str) -> None:
    assert not names.is_month(text)


def test_names_of_files_may_be_longer_than_those_of_artifacts() -> None:
    assert names.is_plain("x" * 255)
    assert not names.is_plain("x" * 256)
    assert not names.is_plain("..")
