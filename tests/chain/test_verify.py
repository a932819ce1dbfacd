"""What `verify` says of a sound run, and of every way to change one and build it anew."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import rfc8785
from chains import NOON, OTHER, RUN, Memory, add_step, add_steps, opened, signer
from flow import (
    APPROVED,
    call,
    copy_of,
    done,
    draft,
    make_project,
    review,
    run_ref,
    started,
    tips,
    write,
)
from support import git, repository

from relay_git import canonical, names
from relay_git.chain import envelope
from relay_git.chain.chain import Step, read_step, walk
from relay_git.chain.signers import KnownSigners, VerifiedCache
from relay_git.chain.verify import Judgement, verify_chain
from relay_git.git.open import GitStore
from relay_git.git.store import BLOB, EXECUTABLE, GITLINK, SYMLINK, TREE, Commit, Ident
from relay_git.git.trees import Leaf, edit_tree
from relay_git.git.trees import walk as files_of
from relay_git.names import STEP_RECORD, Oid
from relay_git.workflow.consistency import rule
from relay_git.workspace import Workspace


class Known(dict[Oid, str]):
    """A cache of sound steps that ends with the test."""

    def put(self, oid: Oid, fingerprint: str) -> None:
        self[oid] = fingerprint


class Bench:
    """One run, to be changed and judged again and again."""

    def __init__(self, path: Path) -> None:
        self.ws = Workspace(repository(path))
        self.store = GitStore(self.ws.repo, Memory(opened(path)), "os")
        tip = Oid(git(path, "rev-parse", run_ref(path)))
        self.steps = list(walk(self.store, tip))[::-1]
        self.run = self.steps[0].envelope.run
        self._signers, self._rule = KnownSigners(self.ws), rule(self.store)
        self._cache = Known()
        assert all(item.ok for item in self.judge(tip))

    def judge(self, tip: Oid) -> list[Judgement]:
        cache = Known(self._cache) if self._cache else self._cache
        return list(verify_chain(self.store, self.run, tip, self._signers, cache, self._rule))

    def files(self, step: Step) -> dict[str, bytes]:
        return {
            path: self.store.blob(entry.oid)
            for path, entry in files_of(self.store, step.commit.tree)
        }

    def rebuilt(self, number: int, change: Callable[[Commit], Commit]) -> tuple[Oid, Oid]:
        """The chain with one commit changed and all later ones on top: that commit, the tip."""
        changed = oid = self.store.put_commit(change(self.steps[number].commit))
        for step in self.steps[number + 1 :]:
            oid = self.put(step.commit, parents=(oid, *step.commit.parents[1:]))
        return changed, oid

    def put(self, commit: Commit, **changes: object) -> Oid:
        return self.store.put_commit(commit.replace(**changes))

    def with_leaf(self, path: str, leaf: Leaf | None) -> Callable[[Commit], Commit]:
        """Another file at a path, or none."""

        def change(commit: Commit) -> Commit:
            return commit.replace(tree=edit_tree(self.store, commit.tree, {path: leaf}))

        return change

    def with_file(self, path: str, data: bytes) -> Callable[[Commit], Commit]:
        return self.with_leaf(path, (BLOB, self.store.put_blob(data)))


def six_steps(path: Path) -> None:
    """Rejected once, rolled back once."""
    started(path)
    draft(path, "One.\n")
    review(path)
    draft(path, "Two.\n")
    done(path, "rollback", "--to", "3", "--message", "the second was no better")
    draft(path, "Three.\n")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_of("six-steps", six_steps, tmp_path / "project")


@pytest.fixture
def bench(project: Path) -> Bench:
    return Bench(project)


def first_wrong(judged: Sequence[Judgement]) -> Judgement:
    return next(item for item in judged if not item.ok)


# Signatures, with ssh-keygen as the judge


def ssh_keygen(folder: Path, *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["ssh-keygen", *args], cwd=folder, input=stdin, capture_output=True, check=False
    )


def a_key(folder: Path, kind: str = "ed25519") -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    bits = ["-b", "2048"] if kind == "rsa" else []
    made = ssh_keygen(folder, "-q", "-t", kind, *bits, "-N", "", "-C", kind, "-f", f"id_{kind}")
    assert made.returncode == 0, made.stderr
    return folder / f"id_{kind}"


def public_line(path: Path) -> str:
    """The key that the clone signs with."""
    (key,) = (path / ".git" / "relay" / "keys").glob("*.pub")
    return " ".join(key.read_text().split()[:2])


def steps_of(path: Path, ref: str) -> list[str]:
    return git(path, "rev-list", "--first-parent", "--reverse", ref).split()


def holds_for_ssh_keygen(path: Path, step: str, public: str, folder: Path) -> bool:
    """The record without its signature, made canonical by other code than ours."""
    record = json.loads(git(path, "show", f"{step}:{STEP_RECORD}"))
    (folder / "signature").write_text(record.pop("signature"))
    (folder / "allowed").write_text(f'ada namespaces="{names.STEP_NAMESPACE}" {public}\n')
    args = ["-Y", "verify", "-f", "allowed", "-I", "ada", "-n", names.STEP_NAMESPACE]
    checked = ssh_keygen(folder, *args, "-s", "signature", stdin=rfc8785.dumps(record))
    return checked.returncode == 0


def test_ssh_keygen_accepts_the_signature_of_every_step(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ssh"
    public = public_line(project)
    other = a_key(folder).with_suffix(".pub").read_text()
    for step in steps_of(project, run_ref(project)):
        assert holds_for_ssh_keygen(project, step, public, folder)
        assert not holds_for_ssh_keygen(project, step, other, folder)


@pytest.mark.parametrize("kind", ["ed25519", "rsa"])
def test_a_key_made_by_ssh_keygen_signs_and_is_known_again(tmp_path: Path, kind: str) -> None:
    path = make_project(tmp_path / "project")
    key = a_key(tmp_path / "ssh", kind)
    git(path, "config", "relay.signingKey", str(key))
    done(path, "start")
    draft(path)
    public = key.with_suffix(".pub").read_text()
    for step in steps_of(path, run_ref(path)):
        assert holds_for_ssh_keygen(path, step, public, tmp_path / "ssh")
    assert "2 of 2 steps ok in 1 run" in done(path, "verify")
    assert not (path / ".git" / "relay" / "keys").exists()


# Judgements


def test_a_sound_run_is_ok_and_names_its_signer(project: Path) -> None:
    answer = json.loads(done(project, "verify", "--json"))
    ((_, judged),) = answer["runs"].items()
    assert [item["step"] for item in judged] == [1, 2, 3, 4, 5, 6]
    assert {item["status"] for item in judged} == {"ok"}
    assert {item["detail"] for item in judged} == {"ada@example.com"}


def test_another_signer_is_marked_and_not_refused(project: Path, tmp_path: Path) -> None:
    git(project, "config", "relay.signingKey", str(a_key(tmp_path / "ssh")))
    git(project, "config", "user.email", "eve@example.com")
    write(project, "review.md", APPROVED.replace("holds", "stays"))
    done(project, "advance", "--verdict", "reject")
    git(project, "config", "relay.signingKey", str(a_key(tmp_path / "more")))
    draft(project, "Four.\n")
    answer = call(project, "verify")
    assert answer.code == 0
    assert answer.out.count("unknown signer") == 1
    assert "7 of 8 steps ok" in answer.out


def test_a_stale_nonce_is_found(repo_path: Path) -> None:
    """Signed by the clone's own key: only the number betrays it."""
    store, by = opened(repo_path), signer(repo_path)
    steps = add_steps(store, by, 3)
    stale = resealed(store, steps[-1], by, nonce=2)
    wrong = first_wrong(judge_plain(repo_path, store, stale))
    assert (wrong.status, wrong.detail, wrong.step) == ("stale nonce", "nonce 2", 3)


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"parent": "5" * 64}, "does not follow step 2"),
        ({"first": "5" * 64}, "belongs to a run that began otherwise"),
        ({"run": OTHER}, f"belongs to the run {OTHER}"),
        ({"step": 4}, "numbered 4 after step 2"),
    ],
)
def test_a_broken_parent_is_found(repo_path: Path, changes: dict[str, object], detail: str) -> None:
    store, by = opened(repo_path), signer(repo_path)
    forged = resealed(store, add_steps(store, by, 3)[-1], by, **changes)
    wrong = first_wrong(judge_plain(repo_path, store, forged))
    assert (wrong.status, wrong.detail) == ("broken parent", detail)


