from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from relay_git.errors import Corrupt, Refused, RelayError
from relay_git.signing import sshsig
from relay_git.signing.keys import Key, KeyStore
from relay_git.signing.wire import PublicKey

if TYPE_CHECKING:
    from signing.conftest import Ssh

MESSAGE = b"a step"
ENSURE = """
import sys
from relay_git.signing.keys import KeyStore
from relay_git.signing.wire import PublicKey
store = KeyStore(sys.argv[1])
sys.stdin.read()
print(store.ensure("clone").public.fingerprint)
"""


@pytest.fixture
def store(common_dir: str) -> KeyStore:
    return KeyStore(common_dir)


@pytest.fixture
def key(store: KeyStore) -> Key:
    return store.ensure("ada@laptop")


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def listed(common_dir: str) -> set[str]:
    return set(os.listdir(os.path.join(common_dir, "relay", "keys")))


def test_there_is_no_key_before_one_is_made(store: KeyStore, common_dir: str) -> None:
    assert store.current() is None
    assert store.all() == []
    assert os.listdir(common_dir) == []


def test_a_key_is_made_once(store: KeyStore, key: Key) -> None:
    assert store.ensure("another comment") == key
    assert store.current() == key
    assert [info.fingerprint for info in store.all()] == [key.public.fingerprint]


def test_two_clones_have_two_keys(tmp_path: Path) -> None:
    first, second = (KeyStore(str(tmp_path / name)).ensure("c") for name in ("a", "b"))
    assert first.seed != second.seed


def test_a_fixed_seed_does_not_fix_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_RELAY_SEED", "1")
    test_two_clones_have_two_keys(tmp_path)


def test_nothing_but_the_key_is_left_in_the_folder(key: Key, common_dir: str) -> None:
    name = os.path.basename(key.path)
    assert name == key.public.fingerprint.replace(":", "-").replace("/", "_")
    assert listed(common_dir) == {name, f"{name}.pub", "current"}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_can_read_it(store: KeyStore, umask: int) -> None:
    before = os.umask(umask)
    try:
        key = store.ensure("c")
        rotated = store.rotate("c")
    finally:
        os.umask(before)
    assert mode(key.path) == mode(rotated.path) == 0o600
    assert mode(os.path.dirname(key.path)) == 0o700


def test_a_folder_that_others_could_enter_is_closed(store: KeyStore, common_dir: str) -> None:
    folder = Path(common_dir, "relay", "keys")
    folder.mkdir(parents=True, mode=0o755)
    store.ensure("c")
    assert mode(folder) == 0o700


def test_ssh_keygen_reads_it(ssh: Ssh, key: Key) -> None:
    public = ssh.run("-y", "-f", key.path).stdout.decode()
    assert public == f"{key.public.line} ada@laptop\n" == Path(key.path + ".pub").read_text()
    assert key.public.fingerprint in ssh.run("-l", "-f", key.path).stdout.decode()


@pytest.mark.parametrize("length", range(10))
def test_ssh_keygen_signs_with_it_as_we_do(ssh: Ssh, store: KeyStore, length: int) -> None:
    key = store.ensure("c" * length)
    armored = ssh.sign(Path(key.path), MESSAGE)
    assert armored == sshsig.sign(key.seed, MESSAGE, ssh.namespace)
    assert KeyStore(os.path.dirname(os.path.dirname(os.path.dirname(key.path)))).current() == key


def test_a_key_made_by_ssh_keygen_is_read(ssh: Ssh, store: KeyStore, key: Key) -> None:
    """The reader does not depend on our own writer."""
    made = ssh.key()
    public = PublicKey.parse(ssh.public(made))
    name = public.fingerprint.replace(":", "-").replace("/", "_")
    folder = Path(key.path).parent
    shutil.copy(made, folder / name)
    with (folder / "current").open("a") as file:
        file.write(f"2026-04-28T09:30:00Z {ssh.public(made)}")
    found = store.current()
    assert found
    assert (found.public, found.comment) == (public, "ed25519 key")
    assert sshsig.sign(found.seed, MESSAGE, ssh.namespace) == ssh.sign(made, MESSAGE)


