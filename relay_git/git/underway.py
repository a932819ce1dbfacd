"""What git is in the middle of: a rebase, a merge with conflicts, a bisect."""

from __future__ import annotations

import os

_MARKS = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "sequencer": "cherry-pick",
    "BISECT_LOG": "bisect",
}


def underway(git_dir: str) -> set[str]:
    """By git's own words; none when the worktree is at rest."""
    return {what for mark, what in _MARKS.items() if os.path.exists(os.path.join(git_dir, mark))}
