from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support import git, make_repo

from relay_git.errors import Corrupt, RelayError
from relay_git.git.loose import LooseObjects, Sharing
from relay_git.names import Oid

BIG = os.urandom(300_000)


def loose(path: Path, sharing: Sharing | None = None) -> LooseObjects:
    return LooseObjects(str(path / ".git/objects"), "sha1", lambda: sharing or Sharing())


def mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def left_over(path: Path) -> list[Path]:
    return list((path / ".git/objects").rglob("tmp_obj_*"))


def test_the_file_is_the_one_that_git_writes(tmp_path: Path) -> None:
    ours, gits = make_repo(tmp_path / "a"), make_repo(tmp_path / "b")
    data = b"some text\n" * 500
    objects = loose(ours)
    oid = objects.write("blob", data)
    assert git(gits, "hash-object", "-w", "--stdin", input=data) == oid
    theirs = loose(gits).path(oid)
    assert Path(objects.path(oid)).read_bytes() == Path(theirs).read_bytes()
    assert mode(objects.path(oid)) == mode(theirs) == 0o444
    assert not left_over(ours)


def test_an_existing_object_is_made_young_and_not_written_again(repo_path: Path) -> None:
    objects = loose(repo_path)
    path = objects.path(objects.write("blob", b"x"))
    os.utime(path, (1, 1))
    inode = os.stat(path).st_ino
    objects.write("blob", b"x")
    assert os.stat(path).st_ino == inode
    assert os.stat(path).st_mtime > 1


def test_an_object_emptied_by_a_crash_is_named_and_healed(repo_path: Path) -> None:
    """Hazard 38."""
    objects = loose(repo_path)
    oid = objects.write("blob", b"x")
    os.chmod(objects.path(oid), 0o644)
    os.truncate(objects.path(oid), 0)
    with pytest.raises(Corrupt, match="empty") as caught:
        objects.read(oid)
    assert caught.value.where == objects.path(oid)
    objects.write("blob", b"x")
    assert objects.read(oid) == ("blob", b"x")


@pytest.mark.parametrize("damage", ["cut", "flip", "swap", "header"])
def test_a_damaged_object_is_corrupt(repo_path: Path, damage: str) -> None:
    import zlib

    objects = loose(repo_path)
    oid = objects.write("blob", BIG)
    other = objects.path(objects.write("blob", b"other"))
    path = Path(objects.path(oid))
    good = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(
        {
            "cut": good[:5000],
            "flip": good[:900] + bytes([good[900] ^ 255]) + good[901:],
            "swap": Path(other).read_bytes(),
            "header": zlib.compress(b"blob 7\0" + BIG, 1),
        }[damage]
    )
    with pytest.raises(Corrupt) as caught:
        objects.read(oid)
    assert str(path) in str(caught.value)


def test_what_is_not_there(repo_path: Path) -> None:
    assert loose(repo_path).read(Oid("1" * 40)) is None


@pytest.mark.parametrize("setting", ["umask", "group", "all", "true", "2", "0640", "0660", "false"])
def test_shared_modes_are_gits(tmp_path: Path, setting: str) -> None:
    gits, ours = tmp_path / "gits", tmp_path / "ours"
    for path in (gits, ours):
        git(tmp_path, "init", "-q", f"--shared={setting}", str(path))
    before = os.umask(0o077)
    try:
        oid = git(gits, "hash-object", "-w", "--stdin", input=b"x")
        loose(ours, Sharing.parse(setting)).write("blob", b"x")
    finally:
        os.umask(before)
    files = [f"{path}/.git/objects/{oid[:2]}/{oid[2:]}" for path in (gits, ours)]
    assert mode(files[0]) == mode(files[1])
    assert mode(os.path.dirname(files[0])) == mode(os.path.dirname(files[1]))


def test_a_sharing_mode_that_is_none() -> None:
    with pytest.raises(RelayError, match=r"core\.sharedRepository"):
        Sharing.parse("friends")


WRITER = """
import sys
from relay_git.errors import RelayError
from relay_git.git.loose import LooseObjects
try:
    print(LooseObjects(sys.argv[1], "sha1").write("blob", sys.stdin.buffer.read()))
except RelayError as error:
    print(error)
    sys.exit(1)
"""


def write_in(shell: str, objects: Path) -> subprocess.CompletedProcess[bytes]:
    """Run the writer below a shell that first makes the disk a bad one."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    argv = ["sh", "-c", shell, "sh", sys.executable, "-c", WRITER, str(objects)]
    return subprocess.run(argv, input=BIG, env=env, capture_output=True, check=False)


def test_a_write_cut_short_leaves_nothing(repo_path: Path) -> None:
    """A limit on file sizes first makes a short write, then an error."""
    done = write_in('ulimit -f 100; exec "$@"', repo_path / ".git/objects")
    assert done.returncode == 1, done.stderr
    assert b"cannot write an object: File too large" in done.stdout
    assert not left_over(repo_path)
    git(repo_path, "fsck", "--strict")


def needs_mounts() -> None:
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount")


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """Hazard 37."""
    needs_mounts()
    shell = f"""unshare -rm sh -c '
        mount -t tmpfs -o size=100k none {tmp_path} && mkdir {tmp_path}/objects || exit 9
        "$@"; code=$?; find {tmp_path} -type f; exit $code' sh "$@" """
    done = write_in(shell, tmp_path / "objects")
    assert done.returncode == 1, done.stderr
    assert b"the disk is full" in done.stdout
    assert b"tmp_obj" not in done.stdout


def test_a_read_only_store_is_a_clear_error(repo_path: Path) -> None:
    needs_mounts()
    objects = repo_path / ".git/objects"
    shell = f"""unshare -rm sh -c '
        mount --bind {objects} {objects} && mount -o remount,ro,bind {objects} || exit 9
        exec "$@"' sh "$@" """
    done = write_in(shell, objects)
    assert done.returncode == 1, done.stderr
    assert b"the file system is read-only" in done.stdout
    assert str(objects).encode() in done.stdout


@pytest.mark.parametrize("size", [0, 1, 4075, 4076, 9000])
def test_what_fits_into_a_block_is_stored_as_it_is_and_git_reads_it(
    repo_path: Path, size: int
) -> None:
    data = b"text " * (size // 5) + b"x" * (size % 5)
    objects = loose(repo_path)
    oid = objects.write("blob", data)
    stored = Path(objects.path(oid)).read_bytes()
    assert (data in stored) == (size <= 4075)
    assert len(stored) <= 4096
    assert objects.read(oid) == ("blob", data)
    assert git(repo_path, "cat-file", "blob", oid).encode() == data
    git(repo_path, "fsck", "--strict", "--no-dangling")
