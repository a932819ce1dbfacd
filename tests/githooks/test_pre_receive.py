"""The gate of a server: what a push may do to the refs of runs there, and what it may not."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from clones import in_step, make_clone, make_server, neighbours, relay_refs
from flow import APPROVED, call, done, draft, review, tips, write
from hooking import Done, git_processes, hooks_of, run, write_hook
from hostile import Workshop
from support import git, repository

from relay_git.chain import chain, history
from relay_git.git.store import BLOB, SYMLINK
from relay_git.githooks import shims
from relay_git.names import Oid
from relay_git.sync import purging
from relay_git.workspace import Workspace


def build(folder: Path) -> None:
    server = make_server(folder / "the server")
    done(server, "hooks", "install", "--server")
    make_clone(server, folder / "ada")


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return neighbours("guarded", build, tmp_path, "the server")


@pytest.fixture
def ada(server: Path) -> Path:
    return server.with_name("ada")


def push(path: Path, *specs: str) -> Done:
    return run(path, "git", "push", "-q", "origin", *specs)


def refused(server: Path, path: Path, *specs: str) -> list[str]:
    """What the gate says of a push; nothing has become of it."""
    before = tips(server)
    answer = push(path, *specs)
    assert answer.code == 1, answer
    assert tips(server) == before
    said = [line for line in answer.err.splitlines() if line.startswith("remote: ")]
    return [line.removeprefix("remote: git relay: ").rstrip() for line in said]


def finish(path: Path) -> None:
    """A run from its start to its filing."""
    done(path, "start")
    draft(path)
    review(path, APPROVED)


def month_of(path: Path) -> str:
    return next(ref for ref in relay_refs(path) if "/history/" in ref)


def open_run(path: Path) -> str:
    return next(ref for ref in relay_refs(path) if "/runs/" in ref)


# What may be pushed


def test_an_ordinary_life_passes(server: Path, ada: Path, tmp_path: Path) -> None:
    ben = make_clone(server, tmp_path / "ben")
    for clone in (ada, ben):
        finish(clone)
        done(clone, "start")
        draft(clone)
    in_step([ada, ben])
    for clone in (ada, ben):
        review(clone, APPROVED)
    in_step([ada, ben])
    assert relay_refs(server) == relay_refs(ada) == relay_refs(ben)
    assert not [ref for ref in relay_refs(server) if "/runs/" in ref]
    git(server, "fsck", "--strict")


def test_diverged_runs_and_their_resolving_pass(server: Path, ada: Path, tmp_path: Path) -> None:
    done(ada, "start")
    done(ada, "sync")
    ben = make_clone(server, tmp_path / "ben")
    done(ben, "fetch")
    done(ben, "switch", open_run(ada).rpartition("/")[2])
    draft(ada, "one\n")
    draft(ben, "two\n")
    in_step([ada, ben])
    assert relay_refs(server) == relay_refs(ada)
    assert len(git(server, "log", "-1", "--format=%P", open_run(ada)).split()) == 2


def test_other_refs_start_no_program(server: Path, ada: Path) -> None:
    """Whatever the program would say."""
    file = hooks_of(server) / "pre-receive"
    file.write_text(file.read_text().replace("/git-relay", "/git-gone"))
    git(ada, "commit", "-q", "--allow-empty", "-m", "x")
    assert push(ada, "main", "main:b", "main:refs/notes/other", "main:refs/x/relay/y").code == 0
    assert push(ada, "--force", "main~1:b", ":refs/notes/other").code == 0


def test_no_git_process_is_started_for_other_refs(server: Path, ada: Path, tmp_path: Path) -> None:
    git(ada, "commit", "-q", "--allow-empty", "-m", "x")
    ours = git_processes(ada, tmp_path / "trace", "push", "-q", "origin", "main:a")
    (hooks_of(server) / "pre-receive").write_text("#!/bin/sh\nexit 0\n")
    git(ada, "commit", "-q", "--allow-empty", "-m", "y")
    assert ours == git_processes(ada, tmp_path / "trace", "push", "-q", "origin", "main:b")


# What may not


def test_nothing_is_forced(server: Path, ada: Path) -> None:
    done(ada, "start")
    draft(ada)
    ref = open_run(ada)
    assert push(ada, ref).code == 0
    [line] = refused(server, ada, f"+{ref}~1:{ref}")
    assert line == f"{ref}: not what is here and more: fetch, merge and push again"


def test_a_run_that_is_not_filed_here_stays(server: Path, ada: Path) -> None:
    done(ada, "start")
    done(ada, "sync")
    [line] = refused(server, ada, f":{open_run(ada)}")
    assert line == f"{open_run(ada)}: not filed here, so it stays"


def test_a_run_goes_with_the_push_that_files_it(server: Path, ada: Path) -> None:
    done(ada, "start")
    draft(ada)
    ref = open_run(ada)
    push(ada, ref)
    review(ada, APPROVED)
    month = month_of(ada)
    tip = git(ada, "rev-parse", f"{month}^2")
    assert push(ada, f"{tip}:{ref}").code == 0
    assert refused(server, ada, f":{ref}")
    assert push(ada, month, f":{ref}").code == 0
    assert relay_refs(server).keys() == {month}


def test_history_and_notes_stay(server: Path, ada: Path) -> None:
    finish(ada)
    git(ada, "commit", "-q", "--allow-empty", "-m", "x")
    done(ada, "sync")
    refs = sorted(relay_refs(server))
    assert len(refs) == 2
    for ref in refs:
        assert refused(server, ada, f":{ref}") == [f"{ref}: not filed here, so it stays"]


def test_a_mirror_of_a_clone_without_runs_deletes_none(
    server: Path, ada: Path, tmp_path: Path
) -> None:
    for _ in range(3):
        finish(ada)
        done(ada, "start")
    done(ada, "sync")
    refs = sorted(relay_refs(server))
    git(tmp_path, "clone", "-q", str(server), "plain")
    plain = tmp_path / "plain"
    git(plain, "remote", "add", "--mirror=push", "hub", str(server))
    before = tips(server)
    answer = run(plain, "git", "push", "hub")
    assert answer.code == 1
    assert tips(server) == before
    said = [line.rstrip() for line in answer.err.splitlines() if line.startswith("remote: ")]
    assert said == [
        f"remote: git relay: {refs[0]}: it and {len(refs) - 1} others would go; is it a "
        "`push --mirror` or `--prune` of a clone without them?"
    ]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("refs/relay/runs/not-a-run", "not the name of a run"),
        ("refs/relay/history/2026-13", "not the name of a month"),
        ("refs/notes/relay/soon", "not the name of a month"),
        ("refs/relay/agents/bob", "a kind of ref that is not known here; "),
        ("refs/relay/runs/20260101-0000-x-0000", "'.relay' cannot be the name of a file"),
    ],
)
def test_refs_that_are_none_of_ours(server: Path, ada: Path, name: str, reason: str) -> None:
    [line] = refused(server, ada, f"main:{name}")
    assert line.startswith(f"{name}: ")
    assert reason in line


@pytest.mark.parametrize("name", ["refs/relay-local/distilled/2026-01", "refs/relay-local/x/y"])
def test_what_belongs_to_a_clone_stays_there(server: Path, ada: Path, name: str) -> None:
    said = refused(server, ada, f"main:{name}")
    assert said == [f"{name}: belongs to the clone that has it, and does not travel"]


@pytest.mark.parametrize("name", ["refs/relay", "refs/notes/relay"])
def test_a_ref_that_leaves_no_room_for_ours(server: Path, ada: Path, name: str) -> None:
    said = refused(server, ada, f"main:{name}")
    assert said == [f"{name}: a ref of that name leaves no room for those of runs"]
    assert push(ada, "main:refs/relaying/x", "main:refs/notes/relay-x").code == 0


def test_a_branch_with_an_odd_name_beside_a_run(server: Path, ada: Path) -> None:
    """Only a newline ends a line of git's, whatever else Python takes for one."""
    done(ada, "start")
    odd = "refs/heads/a\u2028b\x85c"
    assert push(ada, f"main:{odd}", open_run(ada)).code == 0
    assert {odd, open_run(ada)} <= tips(server).keys()


