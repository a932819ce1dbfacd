"""What a hostile or broken remote may have: kept apart, named in a line, and nothing is touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from clones import make_clone, make_server, relay_refs, tracked
from flow import APPROVED, call, done, draft, everything, write
from hostile import Workshop
from support import git, repository

from relay_git import canonical
from relay_git.clock import parse_iso
from relay_git.git.store import BLOB, EXECUTABLE, GITLINK, SYMLINK, TREE
from relay_git.joining import rules
from relay_git.names import Oid
from relay_git.sync.incoming import take_in
from relay_git.workspace import Workspace

Break = Callable[[Workshop, Oid], Oid]
"""Makes of a sound tip one that is not."""

RUNS = "refs/relay/runs/"


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return make_server(tmp_path / "server")


@pytest.fixture
def ada(server: Path, tmp_path: Path) -> Path:
    return make_clone(server, tmp_path / "ada")


def begun(path: Path, slug: str) -> str:
    """The ref of a new run with two steps."""
    before = set(relay_refs(path))
    done(path, "start", "--slug", slug)
    draft(path)
    (ref,) = set(relay_refs(path)) - before
    return ref


def told(path: Path, *words: str) -> dict[str, str]:
    """The refs that a sync keeps apart, a line each, with the reason."""
    answer = call(path, *(words or ("fetch",)))
    lines = [line for line in answer.out.splitlines() if line.startswith("kept apart: ")]
    found = dict(line.removeprefix("kept apart: ").split(": ", 1) for line in lines)
    assert len(found) == len(lines)
    assert answer.code == (1 if lines else 0), answer
    return found


def outside(path: Path) -> dict[str, str]:
    """All that a refused remote must leave alone; each ref by git's word, not by its file."""
    theirs = ("ref refs/relay-local/remotes/", ".git/refs/")
    return {name: value for name, value in everything(path).items() if not name.startswith(theirs)}


# Runs


def with_name(name: str, mode: str = BLOB) -> Break:
    return lambda shop, tip: shop.with_file(tip, name, mode)


def with_directory(name: str) -> Break:
    def change(shop: Workshop, tip: Oid) -> Oid:
        root = shop.entries(shop.commit(tip).tree)
        return shop.changed(tip, tree=shop.tree(*root, (TREE, "z", shop.nested(name))))

    return change


def with_submodule(shop: Workshop, tip: Oid) -> Oid:
    return shop.with_file(tip, "module", GITLINK, tip)


def with_json(**fields: object) -> Break:
    def change(shop: Workshop, tip: Oid) -> Oid:
        record = json.loads(shop.record(tip)) | fields
        return shop.with_record(tip, canonical.dumps(record))

    return change


def with_a_foreign_parent(shop: Workshop, tip: Oid) -> Oid:
    """Signed by its author, every file as recorded; and with it comes whatever the parent has."""
    junk = shop.changed(tip, tree=shop.tree((BLOB, "x", shop.blob())))
    return shop.changed(tip, parents=(*shop.commit(tip).parents, junk))


def forged_merge(shop: Workshop, tip: Oid) -> Oid:
    first = shop.commit(tip).parents[0]
    who = shop.commit(tip).committer.replace(name="git-relay", email="merge@git-relay.invalid")
    return shop.changed(tip, parents=(first, tip), author=who, committer=who)


def unsorted(shop: Workshop, tip: Oid) -> Oid:
    return shop.changed(tip, tree=shop.tree(*reversed(shop.entries(shop.commit(tip).tree))))


def twice(shop: Workshop, tip: Oid) -> Oid:
    entries = shop.entries(shop.commit(tip).tree)
    return shop.changed(tip, tree=shop.tree(*entries, entries[-1]))


def tagged(shop: Workshop, tip: Oid) -> Oid:
    text = f"object {tip}\ntype commit\ntag x\ntagger A <a@example.com> 1 +0000\n\nx\n"
    return shop.raw("tag", text.encode())


def bomb(shop: Workshop, depth: int) -> Oid:
    """A few folders that seem to hold sixteen to that power of them."""
    tree = shop.tree((BLOB, "ab", shop.blob()))
    for _ in range(depth):
        tree = shop.tree(*((TREE, f"{number:02x}", tree) for number in range(16)))
    return tree


def nest(shop: Workshop, depth: int) -> Oid:
    tree = shop.tree((BLOB, "ab", shop.blob()))
    for _ in range(depth):
        tree = shop.tree((TREE, "ab", tree))
    return tree


