"""A run that went on in two clones: told by every command, resolved, and finished."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chains import opened
from flow import (
    APPROVED,
    REJECTED,
    artifact,
    call,
    copy_of,
    done,
    draft,
    everything,
    review,
    run_ref,
    started,
    tips,
    write,
)
from support import git, repository

from relay_git import names
from relay_git.chain.chain import Step, read_step, walk
from relay_git.chain.envelope import seal
from relay_git.chain.merge import merge_chains
from relay_git.errors import Refused
from relay_git.git.store import BLOB
from relay_git.git.trees import edit_tree
from relay_git.names import Oid, RunId
from relay_git.workflow import actions, reviews
from relay_git.workflow.divergence import pick
from relay_git.workflow.visit import Wish
from relay_git.workspace import Workspace

OURS = REJECTED
THEIRS = REJECTED.replace("`retry.py` calls `send`", "`queue.py` drops the job")


def clone_of(path: Path, other: Path) -> Path:
    """Bob's clone, in which he goes on with the run."""
    git(path.parent, "clone", "-q", str(path), str(other))
    git(other, "config", "user.name", "Bob")
    git(other, "config", "user.email", "bob@example.com")
    ref = run_ref(path)
    git(other, "fetch", "-q", "origin", f"{ref}:{ref}")
    done(other, "switch", "loop")
    return other


def meet(path: Path, other: Path, ref: str, theirs: str) -> str:
    """Both clones come to stand at the merge of the two tips, as a sync leaves them."""
    ours = git(path, "rev-parse", ref)
    for here, there in ((path, other), (other, path)):
        git(here, "fetch", "-q", str(there), "+refs/relay/*:refs/relay-local/met/*")
    merged = {merge_chains(opened(place), Oid(ours), Oid(theirs)) for place in (path, other)}
    (tip,) = merged
    for place in (path, other):
        git(place, "update-ref", ref, tip)
    return tip


def diverge(folder: Path) -> None:
    """Ada rejects the draft; Bob rejects it for another reason, and has a second one already."""
    path = started(folder / "ada")
    draft(path, "One.\n")
    other = clone_of(path, folder / "bob")
    review(path, OURS)
    review(other, THEIRS)
    draft(other, "Two.\n")
    ref = run_ref(path)
    meet(path, other, ref, git(other, "rev-parse", ref))


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """Ada's clone and Bob's. Steps: 1, 2, Ada's 3, Bob's 3 and 4, the merge, which is 5."""
    folder = copy_of("diverged", diverge, tmp_path / "both")
    return folder / "ada", folder / "bob"


@pytest.fixture
def ada(both: tuple[Path, Path]) -> Path:
    return both[0]


def run_id(path: Path) -> RunId:
    return RunId(run_ref(path).removeprefix(names.RUNS))


def chain(path: Path) -> list[Step]:
    """The steps of the only open run, oldest first."""
    return list(walk(opened(path), Oid(git(path, "rev-parse", run_ref(path)))))[::-1]


def steps_by(path: Path, author: str) -> list[Step]:
    return [step for step in chain(path) if step.commit.author.name == author]


def last_of(path: Path, author: str) -> str:
    return steps_by(path, author)[-1].oid


def as_json(path: Path, *words: str) -> Any:
    return json.loads(done(path, *words, "--json"))


# One session