def resealed(store: GitStore, sound: Step, by: envelope.Signer, **changes: object) -> Oid:
    """The step with a record that says something else and is signed again."""
    data = envelope.seal(sound.envelope.replace(**changes), by)
    tree = edit_tree(store, sound.commit.tree, {STEP_RECORD: (BLOB, store.put_blob(data))})
    return store.put_commit(sound.commit.replace(tree=tree))


def judge_plain(path: Path, store: GitStore, tip: Oid, run: str = RUN) -> list[Judgement]:
    """Without a workflow's rule."""
    ws = Workspace(repository(path))
    grafts = ws.repo.grafts()
    return list(verify_chain(store, run, tip, KnownSigners(ws), Known(), grafts=grafts))


def test_a_record_that_names_another_key_than_signed_it_is_tampered(repo_path: Path) -> None:
    store, by = opened(repo_path), signer(repo_path)
    step = add_step(store, by, None, {})
    record = {**step.envelope.to_json(), "key": "SHA256:" + "A" * 43}
    record["signature"] = by.sign(canonical.dumps(record), names.STEP_NAMESPACE)
    data = canonical.dumps(record)
    tree = edit_tree(store, step.commit.tree, {STEP_RECORD: (BLOB, store.put_blob(data))})
    forged = store.put_commit(step.commit.replace(tree=tree))
    wrong = first_wrong(judge_plain(repo_path, store, forged))
    assert (wrong.status, wrong.detail) == (
        "tampered",
        "step.json: signed with another key than it names",
    )


