"""The files that ship with the program: templates and hooks."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def directory(name: str) -> str:
    """`templates` or `hooks`: inside an installed package, or at the top of a checkout."""
    installed = os.path.join(_PACKAGE, "_data", name)
    return installed if os.path.isdir(installed) else os.path.join(_PACKAGE, os.pardir, name)
