"""Projects with a small workflow, and the program: in this process, or as one of its own."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from support import git, make_repo

from relay_git.main import main

LOOP = """\
name: loop
version: 1
initial_stage: draft
roles:
  author: {rules: roles/author.yml, reads: [context.md, review.md], writes: [draft.md]}
  critic: {rules: roles/critic.yml, reads: [draft.md], writes: [review.md]}
stages:
  draft: {role: author, next: review, max_visits: 3}
  review: {role: critic, next: {approve: done, reject: draft}}
  done: {terminal: true}
"""
"""A draft is written and reviewed, again and again until it is approved."""

ENDLESS = LOOP.replace("max_visits: 3", "max_visits: 100000")

REJECTED = """\
# Review

## Required Changes

- [error] The retry never waits: `retry.py` calls `send` again at once, so sleep before it.

## Verdict: reject
"""
APPROVED = "# Review\n\nIt holds now.\n\n## Verdict: approve\n"

originals = Path(os.devnull)
"""Where `copy_of` keeps what it copies; a place of this session's."""


class Answer(NamedTuple):
    code: int
    out: str
    err: str


def make_project(path: Path, workflow: str = LOOP) -> Path:
    """A repository whose one workflow is `loop`, committed."""

    def build(made: Path) -> None:
        make_repo(made, commit=False)
        add_workflow(made, workflow)
        git(made, "add", ".")
        git(made, "commit", "-q", "-m", "set up")

    return copy_of(f"project {_short(workflow)}", build, path)


def copy_of(name: str, build: Callable[[Path], object], path: Path) -> Path:
    """What `build` makes, made once for all tests that ask for that name, and copied to `path`.

    Tests with other settings have an original of their own.
    """
    original = originals / f"{name} {_short(_settings())}"
    if not original.exists():
        made = path.parent / f"making {name}"
        build(made)
        made.rename(original)
    return Path(shutil.copytree(original, path, symlinks=True, dirs_exist_ok=True))


def add_workflow(path: Path, workflow: str = LOOP) -> None:
    folder = path / ".relay" / "workflows" / "loop"
    (folder / "roles").mkdir(parents=True)
    (folder / "workflow.yml").write_text(workflow)
    (folder / "roles" / "author.yml").write_text("name: author\nsystem_prompt: Write.\n")
    (folder / "roles" / "critic.yml").write_text("name: critic\nsystem_prompt: Judge.\n")
    (folder / "seeds").mkdir()
    (folder / "seeds" / "context.md").write_text("What it is about.\n")
    (path / ".relay" / ".gitignore").write_text("/artifacts/\n*.tmp\n")


def started(path: Path, workflow: str = LOOP) -> Path:
    """A project with an open run, nothing written yet."""

    def build(made: Path) -> None:
        done(make_project(made, workflow), "start")

    return copy_of(f"started {_short(workflow)}", build, path)


def _settings() -> str:
    """What may show in all that git and the program make here."""
    git = sorted(item for item in os.environ.items() if item[0].startswith("GIT_"))
    configuration = Path(os.environ["GIT_CONFIG_GLOBAL"])
    return repr(git).replace(str(configuration), configuration.read_text())


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def call(path: Path | str, *words: str) -> Answer:
    """One command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["-C", os.fspath(path), *words])
    return Answer(code, out.getvalue(), err.getvalue())


def done(path: Path | str, *words: str) -> str:
    """One command line in this process, which must succeed; what it printed."""
    answer = call(path, *words)
    assert answer.code == 0, f"{words}: {answer.code}\n{answer.out}{answer.err}"
    return answer.out


def spawn(path: Path | str, *words: str, **environment: str) -> subprocess.Popen[str]:
    """The whole program as a process of its own, the leader of its group."""
    return subprocess.Popen(
        [sys.executable, "-m", "relay_git", *words],
        cwd=path,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def outcome(process: subprocess.Popen[str]) -> Answer:
    out, err = process.communicate(timeout=60)
    return Answer(process.returncode, out, err)


def artifact(path: Path, name: str) -> Path:
    return path / ".relay" / "artifacts" / name


def write(path: Path, name: str, text: str) -> None:
    """As an agent does."""
    artifact(path, name).write_text(text)


def draft(path: Path, text: str = "A draft.\n") -> None:
    """The author's visit."""
    write(path, "draft.md", text)
    done(path, "advance")


def review(path: Path, text: str = REJECTED) -> None:
    """The critic's visit."""
    write(path, "review.md", text)
    done(path, "advance")


def tips(path: Path) -> dict[str, str]:
    """Every ref of the repository and where it stands, by git itself."""
    listed = git(path, "for-each-ref", "--format=%(refname) %(objectname)").split("\n")
    return dict(line.split(" ") for line in listed if line)


def run_ref(path: Path) -> str:
    """The ref of the only open run."""
    (ref,) = [name for name in tips(path) if name.startswith("refs/relay/runs/")]
    return ref


def everything(path: Path) -> dict[str, str]:
    """What a refused command must leave alone: each ref, each file and each link, by its hash.

    Objects that no ref names, caches, the clone's own key and what was shown do not count.
    """
    found = {f"ref {name}": oid for name, oid in tips(path).items()}
    for folder, below, files in os.walk(path):
        if Path(folder).name == ".git":
            below[:] = [name for name in below if name not in ("objects", "logs")]
        for name in [*files, *(b for b in below if os.path.islink(os.path.join(folder, b)))]:
            file = Path(folder) / name
            shown = str(file.relative_to(path))
            if not any(part in shown for part in ("/relay/keys/", "/relay/cache/", "/relay/shown")):
                found[shown] = _content(file)
    return found


def _content(file: Path) -> str:
    if file.is_symlink():
        return f"→ {os.readlink(file)}"
    return hashlib.sha256(file.read_bytes()).hexdigest()