def test_a_run_diverges_is_resolved_and_is_finished(both: tuple[Path, Path]) -> None:
    ada, _ = both
    mine, theirs = last_of(ada, "Ada"), last_of(ada, "Bob")
    said = done(ada, "status")
    assert "diverged: it went on in two places and ends in" in said
    assert f"step 3 ({mine[:12]} by Ada: review: reject → draft (visit 2))" in said
    assert f"step 4 ({theirs[:12]} by Bob: draft → review (visit 2))" in said
    assert f"choose:   git relay resolve {run_id(ada)} {theirs[:12]}" in said

    write(ada, "draft.md", "Two, by Ada.\n")
    before = everything(ada)
    answer = call(ada, "advance")
    assert answer.code == 1
    assert f"step 3 ({mine[:12]} by Ada" in answer.err
    assert f"step 4 ({theirs[:12]} by Bob" in answer.err
    assert f"git relay resolve {run_id(ada)} {theirs[:12]}" in answer.err
    assert everything(ada) == before

    told = done(ada, "resolve", "loop", mine[:8], "--message", "Bob was not asked")
    assert told.startswith(f"resolve to step 3 ({mine[:12]}): draft (visit 2)\n")
    assert artifact(ada, "draft.md").read_text() == "One.\n"
    assert artifact(ada, "review.md").read_text() == OURS
    (saved,) = (ada / ".git/relay/saved" / run_id(ada)).iterdir()
    assert (saved / "draft.md").read_text() == "Two, by Ada.\n"
    assert "7 of 7 steps ok in 1 run" in done(ada, "verify")

    draft(ada, "Three.\n")
    write(ada, "review.md", APPROVED)
    ended = done(ada, "advance")
    assert "is done and filed in history" in ended
    lessons = "".join(file.read_text() for file in (ada / ".relay/lessons").rglob("*.md"))
    assert "`retry.py` calls `send`" in lessons
    assert "`queue.py` drops the job" in lessons
    assert "9 of 9 steps ok in 1 run" in done(ada, "verify", "--all")
    git(ada, "fsck", "--strict", "--no-dangling")


def test_the_other_clone_is_told_before_it_goes_on(both: tuple[Path, Path]) -> None:
    """It stands at the visit that it left, but the draft there is not the one that it read."""
    ada, bob = both
    done(ada, "resolve", "loop", last_of(ada, "Bob"))
    git(bob, "fetch", "-q", str(ada), f"{run_ref(ada)}:{run_ref(ada)}")
    write(bob, "review.md", APPROVED)
    answer = call(bob, "advance")
    assert answer.code == 1
    assert "the run has moved on to review (visit 2) meanwhile" in answer.err
    assert "is done and filed" in done(bob, "advance")


# Every command


def test_next_refuses_as_advance_does(ada: Path) -> None:
    answer = call(ada, "next")
    assert answer.code == 1
    assert "the run has diverged: step 4 (" in answer.err


def test_status_as_json_names_both_ends(ada: Path) -> None:
    found = as_json(ada, "status")
    assert found["status"] == "diverged"
    assert [(end["step"], end["by"]) for end in found["ends"]] == [(4, "Bob"), (3, "Ada")]
    assert [end["commit"] for end in found["ends"]] == [last_of(ada, "Bob"), last_of(ada, "Ada")]


def test_an_open_run_has_no_ends(tmp_path: Path) -> None:
    assert as_json(started(tmp_path / "project"), "status")["ends"] == []


def test_log_tells_both_sides_each_step_once_with_its_object_id(ada: Path) -> None:
    found = as_json(ada, "log")
    assert found["status"] == "diverged"
    told = [(step["step"], step["by"], step["event"]) for step in found["steps"]]
    assert told[:2] == [(1, "Ada", "start"), (2, "Ada", "advance")]
    assert sorted(told[2:4]) == [(3, "Ada", "advance"), (3, "Bob", "advance")]
    assert told[4:] == [(4, "Bob", "advance"), (5, "git-relay", "merge")]
    assert [step["artifacts"] for step in found["steps"]] == [
        ["context.md"],
        ["draft.md"],
        ["review.md"],
        ["review.md"],
        ["draft.md"],
        [],
    ]
    said = done(ada, "log")
    assert all(step.oid[:12] in said for step in chain(ada))


