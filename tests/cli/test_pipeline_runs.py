"""`git relay` on a pipeline's run, which is a run like any other; and both kinds side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clones import in_step, make_clone, make_server
from flow import call, done, draft, started
from pipelining import WRITER, saying
from support import git
from terminal import Terminal

from relay_git import names
from relay_git.names import Oid
from relay_git.pipeline import Fork, JoinStrategy, Manifest, Pipeline, RolledBack, pinned

NOTER = Manifest("noter", writes=["NOTES"])


def make_run(path: Path) -> str:
    """Four steps: started, written, rejected and written again."""
    with Pipeline.open(path, "tickets", payload={"FACTS": ["a"]}, rules=[pinned("FACTS")]) as it:
        it.step_sync(WRITER, saying(FACTS=["a", "b"])).unwrap()
        assert isinstance(it.step_sync(WRITER, saying(FACTS=["b"])), RolledBack)
        return it.step_sync(NOTER, saying(NOTES={"to": "Ada"})).unwrap().run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project with a workflow's run and a pipeline's."""
    project = started(tmp_path / "p")
    make_run(project)
    return project


def test_runs_lists_both_kinds(path: Path) -> None:
    listed = done(path, "runs").splitlines()
    assert len(listed) == 2
    assert " open at step 4, tickets, " in next(line for line in listed if "tickets" in line)
    found = {item.get("pipeline"): item for item in json.loads(done(path, "runs", "--json"))}
    assert (found["tickets"]["step"], found["tickets"]["status"]) == (4, "open")
    assert found[None]["stage"] == "draft"


def test_log_tells_the_story_of_a_pipeline(path: Path) -> None:
    shown = done(path, "log", "tickets")
    assert "pipeline tickets, open" in shown.splitlines()[0]
    for told in (
        "start tickets",
        "writer: wrote FACTS",
        "writer wrote FACTS.json",
        "writer: rejected, rollback to step 2",
        "PIN_DROPPED in FACTS",
        "noter: wrote NOTES",
    ):
        assert told in shown
    record = json.loads(done(path, "log", "tickets", "--json"))
    assert [step["event"] for step in record["steps"]] == ["start", "step", "rollback", "step"]
    assert record["steps"][1]["artifacts"] == ["FACTS.json"]
    assert (record["status"], record["steps"][1]["stage"]) == ("open", None)


def test_show_and_diff_show_the_sections(path: Path) -> None:
    assert '== FACTS.json\n[\n"a",\n"b"\n]\n' in done(path, "show", "tickets:2")
    assert "\n+{\n" in done(path, "diff", "tickets", "2", "4")
    artifacts = json.loads(done(path, "show", "tickets", "--json"))["artifacts"]
    assert artifacts == {"FACTS.json": '[\n"a",\n"b"\n]\n', "NOTES.json": '{\n"to": "Ada"\n}\n'}


