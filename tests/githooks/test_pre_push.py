"""Runs go along with the user's own push where `relay.push` is `auto`, and never hold it up."""

from __future__ import annotations

import http.server
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clones import assert_same, make_clone, make_server, neighbours, relay_refs
from flow import APPROVED, done, draft, review
from hooking import Done, git_processes, hooks_of, run, started, watch, write_hook
from silent import Silent
from support import git

from relay_git.githooks import shims
from relay_git.sync import exchange


def build(folder: Path) -> None:
    hooked(make_server(folder / "server"), folder / "ada")


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return neighbours("sending", build, tmp_path)


@pytest.fixture
def ada(server: Path) -> Path:
    return server.with_name("ada")


def hooked(server: Path, path: Path) -> Path:
    """A clone whose owner types git commands alone from now on."""
    make_clone(server, path)
    done(path, "hooks", "install")
    git(path, "config", "relay.push", "auto")
    return path


def push(path: Path, *args: str, **environment: str) -> Done:
    """Something new that no run records, pushed with the user's own command."""
    made = run(path, "git", "commit", "-q", "--allow-empty", "-m", "code", GIT_RELAY="0")
    assert made.code == 0, made
    return run(path, "git", "push", "-q", *(args or ("origin", "main")), **environment)


def in_step(path: Path, server: Path) -> bool:
    return git(path, "rev-parse", "main") == git(server, "rev-parse", "main")


def test_a_push_takes_runs_along(ada: Path, server: Path) -> None:
    done(ada, "start")
    assert push(ada) == (0, "", "git-relay: sent 1 run to origin\n")
    assert relay_refs(server) == relay_refs(ada)
    assert in_step(ada, server)


def test_it_is_off_unless_it_was_asked_for(ada: Path, server: Path, tmp_path: Path) -> None:
    done(ada, "start")
    log = watch(ada, tmp_path / "log")
    for setting in (None, "true", "off"):
        git(ada, "config", "--unset", "relay.push") if setting is None else git(
            ada, "config", "relay.push", setting
        )
        log.unlink(missing_ok=True)
        assert push(ada).err == ""
        assert not [line for line in started(log) if "pre-push" in line]
    assert not relay_refs(server)


def test_what_is_there_already_is_not_sent_again(ada: Path) -> None:
    done(ada, "start")
    assert "sent 1 run" in push(ada).err
    assert push(ada) == (0, "", "")
    assert run(ada, "git", "push", "-q") == (0, "", "")


def test_nobody_is_called_where_nothing_is_to_be_sent(ada: Path, tmp_path: Path) -> None:
    done(ada, "start")
    push(ada)
    trace = tmp_path / "trace"
    run(ada, "git", "push", "-q", "origin", "main", GIT_RELAY_TRACE=str(trace))
    assert trace.read_text(), "ours was called"
    assert '"push"' not in trace.read_text()
    assert '"fetch"' not in trace.read_text()


def test_somebody_was_quicker(ada: Path, server: Path, tmp_path: Path) -> None:
    """Both file a run in the same month: refused at first, then merged and sent."""
    ben = hooked(server, tmp_path / "ben")
    for clone in (ada, ben):
        done(clone, "start")
        draft(clone)
        review(clone, APPROVED)
    push(ada)
    assert push(ben, "origin", "main:ben").err.startswith("git-relay: ")
    assert len(git(server, "ls-tree", "-r", "-d", month(server)).splitlines()) > 4
    assert relay_refs(server) == relay_refs(ben)


def month(path: Path) -> str:
    return next(ref for ref in relay_refs(path) if "/history/" in ref)


def test_a_session_of_two_clones_with_git_commands_alone(
    ada: Path, server: Path, tmp_path: Path
) -> None:
    """A teammate's run, its lessons' occurrences and its notes arrive by push and pull."""
    ben = hooked(server, tmp_path / "ben")
    done(ada, "start")
    draft(ada)
    review(ada)
    draft(ada, "Another.\n")
    review(ada, APPROVED)
    git(ada, "add", ".relay")
    assert push(ada).code == 0
    told = run(ben, "git", "pull", "-q").err
    assert "took in 1 month of history, 1 month of notes from origin" in told
    assert_same([ada, ben, server])
    for clone in (ada, ben):
        assert "retry never waits" in done(clone, "lessons", "list")
    [lesson] = (ben / ".relay/lessons/author").iterdir()
    name = lesson.stem
    assert done(ben, "lessons", "show", name) == done(ada, "lessons", "show", name)
    done(ben, "start")
    draft(ben)
    assert "sent 1 run" in push(ben).err
    assert "took in 1 run" in run(ada, "git", "pull", "-q").err
    assert_same([ada, ben, server])


# Pushes that are not ours to join


def test_only_the_remote_of_the_push_is_talked_to(ada: Path, server: Path, tmp_path: Path) -> None:
    other = make_server(tmp_path / "other")
    git(ada, "remote", "add", "other", str(other))
    done(ada, "start")
    assert push(ada, "other", "main:new").err == "git-relay: sent 1 run to other\n"
    assert relay_refs(other) == relay_refs(ada)
    assert not relay_refs(server)


