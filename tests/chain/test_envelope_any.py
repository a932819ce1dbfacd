"""Envelopes that nobody would think of: what is kept in them, and what is refused."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
import rfc8785
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support import SOAK

from relay_git import canonical
from relay_git.chain.envelope import Envelope, read, signed_parts
from relay_git.errors import Corrupt, RelayError
from relay_git.names import STEP_NAMESPACE, RunId
from relay_git.pipeline.memory import MemoryKeys
from relay_git.signing import sshsig

CASES = 10_000 if SOAK else 300
any_case = settings(max_examples=CASES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SIGNER = MemoryKeys().signer

FORMS = ("\u00e9", "e\u0301", "\u212b", "\u00c5", "A\u030a", "\ufb01", "\uac00", "\u1100\u1161")
"""Each letter in more than one normal form."""
texts = st.text(max_size=12) | st.lists(st.sampled_from(FORMS), max_size=4).map("".join)
whole = st.integers(-(2**53) + 1, 2**53 - 1)
count = st.integers(0, 2**53 - 1)
json_values = st.recursive(
    st.none() | st.booleans() | whole | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
digests = st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}")
KNOWN = {*Envelope(*([""] * 10)).to_json(), "signature", "heads"}  # type: ignore[arg-type]

envelopes = st.builds(
    Envelope,
    run=st.integers(0, 0xFFFF).map(lambda tail: RunId(f"20260428-0930-demo-{tail:04x}")),
    first=st.none() | digests,
    parent=st.none() | digests,
    step=count,
    nonce=count,
    timestamp=texts,
    role=st.none() | texts,
    state=st.dictionaries(texts, json_values, max_size=4),
    files=st.dictionaries(texts, digests, max_size=4),
    commit=digests,
    budget_used=count,
    budget_total=st.none() | count,
    key=st.just(SIGNER.fingerprint),
)
unknown = st.dictionaries(texts.filter(lambda name: name not in KNOWN), json_values, max_size=3)


def sealed(envelope: Envelope, more: dict[str, Any]) -> bytes:
    """As a later version that knows more fields would write it."""
    record = {**envelope.to_json(), **more}
    signature = SIGNER.sign(canonical.dumps(record), STEP_NAMESPACE)
    return canonical.dumps({**record, "signature": signature})


def accepted(data: bytes) -> Envelope | None:
    """What a reader takes from these bytes, None if it refuses them."""
    try:
        signed, signature = signed_parts(data)
        key = sshsig.verify(signature, signed, STEP_NAMESPACE).fingerprint
        return read(data) if key == SIGNER.fingerprint else None
    except RelayError:
        return None


@given(envelopes, unknown, st.data())
@any_case
def test_an_envelope_is_kept_as_it_is_or_refused(
    envelope: Envelope, more: dict[str, Any], data: st.DataObject
) -> None:
    """1 every field comes back, each text in the normal form that it had   2 fields that nobody
    knows stay, and are signed   3 the bytes are the canonical form   4 a key that occurs twice, a
    number that is spelled otherwise, another normal form and any other byte are refused.
    """
    written = sealed(envelope, more)
    assert accepted(written) == envelope  # 1
    record = json.loads(written)
    assert {name: record[name] for name in more} == more  # 2
    assert canonical.dumps(canonical.loads(written, "it")) == written == rfc8785.dumps(record)  # 3
    twice = repeated(written, data)
    with pytest.raises(Corrupt, match="a key occurs twice"):
        read(twice)
    for again in (
        twice,
        as_float(written, data),
        renormalised(written),
        mutated(written, data),
    ):
        assert again == written or accepted(again) is None  # 4


def repeated(written: bytes, data: st.DataObject) -> bytes:
    """With one of its keys twice, and the same value or another."""
    record = json.loads(written)
    name = data.draw(st.sampled_from(sorted(record)))
    value = data.draw(st.sampled_from([record[name], None, 1]))
    return canonical.dumps({name: value})[:-1] + b"," + written[1:]


def as_float(written: bytes, data: st.DataObject) -> bytes:
    """With one of its counts as 1.0, 1e0 or -0 instead of 1."""
    name = data.draw(st.sampled_from(["nonce", "step", "used", "relay_version"]))
    number = data.draw(st.sampled_from(["{}.0", "{}e0", "0{}", "+{}", "-{}"]))
    start = written.index(f'"{name}":'.encode()) + len(name) + 3
    end = start + len(written[start:].split(b",")[0].split(b"}")[0])
    spelled = number.format(written[start:end].decode()).encode()
    return written[:start] + spelled + written[end:]


def renormalised(written: bytes) -> bytes:
    text = written.decode()
    forms = (unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC"))
    return next((form for form in forms if form != text), text).encode()


def mutated(written: bytes, data: st.DataObject) -> bytes:
    at = data.draw(st.integers(0, len(written) - 1))
    return written[:at] + bytes([written[at] ^ data.draw(st.integers(1, 255))]) + written[at + 1 :]


@pytest.mark.parametrize("value", [1, 10**15, 0, -5])
def test_a_whole_number_is_written_in_one_way(value: int) -> None:
    record = {"value": value}
    assert canonical.dumps(record) == f'{{"value":{value}}}'.encode()
    with pytest.raises(TypeError):
        canonical.dumps({"value": float(value)})


@given(texts, texts)
@any_case
def test_two_normal_forms_of_a_text_are_two_texts(a: str, b: str) -> None:
    assume(a != b)
    kept = canonical.loads(canonical.dumps({"files": {a: 1, b: 2}}), "it")
    assert kept == {"files": {a: 1, b: 2}}
