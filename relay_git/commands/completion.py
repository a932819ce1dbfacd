"""`git relay completion`: print a completion script for bash, zsh or fish."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands.context import Context

EXAMPLE = """
source <(git relay completion bash)
git relay completion fish > ~/.config/fish/conf.d/git-relay.fish
"""


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="which shell")


def run(args: Namespace, ctx: Context) -> int:
    from relay_git.completions import script

    ctx.out.raw(script(args.shell))
    return 0
