"""A leaked secret is purged: it is nowhere afterwards, and everything else is as it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from clones import assert_same, in_step, make_clone
from flow import (
    APPROVED,
    REJECTED,
    artifact,
    call,
    done,
    draft,
    outcome,
    review,
    run_ref,
    spawn,
    started,
    tips,
    write,
)
from hooking import write_hook
from hostile import Workshop
from support import git

SECRET = "the-harbour-bell-rings-at-nine"
"""No pattern of ours finds it, so it was recorded."""


def filed(path: Path, slug: str, text: str) -> str:
    """A run that ended; its id."""
    done(path, "start", "--slug", slug)
    name = run_ref(path).rpartition("/")[2]
    draft(path, f"{text}\n")
    write(path, "review.md", APPROVED)
    done(path, "advance")
    return name


def leaked(path: Path) -> str:
    """A run whose draft holds the secret, which is in its working set no more."""
    name = filed(path, "leak", f"Password: {SECRET}")
    artifact(path, "draft.md").unlink()
    return name


def collect(*paths: Path) -> None:
    for path in paths:
        git(path, "reflog", "expire", "--expire=now", "--all")
        git(path, "gc", "--quiet", "--prune=now")


def holds(path: Path, text: str = SECRET) -> bool:
    """Whether any object of the repository holds it."""
    batch = ["git", "cat-file", "--batch-all-objects", "--batch"]
    everything = subprocess.run(batch, cwd=path, check=True, capture_output=True).stdout
    return text.encode() in everything


def statuses(path: Path) -> dict[str, int]:
    """How many steps there are of each status."""
    counts: dict[str, int] = {}
    for steps in json.loads(done(path, "verify", "--all", "--json"))["runs"].values():
        for step in steps:
            counts[step["status"]] = counts.get(step["status"], 0) + 1
    return counts


def test_it_is_in_no_object_of_anyone(ada: Path, bob: Path, server: Path) -> None:
    filed(bob, "other", "Nothing to hide.")
    leaked(ada)
    in_step([ada, bob])
    assert all(map(holds, (ada, bob, server)))
    before = sum(statuses(bob).values())
    told = done(ada, "purge", "leak:draft.md", "--yes")
    assert "purged 1 object of 1 run" in told and SECRET not in told
    in_step([ada, bob])
    assert_same([ada, bob, server])
    collect(ada, bob, server)
    assert not any(map(holds, (ada, bob, server)))
    for clone in (ada, bob):
        found = statuses(clone)
        assert found == {"ok": before - found["purged"], "purged": found["purged"]}
        assert "artifacts/draft.md" in done(clone, "verify", "--all")
        assert "git-relay purged" in done(clone, "show", "leak:2")
        git(clone, "fsck", "--strict", "--no-dangling")


def test_an_old_clone_cannot_bring_it_back(
    ada: Path, bob: Path, server: Path, tmp_path: Path
) -> None:
    leaked(ada)
    in_step([ada, bob])
    old = Path(shutil.copytree(bob, tmp_path / "old", symlinks=True))
    unsent = filed(old, "unsent", "Done while offline.")
    done(ada, "purge", "leak", "--yes")
    in_step([ada])
    plain = subprocess.run(
        ["git", "push", "--quiet", "origin", "refs/relay/history/*:refs/relay/history/*"],
        cwd=old,
        capture_output=True,
    )
    assert plain.returncode
    in_step([old, ada, bob])
    collect(ada, bob, old, server)
    assert not any(map(holds, (ada, bob, old, server)))
    assert unsent in done(ada, "runs", "--all")
    assert "tampered" not in done(ada, "verify", "--all")


def test_an_open_run_goes_on(ada: Path, bob: Path, server: Path) -> None:
    done(ada, "start", "--slug", "open")
    draft(ada, f"It says {SECRET}.\n")
    artifact(ada, "draft.md").write_text("A draft without it.\n")
    in_step([ada, bob])
    done(ada, "purge", "open:draft.md", "--yes")
    in_step([ada, bob])
    write(ada, "review.md", APPROVED)
    done(ada, "advance")
    in_step([ada, bob])
    collect(ada, bob, server)
    assert not any(map(holds, (ada, bob, server)))
    assert set(statuses(bob)) == {"ok", "purged"}


def test_the_notes_follow_their_steps(ada: Path, bob: Path) -> None:
    name = leaked(ada)
    done(ada, "purge", "leak", "--yes")
    in_step([ada, bob])
    month = f"{name[:4]}-{name[4:6]}"
    tip = git(bob, "rev-parse", f"refs/relay/history/{month}^2")
    assert "settled" in git(bob, "notes", f"--ref=refs/notes/relay/{month}", "show", tip)
    assert "nothing to settle" in done(bob, "settle")


def test_every_place_that_holds_a_literal(ada: Path, tmp_path: Path) -> None:
    leaked(ada)
    filed(ada, "again", f"And {SECRET} again.")
    listed = tmp_path / "literals"
    listed.write_text(f"{SECRET}\n")
    would = done(ada, "purge", "--literal-file", str(listed), "--dry-run")
    assert "would purge 2 objects of 2 runs" in would
    answer = call(ada, "purge", "--literal-file", str(listed), "--yes")
    assert answer.code == 0 and SECRET not in answer.out + answer.err
    assert str(artifact(ada, "draft.md")) in answer.out
    collect(ada)
    assert not holds(ada)
    assert "nothing to purge" in done(ada, "purge", "--literal-file", str(listed), "--yes")


def test_what_a_signature_covers_is_named_and_kept(ada: Path, tmp_path: Path) -> None:
    done(ada, "start")
    write(ada, "draft.md", "A draft.\n")
    done(ada, "advance", "--message", f"as {SECRET} says")
    listed = tmp_path / "literals"
    listed.write_text(f"{SECRET}\n")
    answer = call(ada, "purge", "--literal-file", str(listed), "--yes")
    assert answer.code == 1
    assert "still holds it, since its signature would not hold: commit" in answer.out


def test_what_lies_beside_the_runs_is_named_in_every_worktree(ada: Path, tmp_path: Path) -> None:
    """Saved working sets and lessons are the user's; what we made of them ourselves goes."""
    side = tmp_path / "side"
    git(ada, "worktree", "add", "-q", "-b", "side", str(side))
    done(side, "start", "--slug", "aside")
    write(side, "draft.md", f"Not recorded: {SECRET}\n")
    done(side, "start", "--slug", "other")
    done(ada, "start")
    draft(ada)
    review(ada, REJECTED.replace("sleep before it", f"use {SECRET}"))
    draft(ada, "Another.\n")
    review(ada, APPROVED)
    listed = tmp_path / "literals"
    listed.write_text(f"{SECRET}\n")
    out = done(ada, "purge", "--literal-file", str(listed), "--yes")
    [lesson] = (ada / ".relay/lessons/author").iterdir()
    [saved] = (ada / ".git/worktrees/side/relay/saved").glob("*/*/draft.md")
    for path in (lesson, saved, ada / ".relay/LESSONS.md"):
        assert f"still holds it, since it is yours: {path}\n" in out
        path.unlink()
    collect(ada)
    found = subprocess.run(["grep", "-rlF", SECRET, str(ada), str(side)], capture_output=True)
    assert found.stdout == b""


