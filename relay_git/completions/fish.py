"""fish: one `complete` line for each command, verb, option and argument."""

from __future__ import annotations

from collections.abc import Iterator

from relay_git.cli_model import Argument, Option, Verb, walk

_HEAD = """\
# fish completion for `git relay` and `git-relay`: save it in ~/.config/fish/conf.d, or source it
# in config.fish. (From fish's directory of completions it would serve `git-relay` alone.)

# The commands, verbs and arguments before the cursor, without options and what they take.
# Fails where another program, or another command of git, is meant.
function __git_relay_words
    set -l words (commandline -opc)
    set -l program (string replace -r '.*/' '' -- $words[1])
    set -e words[1]
    if test "$program" != git-relay
        while set -q words[1]; and test "$words[1]" != relay
            string match -q -- '-*' $words[1]; or return 1
            contains -- $words[1] -C -c --git-dir --work-tree --namespace; and set -e words[1]
            set -e words[1]
        end
        set -q words[1]; or return 1
        set -e words[1]
    end
    while set -q words[1]
        if contains -- $words[1] {valued}
            set -e words[1]
        else if not string match -q -- '-*' $words[1]
            echo $words[1]
        end
        set -e words[1]
    end
end

# Succeeds below this command or verb, such as `lessons add`.
function __git_relay_in
    set -l words (__git_relay_words); or return
    set -q argv[1]; or return 0
    test (count $words) -ge (count $argv); or return
    for i in (seq (count $argv))
        test $words[$i] = $argv[$i]; or return
    end
end

# Succeeds right behind it: so many arguments follow it and no more.
function __git_relay_at -a seen
    set -l words (__git_relay_words)
    __git_relay_in $argv[2..]; and test (count $words) -eq (math (count $argv) - 1 + $seen)
end

# Succeeds where the option that came last is this one, for those that take several words.
function __git_relay_after -a option
    set -l options (string match -- '-*' (commandline -opc))
    test "$options[-1]" = $option
end

# git, in the directory that the words so far name.
function __git_relay_git
    set -l words (commandline -opc)
    set -l at
    for i in (seq (count $words))
        test "$words[$i]" = -C
        and set -a at -C (string replace -r '^~' $HOME -- $words[(math $i + 1)])
    end
    command git $at $argv 2>/dev/null
end

function __git_relay_runs
    __git_relay_git for-each-ref --format='%(refname:lstrip=3)' refs/relay/runs/
end

function __git_relay_workflows
    set -l found (__git_relay_git rev-parse --show-toplevel)/.relay/workflows/*/
    set -q found[1]; and path basename $found
end

function __git_relay_lessons
    set -l found (__git_relay_git rev-parse --show-toplevel)/.relay/lessons/*/*.md
    set -q found[1]; and path basename $found | path change-extension ''
end

function __git_relay_remotes
    __git_relay_git remote
end

complete -c git -n __fish_use_subcommand -a relay -d {summary}
complete -c git -c git-relay -n __git_relay_in -f
"""
_DYNAMIC = {
    "run": "(__git_relay_runs)",
    "workflow": "(__git_relay_workflows)",
    "lesson": "(__git_relay_lessons)",
    "remote": "(__git_relay_remotes)",
    "directory": "(__fish_complete_directories)",
}


def render(program: Verb) -> str:
    verbs = list(walk(program))
    lines = [line for path, verb in verbs for line in _lines(path, verb)]
    options = [option for _, verb in verbs for option in verb.options if option.value]
    valued = sorted({flag for option in options for flag in option.flags})
    head = _HEAD.format(valued=" ".join(valued), summary=_quoted(program.summary))
    return head + "\n".join(lines) + "\n"


def _lines(path: tuple[str, ...], verb: Verb) -> Iterator[str]:
    """Options of a command that has verbs come before the verb, where its parser takes them."""
    exact = f"__git_relay_at 0 {' '.join(path)}".rstrip()
    below = f"__git_relay_in {' '.join(path)}".rstrip()
    for one in verb.verbs:
        yield f"{_complete(exact)} -a {one.name} -d {_quoted(one.summary)}"
    for option in verb.options:
        yield from _option(option, exact if verb.verbs else below)
    greedy = [flag for option in verb.options for flag in _greedy(option)]
    unless = "".join(f"; and not __git_relay_after {flag}" for flag in greedy)
    for place, argument in enumerate(verb.arguments):
        condition = below if argument.many else f"__git_relay_at {place} {' '.join(path)}"
        if words := _words(argument):
            yield f"{_complete(condition + unless)} -a {words} -d {_quoted(argument.name)}"


def _option(option: Option, condition: str) -> Iterator[str]:
    flags = " ".join(_flag(flag) for flag in option.flags)
    takes = _takes(option.value) if option.value else ""
    yield f"{_complete(condition)} {flags}{takes} -d {_quoted(option.help)}"
    for flag in _greedy(option):
        yield f"{_complete(f'{condition}; and __git_relay_after {flag}')} -F"


def _greedy(option: Option) -> tuple[str, ...]:
    """The flags of an option that takes all words up to the next option."""
    return option.flags if option.value and option.value.many else ()


def _takes(value: Argument) -> str:
    if value.completes == "file":
        return " -r -F"
    words = _words(value)
    return f" -x -a {words}" if words else " -x"


def _words(argument: Argument) -> str:
    words = " ".join(argument.choices) or _DYNAMIC.get(argument.completes, "")
    return words and _quoted(words)


def _complete(condition: str) -> str:
    return f"complete -c git -c git-relay -n {_quoted(condition)}"


def _flag(flag: str) -> str:
    return f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