def test_secrets_are_not_shown(key: Key) -> None:
    shown = f"{key!r} {key}"
    assert "seed" not in shown
    assert repr(key.seed) not in shown
    assert key.seed.hex() not in shown


def test_a_comment_cannot_add_lines(store: KeyStore, ssh: Ssh) -> None:
    key = store.ensure(" ada\n2026 ssh-ed25519\tAAAA é ")
    assert key.comment == "ada 2026 ssh-ed25519 AAAA é"
    assert store.current() == key
    assert [info.comment for info in store.all()] == [key.comment]
    assert ssh.run("-l", "-f", key.path).returncode == 0


def test_a_comment_that_is_not_unicode_is_still_a_comment(store: KeyStore) -> None:
    assert store.ensure("ada\udcff").comment == "ada?"
    assert store.current() == store.ensure("c")


def test_rotating_retires_the_key(store: KeyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_RELAY_NOW", "1777368600")
    old = store.ensure("first")
    monkeypatch.setenv("GIT_RELAY_NOW", "1777455000")
    new = store.rotate("second")
    assert store.current() == store.ensure("third") == new
    assert new.public != old.public
    assert [(i.comment, i.current, i.created, i.retired) for i in store.all()] == [
        ("first", False, "2026-04-28T09:30:00Z", "2026-04-29T09:30:00Z"),
        ("second", True, "2026-04-29T09:30:00Z", None),
    ]
    assert [i.public for i in store.all()] == [
        f"{old.public.line} first",
        f"{new.public.line} second",
    ]
    assert store.owns(old.public.fingerprint)
    assert store.owns(new.public.fingerprint)
    assert os.path.exists(old.path)


def test_rotating_without_a_key_makes_the_first(store: KeyStore) -> None:
    assert store.rotate("c") == store.current()
    assert len(store.all()) == 1


def test_it_owns_no_other_keys(store: KeyStore, key: Key) -> None:
    assert not store.owns("SHA256:somebody+else/s")
    assert not store.owns("SHA256:../../../../etc/passwd")


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o620, 0o601])
def test_a_key_that_others_can_read_is_refused(store: KeyStore, key: Key, bits: int) -> None:
    os.chmod(key.path, bits)
    with pytest.raises(Refused, match="others can read this private key") as caught:
        store.current()
    hint = str(caught.value.hint)
    assert caught.value.where == key.path
    command = hint.split("`")[1]
    subprocess.run(["sh", "-c", command], check=True)
    assert store.current() == key


def damage(path: str, change: Callable[[bytes], bytes]) -> None:
    data = Path(path).read_bytes()
    Path(path).write_bytes(change(data))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xff" + data,
        lambda data: data.replace(b"b3BlbnNzaC1", b"b3BlbnNzaC2"),
        lambda data: data + b"\n",
    ],
)
def test_a_damaged_key_is_named(
    store: KeyStore, key: Key, change: Callable[[bytes], bytes]
) -> None:
    damage(key.path, change)
    with pytest.raises(Corrupt) as caught:
        store.current()
    assert caught.value.where == key.path
    with pytest.raises(Corrupt):
        store.ensure("never a second one by itself")


def test_every_damaged_byte_outside_the_secret_is_noticed(store: KeyStore, key: Key) -> None:
    """The 32 secret bytes themselves are compared with the public half when they sign."""
    text = Path(key.path).read_text()
    unnoticed = set()
    for at, old in enumerate(text):
        Path(key.path).write_text(text[:at] + ("B" if old == "A" else "A") + text[at + 1 :])
        try:
            found = store.current()
        except Corrupt as error:
            assert error.where == key.path
            continue
        except Refused as error:
            assert "has a passphrase" in error.what
            continue
        assert found
        unnoticed.add(
            (found.public == key.public, found.seed != key.seed or found.comment != key.comment)
        )
    assert unnoticed == {(True, True)}


def test_a_key_in_another_keys_file_is_corrupt(store: KeyStore, key: Key) -> None:
    new = store.rotate("c")
    shutil.copy(key.path, new.path)
    with pytest.raises(Corrupt, match="another key"):
        store.current()