@pytest.mark.parametrize("how", ["remove", "rename"])
def test_what_a_remote_had_that_is_gone(ada: Path, server: Path, how: str) -> None:
    """No fetch will ever take it out of there."""
    leaked(ada)
    done(ada, "sync")
    git(ada, "remote", how, "origin", *(["up"] if how == "rename" else []))
    if how == "rename":
        done(ada, "init", "--no-hooks")
    done(ada, "purge", "leak:draft.md", "--yes")
    collect(ada)
    assert not holds(ada)


def test_nobody_is_asked_by_a_program(ada: Path) -> None:
    leaked(ada)
    answer = call(ada, "purge", "leak")
    assert answer.code == 1 and "pass --yes" in answer.err
    assert holds(ada)


@pytest.mark.parametrize("words", [[], ["leak", "--literal-file", "x"]])
def test_one_way_to_say_what(ada: Path, words: list[str]) -> None:
    assert call(ada, "purge", *words).code == 2


def test_a_literal_that_is_everywhere_is_refused(ada: Path, tmp_path: Path) -> None:
    listed = tmp_path / "literals"
    listed.write_text("long enough\nabc\n")
    answer = call(ada, "purge", "--literal-file", str(listed), "--yes")
    assert answer.code == 1 and f"{listed}:2" in answer.err


def forged(server: Path, tmp_path: Path, victim: Path, name: str) -> Path:
    """A stranger who bans a file that the victim has."""
    stranger = make_clone(server, tmp_path / "stranger")
    done(stranger, "fetch")
    done(stranger, "purge", f"{name}:draft.md", "--yes")
    git(stranger, "push", "--quiet", "origin", "refs/relay/purged")
    return stranger