def test_a_signature_for_another_purpose_does_not_count(repo_path: Path) -> None:
    store, by = opened(repo_path), signer(repo_path)
    step = add_step(store, by, None, {})
    record = step.envelope.to_json()
    record["signature"] = by.sign(canonical.dumps(record), "file")
    data = canonical.dumps(record)
    tree = edit_tree(store, step.commit.tree, {STEP_RECORD: (BLOB, store.put_blob(data))})
    forged = store.put_commit(step.commit.replace(tree=tree))
    assert first_wrong(judge_plain(repo_path, store, forged)).status == "tampered"


# Mutations of what a step holds


def mutations(data: bytes, soak: bool, chance: random.Random) -> Iterator[bytes]:
    """The content with one byte changed, for every byte or for some; and a byte more, one less."""
    some = range(len(data)) if soak else sorted(chance.sample(range(len(data)), min(6, len(data))))
    for at in some:
        changed = data[at] ^ chance.randrange(1, 256)
        yield data[:at] + bytes([changed]) + data[at + 1 :]
    at = chance.randrange(len(data) + 1)
    yield data[:at] + bytes([chance.randrange(256)]) + data[at:]
    yield data[:at] + data[at + 1 :] if at < len(data) else data[:-1]


def test_any_changed_byte_of_any_file_of_any_step_is_found(bench: Bench, soak: bool) -> None:
    chance = random.Random(1)
    count = 0
    for number, step in enumerate(bench.steps):
        for path, data in bench.files(step).items():
            for changed in mutations(data, soak, chance):
                oid, tip = bench.rebuilt(number, bench.with_file(path, changed))
                wrong = first_wrong(bench.judge(tip))
                assert (wrong.oid, wrong.status) == (oid, "tampered"), (path, changed)
                assert wrong.detail.startswith((f"{path}:", STEP_RECORD)) or path == STEP_RECORD
                count += 1
    assert count > 200


