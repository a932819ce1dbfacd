"""What every backend is made from, and what they share."""

from __future__ import annotations

import os

from relay_git.errors import BackendError
from relay_git.git.config import Config
from relay_git.record import Record


class Setup(Record):
    """What a backend is made from: its name, the model that was chosen for it, git's settings.

    One that `answers` is to say something and to change nothing.
    """

    name: str
    model: str | None
    config: Config
    answers: bool = False

    def setting(self, key: str, variable: str = "") -> tuple[str, str]:
        """`relay.<name>.<key>`, unless the environment variable has it; and which it is."""
        if value := os.environ.get(variable) if variable else None:
            return value, variable
        full = f"relay.{self.name}.{key}"
        return self.config.get(full) or "", f"git config {full}"

    def number(self, key: str, default: int) -> int:
        value = self.config.int(f"relay.{self.name}.{key}", default)
        if value < 1:
            raise BackendError(f"{value} is too few", where=f"git config relay.{self.name}.{key}")
        return value

    def timeout(self, default: int) -> int:
        """Seconds for one answer."""
        return self.number("timeout", default)

    def model_named(self) -> str:
        """Empty when nobody names one."""
        return self.model or self.setting("model")[0]