def test_a_stranger_can_purge_nothing(ada: Path, bob: Path, server: Path, tmp_path: Path) -> None:
    name = filed(ada, "kept", "Worth keeping.")
    in_step([ada])
    forged(server, tmp_path, ada, name)
    before = tips(ada)
    answer = call(ada, "sync")
    assert answer.code == 1
    assert "signed by nobody known" in answer.out
    ours = {ref: tip for ref, tip in tips(ada).items() if ref.startswith("refs/relay/")}
    assert ours == {ref: tip for ref, tip in before.items() if ref.startswith("refs/relay/")}
    assert statuses(ada) == {"ok": 3}


def test_a_stranger_with_a_key_that_may_not_sign_bans_nothing_in_advance(
    ada: Path, bob: Path, server: Path, tmp_path: Path
) -> None:
    """Where a file says who may sign, also of what nobody has yet."""
    [key] = (ada / ".git/relay/keys").glob("*.pub")
    (ada / ".relay/allowed_signers").write_text(
        f'ada@example.com namespaces="relay.*" {" ".join(key.read_text().split()[:2])}\n'
    )
    git(ada, "add", ".relay/allowed_signers")
    git(ada, "commit", "-q", "-m", "who may sign")
    git(ada, "push", "-q", "origin", "main")
    filed(bob, "mine", "Common words.")
    done(bob, "purge", "mine:draft.md", "--yes")
    git(bob, "push", "--quiet", "origin", "refs/relay/purged")
    answer = call(ada, "sync")
    assert answer.code == 1
    assert "signed by nobody known" in answer.out


def test_a_new_clone_takes_in_what_is_left(ada: Path, server: Path, tmp_path: Path) -> None:
    """Also one that copied all objects of the server, before a gc there."""
    leaked(ada)
    done(ada, "sync")
    done(ada, "purge", "leak:draft.md", "--yes")
    done(ada, "sync")
    cy = make_clone(server, tmp_path / "cy")
    assert holds(cy)
    done(cy, "sync")
    assert_same([ada, cy])
    collect(cy)
    assert not holds(cy)


def test_who_signed_any_step_may_purge(ada: Path, bob: Path, server: Path) -> None:
    """Also one in the middle of a run, before a step of ours that nobody has seen yet."""
    done(ada, "start", "--slug", "leak")
    draft(ada, f"{SECRET}\n")
    done(ada, "sync")
    done(bob, "fetch")
    done(bob, "switch", run_ref(ada).rpartition("/")[2])
    review(bob)
    done(ada, "purge", "leak:draft.md", "--yes")
    in_step([ada, bob])
    collect(bob)
    assert not holds(bob)


def test_a_list_that_a_push_has_dropped_comes_back(ada: Path, bob: Path, server: Path) -> None:
    leaked(ada)
    in_step([ada, bob])
    done(ada, "purge", "leak:draft.md", "--yes")
    in_step([ada, bob])
    shop, ref = Workshop(server), "refs/relay/purged"
    shop.point(ref, shop.changed(shop.tip(ref), tree=shop.tree(), parents=(shop.tip(ref),)))
    in_step([ada, bob])
    for path in (ada, bob, server):
        assert git(path, "ls-tree", "--name-only", ref)


def test_what_was_purged_in_a_thousand_folders_holds_nothing_up(
    ada: Path, bob: Path, server: Path
) -> None:
    leaked(ada)
    in_step([ada, bob])
    blob = git(ada, "hash-object", "--stdin", input=f"Password: {SECRET}\n".encode())
    shop = Workshop(server)
    tree = shop.tree(("100644", "x", blob))
    for _ in range(3000):
        tree = shop.tree(("40000", "d", tree))
    done(ada, "purge", "leak:draft.md", "--yes")
    ref = "refs/relay/runs/20260101-0000-x-0000"
    shop.point(ref, shop.changed(shop.tip("main"), tree=tree))
    answer = call(ada, "sync")
    assert f"kept apart: {ref}: its folders lie deeper than those of any step" in answer.out
    assert "sent the list of what was purged" in answer.out


def test_a_list_that_was_changed_is_refused(
    ada: Path, bob: Path, server: Path, tmp_path: Path
) -> None:
    leaked(ada)
    filed(ada, "kept", "Worth keeping.")
    in_step([ada, bob])
    done(ada, "purge", "leak:draft.md", "--yes")
    record = git(ada, "ls-tree", "--name-only", "refs/relay/purged")
    data = json.loads(git(ada, "show", f"refs/relay/purged:{record}"))
    data["objects"] = {
        git(ada, "hash-object", str(ada / ".relay/workflows/loop/workflow.yml")): "0" * 64
    }
    changed = json.dumps(data, sort_keys=True, separators=(",", ":"))
    blob = git(ada, "hash-object", "-w", "--stdin", input=changed.encode())
    tree = git(ada, "mktree", input=f"100644 blob {blob}\t{record}\n".encode())
    commit = git(ada, "commit-tree", "-m", "purge", tree)
    git(ada, "push", "--quiet", "origin", f"{commit}:refs/relay/purged")
    answer = call(bob, "sync")
    assert answer.code == 1 and "refs/relay/purged" in answer.out
    assert "refs/relay/purged" not in tips(bob)


