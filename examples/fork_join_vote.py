"""Three agents answer at once, from the same step, and a vote takes the answer of most confidence.

Run it in a git repository, then see `git relay inspect choose-a-fix`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from relay_git.pipeline import Fork, JoinStrategy, Manifest, Pipeline, Slice, schemas

BUG = "The retry timer fires twice after a restart."

FIX = {
    "type": "object",
    "required": ["file", "change"],
    "properties": {"file": {"type": "string"}, "change": {"type": "string"}},
}


async def thorough(given: Slice, manifest: Manifest) -> dict[str, Any]:
    await asyncio.sleep(0.05)
    return {"FIX": {"file": "courier/retry.py", "change": "store the deadline, not the delay"}}


async def wordless(given: Slice, manifest: Manifest) -> dict[str, Any]:
    return {"FIX": {"file": "", "change": ""}}


async def vague(given: Slice, manifest: Manifest) -> dict[str, Any]:
    return {"FIX": f"Look into this: {given['BUG']}"}


async def main() -> None:
    forks = [
        Fork(agent.__name__, Manifest(agent.__name__, reads=["BUG"], writes=["FIX"]), agent)
        for agent in (thorough, wordless, vague)
    ]
    payload, rules = {"BUG": BUG}, [schemas({"FIX": FIX})]
    with Pipeline.open(".", "choose-a-fix", payload=payload, rules=rules) as pipeline:
        step = (await pipeline.fork(forks, join=JoinStrategy.VOTE)).unwrap()
        assert step.event.join
        for receipt in step.event.join.forks:
            why = f" ({receipt.reason})" if receipt.reason else ""
            print(f"{receipt.fork}: {receipt.outcome}, {receipt.confidence / 10:.0f} %{why}")
        print(f"chosen: {step.payload['FIX']}")


if __name__ == "__main__":
    asyncio.run(main())
