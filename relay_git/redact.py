"""Masks secrets in text before it becomes an object, a note, a row or a log line.

Lines stay lines: a secret over several lines is masked line by line, so that line numbers in
the masked text are those of the text. A prefilter made of the rules' own heads decides whether
any rule runs; it looks back from characters that are rare in prose, which keeps it cheap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import log2

from relay_git.record import Record
from relay_git.secretforms import ASSIGNED, KEY_END, PREFIXED, REVERSED_KEY_TEXT, SHAPED

_MARK = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
_KEPT = re.compile(rf"{_MARK.pattern}|[\r\n]+[ \t>|*#]*")
_REACH = 64
"""No mark is longer."""
_IDLE = " \t\"'`,;\\+"
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

_BY_PREFIX = {p: (kind, body) for kind, prefixes, body in PREFIXED for p in prefixes.split()}
_PREFIX_SIZES = sorted({len(prefix) for prefix in _BY_PREFIX}, reverse=True)


def _prefix_ends() -> str:
    """Matches the last character of every prefix, looking back at the rest."""
    ends: dict[tuple[str, int], list[str]] = {}
    for prefix in _BY_PREFIX:
        ends.setdefault((prefix[-1], len(prefix)), []).append(re.escape(prefix))
    looks: dict[str, list[str]] = {mark: [] for mark, _ in ends}
    for (mark, _), some in ends.items():
        looks[mark].append(f"(?<={'|'.join(some)})")
    return "|".join(rf"{re.escape(mark)}(?=\w)(?:{'|'.join(some)})" for mark, some in looks.items())


_PREFIX = re.compile(_prefix_ends())
_FORMS = re.compile("|".join([_PREFIX.pattern, KEY_END, *(head for _, head, _ in SHAPED)]))
_NAMED = re.compile(ASSIGNED)


class Secret(Record):
    """What kind of secret began on which line (1-based); never the secret itself."""

    kind: str
    line: int


class _Span(Record):
    """`first` says that it begins a secret, rather than going on with one on another line."""

    start: int
    end: int
    kind: str
    first: bool = True


def redact(text: str, literals: Sequence[str] = ()) -> tuple[str, tuple[Secret, ...]]:
    """The text with `[redacted:<kind>]` in place of secrets; `literals` are the project's own.

    Repeats until nothing is found, so that redacting the result changes nothing.
    """
    secrets: list[Secret] = []
    while spans := _uncovered(text, _detect(text, literals)):
        secrets += _secrets(text, spans)
        text = _rewrite(text, spans)
    return text, tuple(sorted(secrets, key=lambda secret: secret.line))


def _detect(text: str, literals: Sequence[str]) -> list[_Span]:
    """Every detector's findings, the more specific kinds first."""
    spans = list(_exact(text, literals))
    if _suspicious(text):
        for detector in _DETECTORS:
            spans += detector(text)
    return spans


def _suspicious(text: str) -> bool:
    return bool(_FORMS.search(text) or _NAMED.search(text))


# Findings


def _uncovered(text: str, spans: list[_Span]) -> list[_Span]:
    """Merged and in order, without line breaks, indentation and what is masked already."""
    pieces = [piece for span in spans for piece in _split(text, span)]
    merged: list[_Span] = []
    for piece in sorted(pieces, key=lambda piece: (piece.start, -piece.end)):
        if merged and piece.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last.replace(end=max(last.end, piece.end))
        else:
            merged.append(piece)
    return merged


def _split(text: str, span: _Span) -> Iterator[_Span]:
    start, first = span.start, True
    window = max(0, span.start - _REACH), min(len(text), span.end + _REACH)
    gaps = [gap.span() for gap in _KEPT.finditer(text, *window)]
    for kept, resume in [*gaps, (span.end, span.end)]:
        end = min(kept, span.end)
        if text[start:end].strip(_IDLE):
            yield _Span(start, end, span.kind, first)
            first = False
        start = max(start, resume)


def _secrets(text: str, spans: Sequence[_Span]) -> Iterator[Secret]:
    line, seen = 1, 0
    for span in spans:
        line += len(re.findall(r"\r\n|\n|\r", text[seen : span.start]))
        seen = span.start
        if span.first:
            yield Secret(span.kind, line)


def _rewrite(text: str, spans: Sequence[_Span]) -> str:
    parts: list[str] = []
    done = 0
    for span in spans:
        parts += text[done : span.start], f"[redacted:{span.kind}]"
        done = span.end
    return "".join([*parts, text[done:]])


# Detectors


def _exact(text: str, literals: Sequence[str]) -> Iterator[_Span]:
    for literal in literals:
        at = text.find(literal) if literal.strip() else -1
        while at >= 0:
            yield _Span(at, at + len(literal), "literal")
            at = text.find(literal, at + len(literal))


def _prefixed(text: str) -> Iterator[_Span]:
    """Tokens with a telling prefix, also when wrapped once in the middle."""
    done = 0
    for hit in _PREFIX.finditer(text):
        for size in _PREFIX_SIZES:
            start = hit.end() - size
            rule = _BY_PREFIX.get(text[start : hit.end()]) if start >= done else None
            if rule is None or (start and text[start - 1].isalnum()):
                continue
            if span := _token(text, start, hit.end(), *rule):
                yield span
                done = span.end
                break


def _token(text: str, start: int, body: int, kind: str, form: str) -> _Span | None:
    pattern = re.compile(form)
    if whole := pattern.match(text, body):
        return _Span(start, whole.end(), kind)
    if wrap := _WRAP.match(text, body):
        whole = pattern.match(wrap[1] + wrap[2])
        rest = whole.end() - len(wrap[1]) if whole else 0
        if rest > 0 and re.search(r"\d", wrap[2]):
            return _Span(start, wrap.start(2) + rest, kind)
    return None


def _shaped(text: str) -> Iterator[_Span]:
    for kind, head, form in SHAPED:
        if re.search(head, text):
            for match in re.finditer(form, text):
                yield _Span(*match.span(match.lastindex or 0), kind)


def _key_ends(text: str) -> Iterator[_Span]:
    """The rest of a private key whose beginning is in some other text."""
    for end in re.finditer(KEY_END, text):
        before = text[max(0, end.start() - _LONGEST_KEY) : end.start()]
        if rest := re.match(REVERSED_KEY_TEXT, before[::-1]):
            yield _Span(end.start() - rest.end(), end.end(), "private-key")


def _named(text: str) -> Iterator[_Span]:
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
            yield _Span(*match.span(group), kind)


_DETECTORS = (_prefixed, _shaped, _key_ends, _named)


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