def test_a_tag_is_no_run(server: Path, ada: Path) -> None:
    git(ada, "tag", "-a", "-m", "x", "x")
    ref = "refs/relay/runs/20260101-0000-x-0000"
    assert refused(server, ada, f"x:{ref}") == [f"{ref}: a tag where a commit was expected"]


def test_all_that_is_wrong_is_named_once_and_nothing_is_taken(server: Path, ada: Path) -> None:
    done(ada, "start")
    bad = "refs/relay/runs/20260101-0000-x-000"
    lines = refused(server, ada, open_run(ada), f"main:{bad}1", f"main:{bad}2", "main:new")
    assert [line.partition(": ")[0] for line in lines] == [f"{bad}1", f"{bad}2"]


def test_a_step_that_was_changed(server: Path, ada: Path) -> None:
    done(ada, "start")
    draft(ada)
    shop = Workshop(ada)
    ref = open_run(ada)
    evil = shop.with_file(shop.tip(ref), "extra.md")
    [line] = refused(server, ada, f"{evil}:{ref}")
    assert line.startswith(f"{ref}: step 2: tampered: artifacts/extra.md: there, but not recorded")


def test_a_step_of_a_newer_version(server: Path, ada: Path) -> None:
    done(ada, "start")
    shop = Workshop(ada)
    ref = open_run(ada)
    record = shop.record(shop.tip(ref)).replace(b'"relay_version":1', b'"relay_version":9')
    [line] = refused(server, ada, f"{shop.with_record(shop.tip(ref), record)}:{ref}")
    assert line.startswith(f"{ref}: ")
    assert "format 9 is newer than this git-relay reads (1)" in line


