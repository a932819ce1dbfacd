"""Lesson files in a work tree: read through the cache, delivered once, withdrawn for good."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import git, make_repo

from relay_git import parallel
from relay_git.errors import Refused, RelayError
from relay_git.lessons import shelf as shelf_module
from relay_git.lessons import shelfreader
from relay_git.lessons.keep import Draft, lesson_path, render_lesson
from relay_git.lessons.model import Evidence, Lesson
from relay_git.lessons.shelf import Delivery, Shelf, add, deliver, find, retire, write_retired
from relay_git.names import ArtifactName, RunId

AT = "2026-05-01T00:00:00Z"
LESSONS = ".relay/lessons"


def lesson(claim: str, role: str = "planner", run: str = "3f9a", **values: Any) -> Lesson:
    fields: dict[str, Any] = {
        "severity": "warn",
        "excerpt": f"- {claim}",
        "evidence": Evidence(ArtifactName("review.md"), "0" * 40, 2, 7),
        "observed_at": "2026-04-28T09:30:00Z",
        **values,
    }
    return Lesson(role=role, claim=claim, run=RunId(f"20260428-0930-fix-{run}"), **fields)


def load(tree: Path) -> Shelf:
    return Shelf.load(str(tree), str(tree / "cache"))


def bring(tree: Path, *lessons: Lesson) -> Delivery:
    return deliver(str(tree), lessons, load(tree))


def snapshot(tree: Path) -> dict[str, bytes]:
    files = (path for path in (tree / ".relay").rglob("*") if path.is_file())
    return {str(path.relative_to(tree)): path.read_bytes() for path in files}


def test_delivered_lessons_are_on_the_shelf(tmp_path: Path) -> None:
    one = lesson("Close it")
    two = lesson("Test it", role="auditor", observed_at="2026-04-29T09:30:00Z")
    assert bring(tmp_path, one, two).written == (lesson_path(one), lesson_path(two))
    shelf = load(tmp_path)
    assert [kept.claim for kept in shelf.by_role("planner")] == ["Close it"]
    assert [kept.claim for kept in shelf.by_role("auditor")] == ["Test it"]
    assert shelf.has_claim(one.claim_hash)
    assert not shelf.has_claim(lesson("Close it", role="auditor").claim_hash)
    assert not shelf.is_retired(one.claim_hash)
    assert shelf.problems == []


def test_delivering_again_changes_nothing(tmp_path: Path) -> None:
    one = lesson("Close it")
    path = lesson_path(one)
    bring(tmp_path, one)
    before = snapshot(tmp_path)
    assert bring(tmp_path, one) == Delivery(present=(path,))
    assert bring(tmp_path, lesson("close IT!", run="0001")) == Delivery(present=(path,))
    assert snapshot(tmp_path) == before


def test_of_one_claim_the_first_observed_is_written(tmp_path: Path) -> None:
    late = lesson("Close it", run="0001", observed_at="2026-04-29T09:30:00Z")
    early = lesson("Close it", run="0002")
    assert bring(tmp_path, late, early) == Delivery((lesson_path(early),), (lesson_path(early),))


def test_hand_edits_win(tmp_path: Path) -> None:
    one = lesson("Close it")
    bring(tmp_path, one)
    moved = tmp_path / LESSONS / "planner/better-name.md"
    text = render_lesson(one).replace("Close it", "Flush it, then close it").replace("warn", "info")
    moved.write_text(text)
    (tmp_path / lesson_path(one)).unlink()
    assert bring(tmp_path, one) == Delivery(present=(f"{LESSONS}/planner/better-name.md",))
    assert moved.read_text() == text


def test_a_broken_file_is_reported_and_not_delivered_again(tmp_path: Path) -> None:
    one, two = lesson("Close it"), lesson("Test it")
    bring(tmp_path, one, two)
    broken = tmp_path / lesson_path(one)
    broken.write_text("oops")
    shelf = load(tmp_path)
    assert [str(problem) for problem in shelf.problems] == [
        f"{lesson_path(one)}:1: no front matter; begin it with `---`, the fields and `---`"
    ]
    assert [kept.claim for kept in shelf.kept] == ["Test it"]
    assert bring(tmp_path, one).present == (lesson_path(one),)
    assert broken.read_text() == "oops"
    moved = f"{LESSONS}/planner/better-{one.id[:8]}.md"
    broken.rename(tmp_path / moved)
    assert bring(tmp_path, one).present == (moved,)


def test_each_file_that_cannot_be_read_is_one_problem(tmp_path: Path) -> None:
    bring(tmp_path, lesson("Close it"))
    role = tmp_path / LESSONS / "planner"
    (role / "binary.md").write_bytes(b"---\n\xff\n---\n")
    (role / "huge.md").write_bytes(b"x" * (shelfreader.MAX_BYTES + 1))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/x.md").write_text("secret")
    (tmp_path / LESSONS / "linked").symlink_to(tmp_path / "elsewhere")
    (role / "link.md").symlink_to(tmp_path / "elsewhere/x.md")
    (role / "notes.txt").write_text("not ours")
    with open(os.fsencode(role) + b"/\xff.md", "w"):
        pass
    shelf = load(tmp_path)
    assert len(shelf.kept) == 1
    assert sorted(problem.what for problem in shelf.problems) == [
        "a file name that is not UTF-8",
        "a symbolic link, which is never followed",
        f"larger than {shelfreader.MAX_BYTES} bytes",
        "not UTF-8 text",
    ]
    assert {problem.where for problem in shelf.problems} >= {f"{LESSONS}/planner/binary.md:2"}


def test_two_lessons_with_one_name_get_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = {"Close it": "aaaaaaaa0001", "Close: it": "aaaaaaaa0002"}
    monkeypatch.setattr(Lesson, "id", property(lambda self: ids[self.claim]))
    monkeypatch.setattr("relay_git.lessons.keep.claim_hash", lambda role, claim: claim)
    written = bring(tmp_path, lesson("Close it"), lesson("Close: it")).written
    assert [Path(path).name for path in written] == [
        "close-it-aaaaaaaa.md",
        "close-it-aaaaaaaa0002.md",
    ]
    assert bring(tmp_path, lesson("Close it"), lesson("Close: it")).present == written


def test_the_disk_counts_where_the_shelf_is_old(tmp_path: Path) -> None:
    old, one = load(tmp_path), lesson("Close it")
    bring(tmp_path, one)
    assert deliver(str(tmp_path), [one], old) == Delivery(present=(lesson_path(one),))


def test_two_processes_end_in_the_same_files(tmp_path: Path) -> None:
    claims = [f"Claim number {number}" for number in range(60)]
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import test_shelf as t
from pathlib import Path
t.bring(Path(sys.argv[2]), *[t.lesson(f"Claim number {n}") for n in range(60)])
"""
    here = str(Path(__file__).parent)
    together, alone = tmp_path / "together", tmp_path / "alone"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(here).parent), *sys.path])}
    processes = [
        subprocess.Popen([sys.executable, "-c", code, here, str(together)], env=environment)
        for _ in range(3)
    ]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]
    bring(alone, *[lesson(claim) for claim in claims])
    assert len(snapshot(alone)) == 60
    assert snapshot(together) == snapshot(alone)


