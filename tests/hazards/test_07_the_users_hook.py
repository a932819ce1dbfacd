"""Installing again and again, whatever the order, leaves the user's hook in force.

More of this kind is in tests/githooks/test_install.py.
"""

from __future__ import annotations

from pathlib import Path

from flow import call, done, make_project
from hooking import hooks_of, run, write_hook
from support import git

HOOK = """\
#!/bin/sh
. "$(dirname "$0")/lib/check.sh"
check "$@"
exit 1
"""
LIBRARY = 'check() { echo "checked by $0 with $# arguments" >&2; }\n'


def test_init_doctor_init_and_uninit_leave_the_hook_as_it_was(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    hook = write_hook(hooks_of(project) / "pre-commit", HOOK, 0o744)
    write_hook(hook.parent / "lib/check.sh", LIBRARY, 0o644)
    for command in ("init", "init", "doctor", "init"):
        call(project, command)
        refused = run(project, "git", "commit", "--allow-empty", "-m", "x")
        assert refused.code == 1
        assert refused.err == f"checked by {hook.relative_to(project)} with 0 arguments\n"
    done(project, "uninit")
    assert hook.read_text() == HOOK
    assert hook.stat().st_mode & 0o777 == 0o744
    assert sorted(path.name for path in hook.parent.iterdir() if "sample" not in path.name) == [
        "lib",
        "pre-commit",
    ]
    assert git(project, "config", "--get-all", "core.hooksPath", code=1) == ""