def test_a_history_that_drops_a_run(server: Path, ada: Path) -> None:
    finish(ada)
    done(ada, "sync")
    shop = Workshop(ada)
    month = month_of(ada)
    tip = shop.tip(month)
    evil = shop.changed(tip, tree=shop.tree(), parents=(tip,))
    [line] = refused(server, ada, f"{evil}:{month}")
    assert line.startswith(f"{month}: {evil[:12]}: ")


def test_a_run_is_filed_at_its_end(server: Path, ada: Path) -> None:
    """Before, it would end for everybody who is at work on it."""
    finish(ada)
    done(ada, "start")
    done(ada, "sync")
    ref, month = open_run(ada), month_of(ada)
    ws = Workspace(repository(ada))
    move = history.filing_move(ws.store, chain.read_step(ws.store, Oid(tips(ada)[ref])), "open")
    assert move
    [line] = refused(server, ada, f"{move.new}:{month}", f":{ref}")
    assert line == f"{month}: {ref.removeprefix('refs/relay/runs/')}: filed before its end"


def test_a_chain_is_not_cut_by_who_pushes_it(server: Path, ada: Path, tmp_path: Path) -> None:
    """Where the server takes pushes from shallow clones."""
    git(server, "config", "receive.shallowUpdate", "true")
    done(ada, "start")
    draft(ada)
    ref = open_run(ada)
    git(tmp_path, "clone", "-q", "--bare", f"file://{ada}", "source")
    git(tmp_path / "source", "fetch", "-q", f"file://{ada}", f"{ref}:{ref}")
    git(tmp_path, "init", "-q", "shallow")
    shallow = tmp_path / "shallow"
    git(shallow, "fetch", "-q", "--depth=1", f"file://{tmp_path}/source", f"{ref}:{ref}")
    git(shallow, "remote", "add", "origin", f"file://{server}")
    [line] = refused(server, shallow, ref)
    assert line == f"{ref}: step 2: broken parent: the step before it is missing"


def test_notes_that_are_less_than_they_were(server: Path, ada: Path) -> None:
    finish(ada)
    done(ada, "sync")
    shop, [ref] = Workshop(ada), [ref for ref in relay_refs(ada) if "notes" in ref]
    tip = shop.tip(ref)
    evil = shop.changed(tip, tree=shop.tree(), parents=(tip,))
    [line] = refused(server, ada, f"{evil}:{ref}")
    assert re.fullmatch(rf"{ref}: the note on \w{{12}} has lost something, and nothing .*", line)


def test_notes_of_a_newer_version(server: Path, ada: Path) -> None:
    ref = "refs/notes/relay/2026-01"
    git(ada, "notes", f"--ref={ref}", "add", "-m", '{"kind":"code","v":7}', "HEAD")
    [line] = refused(server, ada, ref)
    assert line == f"{ref}: note format 7 is newer than this git-relay reads (1); upgrade git-relay"


