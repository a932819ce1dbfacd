"""zsh: one function for each command and verb, found by its name as `_git` finds `_git-relay`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote

from relay_git.cli_model import Argument, Option, Verb, walk

_HEAD = """\
#compdef git-relay
#description {summary}
# zsh completion for git-relay: save it as `_git-relay` in a directory of $fpath, or source it
# after compinit. zsh's own completion of git calls _git-relay for `git relay`.

# git, in the directory that the words so far name.
__git_relay_git () {{
  git $relay_at ${{opt_args[-C]:+-C}} ${{(Q)${{~opt_args[-C]}}}} "$@" 2>/dev/null
}}

__git_relay_run () {{
  local -a expl found=(${{(f)"$(__git_relay_git for-each-ref \\
    --format='%(refname:lstrip=3)' refs/relay/runs/)"}})
  _wanted runs expl run compadd -a found
}}

__git_relay_workflow () {{
  local -a expl found=("$(__git_relay_git rev-parse --show-toplevel)"/.relay/workflows/*(/N:t))
  _wanted workflows expl workflow compadd -a found
}}

__git_relay_lesson () {{
  local -a expl found=("$(__git_relay_git rev-parse --show-toplevel)"/.relay/lessons/*/*.md(N:t:r))
  _wanted lessons expl lesson compadd -a found
}}

__git_relay_remote () {{
  local -a expl found=(${{(f)"$(__git_relay_git remote)"}})
  _wanted remotes expl remote compadd -a found
}}
"""
_GROUP = """
{function} () {{
  local -a relay_at=($relay_at ${{opt_args[-C]:+-C}} ${{(Q)${{~opt_args[-C]}}}})
  local curcontext=$curcontext state line ret=1
  local -A opt_args
  local -a verbs=(
    {verbs}
  )
  _arguments -C \\
    {specs} \\
    '(-): :->verb' \\
    '(-)*:: :->rest' && ret=0
  case $state in
    (verb)
      _describe -t commands command verbs && ret=0 ;;
    (rest)
      curcontext=${{curcontext%:*}}-$words[1]:
      relay_at+=(${{opt_args[-C]:+-C}} ${{(Q)${{~opt_args[-C]}}}})
      opt_args=()
      _call_function ret {function}-$words[1] ;;
  esac
  return ret
}}
"""
_LEAF = """
{function} () {{
  local -A opt_args
  _arguments \\
    {specs}
}}
"""
_TAIL = """
if [[ $funcstack[1] == _git-relay ]]; then
  _git-relay "$@"
else
  compdef _git-relay git-relay
fi
"""
_ACTIONS = {
    "run": "__git_relay_run",
    "workflow": "__git_relay_workflow",
    "lesson": "__git_relay_lesson",
    "remote": "__git_relay_remote",
    "file": "_files",
    "directory": "_directories",
    "": " ",
}


def render(program: Verb) -> str:
    functions = "".join(_function(path, verb) for path, verb in walk(program))
    return _HEAD.format(summary=program.summary) + functions + _TAIL


def _function(path: tuple[str, ...], verb: Verb) -> str:
    function = "-".join(("_git-relay", *path))
    specs = [*_options(verb.options), *map(_argument, verb.arguments)]
    if not verb.verbs:
        return _LEAF.format(function=function, specs=_lines(specs, " \\"))
    verbs = [f"{below.name}:{below.summary}" for below in verb.verbs]
    return _GROUP.format(function=function, verbs=_lines(verbs), specs=_lines(specs, " \\"))


def _lines(words: Iterable[str], end: str = "") -> str:
    return f"{end}\n    ".join(map(quote, words))


def _options(options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        for flag in option.flags:
            others = "" if option.repeats else f"({' '.join(option.flags)})"
            joined = "=" if option.value and flag.startswith("--") else ""
            takes = _value(option.value) if option.value else ""
            help_text = _escaped(option.help, "]")
            yield f"{others}{'*' * option.repeats}{flag}{joined}[{help_text}]{takes}"


def _value(value: Argument) -> str:
    return f"{':*' if value.many else ''}:{_escaped(value.name, ':')}:{_action(value)}"


def _argument(argument: Argument) -> str:
    where = "*" if argument.many else ":" if argument.optional else ""
    return f"{where}:{_escaped(argument.name, ':')}:{_action(argument)}"


def _action(argument: Argument) -> str:
    if argument.choices:
        return f"({' '.join(argument.choices)})"
    return _ACTIONS[argument.completes]


def _escaped(text: str, special: str) -> str:
    return text.replace(special, f"\\{special}")
