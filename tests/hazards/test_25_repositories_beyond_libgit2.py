"""Repositories that libgit2 refuses: the native engine serves, and says nothing of it.

That the whole loop works in them, whichever engine is asked for: `repositories/test_session.py`.
"""

from __future__ import annotations

from pathlib import Path

import kinds
import pytest
from hooking import program
from kinds import Kind
from support import git, make_repo, repository

from relay_git.git.libgit import open_libgit
from relay_git.git.loose import Sharing
from relay_git.git.objects import NativeObjects


@pytest.mark.parametrize(
    "kind", [kinds.sha256, kinds.reftable, kinds.named_partial], ids=lambda kind: kind.__name__
)
def test_libgit2_really_does_not_serve_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    """Else the sessions with libgit asked for would show nothing."""
    if kind is kinds.reftable:
        kinds.use_git_with_reftable(monkeypatch, tmp_path)
    repo = repository(kind(tmp_path / "project"))
    assert open_libgit(repo, NativeObjects(repo, lambda: Sharing.parse(None))) is None


def test_what_git_itself_refuses_is_refused_in_its_words(tmp_path: Path) -> None:
    project = make_repo(tmp_path / "project")
    git(project, "config", "core.repositoryFormatVersion", "1")
    git(project, "config", "extensions.fromTheFuture", "true")
    done = program(project, "status")
    assert done.code == 1
    assert "unknown repository extension" in done.err
    assert "bug" not in done.err
    assert program(project, "hook", "post-commit").code == 0