# The cache


def test_an_unchanged_shelf_imports_no_parser(tmp_path: Path) -> None:
    bring(tmp_path, lesson("Close it"))
    (tmp_path / LESSONS / "planner/broken.md").write_text("---\nversion: x\n---\n")
    first = load(tmp_path)
    code = (
        "import sys; from relay_git.lessons.shelf import Shelf;"
        "from relay_git.lessons import inject;"
        f"shelf = Shelf.load({str(tmp_path)!r}, {str(tmp_path / 'cache')!r});"
        "print(len(shelf.kept), len(shelf.problems));"
        "print([m for m in ('ruamel', 'ruamel.yaml', 'pydantic', 'markdown_it', 'pygit2')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"1 {len(first.problems)}\n[]\n"
    assert first.problems
    shutil.rmtree(tmp_path / "cache")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "'ruamel.yaml', 'pydantic'" in done.stdout


def test_the_cache_follows_the_files(tmp_path: Path) -> None:
    one = lesson("Close it")
    bring(tmp_path, one, lesson("Test it"))
    load(tmp_path)
    path = tmp_path / lesson_path(one)
    path.write_text(path.read_text().replace("warn", "error"))
    (tmp_path / lesson_path(lesson("Test it"))).unlink()
    assert [kept.severity for kept in load(tmp_path).kept] == ["error"]
    cache = (tmp_path / "cache/lessons.json").read_bytes()
    assert cache.count(b'"claim"') == 1
    load(tmp_path)
    assert (tmp_path / "cache/lessons.json").read_bytes() == cache
    path.unlink()
    assert load(tmp_path).kept == ()
    assert b'"claim"' not in (tmp_path / "cache/lessons.json").read_bytes()


def test_what_json_cannot_hold_is_cached_too(tmp_path: Path) -> None:
    one = lesson("Close it")
    bring(tmp_path, one)
    path = tmp_path / lesson_path(one)
    path.write_text(path.read_text().replace("tags: []", r'tags: ["\ud800"]'))
    first = load(tmp_path)
    assert first.kept[0].tags == ("\ufffd",)
    cache = (tmp_path / "cache/lessons.json").read_bytes()
    assert load(tmp_path) == first
    assert (tmp_path / "cache/lessons.json").read_bytes() == cache


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\x00\xff",
        b"[]",
        b"{}",
        b'{"files":[],"reader":"VERSION"}',
        b'{"files":{"KEY":5},"reader":"VERSION"}',
        b'{"files":{"KEY":{}},"reader":"VERSION"}',
        b'{"files":{"KEY":{"problems":[1]}},"reader":"VERSION"}',
    ],
)
def test_a_garbage_cache_is_rebuilt(tmp_path: Path, garbage: bytes) -> None:
    bring(tmp_path, lesson("Close it"))
    shelf = load(tmp_path)
    cache = tmp_path / "cache/lessons.json"
    good = cache.read_bytes()
    key = good.split(b'"')[3]
    version = good.split(b'"')[-2]
    cache.write_bytes(garbage.replace(b"KEY", key).replace(b"VERSION", version))
    assert load(tmp_path) == shelf
    assert cache.read_bytes() == good


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"warn"', b'"dire"'), (b'"tags":[]', b'"tags":1'), (b'"role":"planner"', b'"role":null')],
)
def test_an_entry_of_a_wrong_type_is_read_again(tmp_path: Path, old: bytes, new: bytes) -> None:
    bring(tmp_path, lesson("Close it"))
    shelf = load(tmp_path)
    cache = tmp_path / "cache/lessons.json"
    good = cache.read_bytes()
    assert old in good
    cache.write_bytes(good.replace(old, new))
    assert load(tmp_path) == shelf
    assert cache.read_bytes() == good