def test_a_key_that_is_gone_is_said_so_and_can_be_replaced(store: KeyStore, key: Key) -> None:
    os.unlink(key.path)
    with pytest.raises(Corrupt, match=r"the key in use is gone.*git relay keys rotate"):
        store.ensure("c")
    assert store.rotate("c") == store.current()
    assert store.owns(key.public.fingerprint)


def test_a_passphrase_is_refused(store: KeyStore, key: Key, ssh: Ssh) -> None:
    ssh.run("-p", "-P", "", "-N", "secret words", "-f", key.path)
    with pytest.raises(Refused, match=r"has a passphrase; name .* relay\.signingKey"):
        store.current()


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("", ""),
        ("nonsense\n", ":1"),
        ("2026-04-28T09:30:00Z ssh-ed25519 AAAA\n", ":1"),
        ("{good}\nnonsense\n", ":2"),
    ],
)
def test_a_damaged_list_of_keys_is_named(
    store: KeyStore, key: Key, content: str, where: str
) -> None:
    path = Path(key.path).parent / "current"
    path.write_text(content.replace("{good}", path.read_text().strip()))
    for attempt in (store.current, store.all, lambda: store.ensure("c"), lambda: store.rotate("c")):
        with pytest.raises(Corrupt) as caught:
            attempt()
        assert caught.value.where == f"{path}{where}"


def test_a_list_that_cannot_be_read_points_to_a_key_of_ones_own(
    store: KeyStore, common_dir: str
) -> None:
    os.makedirs(os.path.join(common_dir, "relay", "keys", "current"))
    with pytest.raises(Refused, match=r"cannot read it.*relay\.signingKey"):
        store.ensure("c")


def test_a_folder_that_cannot_be_made_is_named(store: KeyStore, common_dir: str) -> None:
    Path(common_dir, "relay").write_text("a file in the way")
    with pytest.raises(RelayError, match="cannot keep keys here") as caught:
        store.ensure("c")
    assert caught.value.where == os.path.join(common_dir, "relay", "keys")


def test_eight_processes_at_once_agree_on_one_key(common_dir: str) -> None:
    """They are let go together, when all have been imported."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", ENSURE, common_dir],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    for child in children:
        assert child.stdin
        child.stdin.close()
        child.stdin = None
    answers = {child.communicate(timeout=60)[0].strip() for child in children}
    assert [child.returncode for child in children] == [0] * 8
    store = KeyStore(common_dir)
    assert answers == {info.fingerprint for info in store.all()}
    assert len(answers) == 1
    assert len(listed(common_dir)) == 3


def test_losing_the_race_leaves_nothing(
    store: KeyStore, common_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process makes its key between our look and our claim."""
    other = KeyStore(common_dir)
    link = os.link

    def late(source: str, target: str) -> None:
        monkeypatch.setattr(os, "link", link)
        other.ensure("winner")
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    key = store.ensure("loser")
    assert key.comment == "winner"
    assert key == other.current()
    assert len(listed(common_dir)) == 3


def test_of_eight_rotations_at_once_none_is_forgotten(common_dir: str) -> None:
    """One of them is killed on the way: what the others did is listed, and the list can be read."""
    KeyStore(common_dir).ensure("ada@example.com")
    program = (
        "import sys\n"
        "from relay_git.signing.keys import KeyStore\n"
        "print(KeyStore(sys.argv[1]).rotate('ada@example.com').public.fingerprint)\n"
    )
    command = [sys.executable, "-c", program, common_dir]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    running[3].kill()
    said = [process.communicate(timeout=60)[0].strip() for process in running]
    made = [fingerprint for fingerprint in said if fingerprint]
    listed = [info.fingerprint for info in KeyStore(common_dir).all()]
    assert len(made) >= 7
    assert set(made) <= set(listed)
    assert len(listed) == len(set(listed))
    assert [info.current for info in KeyStore(common_dir).all()] == [False] * (len(listed) - 1) + [
        True
    ]