def with_folder(make: Callable[[Workshop, int], Oid], depth: int) -> Break:
    """Beside what the step has, under a name that comes last."""

    def change(shop: Workshop, tip: Oid) -> Oid:
        root = shop.entries(shop.commit(tip).tree)
        return shop.changed(tip, tree=shop.tree(*root, (TREE, "z", make(shop, depth))))

    return change


def with_deep_state(shop: Workshop, tip: Oid) -> Oid:
    """As deep as a reader of JSON goes, and deeper than a writer does."""
    record = shop.record(tip)
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    return shop.with_record(tip, record.replace(b'"state":{', b'"state":{"Z":' + deep + b",", 1))


BROKEN_RUNS: dict[str, tuple[Break, str]] = {
    "blob": (lambda shop, tip: shop.blob(), "a blob where a commit was expected"),
    "tree": (lambda shop, tip: shop.commit(tip).tree, "a tree where a commit was expected"),
    "tag": (tagged, "a tag where a commit was expected"),
    "code": (lambda shop, tip: shop.tip("main"), "'.relay' cannot be the name of a file"),
    "up": (with_directory(".."), "'..' cannot be the name of a file"),
    "dot": (with_directory("."), "'.' cannot be the name of a file"),
    "dot-git": (with_name(".git"), "'.git' cannot be"),
    "dot-git-case": (with_directory(".GiT"), "'.GiT' cannot be"),
    "dot-git-unseen": (with_name(".g\u200cit"), "cannot be the name of a file"),
    "dot-git-wide": (with_name("\uff0egit"), "cannot be the name of a file"),
    "dot-git-short": (with_directory("GIT~1"), "'GIT~1' cannot be"),
    "slash": (with_name("../../x"), "'../../x' cannot be a tree entry"),
    "backslash": (with_name("..\\x"), "cannot be the name of a file"),
    "bytes": (with_name("x\udcff"), "cannot be the name of a file"),
    "symlink": (with_name("link", SYMLINK), "'link' is a symbolic link"),
    "symlink-dir": (with_directory("x" * 256), "cannot be the name of a file"),
    "submodule": (with_submodule, "'module' is a submodule"),
    "executable": (with_name("run.sh", EXECUTABLE), "'run.sh' is executable"),
    "mode": (with_name("odd", "100664"), "'odd' is of mode 100664"),
    "padded": (with_name("odd", "0100644"), "in another form than git writes"),
    "unsorted": (unsorted, "in another form than git writes"),
    "twice": (twice, "one name twice"),
    "huge": (
        lambda shop, tip: shop.with_file(tip, "z", BLOB, shop.blob(b"x" * 9000)),
        "artifacts/z: 9000 bytes",
    ),
    "huge-record": (lambda shop, tip: shop.with_record(tip, b" " * 9000), "9000 bytes"),
    "huge-commit": (
        lambda shop, tip: shop.changed(tip, message="x" * 9000),
        "bytes, and relay.maxArtifact",
    ),
    "no-record": (lambda shop, tip: shop.with_record(tip, b"{}"), "not the record of a step"),
    "added": (
        with_name("added.md"),
        "step 2: tampered: artifacts/added.md: there, but not recorded",
    ),
    "message": (
        lambda shop, tip: shop.changed(tip, message="other\n"),
        "step 2: tampered: the commit",
    ),
    "resigned": (with_json(nonce=1), "step 2: tampered"),
    "newer": (
        with_json(relay_version=2),
        "step format 2 is newer than this git-relay reads (1); upgrade git-relay",
    ),
    "beheaded": (
        lambda shop, tip: shop.changed(tip, parents=()),
        "step 2: broken parent: the step before it is missing",
    ),
    "doubled": (lambda shop, tip: shop.changed(tip, parents=(tip,)), "step 2: broken parent"),
    "foreign-parent": (with_a_foreign_parent, "not a step"),
    "merged": (forged_merge, "tampered"),
    "bomb": (with_folder(bomb, 12), "holds far more files than it records"),
    "deep": (with_folder(nest, 3000), "holds far more files than it records"),
    "deeper": (with_folder(nest, 150), "there, but not recorded"),
    "deep-state": (with_deep_state, "not canonical JSON: nested too deep"),
}


