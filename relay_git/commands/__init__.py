"""One module a subcommand: `add_parser(parser)` and `run(args, ctx) -> int`."""

COMMANDS: dict[str, str] = {
    "init": "set this repository up, or the local half of one that is",
    "start": "begin a run of a workflow",
    "status": "show where the run stands and what is expected next",
    "next": "print the prompt for the role that acts now",
    "advance": "record what the role wrote and move to the next stage",
    "log": "tell the story of a run",
    "show": "show a step: its state and its artifacts",
    "diff": "compare the artifacts of two steps",
    "switch": "make another open run this worktree's own",
    "rollback": "stand again where an earlier step left the run",
    "reset": "go back to the initial stage",
    "abandon": "give a run up and keep what it taught",
    "runs": "list runs",
    "settle": "file a finished run and distil its lessons",
    "distill": "distil lessons from history",
    "lessons": "list, show, add, edit, retire and render lessons",
    "blame": "say which run, stage and lessons a line of code came from",
    "validate": "check the workflows, settings and lessons of this repository",
    "verify": "check the signatures and the chain of runs",
    "keys": "show and rotate this clone's signing keys",
    "completion": "print a completion script for bash, zsh or fish",
    "uninit": "take out the local half and say what stays",
}
"""Every command and what it does, in the order of `git relay --help`."""