def test_a_file_more_or_less_or_of_another_kind_is_found(bench: Bench) -> None:
    blob = bench.store.put_blob(b"stray\n")
    empty = bench.store.put_tree(())
    for number, step in enumerate(bench.steps):
        leaves: list[tuple[str, Leaf | None]] = [
            ("stray.md", (BLOB, blob)),
            ("artifacts/stray.md", (BLOB, blob)),
            ("artifacts/.keep/deep.md", (BLOB, bench.store.put_blob(b""))),
            ("vendor", (GITLINK, step.oid)),
        ]
        for path, data in bench.files(step).items():
            leaves += [(path, (mode, bench.store.put_blob(data))) for mode in (EXECUTABLE, SYMLINK)]
            leaves += [(path, None), (path, (TREE, empty))]
        for path, leaf in leaves:
            oid, tip = bench.rebuilt(number, bench.with_leaf(path, leaf))
            wrong = first_wrong(bench.judge(tip))
            assert (wrong.oid, wrong.status) == (oid, "tampered"), (path, leaf)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.replace(message=c.message.replace("Relay-Step: ", "Relay-Step: 9")),
        lambda c: c.replace(message=c.message.replace("\n\n", "\n\nI did not do this.\n\n", 1)),
        lambda c: c.replace(message="x" + c.message),
        lambda c: c.replace(message=c.message + "\n"),
        lambda c: c.replace(message=c.message + "Relay-Verdict: approve\n"),
        lambda c: c.replace(author=Ident("Eve", c.author.email, c.author.time)),
        lambda c: c.replace(committer=Ident("Ada", "eve@example.com", c.committer.time)),
        lambda c: c.replace(author=Ident("Ada", c.author.email, c.author.time - 1)),
        lambda c: c.replace(committer=Ident("Ada", c.author.email, c.author.time, "+0200")),
    ],
)
def test_a_changed_commit_is_found(bench: Bench, change: Callable[[Commit], Commit]) -> None:
    for number in range(len(bench.steps)):
        oid, tip = bench.rebuilt(number, change)
        wrong = first_wrong(bench.judge(tip))
        assert (wrong.oid, wrong.status) == (oid, "tampered")
        assert wrong.detail.startswith("the commit: ")


# Mutations of the chain


def test_reordered_steps_are_found(bench: Bench) -> None:
    for number in range(1, len(bench.steps) - 1):
        order = list(bench.steps)
        order[number], order[number + 1] = order[number + 1], order[number]
        assert first_wrong(bench.judge(chained(bench, order))).status == "broken parent"


def test_a_step_left_out_is_found_unless_it_is_the_last(bench: Bench) -> None:
    for number in range(len(bench.steps) - 1):
        order = [step for at, step in enumerate(bench.steps) if at != number]
        assert first_wrong(bench.judge(chained(bench, order))).status == "broken parent"
    assert all(item.ok for item in bench.judge(chained(bench, bench.steps[:-1])))


def test_a_step_told_twice_is_found(bench: Bench) -> None:
    for number in range(len(bench.steps)):
        order = [*bench.steps[: number + 1], *bench.steps[number:]]
        assert first_wrong(bench.judge(chained(bench, order))).status == "broken parent"


def chained(bench: Bench, steps: Sequence[Step]) -> Oid:
    """These steps, one on the other, whatever their records say."""
    tip = bench.put(steps[0].commit, parents=())
    for step in steps[1:]:
        tip = bench.put(step.commit, parents=(tip,))
    return tip


def test_a_step_of_another_run_is_found(project: Path, tmp_path: Path) -> None:
    bench = Bench(project)
    done(project, "start", "--slug", "other")
    draft(project, "Of another run.\n")
    (ref,) = [ref for ref in tips(project) if "-other-" in ref]
    other = [read_step(bench.store, Oid(oid)) for oid in steps_of(project, ref)]
    for number in range(len(bench.steps)):
        order = [*bench.steps[:number], other[min(number, 1)], *bench.steps[number + 1 :]]
        wrong = first_wrong(bench.judge(chained(bench, order)))
        assert wrong.status == "broken parent"
        assert wrong.detail == f"belongs to the run {other[0].envelope.run}"