def test_no_broken_run_is_merged(server: Path, ada: Path, tmp_path: Path) -> None:
    """All at once: each is named, in a line of its own, and a sound run among them is taken in."""
    refs = {name: begun(ada, name) for name in (*BROKEN_RUNS, "sound")}
    before = {name: git(ada, "rev-parse", f"{ref}^") for name, ref in refs.items()}
    done(ada, "push")
    knowing, fresh = (make_clone(server, tmp_path / name) for name in ("knowing", "fresh"))
    shop = Workshop(server)
    for name, ref in refs.items():
        shop.point(ref, before[name])
    done(knowing, "fetch")
    for name, (change, _) in BROKEN_RUNS.items():
        shop.point(refs[name], change(shop, shop.tip(relay_refs(ada)[refs[name]])))
    shop.point(refs["sound"], relay_refs(ada)[refs["sound"]])
    for clone in (knowing, fresh):
        git(clone, "config", "relay.maxArtifact", "8k")
        state = outside(clone)
        found = told(clone)
        assert found.keys() == {refs[name] for name in BROKEN_RUNS}
        for name, (_, expected) in BROKEN_RUNS.items():
            assert expected in found[refs[name]], name
        assert relay_refs(clone)[refs["sound"]] == relay_refs(ada)[refs["sound"]]
        state[f"ref {refs['sound']}"] = relay_refs(ada)[refs["sound"]]
        assert outside(clone) == state
        assert tracked(clone) == relay_refs(server)
        assert told(clone) == found, "it is named every time"


def test_a_name_that_is_none_of_a_run(server: Path, ada: Path) -> None:
    run = begun(ada, "sound")
    done(ada, "push")
    shop = Workshop(server)
    names = ["not-a-run", "20261301-0000-x-1a2b", f"{run.removeprefix(RUNS)}x", "HEAD", "a/b"]
    for name in names:
        shop.point(RUNS + name, shop.tip(run))
    assert told(ada) == dict.fromkeys((RUNS + name for name in names), "not the name of a run")
    assert relay_refs(ada).keys() == {run}


def test_another_run_under_the_name(server: Path, ada: Path, tmp_path: Path) -> None:
    """Both as an open run of this clone and as one that it has never seen."""
    mine, other = begun(ada, "mine"), begun(ada, "other")
    done(ada, "push")
    shop = Workshop(server)
    state = outside(ada)
    shop.point(mine, shop.tip(other))
    (reason,) = told(ada).values()
    assert f"belongs to the run {other.removeprefix(RUNS)}" in reason
    assert outside(ada) == state
    bob = make_clone(server, tmp_path / "bob")
    assert told(bob).keys() == {mine}
    assert relay_refs(bob).keys() == {other}
    answer = call(ada, "sync")
    assert answer.code == 1
    assert relay_refs(server)[mine] == relay_refs(server)[other], "nothing is forced"


