"""bash: one table of the command line, and a function that walks the words along it."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from relay_git.cli_model import Argument, Verb, walk

_HEAD = """\
# bash completion for git-relay: source this file, or save it as `git-relay` where
# bash-completion looks. git's own completion calls _git_relay for `git relay`.

_git_relay ()
{
	local cur=$cur path='' verbs options arguments kind='' seen=0 i word
	__git_relay_table
	for ((i = ${__git_cmd_idx:-1} + 1; i < cword; i++)); do
		word=${words[i]}
		if [[ $word == -* ]]; then
			__git_relay_value "$word"
		elif [[ $kind ]]; then
			[[ $kind == *... ]] || kind=''
		elif [[ $verbs ]]; then
			path+=${path:+ }$word
			__git_relay_table
		else
			((seen += 1))
		fi
	done
	if [[ $cur == --*=* ]]; then
		__git_relay_value "${cur%%=*}"
		cur=${cur#*=}
	elif [[ $cur == -* ]]; then
		kind=options
	elif [[ -z $kind ]]; then
		__git_relay_argument
	fi
	__git_relay_offer
}

# What the option takes: a kind of `__git_relay_offer`, nothing for a switch.
__git_relay_value ()
{
	local option
	kind=''
	for option in $options; do
		[[ $option != "$1"=* ]] || kind=${option#*=}
	done
}

# The kind of the argument that comes after `seen` others.
__git_relay_argument ()
{
	local argument
	[[ -z $verbs ]] || kind=verbs
	for argument in $arguments; do
		kind=$argument
		[[ $argument != *... ]] || return
		((seen-- > 0)) || return
		kind=''
	done
}

# A kind that is none of these lists what to choose from. Files are left to bash itself.
__git_relay_offer ()
{
	local option
	case ${kind%...} in
	verbs)
		__git_relay_reply "${verbs// /$'\\n'}" ;;
	options)
		__git_relay_reply "$(for option in $options; do echo "${option%%=*}"; done)" ;;
	run)
		__git_relay_reply "$(__git_relay_git for-each-ref \\
			--format='%(refname:lstrip=3)' refs/relay/runs/)" ;;
	workflow)
		__git_relay_reply "$(__git_relay_files 'workflows/*/')" ;;
	lesson)
		__git_relay_reply "$(__git_relay_files 'lessons/*/*.md')" ;;
	remote)
		__git_relay_reply "$(__git_relay_git remote)" ;;
	'' | word | file | directory)
		;;
	*)
		__git_relay_reply "${kind//,/$'\\n'}" ;;
	esac
}

# Offers the lines that begin with $cur. Never `compgen -W`, which would expand them: a ref's
# name may come from anybody.
__git_relay_reply ()
{
	local line
	if type __gitcomp_nl >/dev/null 2>&1; then
		__gitcomp_nl "$1" '' "$cur"
		return
	fi
	while IFS= read -r line; do
		[[ -z $line || $line != "$cur"* ]] || COMPREPLY+=("$line ")
	done <<<"$1"
}

# git, in the directory that the words so far name.
__git_relay_git ()
{
	local i at=()
	for ((i = 1; i < cword; i++)); do
		[[ ${words[i]} != -C ]] || at+=(-C "${words[i + 1]/#\\~/$HOME}")
	done
	git "${at[@]}" "$@" 2>/dev/null
}

# The names of what matches a pattern below .relay/.
__git_relay_files ()
{
	local top found
	top=$(__git_relay_git rev-parse --show-toplevel) || return
	for found in "$top"/.relay/$1; do
		[[ -e $found ]] || continue
		found=${found%/}
		found=${found##*/}
		echo "${found%.md}"
	done
}

# `git-relay`, with and without git's or bash-completion's functions.
__git_relay_main ()
{
	local cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD words=("${COMP_WORDS[@]}")
	local __git_cmd_idx=0
	if type _get_comp_words_by_ref >/dev/null 2>&1; then
		_get_comp_words_by_ref -n =: cur words cword
	fi
	COMPREPLY=()
	_git_relay
}

complete -o bashdefault -o default -o nospace -F __git_relay_main git-relay

# What may follow the commands and verbs in $path. An option has the kind that it takes behind
# `=`; `...` marks a kind that takes all further words.
__git_relay_table ()
{
	verbs='' options='' arguments=''
	case $path in
"""
_TAIL = """\
	esac
}
"""


def render(program: Verb) -> str:
    return (
        _HEAD + "".join(line for path, verb in walk(program) for line in _row(path, verb)) + _TAIL
    )


def _row(path: tuple[str, ...], verb: Verb) -> Iterator[str]:
    yield f"\t{quote(' '.join(path))})\n"
    if verb.verbs:
        yield f"\t\tverbs={quote(' '.join(below.name for below in verb.verbs))}\n"
    flags = [
        flag + (f"={_kind(option.value)}" if option.value else "")
        for option in verb.options
        for flag in option.flags
    ]
    yield f"\t\toptions={quote(' '.join(flags))}"
    if verb.arguments:
        yield f"\n\t\targuments={quote(' '.join(map(_kind, verb.arguments)))}"
    yield " ;;\n"


def _kind(argument: Argument) -> str:
    kind = ",".join(argument.choices) or argument.completes or "word"
    return f"{kind}..." if argument.many else kind
