"""The signed record: its bytes, what is read from them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from chains import RUN, signer
from hypothesis import given, settings
from hypothesis import strategies as st
from support import SOAK

from relay_git import canonical
from relay_git.chain.envelope import Envelope, Signer, read, seal, signed_parts
from relay_git.errors import Corrupt, NewerFormat
from relay_git.names import STEP_NAMESPACE
from relay_git.signing import sshsig

ENVELOPE = Envelope(
    run=RUN,
    first="1" * 64,
    parent="2" * 64,
    step=3,
    nonce=4,
    timestamp="2026-04-28T12:00:00Z",
    role="author",
    state={"stage": "draft", "note": "é \U0001f600 \u2028", "none": None, "list": [1, True, {}]},
    files={"artifacts/plan.md": "3" * 64},
    commit="4" * 64,
    budget_used=5,
    budget_total=None,
)


@pytest.fixture
def by(repo_path: Path) -> Signer:
    return signer(repo_path)


def holds(data: bytes) -> bool:
    signed, signature = signed_parts(data)
    return bool(sshsig.verify(signature, signed, STEP_NAMESPACE))


# Canonical JSON


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(JSON)
@settings(max_examples=300 if SOAK else 100, deadline=None)
def test_our_canonical_form_is_that_of_rfc_8785(value: Any) -> None:
    assert canonical.dumps(value) == rfc8785.dumps(value)


@given(st.dictionaries(st.text(), JSON, max_size=5))
@settings(max_examples=150 if SOAK else 80, deadline=None)
def test_what_is_read_is_what_was_written(value: dict[str, Any]) -> None:
    assert canonical.loads(canonical.dumps(value), "x") == value


def test_keys_are_sorted_by_utf_16_code_units() -> None:
    keys = ["\ufb33", "\U0001f600", "é", "1", "\r", "ö", "€", ""]
    value = dict.fromkeys(keys, 0)
    assert canonical.dumps(value) == rfc8785.dumps(value)
    assert list(json.loads(canonical.dumps(value))) == [
        "",
        "\r",
        "1",
        "é",
        "ö",
        "€",
        "\U0001f600",
        "\ufb33",
    ]


@pytest.mark.parametrize("value", [1.5, 1.0, float("nan"), 2**53 + 1, -(2**53) - 1, {1: 2}, b"x"])
def test_what_has_no_exact_form_is_not_written(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical.dumps({"value": value})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        b'{"a":1.0}',
        b'{"a":1e3}',
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":"\xff"}',
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b"\xef\xbb\xbf{}",
    ],
    ids=lambda data: repr(data[:20]),
)
def test_what_is_no_record_is_named_and_refused(data: bytes) -> None:
    with pytest.raises(Corrupt) as corrupt:
        canonical.loads(data, "1234:step.json")
    assert corrupt.value.where == "1234:step.json"


# Seal and read


def test_what_is_sealed_is_read_again(by: Signer) -> None:
    assert read(seal(ENVELOPE, by)) == ENVELOPE.replace(key=by.fingerprint)


def test_a_sealed_record_is_canonical_and_its_signature_holds(by: Signer) -> None:
    data = seal(ENVELOPE, by)
    assert data == rfc8785.dumps(json.loads(data))
    signed, signature = signed_parts(data)
    assert sshsig.verify(signature, signed, STEP_NAMESPACE).fingerprint == by.fingerprint
    assert json.loads(signed) == {k: v for k, v in json.loads(data).items() if k != "signature"}


def test_unknown_fields_are_kept_and_signed(by: Signer) -> None:
    """As a later minor version would write them."""
    record = {**ENVELOPE.to_json(), "key": by.fingerprint, "sealed_by": {"später": [1]}}
    signature = by.sign(canonical.dumps(record), STEP_NAMESPACE)
    data = canonical.dumps({**record, "signature": signature})
    assert read(data) == ENVELOPE.replace(key=by.fingerprint)
    assert holds(data)
    changed = data.replace(b'"sealed_by"', b'"sealed_By"')
    with pytest.raises(Corrupt):
        holds(changed)


@pytest.mark.parametrize(
    "respelled",
    [
        lambda data: data + b"\n",
        lambda data: b" " + data,
        lambda data: data.replace(b'":', b'": ', 1),
        lambda data: data.replace("é".encode(), b"\\u00e9", 1),
        lambda data: data.replace(b'"nonce":4', b'"nonce":4.0', 1),
        lambda data: data.replace(b'"nonce":4', b'"nonce":4e0', 1),
        lambda data: json.dumps(json.loads(data), ensure_ascii=False).encode(),
        lambda data: json.dumps(dict(reversed(json.loads(data).items()))).encode(),
        lambda data: data.replace(b"\\n", b"\\r\\n"),
        lambda data: b'{"budget":{"total":null,"used":5},' + data[1:],
    ],
)
def test_another_spelling_of_the_same_record_is_refused(by: Signer, respelled: Any) -> None:
    data = seal(ENVELOPE, by)
    again = respelled(data)
    assert again != data
    with pytest.raises(Corrupt):
        holds(again)


def test_a_record_without_a_signature_is_refused() -> None:
    for unsigned in (ENVELOPE.to_json(), {**ENVELOPE.to_json(), "signature": 7}):
        with pytest.raises(Corrupt, match="not signed"):
            signed_parts(canonical.dumps(unsigned))


def test_a_newer_format_says_upgrade() -> None:
    newer = {**ENVELOPE.to_json(), "relay_version": 2, "files": "of another form"}
    with pytest.raises(NewerFormat, match="step format 2 is newer") as refused:
        read(canonical.dumps(newer), "1234:step.json")
    assert (refused.value.where, refused.value.hint) == ("1234:step.json", "upgrade git-relay")


@pytest.mark.parametrize(
    "changes",
    [
        {"relay_version": 0},
        {"relay_version": "1"},
        {"relay_version": True},
        {"run": "../../heads/main"},
        {"run": 7},
        {"first": 7},
        {"parent": {}},
        {"step": "1"},
        {"step": True},
        {"nonce": None},
        {"timestamp": 7},
        {"role": ["author"]},
        {"state": [1]},
        {"state": None},
        {"files": []},
        {"files": {"artifacts/plan.md": 7}},
        {"budget": None},
        {"budget": {"used": 1}},
        {"budget": {"used": "1", "total": None}},
        {"key": None},
    ],
    ids=str,
)
def test_a_field_of_another_type_is_named_and_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Corrupt, match="not the record of a step") as corrupt:
        read(canonical.dumps({**ENVELOPE.to_json(), **changes}), "1234:step.json")
    assert corrupt.value.where == "1234:step.json"


def test_a_missing_field_is_named() -> None:
    for name in ENVELOPE.to_json():
        record = ENVELOPE.to_json()
        del record[name]
        with pytest.raises(Corrupt, match=name):
            read(canonical.dumps(record))