@pytest.mark.parametrize("url", ["{server}", "file://{server}", "../server", "."])
def test_a_push_to_an_address_takes_nothing_along(ada: Path, server: Path, url: str) -> None:
    done(ada, "start")
    assert push(ada, url.format(server=server), "main:new") == (0, "", "")
    assert not relay_refs(server)


@pytest.mark.parametrize(
    "options", [("--dry-run",), ("-n",), ("-qn",), ("--dry",), ("origin", "--dry-run", "main")]
)
def test_a_push_that_only_shows_sends_nothing(
    ada: Path, server: Path, options: tuple[str, ...]
) -> None:
    done(ada, "start")
    git(ada, "config", "alias.up", "push")
    assert push(ada, *options) == (0, "", "")
    assert run(ada, "git", "up", "-q", *options) == (0, "", "")
    assert not relay_refs(server)


def test_a_push_of_run_refs_by_the_user_is_left_to_him(ada: Path, server: Path) -> None:
    """Ours would move them while his push holds what they were."""
    done(ada, "start")
    assert push(ada, "origin", "main", "refs/relay/*:refs/relay/*") == (0, "", "")
    assert relay_refs(server) == relay_refs(ada)


# Whatever happens, the push goes on


def test_a_hook_of_the_users_own_gets_what_git_gave(ada: Path, server: Path) -> None:
    hooks = hooks_of(ada)
    done(ada, "hooks", "uninstall")
    write_hook(hooks / "pre-push", '#!/bin/sh\ncat >"$0.seen"\n[ ! -e "$0.no" ]\n')
    done(ada, "hooks", "install")
    done(ada, "start")
    assert "sent 1 run" in push(ada).err
    seen = (hooks / "pre-push.seen").read_text()
    assert seen.startswith("refs/heads/main ")
    (hooks / "pre-push.no").touch()
    assert push(ada).code == 1
    assert not in_step(ada, server)


def test_a_hook_of_another_language_too(ada: Path) -> None:
    hooks = hooks_of(ada)
    done(ada, "hooks", "uninstall")
    text = "#!/usr/bin/env python3\nimport sys\nopen(sys.argv[0] + '.seen', 'w').write(input())\n"
    write_hook(hooks / "pre-push", text)
    done(ada, "hooks", "install")
    done(ada, "start")
    assert "sent 1 run" in push(ada).err
    seen = (hooks / "pre-push.before-relay.seen").read_text()
    assert seen.startswith("refs/heads/main ")


def test_a_silent_remote_holds_the_push_up_for_ten_seconds_at_most(
    ada: Path, server: Path, tmp_path: Path, soak: bool
) -> None:
    """It is silent to us alone: by the address that only our own fetch and push use.

    Ten in full size only, else one by the same way.
    """
    assert exchange.IN_HOOK == 10
    seconds = 10 if soak else 1
    with_deadline(ada, seconds, tmp_path / "hurried")
    with Silent() as silent:
        git(ada, "remote", "add", "slow", silent.url)
        git(ada, "remote", "set-url", "--push", "slow", silent.url)
        done(ada, "start")
        pushing_to(ada, server, "slow")
        begun = time.monotonic()
        pushed = push(ada)
        took = time.monotonic() - begun
    assert pushed.code == 0
    assert pushed.err == (
        f"git-relay: runs are still unsent (slow did not answer within {seconds} seconds; "
        "`git fetch slow` waits longer for a slow one); `git relay sync` tries again\n"
    )
    assert seconds - 1 < took < seconds + 6
    assert in_step(ada, server)


def with_deadline(path: Path, seconds: int, program: Path) -> None:
    """Our hook calls a program that gives a remote only so long."""
    less = f"from relay_git.sync import exchange\nexchange.IN_HOOK = {seconds}\n"
    start = "import sys\nfrom relay_git.main import main\nsys.exit(main())\n"
    write_hook(program, f"#!{sys.executable} -P\n{less}{start}")
    hook = hooks_of(path) / "pre-push"
    hook.write_text(hook.read_text().replace(shims.program(), str(program)))


def pushing_to(path: Path, server: Path, name: str) -> None:
    """git's own push goes to origin; the hook is told another remote."""
    ours = hooks_of(path) / "pre-push"
    ours.rename(ours.with_name("ours"))
    write_hook(ours, f'#!/bin/sh\nexec "$(dirname "$0")/ours" {name} "{server}"\n')


def test_offline(ada: Path, server: Path, tmp_path: Path) -> None:
    git(ada, "remote", "add", "gone", str(tmp_path / "gone"))
    done(ada, "start")
    pushing_to(ada, server, "gone")
    pushed = push(ada)
    assert pushed.code == 0
    assert pushed.err.startswith("git-relay: runs are still unsent (cannot push to gone: ")
    assert len(pushed.err.splitlines()) == 1
    assert in_step(ada, server)


