"""`git relay verify`: check the signatures and the chain of runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from relay_git import names
from relay_git.chain import history
from relay_git.chain.signers import KnownSigners, VerifiedCache
from relay_git.chain.verify import Judgement, verify_chain
from relay_git.commands.context import Context
from relay_git.git.missing import missing
from relay_git.joining import run_rule
from relay_git.names import Oid
from relay_git.output import Output, count, plain
from relay_git.workflow import runs
from relay_git.workspace import Workspace

EXAMPLE = "git relay verify retry-timer"


def add_parser(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run", nargs="*", help="any unambiguous part of a run's id; all open runs if left out"
    )
    parser.add_argument("--all", action="store_true", help="the finished runs too")


def run(args: Namespace, ctx: Context) -> int:
    """0 when every step is sound. Unknown signers fail only where a signers file exists."""
    ws = ctx.workspace
    signers, cache, grafts = KnownSigners(ws), VerifiedCache(ws.cache_dir), ws.repo.grafts()
    tips = _tips(ws, args.run, args.all)
    found = {
        name: list(verify_chain(ws.store, name, tip, signers, cache, run_rule(ws.store), grafts))
        for name, tip in tips.items()
    }
    broken = ws.store.broken_refs(names.RUNS)
    lost = [problem.what for problem in missing(ws.repo, tips.values())]
    if ctx.json:
        ctx.out.json(
            {
                "runs": {n: [_json(j) for j in js] for n, js in found.items()},
                "broken_refs": list(broken),
                "missing": lost,
            }
        )
    else:
        _print(found, broken, lost, ctx.out)
    wrong = {"tampered", "stale nonce", "broken parent"}
    if signers.strict:
        wrong.add("unknown signer")
    bad = any(j.status in wrong for judged in found.values() for j in judged)
    return 1 if bad or broken or lost else 0


def _tips(ws: Workspace, selectors: list[str], everything: bool) -> dict[str, Oid]:
    """The tip of each run that is asked for, by its ref's own name: the chain is not believed."""
    if selectors:
        return {str(run): tip for run, tip in (runs.locate(ws, name) for name in selectors)}
    tips = {ref.removeprefix(names.RUNS): tip for ref, tip in ws.store.refs(names.RUNS).items()}
    if everything:
        for month in history.months(ws.store).values():
            tips.update({f.run: f.tip for f in history.filings(ws.store, month)})
    return tips


def _print(
    found: dict[str, list[Judgement]], broken: tuple[str, ...], lost: list[str], out: Output
) -> None:
    for name, judged in found.items():
        out.text(out.style(plain(name), "bold"))
        for item in judged:
            style = "green" if item.ok else "yellow" if item.status == "unknown signer" else "red"
            number = "  ?" if item.step is None else f"{item.step:>3}"
            status = out.style(f"{item.status:<14}", style)
            out.text(f"{number}  {item.oid[:12]}  {status}  {plain(item.detail)}")
    for ref in broken:
        out.text(out.style(f"{plain(ref)}: broken ref", "red"))
    for problem in lost:
        out.text(out.style(plain(problem), "red"))
    sound = sum(item.ok for judged in found.values() for item in judged)
    total = sum(map(len, found.values()))
    out.text(f"{sound} of {count(total, 'step')} ok in {count(len(found), 'run')}")


def _json(item: Judgement) -> dict[str, Any]:
    return {"step": item.step, "commit": item.oid, "status": item.status, "detail": item.detail}