def test_only_those_may_sign_whom_the_default_branch_names(
    server: Path, ada: Path, tmp_path: Path
) -> None:
    """Whatever another branch of the push says, or a branch with a usual name."""
    git(server, "branch", "-m", "main", "trunk")
    git(ada, "fetch", "-q", "--prune")
    git(ada, "checkout", "-q", "-b", "trunk", "origin/trunk")
    done(ada, "start")
    allow(ada, ada)
    assert push(ada, "trunk", open_run(ada)).code == 0
    ben = make_clone(server, tmp_path / "ben")
    done(ben, "start")
    mine = [ref for ref in relay_refs(ben) if "/runs/" in ref and ref != open_run(ada)]
    git(ben, "checkout", "-q", "-b", "main")
    allow(ben, ben)
    assert push(ben, "main").code == 0
    [line] = refused(server, ben, *mine)
    assert line.startswith(f"{mine[0]}: step 1: unknown signer: ")


def allow(path: Path, signer: Path) -> None:
    key = next((signer / ".git/relay/keys").glob("*.pub")).read_text().split()[:2]
    line = f'{signer.name}@example.com namespaces="relay.*" {" ".join(key)}\n'
    (path / ".relay/allowed_signers").write_text(line)
    git(path, "add", ".relay")
    git(path, "commit", "-q", "-m", "who may sign")


# Purge


SECRET = "the password is tulip\n"


@pytest.fixture
def purged(server: Path, ada: Path) -> str:
    """A run that the server has with a secret, and ada without it."""
    done(ada, "start")
    write(ada, "draft.md", SECRET)
    done(ada, "advance")
    ref = open_run(ada)
    assert push(ada, ref).code == 0
    ws = Workspace(repository(ada))
    blob = Oid(git(ada, "rev-parse", f"{ref}:artifacts/draft.md"))
    purging.purge(ws, {blob: hashlib.sha256(SECRET.encode()).hexdigest()})
    return ref


def test_a_purge_is_the_one_rewrite_that_is_taken(server: Path, ada: Path, purged: str) -> None:
    assert push(ada, "refs/relay/purged", f"+{purged}:{purged}").code == 0
    assert relay_refs(server).items() >= {(purged, git(ada, "rev-parse", purged))}
    assert git(server, "show", f"{purged}:artifacts/draft.md").startswith("git-relay purged ")


def test_a_rewrite_without_the_signed_list_is_forced(server: Path, ada: Path, purged: str) -> None:
    [line] = refused(server, ada, f"+{purged}:{purged}")
    assert line.startswith(f"{purged}: not what is here and more")


def test_another_rewrite_than_that_of_the_list_is_not_taken(
    server: Path, ada: Path, purged: str
) -> None:
    shop = Workshop(ada)
    evil = shop.changed(shop.tip(purged), message="another\n")
    [line] = refused(server, ada, "refs/relay/purged", f"+{evil}:{purged}")
    assert line.startswith(f"{purged}: not what is here and more")


def test_what_was_purged_does_not_come_back(
    server: Path, ada: Path, purged: str, tmp_path: Path
) -> None:
    assert push(ada, "refs/relay/purged", f"+{purged}:{purged}").code == 0
    ben = make_clone(server, tmp_path / "ben")
    done(ben, "start")
    write(ben, "draft.md", SECRET)
    done(ben, "advance")
    mine = [ref for ref in relay_refs(ben) if "/runs/" in ref and ref != purged]
    assert refused(server, ben, *mine) == [f"{mine[0]}: it holds what was purged"]


def test_a_list_of_what_was_purged_stays(server: Path, ada: Path, purged: str) -> None:
    ref = "refs/relay/purged"
    assert push(ada, ref, f"+{purged}:{purged}").code == 0
    shop = Workshop(ada)
    evil = shop.changed(shop.tip(ref), tree=shop.tree(), parents=(shop.tip(ref),))
    [line] = refused(server, ada, f"{evil}:{ref}")
    assert line.endswith("is not there any more, and nothing goes from here")
    assert refused(server, ada, f":{ref}")


@pytest.mark.parametrize("where", ["tag", "tree", "link", "unsigned"])
def test_a_list_that_is_none_counts_for_nothing(server: Path, ada: Path, where: str) -> None:
    """Not even for the refs that come with it."""
    done(ada, "start")
    git(ada, "tag", "-a", "-m", "x", "x")
    shop, ref = Workshop(ada), "refs/relay/purged"
    trees = {
        "tree": shop.nested("a"),
        "link": shop.tree((SYMLINK, "a", shop.blob(b"/etc/passwd"))),
        "unsigned": shop.tree((BLOB, "a", shop.blob(b'{"v":1}'))),
    }
    evil = "x" if where == "tag" else shop.changed(shop.tip("main"), tree=trees[where])
    assert [line.partition(": ")[0] for line in refused(server, ada, f"{evil}:{ref}")] == [ref]


