"""git fetch and git push as we run them: bounded, silent, and nothing but what we named."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clones import make_clone, make_server, relay_refs
from hooking import write_hook
from silent import Silent
from support import git, is_gone, make_repo, repository

from relay_git.errors import Unreached
from relay_git.names import Oid, RefName
from relay_git.sync.transport import Transport, Update
from relay_git.workspace import Workspace

ONE, TWO, THREE = (RefName(f"refs/relay/x/{name}") for name in ("one", "two", "three"))
SPEC = ["+refs/relay/*:refs/relay-local/remotes/origin/relay/*"]


@pytest.fixture
def server(tmp_path: Path) -> Path:
    path = tmp_path / "server"
    git(tmp_path, "init", "-q", "--bare", str(path))
    return path


@pytest.fixture
def clone(server: Path, tmp_path: Path) -> Path:
    path = make_repo(tmp_path / "clone")
    git(path, "remote", "add", "origin", str(server))
    return path


def transport(path: Path, seconds: float = 20, remote: str = "origin") -> Transport:
    return Transport(Workspace(repository(path)), remote, seconds)


def commits(path: Path, count: int = 3) -> list[Oid]:
    """Each after the one before."""
    found: list[Oid] = []
    for number in range(count):
        parents = [word for parent in found[-1:] for word in ("-p", parent)]
        found.append(Oid(git(path, "commit-tree", *parents, "-m", f"{number}", "HEAD^{tree}")))
    return found


# What became of each ref


def test_a_push_tells_of_each_ref(clone: Path, server: Path) -> None:
    first, second, third = commits(clone)
    to = transport(clone)
    assert to.push([Update(ONE, first), Update(TWO, second)], True) == {ONE: None, TWO: None}
    again = [Update(ONE, second), Update(TWO, second), Update(THREE, third)]
    assert to.push(again, False) == {ONE: None, TWO: None, THREE: None}
    assert relay_refs(server) == {ONE: second, TWO: second, THREE: third}
    told = to.push([Update(ONE, first), Update(TWO, third)], False)
    assert told == {ONE: "[rejected] (non-fast-forward)", TWO: None}
    assert relay_refs(server) == {ONE: second, TWO: third, THREE: third}


def test_a_transaction_goes_whole_or_not_at_all(clone: Path, server: Path) -> None:
    first, second, _ = commits(clone)
    to = transport(clone)
    to.push([Update(ONE, second)], True)
    told = to.push([Update(ONE, first), Update(TWO, second)], True)
    assert told[ONE] == "[rejected] (non-fast-forward)"
    assert told[TWO] == "[rejected] (atomic push failed)"
    assert relay_refs(server) == {ONE: second}


def test_what_somebody_else_sent_meanwhile_is_not_overwritten(
    clone: Path, server: Path, tmp_path: Path
) -> None:
    first, _, third = commits(clone)
    transport(clone).push([Update(ONE, first)], False)
    git(
        server,
        "update-ref",
        ONE,
        git(server, "commit-tree", "-p", first, "-m", "x", f"{first}^{{tree}}"),
    )
    told = transport(clone).push([Update(ONE, third)], False)
    assert told == {ONE: "[rejected] (fetch first)"}


def test_a_server_without_transactions(clone: Path, server: Path) -> None:
    git(server, "config", "receive.advertiseAtomic", "false")
    first, second, _ = commits(clone)
    to = transport(clone)
    to.push([Update(ONE, second)], True)
    told = to.push([Update(ONE, first), Update(TWO, second)], True)
    assert told == {ONE: "[rejected] (non-fast-forward)", TWO: None}


def test_a_ref_is_removed_only_as_it_was_seen(clone: Path, server: Path) -> None:
    first, second, _ = commits(clone)
    to = transport(clone)
    to.push([Update(ONE, first), Update(TWO, second)], True)
    told = to.push([Update(ONE, None, second), Update(TWO, None, second)], False)
    assert told == {ONE: "[rejected] (stale info)", TWO: None}
    assert relay_refs(server) == {ONE: first}


def test_what_a_hook_of_the_server_says_is_told(clone: Path, server: Path) -> None:
    first, second, _ = commits(clone)
    write_hook(
        server / "hooks/update", '#!/bin/sh\ncase $1 in *one) echo "no one" >&2; exit 1; esac\n'
    )
    told = transport(clone).push([Update(ONE, first), Update(TWO, first)], False)
    assert told == {ONE: "[remote rejected] (hook declined): no one", TWO: None}
    told = transport(clone).push([Update(ONE, first), Update(THREE, first)], True)
    assert told[THREE] == "[remote rejected] (atomic push failure): no one"
    (server / "refs/relay/x/two.lock").touch()
    told = transport(clone).push([Update(TWO, second)], False)
    said = "[remote rejected] (failed to update ref): error: cannot lock ref 'refs/relay/x/two'"
    assert str(told[TWO]).startswith(said)


def test_many_refs_go_in_several_pushes(clone: Path, server: Path) -> None:
    first = commits(clone)[0]
    updates = [Update(RefName(f"refs/relay/x/{number:04}"), first) for number in range(1100)]
    assert set(transport(clone).push(updates, False).values()) == {None}
    assert len(relay_refs(server)) == 1100


# Nothing else


def test_the_configuration_brings_nothing_else(clone: Path, server: Path) -> None:
    """Neither tags nor other refs, FETCH_HEAD, gc or submodules; and no tag of ours is lost."""
    first = commits(clone)[0]
    git(clone, "push", "-q", "origin", f"{first}:refs/heads/main", f"{first}:{ONE}")
    git(server, "tag", "theirs", first)
    git(clone, "tag", "-a", "-m", "x", "mine", first)
    for setting in (
        ("fetch.pruneTags", "true"),
        ("fetch.prune", "true"),
        ("remote.origin.tagOpt", "--tags"),
        ("push.followTags", "true"),
        ("fetch.recurseSubmodules", "true"),
        ("push.recurseSubmodules", "check"),
        ("remote.origin.push", "refs/heads/*:refs/heads/*"),
        ("fetch.writeCommitGraph", "true"),
    ):
        git(clone, "config", *setting)
    transport(clone).fetch(SPEC)
    transport(clone).push([Update(TWO, first)], True)
    here = git(clone, "for-each-ref", "--format=%(refname)").splitlines()
    tracking = [f"refs/relay-local/remotes/origin/relay/x/{name}" for name in ("one",)]
    assert here == ["refs/heads/main", *tracking, "refs/remotes/origin/main", "refs/tags/mine"]
    assert not (clone / ".git/FETCH_HEAD").exists()
    there = git(server, "for-each-ref", "--format=%(refname)").splitlines()
    assert there == ["refs/heads/main", ONE, TWO, "refs/tags/theirs"]


def test_a_refspec_that_writes_in_place_is_not_followed(clone: Path, server: Path) -> None:
    """git would do so on the way, for what is fetched by another refspec."""
    first, second, _ = commits(clone)
    git(clone, "push", "-q", "origin", f"{first}:{ONE}")
    git(clone, "update-ref", ONE, second)
    git(clone, "config", "--add", "remote.origin.fetch", "+refs/*:refs/*")
    transport(clone).fetch(SPEC)
    assert relay_refs(clone) == {ONE: second}


def test_a_fetch_prunes_its_own_names_alone(clone: Path, server: Path) -> None:
    first = commits(clone)[0]
    git(clone, "push", "-q", "origin", f"{first}:{ONE}", f"{first}:refs/heads/x")
    git(clone, "fetch", "-q")
    git(clone, "update-ref", TWO, first)
    transport(clone).fetch(SPEC)
    git(server, "update-ref", "-d", ONE)
    git(server, "update-ref", "-d", "refs/heads/x")
    transport(clone).fetch(SPEC)
    here = git(clone, "for-each-ref", "--format=%(refname)").splitlines()
    assert here == ["refs/heads/main", TWO, "refs/remotes/origin/x"]


def test_the_first_refs_of_a_remote_do_not_become_its_head(clone: Path, server: Path) -> None:
    first = commits(clone)[0]
    transport(clone).push([Update(ONE, first)], True)
    assert git(server, "symbolic-ref", "HEAD") == "refs/heads/main"
    git(clone, "push", "-q", "origin", "main")
    other = clone.parent / "other"
    git(clone.parent, "clone", "-q", str(server), str(other))
    assert git(other, "symbolic-ref", "HEAD") == "refs/heads/main"


def test_our_own_push_fires_no_hook_of_ours(clone: Path, tmp_path: Path) -> None:
    fired = tmp_path / "fired"
    write_hook(clone / ".git/hooks/pre-push", f"#!/bin/sh\ntouch '{fired}'\nexit 1\n")
    first = commits(clone)[0]
    assert transport(clone).push([Update(ONE, first)], True) == {ONE: None}
    assert not fired.exists()


# Bounded


@pytest.fixture
def silent() -> Iterator[Silent]:
    with Silent() as server:
        yield server


@pytest.mark.parametrize("what", ["fetch", "push"])
def test_a_remote_that_never_answers(clone: Path, silent: Silent, what: str) -> None:
    git(clone, "remote", "add", "slow", silent.url)
    first = commits(clone)[0]
    to = transport(clone, 0.7, "slow")
    begun = time.monotonic()
    with pytest.raises(
        Unreached, match=r"^slow did not answer within 0\.7 seconds; `git fetch slow`"
    ):
        to.fetch(SPEC) if what == "fetch" else to.push([Update(ONE, first)], True)
    assert time.monotonic() - begun < 4
    assert silent.calls == 1
    with pytest.raises(Unreached, match="did not answer"):
        to.fetch(SPEC)
    assert silent.calls == 1, "there is no time left to ask again"


def test_what_git_started_ends_with_it(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ssh and remote helpers would; here one that does not listen to SIGTERM."""
    pids = tmp_path / "pids"
    ssh = write_hook(
        tmp_path / "ssh",
        f"#!/bin/sh\ntrap '' TERM\necho $$ >>'{pids}'\nsleep 60 & echo $! >>'{pids}'\nwait\n",
    )
    monkeypatch.setenv("GIT_SSH", str(ssh))
    monkeypatch.setenv("GIT_SSH_VARIANT", "simple")
    git(clone, "remote", "add", "far", "ssh://host/path")
    with pytest.raises(Unreached, match="did not answer"):
        transport(clone, 1.0, "far").fetch(SPEC)
    started = [int(line) for line in pids.read_text().split()]
    assert len(started) == 2
    for process in started:
        assert is_gone(process)