def test_a_whole_chain_under_the_name_of_another_run_is_found(bench: Bench) -> None:
    judged = verify_chain(bench.store, OTHER, bench.steps[-1].oid, KnownSigners(bench.ws), Known())
    assert {item.status for item in judged} == {"broken parent"}


def test_history_put_before_the_first_step_is_found(bench: Bench) -> None:
    head = bench.ws.repo.head
    assert head
    _, tip = bench.rebuilt(0, lambda commit: commit.replace(parents=(head,)))
    wrong = first_wrong(bench.judge(tip))
    assert (wrong.oid, wrong.detail) == (head, "step.json: not a step: it has no step.json")


def test_a_state_that_does_not_follow_is_found(bench: Bench) -> None:
    """Signed by the clone's own key: only the machine knows better."""
    last = bench.steps[-1]
    for state in (
        {**last.envelope.state, "stage": "done", "status": "done"},
        {**last.envelope.state, "visits": {"draft": 1, "review": 1}},
        {**last.envelope.state, "event": {"kind": "start"}},
        {**last.envelope.state, "stage": "nowhere"},
        {},
    ):
        forged = resealed(bench.store, last, bench.ws.signer, state=state)
        wrong = first_wrong(bench.judge(forged))
        assert (wrong.oid, wrong.status) == (forged, "tampered")
        assert wrong.detail.startswith("step.json: ")


def test_another_role_and_another_definition_are_found(bench: Bench) -> None:
    last = bench.steps[-1]
    forged = resealed(bench.store, last, bench.ws.signer, role="critic")
    assert "names another role" in first_wrong(bench.judge(forged)).detail
    data = bench.files(last)["roles/author.json"].replace(b"Write.", b"Cheat!")
    digests = {**last.envelope.files, "roles/author.json": envelope.sha256(data)}
    swapped = bench.with_file("roles/author.json", data)(last.commit)
    forged = resealed(bench.store, last.replace(commit=swapped), bench.ws.signer, files=digests)
    assert "its definition is not the one" in first_wrong(bench.judge(forged)).detail


@pytest.mark.parametrize("kind", ["blob", "tree", "missing"])
def test_what_is_no_commit_is_judged_and_not_raised(bench: Bench, kind: str) -> None:
    tips = {
        "blob": bench.store.put_blob(b"no commit"),
        "tree": bench.store.put_tree(()),
        "missing": Oid("1" * 40),
    }
    (judged,) = bench.judge(tips[kind])
    assert (judged.status, judged.step) == ("tampered", None)


def test_where_a_shallow_clone_ends_a_step_is_judged_without_its_parent(
    repo_path: Path, tmp_path: Path
) -> None:
    store, by = opened(repo_path), signer(repo_path)
    steps = add_steps(store, by, 4)
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "init", "-q", str(shallow)], check=True)
    ref = names.run_ref(RUN)
    git(shallow, "fetch", "-q", "--depth=2", repo_path.as_uri(), f"{ref}:{ref}")
    assert repository(shallow).grafts() == {steps[2].oid}
    judged = judge_plain(shallow, opened(shallow), steps[-1].oid)
    assert [(item.status, item.step) for item in judged] == [("ok", 3), ("ok", 4)]

    (shallow / ".git" / "shallow").unlink()
    judged = judge_plain(shallow, opened(shallow), steps[-1].oid)
    assert [(item.status, item.step) for item in judged] == [
        ("broken parent", 3),
        ("ok", 4),
    ]
    assert judged[0].detail == "the step before it is missing"


