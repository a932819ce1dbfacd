"""`git relay keys`: show and rotate this clone's signing keys."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relay_git import clock
from relay_git.commands.context import Context
from relay_git.commands.options import common
from relay_git.output import plain
from relay_git.record import as_dict
from relay_git.signing.keys import KeyStore
from relay_git.signing.pins import Pins

EXAMPLE = """
git relay keys
git relay keys rotate
git relay keys accept SHA256:… bob@example.com
"""


def add_parser(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    verbs.add_parser(
        "list", parents=[common()], help="the public halves of this clone's keys (the default)"
    )
    verbs.add_parser(
        "rotate", parents=[common()], help="make a new key; steps signed before stay verifiable"
    )
    accept = verbs.add_parser(
        "accept", parents=[common()], help="vouch for another key of somebody known"
    )
    accept.add_argument("fingerprint", help="SHA256:… as `git relay verify` shows it")
    accept.add_argument("principal", help="whose key it is: an e-mail address")


def run(args: Namespace, ctx: Context) -> int:
    ws = ctx.workspace
    store = KeyStore(ws.repo.common_dir)
    if args.verb == "accept":
        Pins(ws.repo.common_dir).accept(args.fingerprint, args.principal, clock.now())
        ctx.out.text(f"{args.fingerprint} is {args.principal}'s from now on")
        return 0
    if args.verb == "rotate":
        store.rotate(ws.email)
    keys = store.all()
    if ctx.json:
        ctx.out.json([as_dict(key) for key in keys])
        return 0
    for key in keys:
        state = "in use" if key.current else f"retired {key.retired}"
        ctx.out.text(f"{key.fingerprint}  {plain(key.comment)}  ({state})")
        ctx.out.text(f"  {plain(key.public)}")
    if not keys:
        ctx.out.text("no key yet: `git relay init` makes one")
    return 0