def test_log_of_one_side_alone_shows_no_object_ids(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    assert git(path, "rev-parse", run_ref(path))[:12] not in done(path, "log")


def test_show_and_diff_take_object_ids_where_a_number_is_not_enough(ada: Path) -> None:
    mine, theirs = last_of(ada, "Ada"), steps_by(ada, "Bob")[0].oid
    assert as_json(ada, "show", f"loop:{mine[:9]}")["artifacts"]["review.md"] == OURS
    assert as_json(ada, "show", f":{theirs}")["artifacts"]["review.md"] == THEIRS
    assert as_json(ada, "show", ":4")["commit"] == last_of(ada, "Bob")
    found = as_json(ada, "diff", "loop", mine[:9], theirs[:9].upper())
    assert (found["a"], found["b"]) == (3, 3)
    assert "+- [error] The retry never waits: `queue.py`" in found["diff"]
    for words in (("show", ":3"), ("diff", "loop", "2", "3"), ("rollback", "--to", "3")):
        answer = call(ada, *words)
        assert answer.code == 1
        assert "3 names 2 steps: " in answer.err
        assert mine[:12] in answer.err
        assert theirs[:12] in answer.err


def test_a_number_means_the_step_that_somebody_made(ada: Path) -> None:
    """A third side may be as long as the merge of two."""
    first, *_, merge = chain(ada)
    longer = first.replace(envelope=first.envelope.replace(step=5))
    assert pick([merge, longer], "5") == longer
    assert pick([merge, first], "5") == merge


def test_show_shows_a_merge_without_a_key(ada: Path) -> None:
    said = done(ada, "show")
    assert "step 5 of " in said
    assert "merge what was done apart" in said
    assert "\nkey " not in said
    assert as_json(ada, "show")["envelope"]["heads"]


def test_runs_and_verify_tell_of_a_diverged_run(ada: Path) -> None:
    assert "diverged at review (visit 2), loop" in done(ada, "runs")
    said = done(ada, "verify")
    assert "6 of 6 steps ok in 1 run" in said
    assert f"  5  {git(ada, 'rev-parse', run_ref(ada))[:12]}  ok              merge" in said


def test_switch_says_that_the_run_has_diverged(ada: Path) -> None:
    assert "the run has diverged" in done(ada, "switch", "loop")


def test_a_diverged_run_cannot_be_settled(ada: Path) -> None:
    said = call(ada, "settle", "loop").err
    assert "is diverged, not finished; choose a step with `git relay resolve " in said


# Ways out


@pytest.mark.parametrize("author", ["Ada", "Bob"])
def test_either_side_can_be_chosen(ada: Path, author: str) -> None:
    chosen = last_of(ada, author)
    done(ada, "resolve", "loop", chosen)
    now = as_json(ada, "status")
    was = read_step(opened(ada), Oid(chosen)).envelope
    assert (now["status"], now["stage"]) == ("open", was.state["stage"])
    tip = chain(ada)[-1]
    assert tip.envelope.files == was.files
    assert tip.envelope.state["event"] == {
        "kind": "resolve",
        "to": read_step(opened(ada), Oid(chosen)).digest,
    }
    assert {file.name for file in (ada / ".relay/artifacts").iterdir()} == {
        path.partition("/")[2] for path in was.files if path.startswith("artifacts/")
    }
    assert "7 of 7 steps ok" in done(ada, "verify")


def test_a_step_that_only_one_side_has_can_be_named_by_its_number(ada: Path) -> None:
    assert done(ada, "resolve", "loop", "4").startswith("resolve to step 4 (")
    assert artifact(ada, "draft.md").read_text() == "Two.\n"


def test_a_step_before_the_sides_parted_can_be_chosen(ada: Path) -> None:
    assert done(ada, "resolve", "loop", "2").startswith("resolve to step 2 (")
    assert as_json(ada, "status")["stage"] == "review"
    assert not artifact(ada, "review.md").exists()


@pytest.mark.parametrize("step", ["5", "9", "abcdef12", "abc"])
def test_what_cannot_be_chosen_is_refused_and_changes_nothing(ada: Path, step: str) -> None:
    before = everything(ada)
    answer = call(ada, "resolve", "loop", step)
    assert answer.code == 1
    said = "is where the run diverged" if step == "5" else f"the run has no step {step}"
    assert said in answer.err
    assert everything(ada) == before


def test_a_word_is_no_step(ada: Path) -> None:
    answer = call(ada, "resolve", "loop", "mine")
    assert answer.code == 2
    assert "'mine' is neither the number of a step nor the beginning of an object id" in answer.err


def test_a_run_that_has_not_diverged_is_not_resolved(tmp_path: Path) -> None:
    path = started(tmp_path / "project")
    draft(path)
    before = everything(path)
    answer = call(path, "resolve", "loop", "1")
    assert answer.code == 1
    assert "the run has not diverged; go back with `git relay rollback`" in answer.err
    assert everything(path) == before


def test_the_working_set_of_another_run_stays_as_it_is(ada: Path) -> None:
    done(ada, "start", "--slug", "other")
    before = {file: file.read_bytes() for file in (ada / ".relay/artifacts").iterdir()}
    tip = tips(ada)
    done(ada, "resolve", "loop", last_of_run(ada, "-loop-", "Ada"))
    assert {file: file.read_bytes() for file in (ada / ".relay/artifacts").iterdir()} == before
    assert [ref for ref, oid in tips(ada).items() if tip.get(ref) != oid] == [
        next(ref for ref in tip if "-loop-" in ref and ref.startswith(names.RUNS))
    ]
    assert "-other-" in done(ada, "status")


def last_of_run(path: Path, part: str, author: str) -> str:
    (tip,) = [oid for ref, oid in tips(path).items() if part in ref and names.RUNS in ref]
    return next(s.oid for s in walk(opened(path), Oid(tip)) if s.commit.author.name == author)


def test_a_diverged_run_can_be_abandoned_and_teaches_what_both_sides_rejected(ada: Path) -> None:
    said = done(ada, "abandon", "--message", "nobody agrees")
    assert "abandon at review" in said
    assert "is abandoned and filed in history" in said
    lessons = "".join(file.read_text() for file in (ada / ".relay/lessons").rglob("*.md"))
    assert "`retry.py` calls `send`" in lessons
    assert "`queue.py` drops the job" in lessons
    assert "7 of 7 steps ok in 1 run" in done(ada, "verify", "--all")


def test_a_diverged_run_can_be_rolled_back_and_reset(both: tuple[Path, Path]) -> None:
    ada, bob = both
    assert done(ada, "rollback", "--to", "2").startswith("rollback to step 2: review (visit 1)\n")
    assert as_json(ada, "status")["status"] == "open"
    assert "7 of 7 steps ok" in done(ada, "verify")
    assert done(bob, "reset").startswith("reset → draft\n")
    assert as_json(bob, "status")["status"] == "open"
    assert "7 of 7 steps ok" in done(bob, "verify")


def test_a_rollback_to_a_number_that_two_steps_have_takes_the_object_id(ada: Path) -> None:
    """Also after the run was resolved; its record then names the step by its digest."""
    theirs = steps_by(ada, "Bob")[0]
    done(ada, "resolve", "loop", last_of(ada, "Ada"))
    assert call(ada, "rollback", "--to", "3").code == 1
    said = done(ada, "rollback", "--to", theirs.oid[:10])
    assert said.startswith(f"rollback to step 3 ({theirs.oid[:12]}): draft (visit 2)\n")
    assert artifact(ada, "review.md").read_text() == THEIRS
    assert chain(ada)[-1].envelope.state["event"] == {"kind": "rollback", "to": theirs.digest}
    assert done(ada, "rollback", "--to", "6").startswith("rollback to step 6: ")
    assert "9 of 9 steps ok" in done(ada, "verify")


def test_a_commit_made_meanwhile_is_recorded_and_the_ends_stay_the_sides(ada: Path) -> None:
    done(ada, "hooks", "install")
    (ada / "code.py").write_text("fixed = True\n")
    git(ada, "add", "code.py")
    git(ada, "commit", "-q", "-m", "fix it")
    tip = chain(ada)[-1]
    assert (tip.envelope.state["event"]["kind"], tip.envelope.step) == ("commit", 6)
    found = as_json(ada, "status")
    assert found["status"] == "diverged"
    assert [(end["step"], end["by"]) for end in found["ends"]] == [(4, "Bob"), (3, "Ada")]
    answer = call(ada, "resolve", "loop", "6")
    assert "that step was made when the run had diverged" in answer.err
    done(ada, "resolve", "loop", "4")
    assert "8 of 8 steps ok" in done(ada, "verify")


@pytest.mark.parametrize(
    ("way", "words"), [("resolve", ("resolve", "loop")), ("rollback", ("rollback", "--to"))]
)
def test_a_finished_side_that_is_chosen_ends_the_run(
    both: tuple[Path, Path], way: str, words: tuple[str, ...]
) -> None:
    """It is settled at once, however it was chosen."""
    ada, bob = both
    ref = run_ref(ada)
    done(bob, "resolve", "loop", last_of(bob, "Bob"))
    git(ada, "fetch", "-q", str(bob), f"{ref}:{ref}")
    done(ada, "rollback", "--to", "2")
    write(bob, "review.md", APPROVED)
    assert call(bob, "advance").code == 0
    theirs = git(bob, "log", "-1", "--format=%P", "--glob=refs/relay/history").split()[1]
    meet(ada, bob, ref, theirs)
    assert as_json(ada, "status")["status"] == "diverged"
    said = done(ada, *words, theirs[:12])
    assert said.startswith(f"{way} to step 7 ({theirs[:12]}): done (visit 1)\n")
    assert "is done and filed in history" in said
    assert ref not in tips(ada)
    assert "no open run in this worktree" in done(ada, "status")
    assert "11 of 11 steps ok" in done(ada, "verify", "--all")


def test_an_advance_during_which_the_run_diverges_is_refused(ada: Path) -> None:
    """A fetch in another worktree is quicker than the advance, which then reads the run again."""
    ref, merge = run_ref(ada), chain(ada)[-1].oid
    git(ada, "update-ref", ref, last_of(ada, "Ada"))
    done(ada, "switch", "loop")
    ws = Workspace(repository(ada))
    git(ada, "update-ref", ref, merge)
    write(ada, "draft.md", "Too late.\n")
    with pytest.raises(Refused, match=r"the run has diverged: step 4 \("):
        actions.advance(ws, Wish())
    assert git(ada, "rev-parse", ref) == merge


def test_a_run_that_was_merged_in_two_orders_and_resolved_in_one_goes_on(
    both: tuple[Path, Path],
) -> None:
    """The last merge leaves one head, the choice, and is told by no command."""
    ada, bob = both
    store, ref = opened(ada), run_ref(ada)
    one, two = Oid(last_of(ada, "Ada")), Oid(last_of(ada, "Bob"))
    git(bob, "update-ref", ref, chain(ada)[1].oid)
    done(bob, "switch", "loop")
    review(bob, REJECTED.replace("at once", "too late"))
    git(ada, "fetch", "-q", str(bob), ref)
    three = Oid(git(bob, "rev-parse", ref))
    left = merge_chains(store, merge_chains(store, one, two), three)
    right = merge_chains(store, one, merge_chains(store, two, three))
    git(ada, "update-ref", ref, left)
    done(ada, "resolve", "loop", "4")
    chosen = chain(ada)[-1]
    git(ada, "update-ref", ref, merge_chains(store, chosen.oid, right))

    assert as_json(ada, "status")["status"] == "open"
    assert as_json(ada, "show")["commit"] == chosen.oid
    told = as_json(ada, "log")["steps"]
    assert told[-1]["commit"] == chosen.oid
    assert len({step["commit"] for step in told}) == len(told)
    write(ada, "review.md", APPROVED)
    assert "is done and filed in history" in done(ada, "advance")
    assert call(ada, "verify", "--all").code == 0
    lessons = "".join(file.read_text() for file in (ada / ".relay/lessons").rglob("*.md"))
    assert all(text in lessons for text in ("`send` again at once", "drops the job", "too late"))


# Distilling


def test_both_sides_are_read_whatever_the_order_of_the_merge(both: tuple[Path, Path]) -> None:
    found = {reviews.outline(opened(path), chain(path)[-1].oid) for path in both}
    (outline,) = found
    texts = [opened(both[0]).blob(passage.blob).decode() for passage in outline.passages]
    assert sorted(texts) == sorted([OURS, THEIRS])
    assert [passage.step for passage in outline.passages] == [3, 3]


# What verify says of forged choices


def resealed(path: Path, step: Step, state: dict[str, Any]) -> str:
    """The step with another state, signed again by the clone's own key."""
    ws = Workspace(repository(path))
    data = seal(step.envelope.replace(state=state), ws.signer)
    leaf = BLOB, ws.store.put_blob(data)
    tree = edit_tree(ws.store, step.commit.tree, {names.STEP_RECORD: leaf})
    return ws.store.put_commit(step.commit.replace(tree=tree))


def wrong_in(path: Path, tip: str) -> list[tuple[str, str]]:
    git(path, "update-ref", run_ref(path), tip)
    (judged,) = json.loads(call(path, "verify", "--json").out)["runs"].values()
    return [(item["status"], item["detail"]) for item in judged if item["status"] != "ok"]


@pytest.mark.parametrize(
    ("event", "detail"),
    [
        ({"kind": "resolve", "to": "theirs"}, "its state does not follow"),
        ({"kind": "resolve", "to": "merge"}, "the run has no step "),
        ({"kind": "resolve", "to": "1" * 64}, "the run has no step 1111"),
        ({"kind": "rollback", "to": 3}, "the run has no step 3"),
        ({"kind": "rollback", "to": 4}, "its state does not follow"),
        ({"kind": "resolve", "to": 3}, "not the state of a run"),
        ({"kind": "resolve", "to": "theirs "}, "not the state of a run"),
    ],
    ids=str,
)
def test_a_choice_that_the_run_does_not_allow_is_found(
    ada: Path, event: dict[str, Any], detail: str
) -> None:
    merge, theirs = chain(ada)[-1], steps_by(ada, "Bob")[-1]
    done(ada, "resolve", "loop", last_of(ada, "Ada"))
    honest = chain(ada)[-1]
    to = {"theirs": theirs.digest, "merge": merge.digest}.get(event["to"], event["to"])
    tip = resealed(ada, honest, {**honest.envelope.state, "event": {**event, "to": to}})
    ((status, said),) = wrong_in(ada, tip)
    assert status == "tampered"
    assert detail in said


def test_a_choice_where_there_is_none_is_found(ada: Path) -> None:
    """A rollback that says that it resolved a run that had not diverged."""
    theirs = steps_by(ada, "Bob")[-1]
    done(ada, "resolve", "loop", theirs.oid)
    done(ada, "rollback", "--to", "4")
    last = chain(ada)[-1]
    event = {"kind": "resolve", "to": theirs.digest}
    tip = resealed(ada, last, {**last.envelope.state, "event": event})
    assert wrong_in(ada, tip) == [("tampered", "step.json: the run has not diverged")]


def test_a_diverged_run_that_goes_on_without_a_choice_is_found(ada: Path) -> None:
    done(ada, "rollback", "--to", "4")
    last = chain(ada)[-1]
    event = {"kind": "advance", "stage": "review", "visit": 2, "branch": "reject"}
    tip = resealed(ada, last, {**last.envelope.state, "event": event})
    assert wrong_in(ada, tip) == [("tampered", "step.json: the run has diverged")]


# Shallow clones


def shallow(path: Path, to: Path, depth: int) -> Path:
    git(path.parent, "clone", "-q", "--depth=1", path.as_uri(), str(to))
    ref = run_ref(path)
    git(to, "fetch", "-q", f"--depth={depth}", "origin", f"{ref}:{ref}")
    return to


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 9])
def test_a_shallow_clone_judges_what_it_has(ada: Path, tmp_path: Path, depth: int) -> None:
    """The steps that a rollback and a choice went back to may be among what it lacks."""
    done(ada, "resolve", "loop", last_of(ada, "Ada"))
    done(ada, "rollback", "--to", "2")
    done(ada, "rollback", "--to", last_of(ada, "Bob")[:12])
    there = shallow(ada, tmp_path / "shallow", depth)
    said = done(there, "verify")
    count = int(git(there, "rev-list", "--count", run_ref(ada)))
    assert f"{count} of {count} step" in said
    done(there, "log", "loop")
    done(there, "show", "loop")


