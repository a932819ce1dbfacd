"""How a service is asked, by its official client: how often, how long, and what its errors say.

Retries are ours, since they must end before a deadline. The key is sent to the host that the user
named and to no other, and is taken out of whatever is said about a failure.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import TYPE_CHECKING, Any

from relay_git import clock
from relay_git.backends.backend import Setup
from relay_git.backends.places import Place
from relay_git.drive.asking import Answer, Follower
from relay_git.errors import BackendError
from relay_git.redact import excerpt

if TYPE_CHECKING:
    import httpx2

_PATIENCE, _PATIENCE_FOR_WORDS = 1800, 120
_TRIES = 3
_PAUSE, _LONGEST_PAUSE = 0.5, 8.0
_TICK = 0.5
_BUSY = frozenset({429, 500, 502, 503, 504, 529})
_BUSY_KINDS = frozenset({"overloaded_error", "rate_limit_error", "api_error", "server_error"})

Hear = Callable[[str], None]
Talk = Callable[[float, Hear], Answer]
"""Asks once, with so many seconds left, and tells what it hears meanwhile."""


class Busy(BackendError):
    """Worth another try, `after` so many seconds if the service said so."""

    after: float | None = None


class Heard:
    """What a service has said so far, of at most `most` bytes."""

    def __init__(self, service: Service, most: int, hear: Hear) -> None:
        self._service = service
        self._most = most
        self._hear = hear
        self._parts: list[str] = []
        self._size = 0

    def add(self, text: str) -> None:
        self._parts.append(text)
        self._size += len(text.encode("utf-8", "replace"))
        if self._size > self._most:
            raise self._service.error(f"answers with more than {self._most} bytes")
        self._hear(text)

    @property
    def text(self) -> str:
        return "".join(self._parts)


class Service:
    """A service that was set up; `sdk` is the package of its official client."""

    def __init__(self, setup: Setup, place: Place, sdk: ModuleType) -> None:
        self._sdk = sdk
        self._name = setup.name
        self._place = place
        self._timeout = setup.timeout(_PATIENCE_FOR_WORDS if setup.answers else _PATIENCE)

    def ask(self, talk: Talk, follower: Follower) -> Answer:
        """Again, a bounded number of times, while the service is busy."""
        deadline = clock.monotonic() + self._timeout
        for attempt in range(1, _TRIES):
            try:
                return self._once(talk, follower, deadline)
            except Busy as busy:
                _wait(busy, attempt, deadline)
        return self._once(talk, follower, deadline)

    def http(self) -> httpx2.Client:
        """Follows no redirect: it would take prompt and key where the user has not sent them.

        What is on this machine is not asked through a proxy.
        """
        import httpx2

        return httpx2.Client(follow_redirects=False, trust_env=not self._place.is_local)

    def error(self, how: str, hint: str | None = None) -> BackendError:
        hint = hint or f"look at relay.{self._name}.url and relay.{self._name}.model"
        return BackendError(f"{self._name} {self._shown(how)}", where=self._where, hint=hint)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """The clients check little of what comes, so it may have any form."""
        try:
            yield
        except (ValueError, LookupError, TypeError, AttributeError):
            raise self.error("answered what is no whole answer") from None

    def _once(self, talk: Talk, follower: Follower, deadline: float) -> Answer:
        try:
            answer = _in_time(talk, follower, deadline)
        except Exception as error:
            raise self._failure(error) from None
        if not answer.text.strip():
            raise self.error("answered nothing")
        return answer

    def _failure(self, error: Exception) -> Exception:
        """What went wrong, for people. Whatever is not about the service is left as it is."""
        import httpx2

        sdk: Any = self._sdk
        if isinstance(error, BackendError):
            return error
        if isinstance(error, sdk.APIStatusError):
            return self._refusal(error)
        if isinstance(error, TimeoutError | sdk.APITimeoutError | httpx2.TimeoutException):
            return self.error("did not answer in time")
        if isinstance(error, sdk.APIConnectionError):
            cause = error.__cause__ or error
            return self.error(f"cannot be asked: {str(cause) or repr(cause)}")
        if isinstance(error, httpx2.HTTPError):
            return self.error(f"stopped in the middle of its answer: {error}")
        if isinstance(error, sdk.APIError):
            return self._complaint(str(error), error.body)
        return error

    def _refusal(self, error: Any) -> BackendError:
        response, code = error.response, error.status_code
        if 300 <= code < 400:
            target = response.headers.get("Location", "nowhere")
            return self.error(f"redirects to {target}, which is not followed", "name that URL")
        if code < 300:
            return self._complaint(str(error), error.body)
        said = f"says HTTP {code}: {_message(error)}"
        if code in _BUSY:
            busy = self._busy(said)
            busy.after = _retry_after(response.headers.get("Retry-After"))
            return busy
        return self.error(said, self._hint(code))

    def _complaint(self, message: str, body: object) -> BackendError:
        """An error that comes where the answer was to come."""
        kind = _nested(body, "error").get("type") or _nested(body).get("type")
        said = f"says: {_nested(body, 'error').get('message') or message}"
        return self._busy(said) if kind in _BUSY_KINDS else self.error(said)

    def _busy(self, said: str) -> Busy:
        return Busy(f"{self._name} {self._shown(said)}", where=self._where)

    def _hint(self, code: int) -> str | None:
        if code not in (401, 403):
            return None
        state = "look at the key in" if self._place.key else "put a key into"
        return f"{state} the environment variable {self._place.variable}"

    @property
    def _where(self) -> str:
        return self._shown(self._place.url)

    def _shown(self, text: str) -> str:
        return excerpt(text, self._place.key)


# How it is asked


def _in_time(talk: Talk, follower: Follower, deadline: float) -> Answer:
    """The talk is held on a thread of its own, for nothing else ends a service that trickles."""
    said: queue.SimpleQueue[str | Answer | Exception] = queue.SimpleQueue()

    def hold() -> None:
        try:
            said.put(talk(_left(deadline), said.put))
        except Exception as error:
            said.put(error)

    threading.Thread(target=hold, daemon=True).start()
    while True:
        try:
            item = said.get(timeout=min(_TICK, _left(deadline)))
        except queue.Empty:
            item = ""
        if isinstance(item, Exception):
            raise item
        if isinstance(item, Answer):
            return item
        follower.hear(item)


def _left(deadline: float) -> float:
    """Seconds until then. Raises TimeoutError when there are none."""
    seconds = deadline - clock.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _wait(busy: Busy, attempt: int, deadline: float) -> None:
    """As long as the service asked for, else a while. Raises `busy` when there is not the time."""
    left = deadline - clock.monotonic()
    if left <= (busy.after or 0.0):
        raise busy
    if busy.after is None:
        clock.pause(attempt, base=_PAUSE, most=min(left, _LONGEST_PAUSE))
    else:
        clock.sleep(busy.after)


def _retry_after(value: str | None) -> float | None:
    """Seconds; the header holds them, or a date."""
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - clock.now())
    except ValueError:
        return None


def _message(error: Any) -> str:
    """The service's own, which most give as `{"error": {"message": …}}`."""
    body = error.body
    found = _nested(body, "error").get("message") or _nested(body).get("message")
    return str(found or error.response.text or error.response.reason_phrase)


def _nested(body: object, key: str | None = None) -> dict[str, Any]:
    inner = body.get(key) if isinstance(body, dict) and key else body
    return inner if isinstance(inner, dict) else {}
