from __future__ import annotations

import binascii

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from relay_git.errors import Corrupt
from relay_git.signing.wire import PublicKey, Reader, armor, dearmor, string

LABEL = "SSH SIGNATURE"
LINE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF/ygM3rs4RqcwcDSyQPg7EoaCTkYyR5HEaWohKwM6mm"


@given(st.binary(min_size=1, max_size=400))
@example(b"x" * 52)
@example(b"x" * 53)
@example(b"x" * 105)
def test_armor_round_trips(data: bytes) -> None:
    assert dearmor(LABEL, armor(LABEL, data)) == data


@given(st.binary(min_size=1, max_size=300))
def test_armor_is_what_other_readers_expect(data: bytes) -> None:
    begin, *body, end, last = armor(LABEL, data).split("\n")
    assert (begin, end, last) == (f"-----BEGIN {LABEL}-----", f"-----END {LABEL}-----", "")
    assert all(len(line) == 70 for line in body[:-1])
    assert 1 <= len(body[-1]) <= 70
    assert binascii.a2b_base64("".join(body)) == data


@given(st.text(max_size=200))
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(Corrupt):
        dearmor(LABEL, text)


@given(st.binary(min_size=1, max_size=120), st.data())
def test_only_one_spelling_is_read(data: bytes, draw: st.DataObject) -> None:
    text = armor(LABEL, data)
    at = draw.draw(st.integers(0, len(text)))
    other = draw.draw(st.text(max_size=3))
    cut = draw.draw(st.integers(0, 3))
    changed = text[:at] + other + text[at + cut :]
    try:
        found = dearmor(LABEL, changed)
    except Corrupt:
        return
    assert armor(LABEL, found) == changed


@pytest.mark.parametrize(
    "spell",
    [
        pytest.param(lambda t: t.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda t: t + "\n", id="blank line"),
        pytest.param(lambda t: t[:-1], id="no last newline"),
        pytest.param(lambda t: " " + t, id="space before"),
        pytest.param(lambda t: t.replace("ab8=", "ab9="), id="unused bits"),
        pytest.param(lambda t: t.replace("ab8=", "a\nb8="), id="other columns"),
        pytest.param(lambda t: t.replace("ab8=", "ab8"), id="no padding"),
        pytest.param(lambda t: t.replace("ab8=", "ab8=*"), id="a character that is skipped"),
        pytest.param(lambda t: t.replace("ab8=", "ab8=AAAA"), id="more after the padding"),
        pytest.param(lambda t: t.replace("SIGNATURE", "SIGNATURES"), id="another label"),
        pytest.param(lambda t: t.replace("ab8=\n", ""), id="empty"),
    ],
)
def test_second_spellings_are_refused(spell: object) -> None:
    assert callable(spell)
    text = armor(LABEL, b"i\xbf")
    assert "ab8=" in text
    with pytest.raises(Corrupt):
        dearmor(LABEL, spell(text))


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_strings_round_trip(values: list[bytes]) -> None:
    reader = Reader(b"".join(map(string, values)), "value")
    assert [reader.string() for _ in values] == values
    reader.end()


@pytest.mark.parametrize("data", [b"\0\0\0", b"\0\0\0\5four", b"\xff\xff\xff\xff", b"\0\0\0\1"])
def test_lengths_that_overrun_are_refused(data: bytes) -> None:
    with pytest.raises(Corrupt, match="the value is cut short"):
        Reader(data, "value").string()


def test_bytes_left_over_are_refused() -> None:
    reader = Reader(string(b"a") + b"\0", "value")
    reader.string()
    with pytest.raises(Corrupt, match=r"^the value is followed by bytes"):
        reader.end()


def test_a_public_key_line_is_read_and_written() -> None:
    key = PublicKey.parse(f"{LINE} ada@example.com\n")
    assert key.line == LINE
    assert key.kind == "ssh-ed25519"
    assert PublicKey.ed25519(key.raw_ed25519()) == key


@pytest.mark.parametrize(
    "line",
    [
        "",
        "ssh-ed25519",
        "ssh-ed25519 !",
        "ssh-rsa " + LINE.split()[1],
        LINE[:-1],
        LINE + "=",
        LINE.replace("AAAAC3", "AAAAC4"),
        "bad\x01kind AAAACGJhZAFraW5k",
        "ssh rsa AAAAB3NzaCByc2E=",
        " AAAAAA==",
    ],
)
def test_other_lines_are_no_public_keys(line: str) -> None:
    with pytest.raises(Corrupt, match=r"^keys:7: not a public key"):
        PublicKey.parse(line, "keys:7")


@pytest.mark.parametrize("raw", [b"", b"x" * 31, b"x" * 33])
def test_an_ed25519_key_has_32_bytes(raw: bytes) -> None:
    with pytest.raises(Corrupt, match="32 bytes"):
        PublicKey.ed25519(raw).raw_ed25519()