def test_a_shallow_clone_that_ends_at_the_merge_says_that_it_lacks_the_sides(
    ada: Path, tmp_path: Path
) -> None:
    there = shallow(ada, tmp_path / "shallow", 1)
    done(there, "switch", "loop")
    assert as_json(there, "status")["ends"] == []
    assert f"choose:   git relay resolve {run_id(ada)} STEP" in done(there, "status")
    answer = call(there, "advance")
    assert answer.code == 1
    assert "git fetch --unshallow" in answer.err


@pytest.mark.parametrize("which", ["^", "^^1", "^^2"], ids=["merge", "one side", "the other"])
def test_a_step_that_is_missing_is_no_graft(ada: Path, tmp_path: Path, which: str) -> None:
    """In a shallow clone too: only where the clone was cut off may a parent be absent."""
    done(ada, "resolve", "loop", last_of(ada, "Ada"))
    there = shallow(ada, tmp_path / "shallow", 3)
    gone = git(there, "rev-parse", run_ref(ada) + which)
    objects = there / ".git/objects"
    git(there, "unpack-objects", input=b"".join(p.read_bytes() for p in packs_aside(objects)))
    (objects / gone[:2] / gone[2:]).unlink()
    answer = call(there, "verify")
    assert answer.code == 1
    assert "broken parent" in answer.out


def packs_aside(objects: Path) -> list[Path]:
    """The packs, moved to where git does not look."""
    found = []
    for pack in (objects / "pack").glob("*.pack"):
        pack.with_suffix(".idx").unlink()
        found.append(pack.rename(objects / pack.name))
    return found