def test_rollback_stands_again_where_a_step_left_a_pipeline(path: Path) -> None:
    assert done(path, "rollback", "tickets", "--to", "2") == "rollback to step 2\n"
    with Pipeline.open(path, "tickets") as pipeline:
        assert pipeline.head.payload == {"FACTS": ["a", "b"]}
        assert pipeline.step_sync(NOTER, saying(NOTES="again")).unwrap().step == 6
    told = json.loads(done(path, "rollback", "tickets", "--to", "1", "--json"))
    assert told["step"] == 7
    assert "8 of 8 steps ok" in done(path, "verify")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("rollback", "tickets", "--to", "9"), 1, "no step 9"),
        (("rollback", "tickets", "--to", "1", "-m", "text"), 2, "take no message"),
        (("rollback", "loop", "--to", "1"), 1, "is a workflow's run; `git relay switch`"),
        (("settle", "tickets"), 1, "is open, not finished; finish it with `Pipeline.end`"),
        (("resolve", "tickets", "2"), 1, "has not diverged; `git relay rollback` goes back"),
        (("resolve", "tickets", "2", "-m", "text"), 2, "take no message"),
        (("abandon", "tickets", "-m", "text"), 2, "take no message"),
        (("abandon", "loop"), 1, "is a workflow's run; `git relay switch`"),
    ],
)
def test_what_does_not_fit_a_pipeline_is_refused(
    path: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    answer = call(path, *words)
    assert answer.code == code, answer
    assert says in answer.err


def test_a_pipelines_run_is_given_up_by_name(path: Path) -> None:
    assert done(path, "abandon", "tickets") == "abandon tickets\n"
    assert "tickets, abandoned" in done(path, "log", "tickets")
    again = call(path, "abandon", "tickets")
    assert again.code == 1 and "is abandoned; the next `Pipeline.open` of tickets" in again.err
    assert "5 of 5 steps ok" in done(path, "verify", "tickets")
    done(path, "prune", "--keep", "0")
    assert "is pruned" in call(path, "log", "tickets").err


def test_pipelines_are_told_from_runs_that_a_worktree_can_have(repo_path: Path) -> None:
    run = make_run(repo_path)
    told = done(repo_path, "status")
    assert f"pipelines (git relay inspect):\n  {run}  tickets\n" in told
    assert "git relay switch" not in told + call(repo_path, "next").err


def test_a_rejected_output_is_purged_with_the_run(path: Path) -> None:
    done(path, "purge", "tickets", "--yes")
    listed = git(path, "rev-list", "--objects", "--all").split()
    rejected = git(path, "hash-object", "--stdin", input=b'[\n"b"\n]\n')
    assert rejected in git(path, "cat-file", "--batch-all-objects", "--batch-check")
    assert rejected not in listed
    assert "4 of 4 steps ok" in done(path, "verify", "tickets")


def test_the_worktrees_own_run_goes_on_beside_it(path: Path) -> None:
    draft(path)
    assert "review" in done(path, "status")
    assert done(path, "verify").endswith("6 of 6 steps ok in 2 runs\n")


def forged(path: Path, change: tuple[str, object]) -> str:
    """What verify says when the last step of the pipeline has a changed state, signed again."""
    from pipelining import place

    from relay_git.chain import chain
    from relay_git.pipeline.state import state_of, state_to_json

    here = place("git", path)
    with Pipeline.open(here.steps, "tickets") as pipeline:
        head = pipeline.head
    parent = chain.read_step(here.port, head.record.parents[0])
    envelope, commit = head.record.envelope, head.record.commit
    state = state_to_json(state_of(head.record))
    place_in, (key, value) = (state["event"] if change[0] in state["event"] else state), change
    place_in[key] = value
    made = chain.Draft(
        run=head.run,
        role=envelope.role,
        state=state,
        files={"artifacts/NOTES.json": b"1\n"},
        message=commit.message,
        author=commit.author,
        committer=commit.committer,
        budget_used=envelope.budget_used,
        budget_total=envelope.budget_total,
    )
    git(path, "update-ref", names.run_ref(head.run), parent.oid)
    chain.append(here.port, names.run_ref(head.run), parent, made, here.keys.signer)
    return call(path, "verify", "tickets").out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("kind", "start"), "a start where none can be"),
        (("kind", "output"), "a output where none can be"),
        (("kind", "other"), "not the state of a pipeline"),
        (("agent", "somebody"), "names another role than its agent"),
        (("slice_tokens", 5_000), "its budget does not follow"),
        (("kind", "rollback"), "its budget does not follow"),
        (("pipeline", "another"), "belongs to another pipeline"),
        (("rejected", "0" * 64), "keeps another output than it names"),
        (("kind", "end"), "is open with the event end"),
        (("status", "done"), "is done with the event step"),
        (("agent", "noter"), "4 of 4 steps ok"),
    ],
)
def test_verify_holds_a_step_to_what_its_event_says(
    path: Path, change: tuple[str, object], says: str
) -> None:
    assert says in forged(path, change)


def test_verify_looks_into_the_outputs_that_a_step_keeps(path: Path) -> None:
    """The record is the same, and so the digest that the step names."""
    from pipelining import place

    from relay_git.git.store import BLOB, TREE, Move, TreeEntry

    store = place("git", path).port
    (ref,) = (ref for ref in store.refs(names.RUNS) if "tickets" in ref)
    last = store.commit(store.commit(Oid(git(path, "rev-parse", ref))).parents[0])
    output = store.commit(last.parents[1])
    record = next(entry for entry in store.tree(output.tree) if entry.name == names.STEP_RECORD)
    facts = TreeEntry(BLOB, "FACTS.json", store.put_blob(b'"other"\n'))
    tree = store.put_tree([record, TreeEntry(TREE, "artifacts", store.put_tree([facts]))])
    kept = store.put_commit(output.replace(tree=tree))
    tip = store.put_commit(last.replace(parents=(last.parents[0], kept)))
    store.move(Move(ref, store.ref(ref), tip))
    answer = call(path, "verify", "tickets")
    assert answer.code == 1
    assert "artifacts/FACTS.json: its content was changed" in answer.out


