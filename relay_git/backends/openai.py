"""Any service that speaks the chat completions protocol of OpenAI, hosted or local.

The key comes from the environment alone. It is sent to the host that the user named and to no
other, not in the clear beyond this machine, and is taken out of whatever is said about a failure.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from relay_git import __version__, clock
from relay_git.backends.backend import MOST, excerpt, setting
from relay_git.errors import BackendError
from relay_git.git.config import Config

HINT = "set relay.llmUrl and relay.llmModel in git config"
_KEY = "OPENAI_API_KEY"

_TRIES = 3
_PAUSE, _LONGEST_PAUSE = 0.5, 8.0
_BUSY = frozenset({429, 500, 502, 503, 504, 529})
_CHUNK = 1 << 16
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class _Busy(BackendError):
    """Worth another try, `after` so many seconds if the service said so."""

    after: float | None = None


class OpenAI:
    """`url` is that of the endpoint itself, `variable` where the key was looked for."""

    name = "openai"

    def __init__(self, url: str, model: str, key: str, variable: str) -> None:
        self._url = url
        self._opener = _opener(url)
        self._model = model
        self._key = key
        self._variable = variable

    def ask(self, prompt: str, timeout: float) -> str:
        deadline = clock.monotonic() + timeout
        message = {"role": "user", "content": prompt}
        body = json.dumps({"model": self._model, "messages": [message]}).encode()
        for attempt in range(1, _TRIES):
            try:
                return self._answer(body, deadline)
            except _Busy as busy:
                _wait(busy, attempt, deadline)
        return self._answer(body, deadline)

    def _answer(self, body: bytes, deadline: float) -> str:
        try:
            with self._opener.open(self._request(body), timeout=_left(deadline)) as response:
                return self._content(_read(response, deadline))
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except (OSError, HTTPException, ValueError) as error:
            raise self._failure(error) from None

    def _request(self, body: bytes) -> urllib.request.Request:
        headers = {"Content-Type": "application/json", "User-Agent": f"git-relay/{__version__}"}
        request = urllib.request.Request(self._url, body, headers, method="POST")
        if self._key:
            request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        return request

    def _content(self, data: bytes) -> str:
        """The text of the first choice."""
        try:
            choice = json.loads(data.decode("utf-8"))["choices"][0]
            text, reason = choice["message"]["content"], choice.get("finish_reason")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise self._error("answered what is no whole chat completion") from None
        if reason in ("length", "content_filter"):
            raise self._error(f"cut its answer short ({reason})")
        if not isinstance(text, str) or not text.strip():
            raise self._error("answered nothing")
        return text

    def _refusal(self, error: urllib.error.HTTPError) -> BackendError:
        if 300 <= error.code < 400:
            target = self._shown(error.headers.get("Location", "nowhere"))
            return self._error(f"redirects to {target}, which is not followed", "name that URL")
        said = f"HTTP {error.code}: {self._shown(_complaint(error))}"
        if error.code in _BUSY:
            busy = _Busy(f"the service says {said}", where=self._where)
            busy.after = _retry_after(error.headers.get("Retry-After"))
            return busy
        return self._error(f"says {said}", self._hint(error.code))

    def _failure(self, error: Exception) -> BackendError:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            return self._error("did not answer in time")
        return self._error(f"cannot be asked: {self._shown(str(reason) or repr(reason))}")

    def _hint(self, code: int) -> str | None:
        if code not in (401, 403):
            return None
        state = "look at the key in" if self._key else "put a key into"
        return f"{state} the environment variable {self._variable}"

    def _error(self, how: str, hint: str | None = None) -> BackendError:
        hint = hint or "look at relay.llmUrl and relay.llmModel"
        return BackendError(f"the service {how}", where=self._where, hint=hint)

    @property
    def _where(self) -> str:
        return self._shown(self._url)

    def _shown(self, text: str) -> str:
        return excerpt(text, self._key)


# How it is asked


def _opener(url: str) -> urllib.request.OpenerDirector:
    """What is on this machine is not asked through a proxy."""
    own = [urllib.request.ProxyHandler({})] if urlsplit(url).hostname in _LOCAL else []
    return urllib.request.build_opener(_StayHere, *own)


class _StayHere(urllib.request.HTTPRedirectHandler):
    """A redirect would take prompt and key where the user has not sent them."""

    def redirect_request(self, *args: Any) -> None:
        return None


def _read(response: HTTPResponse, deadline: float) -> bytes:
    """The whole body; a service that trickles it does not gain time."""
    data = bytearray()
    while chunk := response.read1(_CHUNK):
        data += chunk
        if len(data) > MOST:
            raise HTTPException(f"an answer of more than {MOST} bytes")
        _left(deadline)
    return bytes(data)


def _left(deadline: float) -> float:
    """Seconds until then. Raises TimeoutError when there are none."""
    seconds = deadline - clock.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _wait(busy: _Busy, attempt: int, deadline: float) -> None:
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


def _complaint(error: urllib.error.HTTPError) -> str:
    """The service's own message, which most give as `{"error": {"message": …}}`."""
    try:
        data = error.read(_CHUNK)
    except (OSError, HTTPException):
        return error.reason
    try:
        return str(json.loads(data)["error"]["message"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return data.decode("utf-8", "replace") or error.reason


# How it is configured


def configured(config: Config, directory: str) -> OpenAI | None:
    base, where = setting(config, "relay.llmUrl", "GIT_RELAY_LLM_URL")
    if not base:
        return None
    url = _endpoint(base, where)
    model, named = setting(config, "relay.llmModel", "GIT_RELAY_LLM_MODEL")
    if not model:
        raise BackendError("no model is named", where=named, hint="set it beside relay.llmUrl")
    variable = config.get("relay.llmKeyVariable")
    key = _key(_KEY if variable is None else variable, required=bool(variable))
    if key and url.scheme == "http" and url.hostname not in _LOCAL:
        hint = "use https, or for a service without a key set relay.llmKeyVariable to nothing"
        raise BackendError("the key would be sent in the clear", where=where, hint=hint)
    return OpenAI(urlunsplit(url), model, key, variable or _KEY)


def _endpoint(base: str, where: str) -> SplitResult:
    """`https://host/v1` → `https://host/v1/chat/completions`, a query kept."""
    hint = "write it as https://host/v1"
    try:
        url = urlsplit(base)
        usable = url.scheme in ("http", "https") and url.hostname and (url.port or 1)
    except ValueError:
        usable = False
    if not usable or not base.isascii() or not base.isprintable() or " " in base:
        raise BackendError("not the URL of a service", where=where, hint=hint)
    if "@" in url.netloc:
        raise BackendError("a URL with a name or password in it", where=where, hint=hint)
    path = url.path.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
    return url._replace(path=path, fragment="")


def _key(variable: str, *, required: bool) -> str:
    """Empty for none. What is wrong with it is said without saying it."""
    key = os.environ.get(variable, "").strip() if variable else ""
    if required and not key:
        raise BackendError(f"there is no key in the environment variable {variable}")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BackendError("not a key", where=f"the environment variable {variable}")
    return key
