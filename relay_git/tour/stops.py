"""What the tour shows: each stop with its reason and what is done there, in order.

The roles' texts are those of the example that a template ships.
"""

from __future__ import annotations

from relay_git.record import Record

TEMPLATE = "plan-review-implement-audit"


class Run(Record):
    """A command line. What it says is shown from a line that begins with `since`, `most` lines."""

    line: str
    most: int = 8
    since: str = ""


class Write(Record):
    """What a role writes, as that step of the example has it, and how much of it is shown."""

    role: str
    step: str
    most: int = 0
    since: str = ""


class Stop(Record):
    title: str
    why: str
    acts: tuple[Run | Write, ...]


ADVANCE = Run("git relay advance")

STOPS = (
    Stop(
        "A repository",
        "git-relay keeps everything in git, so it starts from a repository. This one is made for "
        "the tour; two notes say what somebody wants from a tool called stow.",
        (
            Run("git init --quiet --initial-branch=main"),
            Run("git commit --quiet --allow-empty --message 'The project'"),
            Run("ls"),
        ),
    ),
    Stop(
        "Set it up",
        "A workflow says who acts in which order: here plan, review, implement, audit. It is "
        "plain files in .relay/, committed like code, so that a team shares and edits it.",
        (
            Run(f"git relay init --template {TEMPLATE}", since="set up"),
            Run("git add .relay"),
            Run("git commit --quiet --message 'Set git-relay up'"),
        ),
    ),
    Stop(
        "Start a run",
        "A run is one task that goes through the workflow. What it is about is its context.",
        (
            Run("git relay start --slug uploads --context context.md acceptance_checklist.md"),
            Run("git relay status", most=12),
        ),
    ),
    Stop(
        "Ask the planner",
        "`git relay next` prints the whole prompt for whoever acts now, to be given to any agent "
        "or person. It holds the role, the task and the input files.",
        (Run("git relay next", most=9),),
    ),
    Stop(
        "The planner answers",
        "The agent leaves its work in .relay/artifacts/. `git relay advance` checks it, records it "
        "as one signed commit, a step, and moves on.",
        (Write("planner", "01-plan_draft", most=5), ADVANCE),
    ),
    Stop(
        "The reviewer says no",
        "The verdict is read from what the reviewer wrote, and the run goes back. Nothing of the "
        "rejected plan is thrown away: this is where lessons come from.",
        (
            Write("reviewer", "02-plan_review", most=7, since="## Required Changes"),
            ADVANCE,
        ),
    ),
    Stop(
        "The second plan is approved",
        "The planner is shown the review and plans anew; now the reviewer agrees.",
        (
            Write("planner", "03-plan_draft", most=5, since="## Answers"),
            ADVANCE,
            Write("reviewer", "04-plan_review"),
            ADVANCE,
        ),
    ),
    Stop(
        "Code is written",
        "The implementer commits to your branch as usual. The hooks that init put in name the run "
        "in the message, so that a line of code leads back to its plan.",
        (
            Run("git commit --quiet --allow-empty --message 'Carry interrupted uploads on'"),
            Run("git log -1 --format=%B"),
            Write("implementer", "05-implement"),
            ADVANCE,
        ),
    ),
    Stop(
        "The auditor catches something",
        "Once more the run goes back, and once more the reason is kept.",
        (
            Write("auditor", "06-audit", most=6, since="## Catches"),
            ADVANCE,
            Write("implementer", "07-implement"),
            ADVANCE,
        ),
    ),
    Stop(
        "The run ends and teaches",
        "The audit approves. The last step files the run in the history, and distils what was "
        "rejected and caught into lessons, a small file each.",
        (Write("auditor", "08-audit"), Run("git relay advance", most=6)),
    ),
    Stop(
        "Look at a lesson",
        "A lesson is one claim with its evidence. You review, edit or retire it like any file; "
        "committing it is how a team agrees to it.",
        (
            Run("git relay lessons show fixed-parts-of-8-mib-in-src-cmd-put-rs", most=20),
            Run("git add .relay"),
            Run("git commit --quiet --message 'Lessons of the uploads'"),
        ),
    ),
    Stop(
        "It is all in git",
        "A run lies beside your branch as ordinary commits, each signed. Nobody needs a server to "
        "read or check them.",
        (
            Run("git log --oneline"),
            Run("git relay log uploads", most=9),
            Run("git relay verify uploads", most=1, since="10 of"),
        ),
    ),
    Stop(
        "The next run knows",
        "Weeks later somebody wants downloads to be resumable, in some of the same files. The "
        "next planner reads what the first run learnt before it plans anything.",
        (
            Run("git relay start --slug downloads --context downloads/context.md", most=1),
            Run("git relay next", most=11, since="# Lessons from past runs"),
        ),
    ),
)
