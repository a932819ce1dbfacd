"""The settings of a repository, from the tracked `.relay/relay.yml`.

What was parsed is cached as JSON by the file's digest, so that a command starts without the
YAML reader and pydantic as long as nobody edits the file.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import Literal

from relay_git import canonical, files, names
from relay_git.errors import RelayError
from relay_git.names import Word
from relay_git.record import Record, as_dict

VERSION = 1
_CACHE_FORMAT = 2

Redaction = Literal["mask", "refuse"]
Delivery = Literal["worktree", "branch", "none"]


class LessonSettings(Record):
    max_per_role: int = 10
    deliver: Delivery = "worktree"


class OrchestratorSettings(Record):
    """`intent` is what the runs here are for, in the team's own words."""

    enabled: bool = False
    intent: str = ""
    backend: str | None = None
    model: str | None = None


class Settings(Record):
    """`backend` and `model` are for roles that name none."""

    version: int = VERSION
    default_workflow: str | None = None
    backend: str | None = None
    model: str | None = None
    max_artifact_chars: int = 50_000
    redaction: Redaction = "mask"
    redact_literals: tuple[str, ...] = ()
    lessons: LessonSettings = LessonSettings()
    orchestrator: OrchestratorSettings = OrchestratorSettings()


_PARTS: dict[str, type[Record]] = {
    "lessons": LessonSettings,
    "orchestrator": OrchestratorSettings,
}


def load_settings(worktree: str | None, cache_dir: str) -> Settings:
    """The defaults where there is no file, as in a bare repository."""
    data = files.read_in(worktree, names.SETTINGS) if worktree else None
    if data is None:
        return Settings()
    digest = _digest(b"%d %d\n%b" % (_CACHE_FORMAT, VERSION, data))
    cached = os.path.join(cache_dir, f"settings-{digest}.json")
    return _from_cache(cached) or _parsed(data, cached)


def default_settings_text(workflow: str) -> str:
    """What `init` writes: every setting with its default, and what it is for."""
    default = Settings()
    return f"""\
# The settings of git-relay for this repository. Secrets and programs do not belong here:
# they go into git config or the environment.
version: {VERSION}

# The workflow that `git relay start` begins when none is named.
default_workflow: "{Word(workflow)}"

# What `git relay run` asks for roles that name nothing else: manual, claude, codex, gemini,
# cursor-agent, aider, openai, anthropic, or a name that everybody's git config gives a command.
# `null` leaves it to their git config.
backend: null
model: null

# How many characters of an artifact a prompt may hold; what is left out is counted there.
max_artifact_chars: {default.max_artifact_chars}

# When an artifact holds a secret: `mask` records it masked, `refuse` stops `advance`.
redaction: {default.redaction}
# Texts of your own that are masked wherever they occur, such as internal host names.
redact_literals: []

lessons:
  # How many lessons a prompt holds at most.
  max_per_role: {default.lessons.max_per_role}
  # New lessons go into the `worktree`, onto a `branch` of their own, or nowhere (`none`).
  deliver: {default.lessons.deliver}

# A second model that `git relay run` asks before and after each step whether the work still
# serves the intent, which says what the runs here are for.
orchestrator:
  enabled: {str(default.orchestrator.enabled).lower()}
  intent: ""
  backend: null
  model: null
"""


def _parsed(data: bytes, cached: str) -> Settings:
    from relay_git.settings_file import parse_settings

    settings = parse_settings(data, names.SETTINGS)
    # a cache that cannot be written costs time and nothing else
    with suppress(OSError, RelayError):
        os.makedirs(os.path.dirname(cached), exist_ok=True)
        files.write_atomic(cached, _to_cache(settings))
    return settings


def _to_cache(settings: Settings) -> bytes:
    value = as_dict(settings)
    value |= {name: as_dict(value[name]) for name in _PARTS}
    return canonical.dumps({"digest": _digest(canonical.dumps(value)), "settings": value})


def _from_cache(path: str) -> Settings | None:
    """None for whatever is not exactly as it was written."""
    try:
        record = canonical.loads(files.read_optional(path) or b"", path)
        value = record["settings"]
        if _digest(canonical.dumps(value)) != record["digest"]:
            return None
        value["redact_literals"] = tuple(value["redact_literals"])
        value |= {name: kind(**value[name]) for name, kind in _PARTS.items()}
        return Settings(**value)
    except (RelayError, KeyError, TypeError, ValueError):
        return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
