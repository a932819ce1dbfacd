from __future__ import annotations

from relay_git.cli_model import Argument, Option, program, walk
from relay_git.commands import COMMANDS
from relay_git.workflow.setup import template_names

VERBS = dict(walk(program()))


def option(path: str, flag: str) -> Option:
    found = [one for one in VERBS[tuple(path.split())].options if flag in one.flags]
    assert len(found) == 1
    return found[0]


def test_the_commands_are_the_programs_verbs_in_order() -> None:
    assert [(verb.name, verb.summary) for verb in VERBS[()].verbs] == list(COMMANDS.items())


def test_every_command_has_an_example() -> None:
    assert all("git relay" in verb.example for verb in VERBS[()].verbs)


def test_reads_switches_values_and_both_spellings() -> None:
    assert option("advance", "--force") == Option(
        ("--force",), "go beyond a stage's limit; the step says so"
    )
    message = option("advance", "-m")
    assert message.flags == ("--message", "-m")
    assert message.value == Argument("M", message.help)
    assert option("rollback", "--to").required
    assert option("lessons add", "--tag").repeats


def test_reads_arguments_with_how_many_and_what_they_name() -> None:
    run, a, b = VERBS[("diff",)].arguments
    assert (run.name, run.completes, run.optional) == ("run", "run", False)
    assert (a.name, b.name, a.completes) == ("A", "B", "")
    (runs,) = VERBS[("verify",)].arguments
    assert runs.many and runs.optional
    context = option("start", "--context").value
    assert context and context.many and not context.optional and context.completes == "file"


def test_reads_verbs_with_their_own_options_and_arguments() -> None:
    verb = VERBS[("lessons", "retire")]
    assert verb.summary == "withdraw one, with a reason"
    assert [argument.completes for argument in verb.arguments] == ["lesson"]
    assert option("lessons retire", "--reason").required


def test_knows_the_templates_that_ship() -> None:
    value = option("init", "--template").value
    assert value and value.choices == tuple(template_names())


def test_a_flag_takes_a_value_everywhere_or_nowhere() -> None:
    """fish's script tells values from arguments by the flag alone."""
    takes: dict[str, bool] = {}
    for path, verb in VERBS.items():
        for one in verb.options:
            for flag in one.flags:
                assert takes.setdefault(flag, bool(one.value)) == bool(one.value), (path, flag)


def test_the_program_reads_its_own_options_as_the_commands_do() -> None:
    shared = {one.flags: one.value is None for one in VERBS[("next",)].options}
    own = {one.flags: one.value is None for one in VERBS[()].options}
    assert own.keys() >= shared.keys()
    assert all(own[flags] == switch for flags, switch in shared.items())
