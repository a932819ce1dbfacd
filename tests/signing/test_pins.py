from __future__ import annotations

import os
from pathlib import Path

import pytest

from relay_git.errors import Corrupt, RelayError
from relay_git.signing.keys import KeyStore
from relay_git.signing.pins import Pins

RUN = "20260428-0930-fix-bug-3f9a"
AT = 1777368600
FIRST, SECOND, THIRD = (f"SHA256:{letter * 43}" for letter in "ABC")
ADA, BOB = "ada@example.com", "bob@example.com"


@pytest.fixture
def pins(common_dir: str) -> Pins:
    return Pins(common_dir)


def lines(common_dir: str) -> list[str]:
    return Path(common_dir, "relay", "known_signers").read_text().splitlines()


def test_a_key_is_pinned_when_first_seen_and_known_afterwards(pins: Pins, common_dir: str) -> None:
    assert pins.check(FIRST, ADA, RUN, AT) == "pinned"
    assert pins.check(FIRST, ADA, "another-run", AT + 1) == "known"
    assert lines(common_dir) == [f"{FIRST} {ADA} 2026-04-28T09:30:00Z {RUN}"]


def test_everybody_has_a_first_key(pins: Pins) -> None:
    assert pins.check(FIRST, ADA, RUN, AT) == "pinned"
    assert pins.check(SECOND, BOB, RUN, AT) == "pinned"
    assert pins.check(SECOND, BOB, RUN, AT) == "known"


def test_another_key_of_the_same_principal_waits_for_a_person(pins: Pins, common_dir: str) -> None:
    pins.check(FIRST, ADA, RUN, AT)
    assert pins.check(SECOND, ADA, RUN, AT) == "unknown"
    assert pins.check(SECOND, ADA, RUN, AT) == "unknown"
    assert len(lines(common_dir)) == 1
    pins.accept(SECOND, ADA, AT)
    assert pins.check(SECOND, ADA, RUN, AT) == "known"
    assert pins.check(FIRST, ADA, RUN, AT) == "known"
    assert pins.check(THIRD, ADA, RUN, AT) == "unknown"
    assert pins.check(SECOND, BOB, RUN, AT) == "pinned"


def test_what_a_person_accepts_first_is_the_first(pins: Pins) -> None:
    pins.accept(FIRST, ADA, AT)
    assert pins.check(FIRST, ADA, RUN, AT) == "known"
    assert pins.check(SECOND, ADA, RUN, AT) == "unknown"


def test_own_keys_are_always_known(pins: Pins, common_dir: str) -> None:
    store = KeyStore(common_dir)
    old = store.ensure("c").public.fingerprint
    pins.check(FIRST, ADA, RUN, AT)
    assert pins.check(old, ADA, RUN, AT) == "known"
    new = store.rotate("c").public.fingerprint
    assert {pins.check(own, ADA, RUN, AT) for own in (old, new)} == {"known"}
    assert len(lines(common_dir)) == 1


def test_of_two_first_keys_written_at_once_one_is_pinned(pins: Pins, common_dir: str) -> None:
    """Both processes found nobody, then both appended: the first line counts for both."""
    pins.check(FIRST, ADA, RUN, AT)
    path = Path(common_dir, "relay", "known_signers")
    path.write_text(path.read_text() + path.read_text().replace(FIRST, SECOND))
    assert pins.check(FIRST, ADA, RUN, AT) == "known"
    assert pins.check(SECOND, ADA, RUN, AT) == "unknown"


def test_losing_that_race_is_noticed(
    pins: Pins, common_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    makedirs = os.makedirs

    def late(path: str, exist_ok: bool) -> None:
        makedirs(path, exist_ok=exist_ok)
        monkeypatch.setattr(os, "makedirs", makedirs)
        assert Pins(common_dir).check(FIRST, ADA, RUN, AT) == "pinned"

    monkeypatch.setattr(os, "makedirs", late)
    assert pins.check(SECOND, ADA, RUN, AT) == "unknown"
    assert pins.check(FIRST, ADA, RUN, AT) == "known"


@pytest.mark.parametrize(
    ("principal", "written"),
    [
        ("Ada Lovelace <ada@example.com>", "Ada%20Lovelace%20<ada@example.com>"),
        (f"x\n{SECOND} {BOB} 2026 run accepted\n", None),
        ("a%20b", "a%2520b"),
        ("ada\u2028\u0085\x1f", "ada%2028%85%1F"),
        ("é", "é"),
        ("", "%"),
    ],
)
def test_a_principal_is_one_word_whatever_it_holds(
    pins: Pins, common_dir: str, principal: str, written: str | None
) -> None:
    assert pins.check(FIRST, principal, RUN, AT) == "pinned"
    assert pins.check(FIRST, principal, RUN, AT) == "known"
    assert pins.check(SECOND, principal, RUN, AT) == "unknown"
    [line] = lines(common_dir)
    assert len(line.split(" ")) == 4
    assert written is None or line.split(" ")[1] == written
    assert pins.check(FIRST, BOB, RUN, AT) == "pinned"


def test_principals_that_look_alike_are_kept_apart(pins: Pins) -> None:
    for principal in ("a b", "a%20b", "a\tb", "ab", "A b"):
        assert pins.check(FIRST, principal, RUN, AT) == "pinned"


def test_deleting_the_file_forgets_and_no_more(pins: Pins, common_dir: str) -> None:
    pins.check(FIRST, ADA, RUN, AT)
    Path(common_dir, "relay", "known_signers").unlink()
    assert pins.check(SECOND, ADA, RUN, AT) == "pinned"


@pytest.mark.parametrize("bad", ["one", "a b c", "a b c d more", "a b c d accepted more"])
def test_a_line_that_is_none_of_ours_is_named(pins: Pins, common_dir: str, bad: str) -> None:
    pins.check(FIRST, ADA, RUN, AT)
    path = Path(common_dir, "relay", "known_signers")
    path.write_text(path.read_text() + "\n" + bad + "\n")
    with pytest.raises(Corrupt) as caught:
        pins.check(FIRST, ADA, RUN, AT)
    assert caught.value.where == f"{path}:3"


def test_a_file_that_cannot_be_written_is_named(pins: Pins, common_dir: str) -> None:
    Path(common_dir, "relay").write_text("a file in the way")
    with pytest.raises(RelayError, match="cannot remember a signer") as caught:
        pins.check(FIRST, ADA, RUN, AT)
    assert caught.value.where == os.path.join(common_dir, "relay", "known_signers")


@pytest.mark.parametrize("cut", [1, 30, 60, 85])
def test_a_line_cut_short_by_a_crash_is_forgotten_alone(
    pins: Pins, common_dir: str, cut: int
) -> None:
    """Hazard 37: and the next line is not fused with it."""
    pins.check(FIRST, ADA, RUN, AT)
    path = Path(common_dir, "relay", "known_signers")
    whole = path.read_bytes()
    path.write_bytes(whole + whole.replace(FIRST.encode(), SECOND.encode())[:cut])
    assert pins.check(FIRST, ADA, RUN, AT) == "known"
    assert pins.check(THIRD, BOB, RUN, AT) == "pinned"
    assert pins.check(THIRD, BOB, RUN, AT) == "known"
    assert len(lines(common_dir)) == 2