def test_what_git_leaves_running_is_not_waited_for(
    clone: Path, server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that ssh keeps for the next time holds the pipes of the first."""
    ssh = write_hook(tmp_path / "ssh", f"#!/bin/sh\nsleep 30 &\nexec git-upload-pack '{server}'\n")
    monkeypatch.setenv("GIT_SSH", str(ssh))
    monkeypatch.setenv("GIT_SSH_VARIANT", "simple")
    git(clone, "remote", "add", "far", "ssh://host/path")
    begun = time.monotonic()
    transport(clone, 20, "far").fetch(SPEC)
    assert time.monotonic() - begun < 10


# Silent


SHOW = """#!/bin/sh
env | grep -E '^(GIT_TERMINAL_PROMPT|GIT_ASKPASS|SSH_ASKPASS_REQUIRE|GCM_INTERACTIVE)=' >'{log}'
echo "$0 $*" >>'{log}'
(: </dev/tty) 2>/dev/null && echo terminal >>'{log}'
echo 'Permission denied (publickey).' >&2
exit 255
"""


def asked(clone: Path, tmp_path: Path) -> list[str]:
    """How ssh was called, and with what in its environment."""
    log = tmp_path / "log"
    (tmp_path / "bin").mkdir(exist_ok=True)
    for name in ("ssh", "other"):
        write_hook(tmp_path / "bin" / name, SHOW.format(log=log))
    git(clone, "config", "remote.far.url", "ssh://host/path")
    with pytest.raises(Unreached, match=r"cannot reach far: Permission denied \(publickey\)\.$"):
        transport(clone, 20, "far").fetch(SPEC)
    return log.read_text().splitlines()


def test_nobody_is_asked_for_a_password(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    *settings, call = asked(clone, tmp_path)
    assert sorted(settings) == [
        "GCM_INTERACTIVE=never",
        "GIT_ASKPASS=",
        "GIT_TERMINAL_PROMPT=0",
        "SSH_ASKPASS_REQUIRE=never",
    ]
    assert call.startswith(f"{tmp_path / 'bin/ssh'} -o BatchMode=yes ")


@pytest.mark.parametrize("by", ["GIT_SSH_COMMAND", "GIT_SSH", "core.sshCommand"])
def test_the_users_own_ssh_is_called_as_the_user_says(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    other = str(tmp_path / "bin/other")
    if by == "core.sshCommand":
        git(clone, "config", by, other)
    else:
        monkeypatch.setenv(by, other)
    *_, call = asked(clone, tmp_path)
    assert call.startswith(f"{other} ")
    assert "BatchMode" not in call


def test_a_password_for_https_is_not_waited_for(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git asks the program that asks with windows even where it may not ask at the terminal."""
    window = write_hook(tmp_path / "window", f"#!/bin/sh\ntouch '{tmp_path}/asked'\necho secret\n")
    git(clone, "config", "core.askPass", str(window))
    monkeypatch.setenv("SSH_ASKPASS", str(window))
    helper = write_hook(
        tmp_path / "git-remote-guarded",
        "#!/bin/sh\nprintf 'protocol=https\\nhost=x\\n\\n' | git credential fill >&2\nexit 1\n",
    )
    monkeypatch.setenv("PATH", f"{helper.parent}{os.pathsep}{os.environ['PATH']}")
    git(clone, "config", "remote.far.url", "guarded::x")
    with pytest.raises(Unreached, match="terminal prompts disabled"):
        transport(clone, 20, "far").fetch(SPEC)
    assert not (tmp_path / "asked").exists()


ATTENDED = """
import sys
from relay_git.git.repo import discover
from relay_git.sync.transport import Transport
from relay_git.workspace import Workspace
Transport(Workspace(discover(sys.argv[1])), "far", 20, attended=True).fetch(sys.argv[2:])
print("fetched", flush=True)
"""
ASK = """#!/bin/sh
printf 'password? ' >/dev/tty
read answer </dev/tty
[ "$answer" = open-sesame ] || exit 1
exec git-upload-pack '{server}'
"""


def test_at_a_terminal_the_person_is_asked(clone: Path, server: Path, tmp_path: Path) -> None:
    """And the terminal is ours again afterwards."""
    ssh = write_hook(tmp_path / "ssh", ASK.format(server=server))
    git(clone, "config", "core.sshCommand", str(ssh))
    git(clone, "config", "ssh.variant", "simple")
    git(clone, "config", "remote.far.url", "ssh://host/path")
    git(clone, "push", "-q", "origin", f"HEAD:{ONE}")
    script = tmp_path / "attended.py"
    script.write_text(ATTENDED + "print(sys.stdin.readline().upper())\n")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, str(script), str(clone), *SPEC])
    said = converse(terminal, [(b"password? ", b"open-sesame\n"), (b"fetched", b"and on\n")])
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, said
    assert b"AND ON" in said
    assert "refs/relay-local/remotes/origin/relay/x/one" in git(clone, "for-each-ref")