def test_the_cache_of_another_version_is_not_used(tmp_path: Path) -> None:
    bring(tmp_path, lesson("Close it"))
    load(tmp_path)
    cache = tmp_path / "cache/lessons.json"
    text = cache.read_text().replace("Close it", "Forged").replace('"reader":"', '"reader":"9.')
    cache.write_text(text)
    assert [kept.claim for kept in load(tmp_path).kept] == ["Close it"]


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    bring(tmp_path, lesson("Close it"))
    (tmp_path / "file").write_text("")
    assert len(Shelf.load(str(tmp_path), str(tmp_path / "file/cache")).kept) == 1


# Withdraw, add, find


def test_a_withdrawn_lesson_stays_withdrawn(tmp_path: Path) -> None:
    one = lesson("Close it")
    bring(tmp_path, one)
    path = retire(str(tmp_path), load(tmp_path), one.id[:6], "it closes itself", AT)
    assert path == f"{LESSONS}/retired/planner/close-it-{one.id[:8]}.md"
    assert list(snapshot(tmp_path)) == [path]
    assert 'retired: {"reason": "it closes itself", "at": "' + AT in (tmp_path / path).read_text()
    shelf = load(tmp_path)
    assert (shelf.kept, shelf.problems) == ((), [])
    assert shelf.is_retired(one.claim_hash)
    assert bring(tmp_path, one, lesson("Close it", run="0001")) == Delivery(retired=(path, path))
    with pytest.raises(Refused, match="withdrawn already"):
        retire(str(tmp_path), shelf, one.id, "again", AT)


def test_withdrawn_in_one_branch_and_edited_in_another_is_withdrawn(tmp_path: Path) -> None:
    one = lesson("Close it")
    bring(tmp_path, one)
    retire(str(tmp_path), load(tmp_path), one.id, "reason", AT)
    (tmp_path / lesson_path(one)).write_text(render_lesson(one) + "\nedited\n")
    shelf = load(tmp_path)
    assert shelf.kept == ()
    assert [problem.where for problem in shelf.problems] == [lesson_path(one)]
    with pytest.raises(Refused, match="has this name already"):
        retire(str(tmp_path), shelf, lesson_path(one), "reason", AT)
    assert (tmp_path / lesson_path(one)).exists()


def test_an_interrupted_withdrawal_is_completed(tmp_path: Path) -> None:
    one = lesson("Close it")
    bring(tmp_path, one)
    text = render_lesson(one)
    path = write_retired(str(tmp_path), lesson_path(one), text, "first reason", AT)
    assert retire(str(tmp_path), load(tmp_path), lesson_path(one), "second", AT) == path
    assert list(snapshot(tmp_path)) == [path]
    assert "first reason" in (tmp_path / path).read_text()


def test_a_plain_deletion_becomes_a_withdrawal(tmp_path: Path) -> None:
    one = lesson("Close it")
    write_retired(str(tmp_path), lesson_path(one), render_lesson(one), "deleted", AT)
    assert bring(tmp_path, one).written == ()