def test_two_runs_that_began_under_one_name(
    server: Path, ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = make_clone(server, tmp_path / "bob")
    monkeypatch.setenv("GIT_RELAY_NOW", "1777377600")
    refs = []
    for path in (ada, bob):
        monkeypatch.setenv("GIT_RELAY_SEED", "1")
        monkeypatch.setattr("relay_git.clock._draws", 0)
        refs.append(begun(path, "same"))
    assert refs[0] == refs[1]
    done(ada, "sync")
    state = outside(bob)
    (reason,) = told(bob, "sync").values()
    assert reason.startswith("two runs go by this name: they began otherwise")
    assert outside(bob) == state
    assert call(ada, "sync").out == "in step with origin\n"


def test_a_signer_whom_the_project_does_not_know(server: Path, ada: Path, tmp_path: Path) -> None:
    """Refused only where a signers file says who may sign."""
    bob = make_clone(server, tmp_path / "bob")
    ref = begun(ada, "hers")
    done(ada, "sync")
    assert told(bob) == {}
    draft_of(ada)
    done(ada, "sync")
    (key,) = (bob / ".git/relay/keys").glob("*.pub")
    (bob / ".relay/allowed_signers").write_text(f"bob@example.com {key.read_text()}")
    git(bob, "add", ".relay/allowed_signers")
    git(bob, "commit", "-q", "-m", "signers")
    git(bob, "push", "-q", "origin", "main")
    state = outside(bob)
    (reason,) = told(bob).values()
    assert reason.startswith("step 1: unknown signer: SHA256:")
    assert outside(bob) == state
    assert relay_refs(bob)[ref] == git(ada, "rev-parse", f"{ref}^")


def draft_of(path: Path) -> None:
    """One step more, whoever acts."""
    write(path, "review.md", APPROVED.replace("approve", "reject"))
    done(path, "advance")


def test_nobody_is_remembered_as_a_signer_for_being_looked_at(
    server: Path, ada: Path, tmp_path: Path
) -> None:
    ref = begun(ada, "hers")
    done(ada, "push")
    bob = make_clone(server, tmp_path / "bob")
    shop = Workshop(server)
    shop.point(ref, shop.changed(shop.tip(ref), message="other\n"))
    assert told(bob).keys() == {ref}
    assert not (bob / ".git/relay/known_signers").exists()


# Histories


Forge = Callable[[Workshop, str], Oid]
"""Makes of a month's ref with two filings, the last of them new, a tip that is not sound."""


def filed(path: Path, slug: str, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_RELAY_NOW", at)
    done(path, "start", "--slug", slug)
    done(path, "abandon")


def refiled(change: Callable[[Workshop, Oid], Oid]) -> Forge:
    """The last filing, with another tree."""
    return lambda shop, ref: shop.changed(shop.tip(ref), tree=change(shop, shop.tip(ref)))


def day_of(shop: Workshop, filing: str) -> tuple[str, list[tuple[str, str, str]]]:
    ((_, day, inner),) = shop.entries(shop.commit(filing).tree)
    return day, shop.entries(inner)


def with_day(shop: Workshop, day: str, *entries: tuple[str, str, str]) -> Oid:
    return shop.tree((TREE, day, shop.tree(*entries)))


def dropping(shop: Workshop, filing: Oid) -> Oid:
    day, entries = day_of(shop, filing)
    return with_day(shop, day, entries[-1])


def exchanging(shop: Workshop, filing: Oid) -> Oid:
    """The new run has the tree of the old one."""
    day, ((_, _, old), (_, name, _)) = day_of(shop, filing)
    return with_day(shop, day, (TREE, name.replace("second", "first"), old), (TREE, name, old))


def adding(mode: str, name: str) -> Callable[[Workshop, Oid], Oid]:
    def change(shop: Workshop, filing: Oid) -> Oid:
        day, entries = day_of(shop, filing)
        return with_day(shop, day, *entries, (mode, name, shop.blob()))

    return change


def burying(shop: Workshop, filing: Oid) -> Oid:
    """A file that is no tombstone in the place of a run."""
    day, (first, (_, name, _)) = day_of(shop, filing)
    return with_day(shop, day, first, (BLOB, name, shop.blob(b"#!/bin/sh\n")))


def hiding(shop: Workshop, ref: str) -> Oid:
    tip = shop.tip(ref)
    return shop.changed(tip, parents=(tip,), tree=burying(shop, tip), message="hide 1 run\n")


def passing_through(shop: Workshop, ref: str) -> Oid:
    """The tip looks sound: what came in was taken out again."""
    tip = shop.tip(ref)
    first, run = shop.commit(tip).parents
    junk = shop.changed(first, parents=(first,), tree=adding(BLOB, "..")(shop, tip))
    return shop.changed(tip, parents=(junk, run))


def with_another_tip(shop: Workshop, ref: str) -> Oid:
    """Filed with a step whose file was changed, tree and all."""
    tip = shop.tip(ref)
    first, run = shop.commit(tip).parents
    evil = shop.with_file(run, "evil.md")
    day, (old, (_, name, _)) = day_of(shop, tip)
    tree = with_day(shop, day, old, (TREE, name, shop.commit(evil).tree))
    return shop.changed(tip, parents=(first, evil), tree=tree)


def joining_code(shop: Workshop, ref: str) -> Oid:
    tip = shop.tip(ref)
    parents = tuple(sorted((tip, shop.tip("main"))))
    return shop.changed(tip, parents=parents, message="merge two histories\n")


def in_three(shop: Workshop, ref: str) -> Oid:
    tip = shop.tip(ref)
    return shop.changed(tip, parents=(*shop.commit(tip).parents, shop.tip("main")))


def unrooted(shop: Workshop, ref: str) -> Oid:
    return shop.changed(shop.tip(ref), parents=())


NOT_MADE = "holds other runs than it files, hides or joins"
BROKEN_HISTORIES: dict[str, tuple[Forge, str]] = {
    "2025-01": (lambda shop, ref: shop.blob(), "a blob where a commit was expected"),
    "2025-02": (lambda shop, ref: shop.tip("main"), NOT_MADE),
    "2025-03": (refiled(dropping), NOT_MADE),
    "2025-04": (refiled(exchanging), NOT_MADE),
    "2025-05": (refiled(adding(BLOB, "zz")), NOT_MADE),
    "2025-06": (refiled(adding(SYMLINK, "zz")), NOT_MADE),
    "2025-07": (refiled(burying), NOT_MADE),
    "2025-08": (hiding, NOT_MADE),
    "2025-09": (passing_through, "'..' cannot be the name of a file (and 1 more)"),
    "2025-10": (with_another_tip, "tampered: artifacts/evil.md: there, but not recorded"),
    "2025-11": (joining_code, "(and 1 more)"),
    "2025-12": (in_three, "neither files a run nor hides some nor joins two histories"),
    "2026-01": (unrooted, NOT_MADE),
}


def test_no_broken_history_is_merged(
    server: Path, ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = {month: f"refs/relay/history/{month}" for month in (*BROKEN_HISTORIES, "2026-02")}
    shop = Workshop(server)
    for month in refs:
        filed(ada, "first", seconds(month), monkeypatch)
    done(ada, "push")
    knowing = make_clone(server, tmp_path / "knowing")
    done(knowing, "fetch")
    for month in refs:
        filed(ada, "second", seconds(month), monkeypatch)
    done(ada, "push")
    for month, (forge, _) in BROKEN_HISTORIES.items():
        shop.point(refs[month], forge(shop, refs[month]))
    shop.point("refs/relay/history/2026-13", shop.tip(refs["2026-02"]))
    sound = {ref: tip for ref, tip in relay_refs(server).items() if "2026-02" in ref}
    for clone in (knowing, make_clone(server, tmp_path / "fresh")):
        before = {ref: tip for ref, tip in relay_refs(clone).items() if ref in refs.values()}
        found = told(clone)
        assert found.pop("refs/relay/history/2026-13") == "not the name of a month"
        assert found.keys() == {refs[month] for month in BROKEN_HISTORIES}
        for month, (_, expected) in BROKEN_HISTORIES.items():
            assert expected in found[refs[month]], month
            assert relay_refs(clone).get(refs[month]) == before.get(refs[month])
        assert sound.items() <= relay_refs(clone).items()


def seconds(month: str) -> str:
    """Of its fifth day."""
    return str(parse_iso(f"{month}-05T12:00:00Z"))


# Notes


def noted(shop: Workshop, ref: str, *entries: tuple[str, str, str]) -> Oid:
    """One commit more, with these entries beside what is there."""
    tip = shop.tip(ref)
    return shop.changed(
        tip, parents=(tip,), tree=shop.tree(*shop.entries(shop.commit(tip).tree), *entries)
    )


def spare(shop: Workshop, ref: str) -> str:
    """A folder of notes that is not there, whichever the note that is there lies in."""
    there = {name for _, name, _ in shop.entries(shop.commit(shop.tip(ref)).tree)}
    return next(name for name in ("ff", "fe") if name not in there)


def with_note(mode: str, name: str, content: bytes = b"evil\n") -> Forge:
    return lambda shop, ref: noted(shop, ref, (mode, name, shop.blob(content)))


NAME = "f" * 40
BROKEN_NOTES: dict[str, tuple[Forge, str]] = {
    "2025-01": (
        lambda shop, ref: shop.commit(shop.tip(ref)).tree,
        "a tree where a commit was expected",
    ),
    "2025-02": (with_note(BLOB, "zz-no-note"), "'zz-no-note' is not where a note lies"),
    "2025-03": (with_note(BLOB, "z.."), "cannot be the name of a file"),
    "2025-04": (with_note(SYMLINK, NAME), "is a symbolic link"),
    "2025-05": (with_note(GITLINK, NAME), "is a submodule"),
    "2025-06": (with_note(BLOB, NAME, b"x" * 9000), "9000 bytes, and relay.maxArtifact is 8192"),
    "2025-07": (
        with_note(BLOB, NAME, b'{"kind":"settled","v":2}\n'),
        "note format 2 is newer than this git-relay reads (1); upgrade git-relay",
    ),
    "2025-08": (
        lambda shop, ref: noted(shop, ref, (TREE, spare(shop, ref), shop.nested(".git"))),
        "'.git' cannot be",
    ),
    "2025-09": (lambda shop, ref: shop.tip("main"), "cannot be the name of a file"),
    "2025-10": (
        lambda shop, ref: noted(shop, ref, (TREE, spare(shop, ref), bomb(shop, 12))),
        "'01' is not where a note lies",
    ),
    "2025-11": (
        lambda shop, ref: noted(shop, ref, (TREE, spare(shop, ref), nest(shop, 3000))),
        "'ab' is not where a note lies",
    ),
    "2025-12": (
        lambda shop, ref: noted(
            shop, ref, (TREE, spare(shop, ref), shop.tree((BLOB, NAME, shop.blob())))
        ),
        f"'{NAME}' is not where a note lies",
    ),
}


def test_no_broken_notes_are_merged(
    server: Path, ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for month in BROKEN_NOTES:
        filed(ada, "first", seconds(month), monkeypatch)
    done(ada, "push")
    knowing = make_clone(server, tmp_path / "knowing")
    done(knowing, "fetch")
    shop = Workshop(server)
    for month, (forge, _) in BROKEN_NOTES.items():
        shop.point(f"refs/notes/relay/{month}", forge(shop, f"refs/notes/relay/{month}"))
    for clone in (knowing, make_clone(server, tmp_path / "fresh")):
        git(clone, "config", "relay.maxArtifact", "8k")
        before = {ref: tip for ref, tip in relay_refs(clone).items() if "notes" in ref}
        found = told(clone)
        for month, (_, expected) in BROKEN_NOTES.items():
            assert expected in found.pop(f"refs/notes/relay/{month}"), month
        assert not found
        assert {ref: tip for ref, tip in relay_refs(clone).items() if "notes" in ref} == before


def test_a_text_that_looks_like_a_version_is_none(server: Path, ada: Path) -> None:
    """Lessons quote whatever they like."""
    begun(ada, "sound")
    done(ada, "abandon")
    done(ada, "push")
    (ref,) = [ref for ref in relay_refs(ada) if "notes" in ref]
    shop = Workshop(server)
    line = canonical.dumps({"kind": "lesson", "text": 'it says "v":9', "v": 1}) + b"\n"
    shop.point(ref, with_note(BLOB, NAME, line)(shop, ref))
    assert told(ada) == {}
    assert relay_refs(ada)[ref] == shop.tip(ref)


# Kinds that nobody knows, and a remote that is out of time


def test_refs_of_a_newer_version_are_left_alone(server: Path, ada: Path) -> None:
    ref = begun(ada, "sound")
    done(ada, "push")
    shop = Workshop(server)
    shop.point("refs/relay/wisdom/2026-01", shop.tip("main"))
    said = done(ada, "sync")
    assert "origin has 1 ref, such as refs/relay/wisdom/2026-01, of a kind that" in said
    assert relay_refs(ada).keys() == {ref}
    assert "refs/relay/wisdom/2026-01" in relay_refs(server)


def test_what_cannot_be_judged_in_time_is_left_for_later(
    server: Path, ada: Path, tmp_path: Path
) -> None:
    for name in ("one", "two", "three"):
        begun(ada, name)
    done(ada, "push")
    bob = make_clone(server, tmp_path / "bob")
    git(bob, "fetch", "-q")
    ws = Workspace(repository(bob))
    report = take_in(ws, "origin", rules(seconds=0))
    assert {trouble.ref for trouble in report.apart} == set(relay_refs(ada))
    assert {t.reason for t in report.apart} == {"left for later; `git relay fetch` takes its time"}
    assert take_in(ws, "origin", rules()).ok
    assert relay_refs(bob) == relay_refs(ada)


# What follows, and has less


def test_notes_that_a_push_has_dropped_come_back(server: Path, ada: Path) -> None:
    """Absence never means delete, also where the history of the notes only goes on."""
    done(ada, "start")
    done(ada, "abandon")
    done(ada, "sync")
    [ref] = [ref for ref in relay_refs(ada) if "notes" in ref]
    before = git(ada, "notes", f"--ref={ref}", "list")
    shop = Workshop(server)
    shop.point(ref, shop.changed(shop.tip(ref), tree=shop.tree(), parents=(shop.tip(ref),)))
    assert "merged 1 month of notes" in done(ada, "sync")
    assert git(ada, "notes", f"--ref={ref}", "list") == before
    assert relay_refs(ada) == relay_refs(server)
    assert done(ada, "sync") == "in step with origin\n"
