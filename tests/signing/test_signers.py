from __future__ import annotations

import calendar
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from relay_git.errors import Invalid
from relay_git.signing.signers import AllowedSigners
from relay_git.signing.wire import PublicKey

if TYPE_CHECKING:
    from signing.conftest import Ssh

ADA = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF/ygM3rs4RqcwcDSyQPg7EoaCTkYyR5HEaWohKwM6mm"
BOB = PublicKey.ed25519(b"\2" * 32).line
NAMESPACE = "relay.step"
NOON = calendar.timegm((2026, 4, 28, 12, 0, 0))


@pytest.fixture(params=["UTC", "Asia/Kolkata", "America/St_Johns"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def who(text: str, line: str = ADA, namespace: str = NAMESPACE, at: int = NOON) -> str | None:
    signers = AllowedSigners.parse(text, "allowed_signers")
    return signers.principal_for(PublicKey.parse(line).fingerprint, namespace, at)


def problems(text: str) -> list[str]:
    with pytest.raises(Invalid) as caught:
        AllowedSigners.parse(text, ".relay/allowed_signers")
    return [str(problem) for problem in caught.value.problems]


def test_comments_and_blank_lines_say_nothing() -> None:
    text = f"\ufeff# who is who\r\n\r\n  \t\n  # more\n\tada@example.com {ADA} her laptop\r\n"
    assert who(text) == "ada@example.com"
    assert who(text, BOB) is None
    assert AllowedSigners.parse("", "x") == AllowedSigners((), ())


def test_the_first_line_that_covers_a_key_counts() -> None:
    text = f'a namespaces="git" {ADA}\nb valid-before="20200101Z" {ADA}\nc {ADA}\nd {ADA}\n'
    assert who(text) == "c"
    assert who(text, namespace="git") == "a"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ada", "ada"),
        ("ada,bob", "ada"),
        (",ada,,bob", "ada"),
        ("!mallory@example.com,*@example.com", "*@example.com"),
        ('"ada lovelace,bob"', "ada lovelace"),
        ("ada#1", "ada#1"),
    ],
)
def test_principals(written: str, name: str) -> None:
    assert who(f"{written} {ADA}\n") == name


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    ("options", "covered"),
    [
        ('namespaces="relay.step"', True),
        ('namespaces="git,relay.step"', True),
        ('NAMESPACES="relay.*"', True),
        ('namespaces="relay.ste?"', True),
        ('namespaces="relay"', False),
        ('namespaces="relay.step2"', False),
        ('namespaces="*relay"', False),
        ('namespaces="relay.[s]tep"', False),
        ('namespaces="relayxstep"', False),
        ('namespaces="relay.*,!relay.step"', False),
        ('namespaces="!relay.trust,*"', True),
        ('namespaces="!relay.trust"', False),
        ('namespaces="relay.step",valid-after="20260101Z"', True),
        ('valid-after="20260428120000Z"', True),
        ('valid-after="20260428120001Z"', False),
        ('valid-before="20260428120000Z"', True),
        ('valid-before="20260428115959Z"', False),
        ('valid-before="202604281159Z"', False),
        ('valid-before="20260429Z"', True),
        ('valid-after="20260428Z",valid-before="202604281201Z"', True),
        ('valid-after="202604281730"', "local"),
        ('valid-after="202604281731"', "local"),
        ('valid-after="20260428083000"', "local"),
        ('valid-after="20260428083001"', "local"),
        ('valid-before="20260428085959"', "local"),
    ],
)
def test_options_as_ssh_keygen_reads_them(ssh: Ssh, options: str, covered: bool | str) -> None:
    """The judge is ssh-keygen; `covered` is what it must say wherever the clock stands."""
    key = ssh.key()
    public = ssh.public(key).strip()
    text = f"ada {options} {public}\n"
    now = "-Overify-time=20260428120000Z"
    expected = ssh.verifies(ssh.sign(key, b"m"), b"m", text, "ada", now)
    assert who(text, public) == ("ada" if expected else None)
    assert covered == "local" or covered is expected


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("ada", "names principals"),
        ("ada ", "names principals"),
        ('"ada ' + ADA, "names principals"),
        (f'"" {ADA}', "names nobody"),
        (f"!ada,!bob {ADA}", "names nobody"),
        (ADA, "neither options nor"),
        ("ada nothing", "neither options nor"),
        ("ada ssh-ed25519", "neither options nor"),
        ("ada ssh-ed25519 AAAA", "not a public key"),
        (f"ada ssh-rsa {ADA.split()[1]}", "not a public key"),
        (f"ada {ADA[:-2]}", "not a public key"),
        (f'ada namespaces="git" valid-after="20260101Z" {ADA}', "not a public key"),
        (f"ada namespaces {ADA}", "needs a value"),
        (f"ada namespaces=git {ADA}", "not an option"),
        (f'ada namespaces="git {ADA}', "neither options nor"),
        (f'ada namespaces="git", {ADA}', "not an option"),
        (f'ada ,namespaces="git" {ADA}', "not an option"),
        (f'ada namespaces="git"namespaces="x" {ADA}', "not an option"),
        (f'ada namespaces="git",Namespaces="x" {ADA}', "namespaces occurs twice"),
        (f'ada cert-authority="yes" {ADA}', "takes no value"),
        (f"ada no-touch-required {ADA}", "unknown option 'no-touch-required'; known are cert-"),
        (f'ada valid-after="2026-01-01" {ADA}', "is not a time"),
        (f'ada valid-after="2026010112" {ADA}', "is not a time"),
        (f'ada valid-after="" {ADA}', "is not a time"),
        (f'ada valid-after="20260101Z",valid-before="20260101Z" {ADA}', "not later"),
        (f'ada valid-after="20260102Z",valid-before="20260101Z" {ADA}', "not later"),
    ],
)
def test_what_ssh_keygen_does_not_understand_is_named(ssh: Ssh, line: str, problem: str) -> None:
    found = problems(f"# first\n{line}\nbob {BOB}\n")
    assert len(found) == 1
    assert found[0].startswith(".relay/allowed_signers:2: ")
    assert problem in found[0]
    key = ssh.key()
    judged = line.replace(ADA, ssh.public(key).strip()) + "\n"
    assert not ssh.verifies(ssh.sign(key, b"m"), b"m", judged, "ada")