def test_a_step_where_a_shallow_clone_ends_is_still_judged_by_itself(
    repo_path: Path, tmp_path: Path
) -> None:
    store, by = opened(repo_path), signer(repo_path)
    step = add_steps(store, by, 3)[-1]
    for forged, status in (
        (resealed(store, step, by, run=OTHER), "broken parent"),
        (store.put_commit(step.commit.replace(message="another\n")), "tampered"),
    ):
        shallow = tmp_path / status
        subprocess.run(["git", "init", "-q", str(shallow)], check=True)
        git(repo_path, "update-ref", "refs/heads/forged", forged)
        git(shallow, "fetch", "-q", "--depth=1", repo_path.as_uri(), "refs/heads/forged")
        (judged,) = judge_plain(shallow, opened(shallow), forged)
        assert judged.status == status


# As a command, on a chain that git's plumbing built


def replace_blob(path: Path, step: str, file: str, data: bytes) -> str:
    """A tree like the step's with other content in one file."""
    blob = git(path, "hash-object", "-w", "--stdin", input=data)
    folder, _, name = file.rpartition("/")
    where = f"{step}:{folder}" if folder else f"{step}^{{tree}}"
    listed = git(path, "ls-tree", where).splitlines()
    entries = [
        f"100644 blob {blob}\t{name}" if line.endswith(f"\t{name}") else line for line in listed
    ]
    tree = git(path, "mktree", input=("\n".join(entries) + "\n").encode())
    if not folder:
        return tree
    top = git(path, "ls-tree", step).splitlines()
    entries = [
        f"040000 tree {tree}\t{folder}" if line.endswith(f"\t{folder}") else line for line in top
    ]
    return git(path, "mktree", input=("\n".join(entries) + "\n").encode())


def commit_like(path: Path, step: str, tree: str, parent: str | None) -> str:
    """The same commit object with another tree and parent."""
    said = git(path, "cat-file", "commit", step).split("\n")
    kept = [line for line in said if not line.startswith(("tree ", "parent "))]
    head = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
    data = "\n".join([*head, *kept]) + "\n"
    return git(path, "hash-object", "-w", "-t", "commit", "--stdin", input=data.encode())


@pytest.mark.parametrize(
    "file", ["step.json", "workflow.json", "roles/critic.json", "artifacts/draft.md"]
)
def test_the_command_names_the_step_and_the_file_that_were_changed(
    project: Path, file: str
) -> None:
    ref = run_ref(project)
    steps = steps_of(project, ref)
    done(project, "verify")
    data = git(project, "show", f"{steps[1]}:{file}").encode() + b"\n"
    changed = data[:-2] + bytes([data[-2] ^ 1]) + data[-1:] * (file.endswith(".md"))
    tip = commit_like(project, steps[1], replace_blob(project, steps[1], file, changed), steps[0])
    forged = tip
    for step in steps[2:]:
        tip = commit_like(project, step, git(project, "rev-parse", f"{step}^{{tree}}"), tip)
    git(project, "update-ref", ref, tip)
    answer = call(project, "verify")
    assert answer.code == 1
    (line,) = [line for line in answer.out.splitlines() if "tampered" in line]
    assert forged[:12] in line
    assert file in line
    git(project, "update-ref", ref, steps[-1])
    done(project, "verify")


def test_a_run_is_judged_by_name_though_its_tip_cannot_be_read(project: Path) -> None:
    ref = run_ref(project)
    tip = git(project, "rev-parse", ref)
    parent = git(project, "rev-parse", f"{tip}^")
    tree = replace_blob(project, tip, "step.json", b"{}")
    git(project, "update-ref", ref, commit_like(project, tip, tree, parent))
    answer = call(project, "verify", "loop")
    assert answer.code == 1
    assert "5 of 6 steps ok in 1 run" in answer.out


def test_finished_runs_are_verified_too(project: Path) -> None:
    write(project, "review.md", APPROVED)
    done(project, "advance")
    assert "0 of 0 steps" in done(project, "verify")
    assert "7 of 7 steps ok in 1 run" in done(project, "verify", "--all")
    assert "7 of 7 steps ok in 1 run" in done(project, "verify", "loop")


