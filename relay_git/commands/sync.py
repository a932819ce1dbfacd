"""`git relay sync`: bring this clone and a remote to the same state."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands import exchanging
from relay_git.commands.context import Context
from relay_git.sync import exchange

EXAMPLE = "git relay sync"


def add_parser(parser: ArgumentParser) -> None:
    exchanging.add_remote(parser)


def run(args: Namespace, ctx: Context) -> int:
    return exchanging.carry_out(exchange.sync, args.remote, ctx)