# Installing


def test_install_status_and_uninstall(server: Path) -> None:
    assert sorted(path.name for path in hooks_of(server).iterdir() if path.suffix == "") == [
        "pre-receive"
    ]
    assert "pre-receive    in" in done(server, "hooks", "status")
    assert done(server, "hooks", "install", "--server") == "no change\n"
    done(server, "hooks", "uninstall")
    assert not (hooks_of(server) / "pre-receive").exists()


def test_status_and_doctor_prove_that_the_gate_refuses(server: Path) -> None:
    file = hooks_of(server) / "pre-receive"
    sound = file.read_text()
    assert "one was fired, and ran" in done(server, "hooks", "status")
    file.write_text(sound.replace("/git-relay", "/git-gone"))
    assert "pre-receive is calling" in call(server, "hooks", "status").err
    (server.parent / "git-gone").write_text("#!/bin/sh\nexit 0\n")
    (server.parent / "git-gone").chmod(0o755)
    file.write_text(sound.replace(shims.program(), str(server.parent / "git-gone")))
    for command in (["hooks", "status"], ["doctor"]):
        answer = call(server, *command)
        assert answer.code == 1
        assert "a push does not reach our gate" in answer.out + answer.err
    file.write_text(sound)
    git(server, "config", "core.hooksPath", str(server.parent / "elsewhere"))
    assert "did not run" in call(server, "hooks", "status").out


@pytest.mark.parametrize("language", ["sh", "python"])
def test_a_gate_that_is_there_gets_what_git_gave(server: Path, ada: Path, language: str) -> None:
    done(server, "hooks", "uninstall")
    seen = server / "seen"
    text = {
        "sh": f'#!/bin/sh\ncat >>"{seen}"\n[ ! -e no ]\n',
        "python": "#!/usr/bin/env python3\nimport os, sys\n"
        f"open({str(seen)!r}, 'a').write(sys.stdin.read())\nsys.exit(os.path.exists('no'))\n",
    }[language]
    write_hook(hooks_of(server) / "pre-receive", text)
    done(server, "hooks", "install", "--server")
    done(ada, "start")
    assert push(ada, "main:new", open_run(ada)).code == 0
    lines = seen.read_text().splitlines()
    assert [line.split()[2] for line in lines] == ["refs/heads/new", open_run(ada)]
    refused(server, ada, f":{open_run(ada)}")
    assert seen.read_text().splitlines() == lines, "ours comes first"
    (server / "no").touch()
    assert push(ada, "main:newer").code == 1


def test_no_variable_of_the_pusher_switches_it_off(server: Path, ada: Path, tmp_path: Path) -> None:
    done(ada, "start")
    done(ada, "sync")
    variables = {
        "GIT_RELAY": "0",
        "GIT_RELAY_HOOK": f"pre-receive {server}",
        "GIT_RELAY_PROBE": str(tmp_path / "probe"),
    }
    answer = run(ada, "git", "push", "-q", "origin", f":{open_run(ada)}", **variables)
    assert answer.code == 1
    assert "not filed here, so it stays" in answer.err


def test_a_program_that_is_gone_takes_no_runs(server: Path, ada: Path) -> None:
    file = hooks_of(server) / "pre-receive"
    file.write_text(file.read_text().replace("/git-relay", "/git-gone"))
    done(ada, "start")
    [*_, line] = refused(server, ada, open_run(ada))
    assert line.endswith("no push of runs is taken")


def test_what_is_refused_leaves_no_object(server: Path, ada: Path) -> None:
    """git keeps what was pushed aside until the gate has said yes."""
    before = git(server, "count-objects", "-v")
    refused(server, ada, "main:refs/relay/runs/20260101-0000-x-0000")
    done(ada, "start")
    shop = Workshop(ada)
    refused(server, ada, f"{shop.with_file(shop.tip(open_run(ada)), 'x.md')}:{open_run(ada)}")
    assert git(server, "count-objects", "-v") == before
