"""The only source of time and of randomness, so that everything else is deterministic.

`GIT_RELAY_NOW` (seconds since the epoch) stops the clock and `GIT_RELAY_SEED` fixes the
random names, for tests and for reproducing a run. Keys never come from here.
"""

from __future__ import annotations

import hashlib
import os
import time

_draws = 0


def now() -> int:
    """Seconds since the epoch."""
    fixed = os.environ.get("GIT_RELAY_NOW")
    return int(fixed) if fixed else int(time.time())


def isoformat(seconds: int) -> str:
    """`2026-04-28T09:30:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def parse_iso(text: str) -> int:
    """Seconds of `2026-04-28T09:30:00Z`; raises `ValueError` for any other form.

    Days since the epoch by the proleptic Gregorian calendar, with years that begin in March.
    """
    date, _, rest = text.partition("T")
    year, month, day = map(int, date.split("-"))
    hour, minute, second = map(int, rest.removesuffix("Z").split(":"))
    if len(text) != 20 or not text.endswith("Z") or not 1 <= month <= 12:
        raise ValueError(f"{text!r} is not a time of ours")
    since_march = year - (month < 3)
    days = since_march * 365 + since_march // 4 - since_march // 100 + since_march // 400
    days += (153 * ((month + 9) % 12) + 2) // 5 + day - 719469
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def minute(seconds: int) -> str:
    """`20260428-0930`, the head of a run id."""
    return time.strftime("%Y%m%d-%H%M", time.gmtime(seconds))


def random_hex(digits: int) -> str:
    """Random lower-case hex, for names that must not collide."""
    seed = os.environ.get("GIT_RELAY_SEED")
    if seed is None:
        return os.urandom((digits + 1) // 2).hex()[:digits]
    global _draws
    _draws += 1
    return hashlib.sha256(f"{seed}/{_draws}".encode()).hexdigest()[:digits]


def unique() -> str:
    """Eight hex digits for the name of a temporary file: never the same twice, seed or not."""
    return os.urandom(4).hex()


def monotonic() -> float:
    """Seconds on a clock that never goes back, for deadlines."""
    return time.monotonic()


def pause(attempt: int, base: float = 0.004, most: float = 0.25) -> None:
    """Sleep before retry number `attempt` (from 1): exponential, with full jitter."""
    spread = min(most, base * 2.0**attempt)
    time.sleep(spread * int.from_bytes(os.urandom(2), "big") / 65535)


def sleep(seconds: float) -> None:
    time.sleep(seconds)
