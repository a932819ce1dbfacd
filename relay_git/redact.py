"""Take secrets out of text before it becomes an object, a note, a message or a log line.

Each rule has hints, plain strings of which one must occur; a text without any costs a few
searches and nothing is compiled. All findings are collected and merged, then the text is
rewritten once.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Sequence

from relay_git.record import Record


class Secret(Record):
    """Where a secret was; never the secret itself. Lines count from 1."""

    kind: str
    line: int


class _Rule(Record):
    """`pattern` finds the secret: its group `secret`, or the whole match. Hints in
    lower case are found in any case."""

    kind: str
    hints: tuple[str, ...]
    pattern: str


_Span = tuple[int, int, str]
"""Start, end and kind."""

_RULES = (
    _Rule("anthropic-key", ("sk-ant-",), r"\bsk-ant-[\w-]{16,}"),
    _Rule("openai-key", ("sk-",), r"(?<![\w-])sk-(?!ant-)(?=[\w-]*\d)[\w-]{20,}"),
    _Rule(
        "github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[pousr]_[A-Za-z0-9]{30,}"
    ),
    _Rule("github-token", ("github_pat_",), r"\bgithub_pat_\w{36,}"),
    _Rule(
        "gitlab-token", ("glpat-", "gldt-", "glrt-", "glcbt-"), r"\bgl(?:pat|dt|rt|cbt)-[\w-]{20,}"
    ),
    _Rule("aws-key-id", ("akia", "asia"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    _Rule(
        "aws-secret",
        ("aws",),
        r"(?i:aws_?(?:secret)?_?(?:access)?_?key)[\"']?\s*[:=]\s*[\"']?(?P<secret>[A-Za-z0-9/+]{40})\b",
    ),
    _Rule("google-key", ("aiza",), r"\bAIza[\w-]{35}"),
    _Rule("google-token", ("ya29.",), r"\bya29\.[\w-]{20,}"),
    _Rule("slack-token", ("xox",), r"\bxox[abeoprs]-[\w-]{10,}"),
    _Rule("slack-token", ("xapp-",), r"\bxapp-\d-[\w-]{20,}"),
    _Rule(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/]{20,})",
    ),
    _Rule(
        "discord-webhook",
        ("discord",),
        r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{10,}/[\w-]{30,})",
    ),
    _Rule("discord-token", ("discord",), r"\b[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,}"),
    _Rule("stripe-key", ("_live_", "_test_"), r"\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _Rule("webhook-secret", ("whsec_",), r"\bwhsec_[A-Za-z0-9+/=]{24,}"),
    _Rule("twilio-key", ("SK", "AC"), r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    _Rule("sendgrid-key", ("sg.",), r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    _Rule("mailgun-key", ("key-",), r"\bkey-[0-9a-f]{32}\b"),
    _Rule("mailchimp-key", ("-us",), r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    _Rule("npm-token", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    _Rule("pypi-token", ("pypi-",), r"\bpypi-[\w-]{50,}"),
    _Rule("digitalocean-token", ("_v1_",), r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    _Rule("huggingface-token", ("hf_",), r"\bhf_[A-Za-z]{30,}\b|\bhf_(?=\w*\d)[A-Za-z0-9]{30,}\b"),
    _Rule("groq-key", ("gsk_",), r"\bgsk_[A-Za-z0-9]{40,}"),
    _Rule("replicate-token", ("r8_",), r"\br8_[A-Za-z0-9]{30,}"),
    _Rule("xai-key", ("xai-",), r"\bxai-[A-Za-z0-9]{40,}"),
    _Rule("perplexity-key", ("pplx-",), r"\bpplx-[A-Za-z0-9]{32,}"),
    _Rule("shopify-token", ("shp",), r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    _Rule("databricks-token", ("dapi",), r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    _Rule("vault-token", ("hvs.", "hvb."), r"\bhv[sb]\.[\w-]{24,}"),
    _Rule("age-key", ("age-secret-key-",), r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    _Rule("terraform-token", (".atlasv1.",), r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}"),
    _Rule("linear-key", ("lin_api_",), r"\blin_api_[A-Za-z0-9]{32,}"),
    _Rule("notion-token", ("ntn_", "secret_"), r"\b(?:ntn|secret)_[A-Za-z0-9]{40,}"),
    _Rule("postman-key", ("pmak-",), r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _Rule("grafana-token", ("glsa_", "glc_"), r"\bgl(?:sa|c)_[\w=+/]{32,}"),
    _Rule("doppler-token", ("dp.",), r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}"),
    _Rule("telegram-token", (":aa",), r"\b\d{8,10}:AA[\w-]{33}\b"),
    _Rule("new-relic-key", ("nrak-",), r"\bNRAK-[A-Z0-9]{27}\b"),
    _Rule("sentry-token", ("sntry",), r"\bsntry[su]_[\w=+/-]{40,}"),
    _Rule("azure-key", ("accountkey=",), r"(?i:AccountKey)=(?P<secret>[A-Za-z0-9+/]{60,}={0,2})"),
    _Rule("jwt", ("eyj",), r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{5,}"),
    _Rule(
        "private-key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?s:.{0,20000}?)-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\s|\\n)*[A-Za-z0-9+/=]{16,})*)",
    ),
    _Rule(
        "authorization",
        ("bearer", "basic", "authorization"),
        r"(?i:\b(?:bearer|basic|token) +)(?P<secret>(?=[\w.~+/=-]*\d)[\w.~+/-]{20,}={0,2})",
    ),
    _Rule(
        "url-password",
        ("://",),
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,200}:(?P<secret>[^\s/@\"'<>]{3,200})@",
    ),
    _Rule(
        "secret",
        ("pass", "pwd", "secret", "token", "key", "credential"),
        r"(?i:(?:passw(?:or)?d|passphrase|pwd|secret|token|api_?-?key|access_?-?key"
        r"|auth_?-?key|signing_?-?key|private_?-?key|encryption_?-?key|credentials?)[\w.-]{0,40})"
        r"[\"']?\s{0,4}(?:=>|:=|[:=])\s{0,4}(?P<quote>[\"'`]?)"
        r"(?P<secret>[^\s\"'`<>{}()\[\],;]{8,200})(?P<end>[\"'`(\[]?)",
    ),
)

_PLACEHOLDER = re.compile(
    r"[$%&*.]|\W*$|(.)\1*$|x{3,}|(?:your|my|the|some|example|sample|dummy|fake|test|placeholder|redacted"
    r"|change|insert|replace|none|null|true|false|undefined|optional|required|string)(?![A-Za-z0-9]{12})",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_]*(?:[.:/-][A-Za-z_][A-Za-z_]*)*\.?")
_DIGEST = re.compile(r"(?:sha\d{1,3}[-:])?(?:[0-9a-f]{7,64}|[A-Za-z0-9+/]{43,88}={0,2})")
_HEX = re.compile(r"[0-9a-f]+")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CODE = re.compile(
    r"(?:os|process|env|self|config|settings|secrets|vault|args|request)\.", re.IGNORECASE
)
_BITS = 2.6


def redact(text: str, literals: Sequence[str] = ()) -> tuple[str, tuple[Secret, ...]]:
    """The text with each secret as `[redacted:<kind>]`, and where they were.

    `literals` are secrets of the project's own, matched as they are. Doing it again changes
    nothing.
    """
    spans = [*_by_rules(text), *_by_literals(text, literals)]
    if not spans:
        return text, ()
    merged = _merge(spans)
    parts, at, found = [], 0, []
    for start, end, kind in merged:
        parts += [text[at:start], f"[redacted:{kind}]"]
        found.append(Secret(kind, text.count("\n", 0, start) + 1))
        at = end
    return "".join([*parts, text[at:]]), tuple(found)


def _by_rules(text: str) -> Iterator[_Span]:
    lowered = text.lower()
    for rule in _RULES:
        if any(hint in (text if hint.isupper() else lowered) for hint in rule.hints):
            for match in _compiled(rule.pattern).finditer(text):
                group = "secret" if "secret" in match.groupdict() else 0
                if rule.kind not in _JUDGED or _is_secret(match):
                    yield *match.span(group), rule.kind


def _by_literals(text: str, literals: Sequence[str]) -> Iterator[_Span]:
    for literal in filter(None, literals):
        start = text.find(literal)
        while start >= 0:
            yield start, start + len(literal), "literal"
            start = text.find(literal, start + len(literal))


def _merge(spans: list[_Span]) -> list[_Span]:
    """Overlapping findings become one, named after the first."""
    merged: list[_Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, kind))
    return merged


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


# Values that only their name or place makes suspicious

_JUDGED = ("secret", "url-password")


def _is_secret(match: re.Match[str]) -> bool:
    """Not a placeholder, a reference, a type, an identifier, an object id or a UUID."""
    value = match["secret"].rstrip(".,;:!?")
    if match.re.groupindex.get("end") and match["end"] in ("(", "["):
        return False
    if _PLACEHOLDER.match(value) or _CODE.match(value) or _UUID.fullmatch(value):
        return False
    if "quote" not in match.re.groupindex:
        return not value.startswith("[redacted:")
    if _DIGEST.fullmatch(value) and (_HEX.fullmatch(value) or value.startswith("sha")):
        return False
    return not _IDENTIFIER.fullmatch(value) and _entropy(value) >= _BITS


def _entropy(value: str) -> float:
    """Bits a character."""
    counts = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * math.log2(share) for share in counts)
