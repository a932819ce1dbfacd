from __future__ import annotations

import pytest

from relay_git.errors import BackendError
from relay_git.services import address, checked_key


def test_an_address_is_taken_apart() -> None:
    at = address("https://models.example.com:8443/v1?version=2&tier=#top")
    assert at.url == "https://models.example.com:8443/v1"
    assert at.query == {"version": "2"}
    assert not at.is_local and not at.is_open


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:11434", "[::1]:8000", "LOCALHOST"])
def test_what_is_on_this_machine_is_open_to_nobody(host: str) -> None:
    at = address(f"http://{host}/v1")
    assert at.is_local and not at.is_open


def test_http_to_another_machine_is_open() -> None:
    assert address("http://localhost.example.com/v1").is_open


@pytest.mark.parametrize(
    "base", ["", "localhost", "file:///v1", "http://", "http://a:0b/", "http://a b/", "http://é/"]
)
def test_what_is_no_address_is_refused(base: str) -> None:
    with pytest.raises(BackendError, match="base_url: not the URL of a service"):
        address(base, "base_url")


@pytest.mark.parametrize("key", ["two words", "schlüssel", "a\nb"])
def test_what_is_wrong_with_a_key_is_said_without_it(key: str) -> None:
    with pytest.raises(BackendError, match="not a key") as found:
        checked_key(key, "KEY")
    assert key not in str(found.value)