def test_a_person_adds_a_lesson_once(tmp_path: Path) -> None:
    tree = str(tmp_path)
    path = add(tree, load(tmp_path), "planner", "Ask first", "error", AT, tags=["a.py"])
    kept = load(tmp_path).kept[0]
    assert (kept.path, kept.claim, kept.severity) == (path, "Ask first", "error")
    assert (kept.run, kept.observed_at, kept.tags) == (None, AT, ("a.py",))
    with pytest.raises(Refused, match="there already"):
        add(tree, load(tmp_path), "planner", "ask first!", "info", AT)
    retire(tree, load(tmp_path), path, "no", AT)
    with pytest.raises(Refused, match="withdrawn"):
        add(tree, load(tmp_path), "planner", "Ask first", "info", AT)
    with pytest.raises(Refused, match="needs a claim"):
        add(tree, load(tmp_path), "planner", " -- ", "info", AT)


def test_finding_by_id_slug_name_and_path(tmp_path: Path) -> None:
    one, two = lesson("Close it"), lesson("Test it")
    bring(tmp_path, one, two)
    shelf, path = load(tmp_path), lesson_path(one)
    name = path.rpartition("/")[2]
    for selector in (
        one.id,
        one.id[:4],
        "close-it",
        path,
        path[len(LESSONS) + 1 :],
        name,
        name[:-3],
    ):
        assert find(shelf, selector).id == one.id


def test_finding_prefers_lessons_in_force(tmp_path: Path) -> None:
    one, two = lesson("Close it"), lesson("Close it", role="auditor")
    bring(tmp_path, one, two)
    path = retire(str(tmp_path), load(tmp_path), one.id, "reason", AT)
    shelf = load(tmp_path)
    assert find(shelf, "close-it").id == two.id
    assert find(shelf, one.id[:6]).path == find(shelf, path).path == path


def test_finding_none_or_several_says_so(tmp_path: Path) -> None:
    one, two = lesson("Close it"), lesson("Close it", role="auditor")
    bring(tmp_path, one, two)
    shelf = load(tmp_path)
    for selector in ("", "nothing", "clos", one.id[:3]):
        with pytest.raises(RelayError, match="no lesson is called"):
            find(shelf, selector)
    with pytest.raises(RelayError) as caught:
        find(shelf, "close-it")
    assert lesson_path(one) in str(caught.value)
    assert lesson_path(two) in str(caught.value)


def test_branches_that_add_lessons_merge_without_conflict(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    for branch, claim in (("a", "Close it"), ("b", "Test it")):
        git(repo, "switch", "-q", "-c", branch, "main")
        bring(repo, lesson(claim), lesson("Both know it"))
        git(repo, "add", ".relay")
        git(repo, "commit", "-q", "-m", branch)
    git(repo, "merge", "-q", "-m", "merge", "a")
    shelf = load(repo)
    assert sorted(kept.claim for kept in shelf.kept) == ["Both know it", "Close it", "Test it"]
    assert git(repo, "status", "--porcelain", ".relay") == ""


def test_thousands_are_written_and_read_as_one_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [lesson(f"Close number {number}", run=f"{number:04x}") for number in range(2600)]
    monkeypatch.setattr(parallel, "_cores", lambda: 3)
    (tmp_path / "many").mkdir()
    shared = bring(tmp_path / "many", *found, *found[:3])
    shelf = Shelf.load(str(tmp_path / "many"), str(tmp_path / "cache"))
    monkeypatch.setattr(parallel, "_cores", lambda: 1)
    (tmp_path / "alone").mkdir()
    assert bring(tmp_path / "alone", *found, *found[:3]) == shared
    assert len(shared.written) == 2600 and len(shared.present) == 3
    assert shelf == Shelf.load(str(tmp_path / "alone"), str(tmp_path / "other"))
    assert len(shelf.lessons) == 2600 and not shelf.problems


def test_new_lessons_of_one_name_are_a_file_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Draft, "path", _one_name)
    monkeypatch.setattr(shelf_module, "_SHARE", 1)
    monkeypatch.setattr(parallel, "_cores", lambda: 4)
    found = [lesson(f"Close number {number}", run=f"{number:04x}") for number in range(12)]
    delivery = bring(tmp_path, *found)
    assert len(set(delivery.written)) == 12
    assert len(Shelf.load(str(tmp_path), str(tmp_path / "cache")).lessons) == 12


def _one_name(draft: Draft, digits: int = 8) -> str:
    name = "same" if digits == 8 else draft.id
    return f".relay/lessons/{draft.role}/{name}.md"