# Signers by a file on the default branch


def allow(path: Path, text: str) -> None:
    (path / ".relay" / "allowed_signers").write_text(text)
    git(path, "add", ".relay/allowed_signers")
    git(path, "commit", "-q", "-m", "signers")


def test_a_signers_file_says_whose_key_it_is(project: Path) -> None:
    allow(project, f"ada@work {public_line(project)}\n")
    answer = json.loads(done(project, "verify", "--json"))
    ((_, judged),) = answer["runs"].items()
    assert {(item["status"], item["detail"]) for item in judged} == {("ok", "ada@work")}


def test_with_a_signers_file_an_unknown_signer_fails(project: Path, tmp_path: Path) -> None:
    allow(project, f"eve@example.com {a_key(tmp_path / 'ssh').with_suffix('.pub').read_text()}")
    answer = call(project, "verify")
    assert answer.code == 1
    assert answer.out.count("unknown signer") == 6


def test_the_signers_file_of_the_work_tree_and_of_another_branch_says_nothing(
    project: Path, tmp_path: Path
) -> None:
    eve = f"eve@example.com {a_key(tmp_path / 'ssh').with_suffix('.pub').read_text()}"
    git(project, "checkout", "-q", "-b", "topic")
    allow(project, eve)
    assert "6 of 6 steps ok" in done(project, "verify")
    git(project, "checkout", "-q", "main")
    (project / ".relay" / "allowed_signers").write_text(eve)
    assert "6 of 6 steps ok" in done(project, "verify")


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ('valid-before="20260428115959Z"', 1),
        ('valid-before="20260428120000Z"', 0),
        ('valid-after="20260428120001Z"', 1),
        ('namespaces="file"', 1),
        ('namespaces="relay.*"', 0),
    ],
)
def test_a_key_counts_for_its_time_and_its_purpose(
    tmp_path: Path, at: Callable[[int], None], limit: str, code: int
) -> None:
    at(NOON)
    path = started(tmp_path / "project")
    allow(path, f"ada@work {limit} {public_line(path)}\n")
    assert call(path, "verify").code == code


def test_a_signers_file_that_cannot_be_read_is_named_with_its_line(project: Path) -> None:
    allow(project, f"ada@work {public_line(project)}\nada\n")
    answer = call(project, "verify")
    assert answer.code == 1
    assert "refs/heads/main:.relay/allowed_signers:2: " in answer.err


# What was found sound before


def test_the_cache_can_be_deleted_or_damaged(project: Path) -> None:
    done(project, "verify")
    files = list((project / ".git" / "relay" / "cache" / "sound").iterdir())
    assert sum(file.read_bytes().count(b"SHA256:") for file in files) == 6
    for file in files:
        line = file.read_bytes().strip()
        file.write_bytes(b"\xff\xfe junk\n" + line[:50] + b"\n\n" + line + b" more\n")
    assert "6 of 6 steps ok" in done(project, "verify")
    for file in files:
        file.unlink()
    assert "6 of 6 steps ok" in done(project, "verify")


def test_a_cut_off_last_line_of_the_cache_spoils_no_later_one(project: Path) -> None:
    done(project, "verify")
    cache = project / ".git" / "relay" / "cache"
    for file in (cache / "sound").iterdir():
        file.write_bytes(file.read_bytes()[:-30])
    done(project, "verify")
    known = VerifiedCache(str(cache))
    assert all(known.get(Oid(step)) for step in steps_of(project, run_ref(project)))


def test_the_cache_does_not_vouch_for_the_place_of_a_step(bench: Bench) -> None:
    """That is judged every time; only the step by itself is remembered."""
    cache, known = Known(), KnownSigners(bench.ws)
    tip = bench.steps[-1].oid
    for _ in range(2):
        judged = list(verify_chain(bench.store, bench.run, tip, known, cache))
        assert all(item.ok for item in judged)
        judged = list(verify_chain(bench.store, OTHER, tip, known, cache))
        assert {item.status for item in judged} == {"broken parent"}
