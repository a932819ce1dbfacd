"""Two agents in a row. The second drops a fact: what it wrote is kept aside, and another is asked.

Run it in a git repository, then see `git relay inspect summarise-tickets`.
"""

from __future__ import annotations

from typing import Any

from relay_git.pipeline import Manifest, Pipeline, RolledBack, Slice, pinned, thaw

TICKETS = ["The retry timer fires twice.", "An upload cannot be cancelled."]

EXTRACT = Manifest("extractor", reads=["TICKETS"], writes=["FACTS"])
SUMMARISE = Manifest("summariser", reads=["FACTS"], writes=["FACTS", "SUMMARY"])


def extractor(given: Slice, manifest: Manifest) -> dict[str, Any]:
    return {"FACTS": [{"ticket": n, "says": text} for n, text in enumerate(given["TICKETS"], 1)]}


def careless(given: Slice, manifest: Manifest) -> dict[str, Any]:
    first = thaw(given["FACTS"])[:1]
    return {"FACTS": first, "SUMMARY": f"One ticket: {first[0]['says']}"}


def careful(given: Slice, manifest: Manifest) -> dict[str, Any]:
    facts = given["FACTS"]
    return {"SUMMARY": f"{len(facts)} tickets: {' '.join(fact['says'] for fact in facts)}"}


def main() -> None:
    payload = {"TICKETS": TICKETS}
    with Pipeline.open(".", "summarise-tickets", payload=payload, rules=[pinned("FACTS")]) as it:
        it.step_sync(EXTRACT, extractor).unwrap()

        result = it.step_sync(SUMMARISE, careless)
        assert isinstance(result, RolledBack)
        print(f"rejected: {result.code}, {result.reason}")
        print(f"but kept: {result.rejected.payload['SUMMARY']}")

        last = it.step_sync(SUMMARISE, careful).unwrap()
        print(f"accepted: {last.payload['SUMMARY']}")
        print(f"in all {last.step} steps, {last.budget_used} of {last.budget_total} tokens")


if __name__ == "__main__":
    main()
