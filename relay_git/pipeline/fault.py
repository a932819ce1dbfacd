"""Whose fault it is that a step is not made: which agent's, at which step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from relay_git.pipeline.codes import Code, PipelineError, told, words
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.sections import refuse_secret


def agent_failed(manifest: Manifest, base: int, error: BaseException) -> PipelineError:
    return PipelineError(Code.AGENT_FAILED, f"{_who(manifest, base)}: {words(error)}")


class naming:
    """Whatever is raised inside says of which agent, at which step after `base`."""

    def __init__(self, manifest: Manifest, base: int) -> None:
        self._manifest, self._base = manifest, base

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, PipelineError):
            what = f"{_who(self._manifest, self._base)}: {error.what}"
            raise PipelineError(error.code, what) from error.__cause__


@contextmanager
def putting_away(run: str) -> Iterator[None]:
    """Whatever is raised inside says that the last step of the run is made all the same."""
    try:
        with told():
            yield
    except PipelineError as error:
        what = f"{run} has ended, but cannot be put away yet: {error}"
        raise PipelineError(error.code, what) from error.__cause__


def check_manifest(manifest: object, literals: Sequence[str]) -> None:
    """Raises `PipelineError` (INVALID_MANIFEST)."""
    if not isinstance(manifest, Manifest):
        what = f"{type(manifest).__name__} is no Manifest"
        raise PipelineError(Code.INVALID_MANIFEST, what)
    refuse_secret(manifest.agent_id, literals, Code.INVALID_MANIFEST)


def _who(manifest: Manifest, base: int) -> str:
    return f"{manifest.agent_id} at step {base + 1}"
