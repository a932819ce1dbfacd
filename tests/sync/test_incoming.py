"""Taking in what a fetch brought, with a kind of refs that is as simple as can be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from support import git, make_repo, processes, repository

from relay_git.errors import Corrupt, Refused
from relay_git.names import Oid, RefName
from relay_git.sync.incoming import Intake, take_in
from relay_git.sync.report import Report, Trouble
from relay_git.sync.rules import Incoming, Rule
from relay_git.workspace import Workspace

X = "refs/relay/x/"
THEIRS = "refs/relay-local/remotes/origin/relay/x/"


class Plain(Rule):
    """Commits that anybody may make. Messages say what is wrong with them."""

    prefix = X
    together = False
    monthly = False

    def __init__(self) -> None:
        self.judged: list[Incoming] = []
        self.was_taking: list[RefName] = []

    def misnamed(self, ref: RefName) -> str | None:
        return "not a name of mine" if "bad" in ref else None

    def problems(
        self, ws: Workspace, incoming: Sequence[Incoming]
    ) -> Mapping[RefName, Sequence[str]]:
        self.judged += incoming
        said = {item.ref: ws.store.commit(item.tip).message.split() for item in incoming}
        return {ref: words for ref, words in said.items() if "evil" in words}

    def merge(self, ws: Workspace, ref: RefName, ours: Oid, theirs: Oid) -> Oid:
        if "stubborn" in ref:
            raise Refused("these do not go together", hint="choose one")
        first, second = sorted((ours, theirs))
        tree = ws.store.commit(ours).tree
        made = ws.repo.git("commit-tree", "-p", first, "-p", second, "-m", "merged", tree)
        return Oid(made.stdout.decode().strip())

    def taking(self, ws: Workspace, ref: RefName, tip: Oid) -> None:
        self.was_taking.append(ref)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "clone")


@pytest.fixture
def rule() -> Plain:
    return Plain()


def commit(path: Path, *parents: str, message: str = "plain") -> str:
    words = [word for parent in parents for word in ("-p", parent)]
    return git(path, "commit-tree", *words, "-m", message, "HEAD^{tree}")


def ours(path: Path, **tips: str) -> None:
    for name, tip in tips.items():
        git(path, "update-ref", X + name, tip)


def theirs(path: Path, **tips: str) -> None:
    for name, tip in tips.items():
        git(path, "update-ref", THEIRS + name, tip)


def here(path: Path) -> dict[str, str]:
    listed = git(path, "for-each-ref", "--format=%(refname) %(objectname)", X).splitlines()
    return {line.split()[0].removeprefix(X): line.split()[1] for line in listed}


def taken(path: Path, rule: Rule) -> Report:
    return take_in(Workspace(repository(path)), "origin", [rule])


def ref(name: str) -> RefName:
    return RefName(X + name)


def test_every_way_in_which_two_sides_can_differ(clone: Path, rule: Plain) -> None:
    base = commit(clone)
    one, two = (commit(clone, base, message=name) for name in ("one", "two"))
    ours(clone, same=one, behind=base, ahead=one, diverged=one, mine=one)
    theirs(clone, same=one, behind=one, ahead=base, diverged=two, new=two)
    report = taken(clone, rule)
    assert report == Report("origin", taken=(ref("behind"), ref("new")), merged=(ref("diverged"),))
    after = here(clone)
    merged = after.pop("diverged")
    assert after == {"same": one, "behind": one, "ahead": one, "mine": one, "new": two}
    assert git(clone, "rev-parse", f"{merged}^1", f"{merged}^2").split() == sorted((one, two))
    assert sorted(rule.was_taking) == [ref(name) for name in ("behind", "diverged", "new")]
    known = {item.ref: item.known for item in rule.judged}
    assert known == {ref("behind"): base, ref("diverged"): one, ref("new"): None}


def test_what_is_wrong_stays_apart_and_hides_nothing(clone: Path, rule: Plain) -> None:
    base = commit(clone)
    evil = commit(clone, base, message="evil and worse")
    ours(clone, old=base, stubborn=commit(clone, message="mine"))
    theirs(clone, old=evil, new=evil, bad=base, good=base, stubborn=base)
    theirs(clone, blob=git(clone, "hash-object", "-w", "--stdin", input=b"x"))
    before = here(clone)
    report = taken(clone, rule)
    assert report.taken == (ref("good"),)
    assert set(report.apart) == {
        Trouble(ref("old"), "evil (and 2 more)"),
        Trouble(ref("new"), "evil (and 2 more)"),
        Trouble(ref("bad"), "not a name of mine"),
        Trouble(ref("blob"), "a blob where a commit was expected"),
        Trouble(ref("stubborn"), "these do not go together; choose one"),
    }
    assert here(clone) == before | {"good": base}
    assert taken(clone, rule).apart == report.apart, "named every time"


def test_what_the_remote_has_not_is_not_gone(clone: Path, rule: Plain) -> None:
    base = commit(clone)
    ours(clone, mine=base)
    theirs(clone, mine=base)
    taken(clone, rule)
    git(clone, "update-ref", "-d", THEIRS + "mine")
    assert taken(clone, rule) == Report("origin")
    assert here(clone) == {"mine": base}


def test_kinds_that_no_rule_is_for_are_named_and_left(clone: Path, rule: Plain) -> None:
    base = commit(clone)
    git(clone, "update-ref", "refs/relay-local/remotes/origin/relay/wisdom/1", base)
    git(clone, "update-ref", "refs/relay-local/remotes/origin/notes/2026-04", base)
    git(clone, "update-ref", "refs/relay-local/remotes/other/relay/x/1", base)
    report = taken(clone, rule)
    assert report.unknown == ("refs/notes/relay/2026-04", "refs/relay/wisdom/1")
    assert report.ok
    assert here(clone) == {}


class Unreadable(Plain):
    """Of which some cannot be judged at all, for what is broken here."""

    def problems(
        self, ws: Workspace, incoming: Sequence[Incoming]
    ) -> Mapping[RefName, Sequence[str]]:
        for item in incoming:
            if "unreadable" in item.ref:
                raise Corrupt("the object is empty", where="x")
        return {}


def test_what_cannot_be_read_holds_back_no_other(clone: Path) -> None:
    names = ("a", "unreadable", "b", "c", "unreadable-too", "d")
    theirs(clone, **dict.fromkeys(names, commit(clone)))
    report = taken(clone, Unreadable())
    assert set(report.taken) == {ref(name) for name in "abcd"}
    assert {trouble.ref for trouble in report.apart} == {ref("unreadable"), ref("unreadable-too")}
    assert {trouble.reason for trouble in report.apart} == {"the object is empty"}


# Races and locks


class Racing(Plain):
    """While a ref is taken, somebody moves it."""

    def __init__(self, path: Path, to: Mapping[str, str]) -> None:
        super().__init__()
        self._path, self._to = path, dict(to)

    def taking(self, ws: Workspace, ref: RefName, tip: Oid) -> None:
        if to := self._to.pop(ref.removeprefix(X), None):
            git(self._path, "update-ref", ref, to)


def test_a_ref_that_moves_meanwhile_follows_both(clone: Path) -> None:
    base = commit(clone)
    mine, further = (commit(clone, base, message=name) for name in ("mine", "theirs"))
    beyond = commit(clone, further)
    ours(clone, moved=base, passed=base, quiet=base)
    theirs(clone, moved=further, passed=further, quiet=further, made=further)
    rule = Racing(clone, {"moved": mine, "passed": beyond, "made": base})
    report = taken(clone, rule)
    assert set(report.taken) == {ref(name) for name in ("moved", "passed", "quiet", "made")}
    after = here(clone)
    assert (after["passed"], after["quiet"], after["made"]) == (beyond, further, further)
    for tip in (mine, further):
        git(clone, "merge-base", "--is-ancestor", tip, after["moved"])


def test_a_locked_ref_is_named_and_holds_back_no_other(
    clone: Path, rule: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relay_git.sync.incoming._SECONDS", 0.1)
    base = commit(clone)
    theirs(clone, free=base, held=base)
    lock = clone / f".git/{X}held.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    report = taken(clone, rule)
    assert report.taken == (ref("free"),)
    (trouble,) = report.apart
    assert trouble.ref == ref("held")
    assert f"is locked by {lock}" in trouble.reason
    assert "if no git process is running any more, remove that file" in trouble.reason
    assert lock.exists()
    lock.unlink()
    assert taken(clone, rule).taken == (ref("held"),)


# Refs that end, and what stands elsewhere


class Ending(Plain):
    """Refs whose tips the ref `done` reaches end; `open` must follow what `kept` has."""

    def ended(
        self, ws: Workspace, tips: Collection[tuple[RefName, Oid]], refs: Mapping[RefName, Oid]
    ) -> Collection[Oid]:
        tip = refs.get(ref("done"))
        reached = ws.repo.git("rev-list", tip).stdout.decode().split() if tip else []
        return [oid for name, oid in tips if oid in reached and name != ref("done")]

    def elsewhere(
        self, ws: Workspace, opened: Mapping[RefName, Oid], refs: Mapping[RefName, Oid]
    ) -> Mapping[RefName, Oid]:
        return {ref("open"): refs[ref("kept")]} if ref("open") in opened else {}


def test_refs_that_ended_are_dropped_here_and_not_taken(clone: Path) -> None:
    base = commit(clone)
    last = commit(clone, base)
    ours(clone, done=commit(clone, last), old=base)
    theirs(clone, old=base, late=last, on=commit(clone, last, message="more"))
    report = taken(clone, Ending())
    assert report.ended == (ref("old"),)
    assert report.taken == (ref("on"),)
    assert here(clone).keys() == {"done", "on"}


def test_a_ref_that_somebody_ends_meanwhile_has_ended(clone: Path) -> None:
    class Slow(Ending):
        def ended(
            self, ws: Workspace, tips: Collection[tuple[RefName, Oid]], refs: Mapping[RefName, Oid]
        ) -> Collection[Oid]:
            found = super().ended(ws, tips, refs)
            git(clone, "update-ref", "-d", ref("old"))
            git(clone, "update-ref", ref("on"), last)
            return found

    base = commit(clone)
    last = commit(clone, base)
    ours(clone, done=last, old=base, on=base)
    report = taken(clone, Slow())
    assert report.ended == (ref("old"),)
    (trouble,) = report.apart
    assert trouble.ref == ref("on") and f"found {last}" in trouble.reason


def test_a_ref_follows_what_is_kept_elsewhere(clone: Path) -> None:
    base = commit(clone)
    mine, kept = (commit(clone, base, message=name) for name in ("mine", "kept"))
    ours(clone, open=mine, kept=kept)
    assert taken(clone, Ending()).merged == (ref("open"),)
    merged = here(clone)["open"]
    assert git(clone, "rev-parse", f"{merged}^1", f"{merged}^2").split() == sorted((mine, kept))
    assert taken(clone, Ending()) == Report("origin")


# Cost


def test_many_refs_cost_no_more_processes_than_few(
    clone: Path, rule: Plain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = commit(clone)
    further, other = (commit(clone, base, message=name) for name in ("further", "other"))
    counts = []
    for many in (2, 60):
        lines = []
        for number in range(many):
            name = f"{many}-{number}"
            lines += [f"create {X}{name} {base}", f"create {THEIRS}{name} {further}"]
            lines += [f"create {X}a-{name} {other}", f"create {THEIRS}a-{name} {base}"]
            lines += [f"create {THEIRS}new-{name} {other}"]
        git(clone, "update-ref", "--stdin", input="".join(f"{x}\n" for x in lines).encode())
        trace = tmp_path / f"trace-{many}"
        monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
        assert len(taken(clone, rule).taken) == 2 * many
        monkeypatch.delenv("GIT_RELAY_TRACE")
        counts.append(len(processes(trace)))
    assert counts[1] <= counts[0] <= 8


def test_what_was_taken_in_is_not_looked_at_again(clone: Path, rule: Plain) -> None:
    theirs(clone, one=commit(clone))
    taken(clone, rule)
    rule.judged.clear()
    again = Intake(Workspace(repository(clone)), "origin", [rule])
    again.run()
    assert not rule.judged
    assert not again.is_sent
    again.remember(sent=True)
    assert Intake(Workspace(repository(clone)), "origin", [rule]).is_sent
    ours(clone, two=commit(clone))
    assert not Intake(Workspace(repository(clone)), "origin", [rule]).is_sent
