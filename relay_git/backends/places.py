"""Where a service is, which key opens it, and which model is asked for there.

The key comes from the environment alone, and is not sent in the clear beyond this machine.
"""

from __future__ import annotations

import os

from relay_git.backends.backend import Setup
from relay_git.errors import BackendError
from relay_git.record import Record
from relay_git.services import address, checked_key


class Place(Record):
    """A service's address, as its client takes it, with the key for it and who named both."""

    url: str
    query: dict[str, str]
    is_local: bool
    where: str
    key: str
    variable: str


def place(setup: Setup, default: str, url_variable: str, key_variable: str) -> Place:
    """`relay.<name>.url` and the key for it. Raises `BackendError`."""
    base, where = setup.setting("url", url_variable)
    at = address(base or default, where)
    named = setup.config.get(f"relay.{setup.name}.keyVariable")
    variable = key_variable if named is None else named
    key = _key(variable, required=bool(variable) and (named is not None or not at.is_local))
    if key and at.is_open:
        hint = f"use https, or for a service without a key set relay.{setup.name}.keyVariable to ''"
        raise BackendError("the key would be sent in the clear", where=where, hint=hint)
    return Place(at.url, at.query, at.is_local, where, key, variable or key_variable)


def model(setup: Setup) -> str:
    name = setup.model_named()
    if not name:
        key = f"relay.{setup.name}.model"
        hint = f"set `model` in the role or in .relay/relay.yml, or `git config {key} …`"
        raise BackendError(f"no model is named for {setup.name}", hint=hint)
    return name


def missing(package: str) -> BackendError:
    hint = f"install it: pip install 'git-relay[{package}]'"
    return BackendError(f"the backend {package} needs the package {package}", hint=hint)


def _key(variable: str, *, required: bool) -> str:
    """Empty for none."""
    key = os.environ.get(variable, "").strip() if variable else ""
    if required and not key:
        raise BackendError(f"there is no key in the environment variable {variable}")
    return checked_key(key, f"the environment variable {variable}")