def test_a_day_that_does_not_exist_is_named() -> None:
    """Here ssh-keygen is laxer: it reads the second of March, which nobody meant."""
    [problem] = problems(f'ada valid-after="20260230Z" {ADA}\n')
    assert "'20260230Z' is not a time" in problem


def test_all_problems_are_named_at_once() -> None:
    found = problems(f"ada\nbob {BOB}\nada what {ADA}\n")
    assert [problem.split(": ")[0] for problem in found] == [
        ".relay/allowed_signers:1",
        ".relay/allowed_signers:3",
    ]


def test_certificate_authorities_are_reported_and_vouch_for_nobody() -> None:
    text = f"# team\n*@example.com cert-authority {ADA}\nbob {BOB}\n"
    signers = AllowedSigners.parse(text, "allowed_signers")
    assert [note.split(": ")[0] for note in signers.unsupported] == ["allowed_signers:2"]
    assert "certificate authority" in signers.unsupported[0]
    assert who(text) is None
    assert who(text, BOB) == "bob"


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_the_principals_are_those_that_ssh_keygen_finds(ssh: Ssh, kind: str) -> None:
    key = ssh.key(kind)
    text = f"ada,bob {ssh.public(key)}carol {ssh.public(key)}"
    (ssh.folder / "allowed").write_text(text)
    (ssh.folder / "sig").write_text(ssh.sign(key, b"m"))
    found = ssh.run("-Y", "find-principals", "-f", "allowed", "-s", "sig").stdout.decode()
    assert who(text, ssh.public(key)) == found.split()[0] == "ada"
