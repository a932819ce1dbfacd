from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support import git, make_repo

from relay_git.errors import InvalidName
from relay_git.git import codec
from relay_git.git.store import BLOB, EXECUTABLE, GITLINK, SYMLINK, TREE, Commit, Ident, TreeEntry
from relay_git.names import Oid

ADA = Ident("Ada", "ada@example.com", 1777368600)
SOME = Oid("5" * 40)


def cat(path: Path, kind: str, name: str) -> bytes:
    return subprocess.check_output(["git", "cat-file", kind, name], cwd=path)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("kind", ["blob"])
def test_the_name_is_gits(tmp_path: Path, object_format: str, kind: str) -> None:
    path = make_repo(tmp_path / "r", object_format=object_format, commit=False)
    for data in (b"", b"hello\n", bytes(range(256))):
        named = git(path, "hash-object", "-t", kind, "--stdin", input=data)
        assert codec.object_id(kind, data, object_format) == named


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_tree_that_git_wrote_is_read_and_written_alike(
    tmp_path: Path, object_format: str
) -> None:
    """`a` the directory sorts after `a.b` and `a-`, because of the slash it does not have."""
    path = make_repo(tmp_path / "r", object_format=object_format, commit=False)
    for name in ("a/x", "a.b", "a-", "a0", "B", "bläh", "sp ace", 'quo"te', "n\nl"):
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(name)
    (path / "run.sh").write_text("")
    (path / "run.sh").chmod(0o755)
    (path / "link").symlink_to("run.sh")
    Path(f"{path}/\udcff\udcfe").write_text("not UTF-8")
    git(path, "add", "-A")
    tree = git(path, "write-tree")
    data = cat(path, "tree", tree)
    entries = codec.decode_tree(data, object_format)
    assert codec.encode_tree(reversed(entries)) == data
    modes = {entry.name: entry.mode for entry in entries}
    assert modes["a"] == TREE
    assert modes["run.sh"] == EXECUTABLE
    assert modes["link"] == SYMLINK
    assert "\udcff\udcfe" in modes


def test_a_submodule_is_an_entry_like_another() -> None:
    data = codec.encode_tree([TreeEntry(GITLINK, "sub", SOME)])
    assert codec.decode_tree(data, "sha1") == (TreeEntry(GITLINK, "sub", SOME),)


@pytest.mark.parametrize("name", [".", "..", ".git", ".GIT"])
def test_names_that_git_would_refuse(name: str) -> None:
    with pytest.raises(InvalidName):
        codec.encode_tree([TreeEntry(BLOB, name, SOME)])


def test_one_name_twice_is_refused() -> None:
    with pytest.raises(InvalidName, match="twice"):
        codec.encode_tree([TreeEntry(BLOB, "a", SOME), TreeEntry(TREE, "a", SOME)])


@pytest.mark.parametrize("data", [b"garbage", b"100644 a\0short", b"100644 a", b"1 \0" + b"x" * 20])
def test_bytes_that_are_no_tree(data: bytes) -> None:
    with pytest.raises((ValueError, InvalidName)):
        codec.decode_tree(data, "sha1")


def test_a_commit_that_git_wrote_is_read_and_written_alike(repo_path: Path) -> None:
    for message in ("subject\n\nbody\n", "ünïcödé 日本語\n", "\n\nleading\n", "no newline"):
        tree = git(repo_path, "write-tree")
        raw = ["commit-tree", tree, "-p", "HEAD", "-p", "HEAD~0", "-F", "-"]
        name = git(repo_path, *raw, input=message.encode())
        data = cat(repo_path, "commit", name)
        assert codec.encode_commit(codec.decode_commit(data)) == data


def test_any_bytes_of_a_message_survive() -> None:
    message = b"caf\xe9 \xff\n".decode("utf-8", "surrogateescape")
    data = codec.encode_commit(Commit(SOME, (), ADA, ADA, message))
    assert data.endswith(b"\n\ncaf\xe9 \xff\n")
    assert codec.decode_commit(data).message == message


def test_a_nul_in_a_message_is_refused() -> None:
    with pytest.raises(InvalidName, match="NUL"):
        codec.encode_commit(Commit(SOME, (), ADA, ADA, "a\0b\n"))


def test_headers_of_others_are_skipped() -> None:
    data = (
        f"tree {SOME}\nparent {SOME}\nauthor {ADA}\ncommitter {ADA}\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n tree of lies\n \n author x\n -----END-----\n"
        "mergetag object 1\n type commit\nHG:extra x\n\nsubject\n\ntree in the body\n"
    ).encode()
    commit = codec.decode_commit(data)
    assert commit == Commit(SOME, (SOME,), ADA, ADA, "subject\n\ntree in the body\n")


def test_a_commit_in_latin_1(repo_path: Path) -> None:
    """Hazard 35: i18n.commitEncoding, and a name in it."""
    git(repo_path, "config", "i18n.commitEncoding", "latin1")
    git(repo_path, "-c", "user.name=José", "commit", "-q", "--allow-empty", "-m", "x")
    raw = cat(repo_path, "commit", "HEAD").replace("José".encode(), "José".encode("latin-1"))
    name = git(repo_path, "hash-object", "-t", "commit", "-w", "--stdin", input=raw + b"caf\xe9\n")
    commit = codec.decode_commit(cat(repo_path, "commit", name))
    assert commit.author.name == "José"
    assert commit.message.endswith("café\n")


@pytest.mark.parametrize("encoding", ["no-such-thing", "utf-16", "cp932"])
def test_no_encoding_makes_a_commit_unreadable(encoding: str) -> None:
    head = f"tree {SOME}\nauthor {ADA}\ncommitter {ADA}\nencoding {encoding}\n\n".encode()
    assert codec.decode_commit(head + b"caf\xe9\n").tree == SOME


@pytest.mark.parametrize(
    "ident",
    [
        *(b"", b"Ada", b"Ada <ada", b"A <a>b> <c> 1 +0000", b"Ada <a@b>", b"<> 1 +0000"),
        *(b"Ada <a@b> soon +0000", b"A\0b <x> 99 -0130", b"Ada  <a@b>  12  +0000 "),
    ],
)
def test_strange_identities_can_be_read(ident: bytes) -> None:
    data = b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (str(SOME).encode(), ident, ident)
    assert isinstance(codec.decode_commit(data).author.time, int)


@pytest.mark.parametrize("data", [b"", b"tree x\n\n", f"tree {SOME}\n\nm".encode()])
def test_bytes_that_are_no_commit(data: bytes) -> None:
    with pytest.raises(ValueError, match="in the commit"):
        codec.decode_commit(data)