class _Unauthorized(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def locked() -> Iterator[str]:
    """The address of a server that wants to know who is there."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Unauthorized) as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.server_port}/x"
        listener.shutdown()
        thread.join(10)


def test_a_remote_that_wants_a_password_is_not_waited_for(
    ada: Path, server: Path, locked: str, tmp_path: Path
) -> None:
    """Nobody is asked, neither at the terminal nor in a window."""
    asking = write_hook(tmp_path / "ask", f'#!/bin/sh\ntouch "{tmp_path}/asked"\nsleep 60\n')
    git(ada, "remote", "add", "locked", locked)
    done(ada, "start")
    pushing_to(ada, server, "locked")
    begun = time.monotonic()
    pushed = push(ada, GIT_ASKPASS=str(asking), SSH_ASKPASS=str(asking), DISPLAY=":0")
    assert time.monotonic() - begun < 9
    assert pushed.code == 0
    assert pushed.err.startswith("git-relay: runs are still unsent (cannot push to locked: ")
    assert not (tmp_path / "asked").exists()
    assert in_step(ada, server)


def test_a_push_from_a_hook_of_the_users_own_does_not_call_itself(
    ada: Path, server: Path, tmp_path: Path
) -> None:
    """Whose pre-push pushes on, in front of and behind ours."""
    second = make_server(tmp_path / "second")
    git(ada, "remote", "add", "second", str(second))
    done(ada, "hooks", "uninstall")
    log = tmp_path / "nested"
    write_hook(
        hooks_of(ada) / "pre-push",
        f'#!/bin/sh\necho x >>"{log}"\n[ "$1" = second ] || git push -q second main:nested\n',
    )
    done(ada, "hooks", "install")
    done(ada, "start")
    pushed = push(ada)
    assert pushed == (0, "", "git-relay: sent 1 run to origin\n")
    assert relay_refs(server) == relay_refs(ada)
    assert git(second, "rev-parse", "nested") == git(ada, "rev-parse", "main")
    assert log.read_text() == "x\nx\n"


def test_a_refused_push_of_runs_is_one_line(ada: Path, server: Path) -> None:
    write_hook(
        server / "hooks/update",
        '#!/bin/sh\ncase $1 in refs/relay/*) echo "no runs here" >&2; exit 1; esac\n',
    )
    done(ada, "start")
    pushed = push(ada)
    assert pushed.code == 0
    [line] = pushed.err.splitlines()
    assert line.startswith("git-relay: runs are still unsent (refs/relay/runs/")
    assert "no runs here" in line
    assert in_step(ada, server)


def test_a_program_that_is_gone_does_not_stop_the_push(ada: Path, server: Path) -> None:
    done(ada, "start")
    file = hooks_of(ada) / "pre-push"
    file.write_text(file.read_text().replace("/git-relay", "/git-gone"))
    pushed = push(ada)
    assert pushed.code == 0
    [line] = pushed.err.splitlines()
    assert line.endswith("runs are not sent; see git relay doctor")
    assert in_step(ada, server)


# What it costs where there is nothing to do


def test_without_runs_the_hook_starts_nothing(ada: Path, tmp_path: Path) -> None:
    ours = pushed_with(ada, tmp_path)
    (hooks_of(ada) / "pre-push").write_text("#!/bin/sh\nexit 0\n")
    assert ours == pushed_with(ada, tmp_path)


@pytest.mark.parametrize("packed", [False, True])
def test_where_it_is_off_git_is_asked_once(ada: Path, tmp_path: Path, packed: bool) -> None:
    git(ada, "config", "--unset", "relay.push")
    done(ada, "start")
    if packed:
        git(ada, "pack-refs", "--all")
    ours = pushed_with(ada, tmp_path)
    (hooks_of(ada) / "pre-push").write_text("#!/bin/sh\nexit 0\n")
    assert ours == pushed_with(ada, tmp_path) + 1


def pushed_with(path: Path, tmp_path: Path) -> int:
    """The git processes of a push of one commit."""
    git(path, "commit", "-q", "--allow-empty", "--no-verify", "-m", "x")
    return git_processes(path, tmp_path / "trace", "push", "-q", "origin", "main")


def test_in_a_linked_worktree(ada: Path, server: Path, tmp_path: Path) -> None:
    git(ada, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side tree"))
    done(tmp_path / "side tree", "start")
    pushed = push(tmp_path / "side tree", "origin", "side")
    assert pushed.err == "git-relay: sent 1 run to origin\n"
    assert relay_refs(server) == relay_refs(ada)


def test_no_variable_of_the_push_leaks_into_other_hooks(ada: Path, server: Path) -> None:
    """The server's own gate runs in a push that our hook makes, on the same machine."""
    write_hook(server / "hooks/post-receive", '#!/bin/sh\nenv >"$PWD/seen"\n')
    done(ada, "start")
    push(ada, GIT_RELAY_MARK="1")
    assert os.fspath(ada / ".git") not in (server / "seen").read_text()
