"""`git relay push`: send what a remote lacks."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git.commands import exchanging
from relay_git.commands.context import Context
from relay_git.sync import exchange

EXAMPLE = "git relay push origin"


def add_parser(parser: ArgumentParser) -> None:
    exchanging.add_remote(parser)


def run(args: Namespace, ctx: Context) -> int:
    return exchanging.carry_out(exchange.push, args.remote, ctx)
