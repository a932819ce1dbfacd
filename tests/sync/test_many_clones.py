"""Any number of clones, any order of work and of syncs: the same state everywhere, nothing lost."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path

import pytest
from clones import assert_same, in_step, make_clone, make_server, reachable, relay_refs
from flow import APPROVED, LOOP, REJECTED, call, write
from support import SOAK, git

LONG = LOOP.replace("max_visits: 3", "max_visits: 1000")


class Player:
    """One clone at work. A command may be refused; more must not happen to it."""

    def __init__(self, path: Path, chance: random.Random) -> None:
        self.path, self._chance, self._count = path, chance, 0

    def act(self) -> None:
        often = (self.advance,) * 8 + (self.sync,) * 4 + (self.switch,) * 3 + (self.resolve,) * 2
        seldom = (self.start, self.commit, self.rollback, self.pack, self.abandon, self.prune)
        self._count += 1
        self._chance.choice(often + seldom)()

    def advance(self) -> None:
        if not json.loads(self.say("status", "--json"))["run"]:
            return self.start()
        text = f"{self.path.name} {self._count}\n"
        write(self.path, "draft.md", text)
        write(self.path, "review.md", self._chance.choice((APPROVED, REJECTED, REJECTED)) + text)
        self.say("advance")
        return None

    def start(self) -> None:
        self.say("start", "--slug", f"{self.path.name}-{self._count}")

    def switch(self) -> None:
        if opened := self.opened():
            self.say("switch", self._chance.choice(opened)["run"])

    def commit(self) -> None:
        (self.path / f"{self.path.name}.txt").write_text(f"{self._count}\n")
        git(self.path, "add", ".")
        git(self.path, "commit", "-q", "-m", f"change {self._count}")
        self.say("hook", "post-commit")

    def rollback(self) -> None:
        self.say("rollback", "--to", "1")

    def resolve(self) -> None:
        for run in self.opened():
            if run["status"] == "diverged":
                self.say("resolve", run["run"], self._chance.choice(self.heads(run["run"])))

    def heads(self, run: str) -> list[str]:
        """The steps that a diverged run stands at; any step, if a commit was recorded since."""
        ref = f"refs/relay/runs/{run}"
        joined = json.loads(git(self.path, "show", f"{ref}:step.json")).get("heads")
        steps = git(self.path, "rev-list", "--no-merges", ref).split()
        return [oid for oid in steps if joined is None or self.digest(oid) in joined]

    def digest(self, oid: str) -> str:
        record = git(self.path, "cat-file", "blob", f"{oid}:step.json")
        return sha256(record.encode()).hexdigest()

    def abandon(self) -> None:
        self.say("abandon")

    def prune(self) -> None:
        self.say("prune", "--keep", "4")

    def pack(self) -> None:
        git(self.path, "gc", "-q", "--prune=now")

    def sync(self) -> None:
        self.say(self._chance.choice(("sync", "sync", "fetch", "push")))

    def opened(self) -> list[dict[str, str]]:
        listed: list[dict[str, str]] = json.loads(self.say("runs", "--json"))
        return listed

    def say(self, *words: str) -> str:
        answer = call(self.path, *words)
        assert answer.code in (0, 1), f"{self.path.name}: {words}\n{answer.out}{answer.err}"
        return answer.out


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("clones", [2, 4, 8] if SOAK else [2, 8])
def test_clones_end_alike_whatever_they_did(tmp_path: Path, clones: int, soak: bool) -> None:
    chance = random.Random(f"{clones}")
    server = make_server(tmp_path / "server", LONG)
    paths = [make_clone(server, tmp_path / f"clone{number}") for number in range(clones)]
    players = [Player(path, chance) for path in paths]
    seen: set[str] = set()
    for _ in range(200 * clones if soak else 40):
        player = chance.choice(players)
        player.act()
        seen.update(relay_refs(player.path).values())
    in_step(paths)
    refs = assert_same([server, *paths])
    assert any(ref.startswith("refs/relay/runs/") for ref in refs)
    for path in (server, *paths):
        assert seen <= reachable(path)
        git(path, "fsck", "--strict", "--no-dangling")
    assert call(paths[0], "verify", "--all").code == 0