def test_a_rollback_must_have_the_sections_of_its_target(path: Path) -> None:
    from pipelining import new_step, place

    from relay_git.names import Word
    from relay_git.pipeline.state import Event

    here = place("git", path)
    head = here.steps.head(Word("tickets"))
    assert head
    new = new_step(head.budget_used, NOTES=b"1\n").replace(event=Event("rollback", to=2))
    here.steps.append(Word("tickets"), head, new.replace(total=head.budget_total))
    assert "its sections are not those of step 2" in call(path, "verify", "tickets").out


# Between clones


def test_a_pipelines_run_travels_and_is_verified_on_the_way(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server")
    ada, bob = make_clone(server, tmp_path / "ada"), make_clone(server, tmp_path / "bob")
    run = make_run(ada)
    in_step([ada, bob])
    assert f"{run}  pipeline tickets, open" in done(bob, "log", "tickets")
    assert "4 of 4 steps ok" in done(bob, "verify", "tickets")
    tip = git(bob, "rev-parse", names.run_ref(names.RunId(run)))
    assert git(bob, "rev-list", "--count", tip) == "5", "the rejected output is there too"
    answer = call(bob, "rollback", "tickets", "--to", "1")
    hint = f"not the run of tickets in this clone; `git relay switch {run}` makes it that"
    assert answer.code == 1 and hint in answer.err
    with Pipeline.open(bob, "tickets") as pipeline:
        own = pipeline.head.run
    assert own != run
    told = done(bob, "switch", run)
    assert told.splitlines()[1] == f"{own} stays open: `git relay switch {own}` returns to it"
    assert done(bob, "rollback", run, "--to", "1") == "rollback to step 1\n"
    assert json.loads(done(bob, "switch", own, "--json"))["left_open"] == run


def test_a_purged_section_is_gone_and_the_pipeline_goes_on(path: Path) -> None:
    done(path, "purge", "tickets:NOTES.json", "--yes")
    with Pipeline.open(path, "tickets") as pipeline:
        assert pipeline.head.payload == {"FACTS": ["a", "b"]}
        assert isinstance(pipeline.step_sync(WRITER, saying(PLAN=1)), RolledBack)
        assert pipeline.step_sync(NOTER, saying(NOTES="new")).unwrap().payload["NOTES"] == "new"
    assert "6 of 6 steps ok" in done(path, "verify", "tickets")


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    "command",
    [
        *("inspect", "inspect loud", "inspect loud --step 2", "inspect loud --step 3"),
        *("inspect loud --step 4", "log loud", "show loud:2", "diff loud 1 2", "verify loud"),
    ],
)
def test_what_agents_write_reaches_no_terminal_as_it_is(
    repo_path: Path, command: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    loud = "\x1b[41mRED\x1b]0;title\x07\x9b31m\u202egnp.exe\u2066"
    writer = Manifest("writer", writes=["NOTES"], task=loud)

    def raising(*given: object) -> dict[str, str]:
        raise ValueError(loud)

    with Pipeline.open(repo_path, "loud", payload={"NOTES": loud}) as it:
        it.step_sync(writer, saying(NOTES=[loud, {loud: loud}])).unwrap()
        assert isinstance(it.step_sync(Manifest("writer"), saying(NOTES=loud)), RolledBack)
        forks = [Fork("f", writer, raising), Fork("g", writer, saying(NOTES=f"{loud}."))]
        it.fork_sync(forks, JoinStrategy.VOTE).unwrap()
    if plain:
        monkeypatch.setenv("NO_COLOR", "1")
    seen = Terminal(repo_path, *command.split())
    assert seen.end() == 0
    shown = seen.shown.decode()
    assert len(shown) > 40
    assert "RED" in shown or command in ("inspect", "log loud", "verify loud", "inspect loud")
    for raw in ("\x1b]", "\x07", "\x9b", "\u202e", "\u2066", "\x1b[41m"):
        assert raw not in shown
    if command.startswith("diff"):
        assert ("\x1b[32m+" in shown) is not plain