def test_a_marker_that_nobody_signed_for_is_tampering(tmp_path: Path) -> None:
    """Somebody puts the marker in the place of a file that is not banned."""
    path = started(tmp_path / "project")
    draft(path)
    ref = run_ref(path)
    blob = git(path, "rev-parse", f"{ref}:artifacts/draft.md")
    marker = git(
        path, "hash-object", "-w", "--stdin", input=f"git-relay purged the object {blob}\n".encode()
    )
    index = tmp_path / "index"
    indexed(path, index, "read-tree", ref)
    indexed(
        path, index, "update-index", "--add", "--cacheinfo", f"100644,{marker},artifacts/draft.md"
    )
    raw = git(path, "cat-file", "commit", ref).replace(
        git(path, "rev-parse", f"{ref}^{{tree}}"), indexed(path, index, "write-tree"), 1
    )
    changed = git(path, "hash-object", "-t", "commit", "-w", "--stdin", input=f"{raw}\n".encode())
    git(path, "update-ref", ref, changed)
    assert "tampered" in call(path, "verify").out


def indexed(path: Path, index: Path, *words: str) -> str:
    """git with an index of its own."""
    environment = os.environ | {"GIT_INDEX_FILE": str(index)}
    told = subprocess.run(
        ["git", *words], cwd=path, env=environment, check=True, capture_output=True
    )
    return told.stdout.decode().strip()


def test_two_clones_rewrite_alike(ada: Path, bob: Path) -> None:
    """Also what they have not from each other: the same histories, the same ids."""
    filed(bob, "other", "Nothing to hide.")
    leaked(ada)
    in_step([ada, bob])
    done(ada, "purge", "leak:draft.md", "--yes")
    done(bob, "purge", "leak:draft.md", "--yes")
    kinds = ("refs/relay/history/", "refs/relay/runs/")
    mine, yours = (
        {ref: tip for ref, tip in tips(path).items() if ref.startswith(kinds)}
        for path in (ada, bob)
    )
    assert mine == yours
    in_step([ada, bob])


STOPS = """#!/bin/sh
count=$(($(cat "$KILL_DIR/count") + 1))
echo $count >"$KILL_DIR/count.$$" && mv "$KILL_DIR/count.$$" "$KILL_DIR/count"
[ $count != "$KILL_AT" ] || kill -9 $PPID
exec "$KILL_GIT" "$@"
"""


def test_a_kill_before_any_call_of_git_is_made_good_by_the_next(
    ada: Path, tmp_path: Path, soak: bool
) -> None:
    leaked(ada)
    original = shutil.copytree(ada, tmp_path / "original", symlinks=True)
    control = Path(shutil.copytree(ada, tmp_path / "control", symlinks=True))
    calls = stopped_at(tmp_path / "trap", control, 0)
    assert calls > 6
    for at in range(1, calls + 1) if soak else range(1 + calls % 3, calls + 1, 3):
        shutil.rmtree(ada)
        shutil.copytree(original, ada, symlinks=True)
        stopped_at(tmp_path / "trap", ada, at)
        assert sum(statuses(ada).values()) == 3
        done(ada, "purge", "leak:draft.md", "--yes")
        collect(ada)
        assert not holds(ada)
        assert history_of(ada) == history_of(control)


def stopped_at(trap: Path, path: Path, at: int) -> int:
    """Purge with a git that kills the program at that call; how many calls were made."""
    write_hook(trap / "git", STOPS)
    (trap / "count").write_text("0")
    environment = {"KILL_DIR": str(trap), "KILL_GIT": str(shutil.which("git")), "KILL_AT": str(at)}
    search = {"PATH": f"{trap}{os.pathsep}{os.environ['PATH']}"}
    answer = outcome(spawn(path, "purge", "leak:draft.md", "--yes", **environment, **search))
    count = int((trap / "count").read_text())
    assert answer.code == (0 if at == 0 or count < at else -9), answer
    return count


def history_of(path: Path) -> str:
    return git(path, "for-each-ref", "--format=%(refname) %(objectname)", "refs/relay/history")
