"""Finds secrets in a text that may have some: by prefix, by shape, behind a telling name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import log2

from relay_git.record import Record
from relay_git.secretforms import (
    ASSIGNED,
    BY_PREFIX,
    KEY_END,
    PREFIX_ENDS,
    REVERSED_KEY_TEXT,
    SHAPED,
)

_LONGEST_KEY = 16384
_JUDGED = 256
"""Characters of a value that are enough to tell what it is."""

_ID_BEFORE = re.compile(r"[\w.-]*\Z")
_WRAP = re.compile(r"([\w+/=.~-]{4,200}+)\\?\r?\n[ \t]{0,40}([\w+/=.~-]{4,200})")

_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PASSWORD = re.compile(r"(?i)passw|pwd|passphrase|_pass$")
_SECRET = re.compile(
    r"(?i)token|secret|credential|(?:api|access|private|auth|sign\w*|encrypt\w*|account|master"
    r"|service|admin|app|session|storage|subscription|client|license|webhook|deploy)[_.-]?key"
)
_PLAIN_PARTS = frozenset(
    (
        *("count", "counts", "limit", "budget", "ttl", "expiry", "expires", "type", "url", "uri"),
        *(
            "path",
            "file",
            "dir",
            "hash",
            "digest",
            "sha",
            "fingerprint",
            "public",
            "length",
            "size",
        ),
        *("usage", "version", "index", "endpoint", "max", "min", "id", "ids", "name", "policy"),
    )
)
_PLACEHOLDER = re.compile(
    r"(?i)\$[({\w]|%\w|[<{]|\*{3}|x{4}|[.]{3}|…|sha\d+[-:]"
    r"|(?:your|example|change|placeholder|dummy|sample|insert|replace|todo|lorem)(?![a-z]*\d)"
)
_HARMLESS = re.compile(
    r"[0-9a-fA-F]{1,24}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|\d{4}-\d\d-\d\d[T\d:.Z+-]*|[\d.,:_/-]+\w{0,2}"
)
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_WORD_OR_NUMBER = r"(?:v?\d{1,6}|[A-Za-z]{1,20}\d{0,3})"
_WORDY = re.compile(rf"[~./@]*{_WORD_OR_NUMBER}(?:[_./:@+-]+{_WORD_OR_NUMBER})*[.:]?")
_SEPARATOR = re.compile(r"[_./:@+-]")

_PREFIX = re.compile(PREFIX_ENDS)
_PREFIX_SIZES = sorted({len(prefix) for prefix in BY_PREFIX}, reverse=True)
_NAMED = re.compile(ASSIGNED)


class Span(Record):
    """`first` says that it begins a secret, rather than going on with one on another line."""

    start: int
    end: int
    kind: str
    first: bool = True


def find(text: str) -> Iterator[Span]:
    """Every detector's findings, the more specific kinds first. They may overlap."""
    for detector in (_prefixed, _shaped, _key_ends, _named):
        yield from detector(text)


def exact(text: str, literals: Sequence[str]) -> Iterator[Span]:
    """The project's own secrets, as they are."""
    for literal in literals:
        at = text.find(literal) if literal.strip() else -1
        while at >= 0:
            yield Span(at, at + len(literal), "literal")
            at = text.find(literal, at + len(literal))


def _prefixed(text: str) -> Iterator[Span]:
    """Tokens with a telling prefix, also when wrapped once in the middle."""
    done = 0
    for hit in _PREFIX.finditer(text):
        for size in _PREFIX_SIZES:
            start = hit.end() - size
            rule = BY_PREFIX.get(text[start : hit.end()]) if start >= done else None
            if rule is None or (start and text[start - 1].isalnum()):
                continue
            if span := _token(text, start, hit.end(), *rule):
                yield span
                done = span.end
                break


def _token(text: str, start: int, body: int, kind: str, form: str) -> Span | None:
    pattern = re.compile(form)
    if whole := pattern.match(text, body):
        return Span(start, whole.end(), kind)
    if wrap := _WRAP.match(text, body):
        whole = pattern.match(wrap[1] + wrap[2])
        rest = whole.end() - len(wrap[1]) if whole else 0
        if rest > 0 and re.search(r"\d", wrap[2]):
            return Span(start, wrap.start(2) + rest, kind)
    return None


def _shaped(text: str) -> Iterator[Span]:
    for kind, head, form in SHAPED:
        if re.search(head, text):
            for match in re.finditer(form, text):
                yield Span(*match.span(match.lastindex or 0), kind)


def _key_ends(text: str) -> Iterator[Span]:
    """The rest of a private key whose beginning is in some other text."""
    for end in re.finditer(KEY_END, text):
        before = text[max(0, end.start() - _LONGEST_KEY) : end.start()]
        if rest := re.match(REVERSED_KEY_TEXT, before[::-1]):
            yield Span(end.start() - rest.end(), end.end(), "private-key")


def _named(text: str) -> Iterator[Span]:
    """High-entropy values behind names like `api_key`, and passwords behind theirs."""
    for match in _NAMED.finditer(text):
        window = text[max(0, match.start() - 40) : match.start()]
        before = _ID_BEFORE.search(window)
        in_url = before and window[: before.start()].endswith("://")  # as the user's name
        if before is None or in_url or match["code"]:
            continue
        kind = _kind_of_name(before[0] + match["name"])
        group = "bare" if match["quoted"] is None else "quoted"
        if kind and _is_secret(match[group], kind, bare=group == "bare"):
            yield Span(*match.span(group), kind)


# Names and values


def _kind_of_name(name: str) -> str | None:
    """`DB_PASSWORD` is a password, `apiKey` a secret, `token_count` and `public_key` neither."""
    if _PLAIN_PARTS & {part.lower() for part in _NAME_PART.findall(name)}:
        return None
    if _PASSWORD.search(name):
        return "password"
    return "secret" if _SECRET.search(name) else None


def _is_secret(value: str, kind: str, bare: bool) -> bool:
    value = value[:_JUDGED]
    if _PLACEHOLDER.match(value) or _HARMLESS.fullmatch(value) or _OBJECT_ID.fullmatch(value):
        return False
    if bare and _WORDY.fullmatch(value) and (kind != "password" or _SEPARATOR.search(value)):
        return False
    if kind == "password":
        return bool(re.search(r"[^\W\d_]", value) and re.search(r"[\d!@#$%^&*]", value))
    if len(value) < 10 or _WORDY.fullmatch(value) or "://" in value:
        return False
    return _mixed(value) and _entropy(value) >= 3.0


def _mixed(value: str) -> bool:
    """Letters with digits between them, or letters whose case changes as it does in no name."""
    if re.search(r"\d", value):
        return re.search(r"[A-Za-z]", value) is not None
    turns = len(re.findall(r"[a-z][A-Z]|[A-Z][a-z]", value))
    return len(value) >= 24 and turns * 3 >= len(value)


def _entropy(value: str) -> float:
    """Bits a character."""
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * log2(share) for share in shares)