def converse(terminal: int, turns: list[tuple[bytes, bytes]]) -> bytes:
    """Answer each question when it comes; all that was said."""
    said, deadline = b"", time.monotonic() + 30
    while time.monotonic() < deadline:
        if turns and turns[0][0] in said:
            os.write(terminal, turns.pop(0)[1])
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                chunk = os.read(terminal, 4096)
            except OSError:
                chunk = b""
            if not chunk:
                return said
            said += chunk
    raise AssertionError(f"no end after {said!r}")


def test_an_interrupt_that_git_got_is_one_for_us(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a terminal it goes to the group in front, which is not ours then."""
    ssh = write_hook(tmp_path / "ssh", "#!/bin/sh\nkill -INT $PPID\nsleep 5\n")
    monkeypatch.setenv("GIT_SSH", str(ssh))
    monkeypatch.setenv("GIT_SSH_VARIANT", "simple")
    git(clone, "config", "remote.far.url", "ssh://host/path")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            transport(clone, 20, "far").fetch(SPEC)
    finally:
        signal.signal(signal.SIGINT, before)


# Unreached


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("/nowhere", "cannot reach far: '/nowhere' does not appear to be a git repository"),
        ("git://127.0.0.1:1/x", "cannot reach far: unable to connect to 127.0.0.1"),
        ("nothing::x", "cannot reach far: git: 'remote-nothing' is not a git command"),
    ],
)
def test_a_remote_that_is_not_there_is_named_in_a_line(clone: Path, url: str, says: str) -> None:
    git(clone, "config", "remote.far.url", url)
    with pytest.raises(Unreached) as error:
        transport(clone, 20, "far").fetch(SPEC)
    assert str(error.value).startswith(says)
    assert "\n" not in str(error.value)
    with pytest.raises(Unreached, match=r"^cannot push to far: "):
        transport(clone, 20, "far").push([Update(ONE, commits(clone)[0])], True)


def test_a_partial_clone_gets_its_runs_whole(tmp_path: Path) -> None:
    """Or judging them would fetch one file after the other."""
    server = make_server(tmp_path / "server")
    git(server, "config", "uploadpack.allowFilter", "true")
    blob = git(server, "hash-object", "-w", "--stdin", input=b"of a run\n")
    tree = git(server, "mktree", input=f"100644 blob {blob}\tx\n".encode())
    git(server, "update-ref", ONE, git(server, "commit-tree", "-m", "x", tree))
    clone = make_clone(server, tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    transport(clone).fetch(SPEC)
    git(server, "update-ref", "-d", ONE)
    git(clone, "config", "remote.origin.url", "/gone")
    assert git(clone, "cat-file", "blob", blob) == "of a run"
