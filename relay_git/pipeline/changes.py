"""What changes of a payload lead to: bytes by the name of a section, None where it is taken out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.rules import Finding
from relay_git.pipeline.snapshot import Snapshot

Changes = Mapping[str, bytes | None]


def overtaken(base: Snapshot, head: Snapshot, changes: Changes) -> list[Finding]:
    """What others wrote into the same sections, otherwise, since the agent saw them."""
    then, now = base.contents, head.contents
    lost = [name for name in changes if now.get(name) not in (then.get(name), changes[name])]
    what = f"others changed it since step {base.step}, which the agent saw"
    return [Finding(Code.MERGE_CONFLICT, name, what) for name in sorted(lost)]


def exactly(before: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """The changes after which a payload is `wanted`."""
    gone: dict[str, bytes | None] = dict.fromkeys(before.keys() - wanted.keys())
    return gone | {name: data for name, data in wanted.items() if before.get(name) != data}


def check_apart(sections: Iterable[str], code: Code) -> None:
    """Raises `PipelineError` where the files of two sections are one on some systems."""
    seen: dict[str, str] = {}
    for name in sections:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            what = f"section {name!r}: {other!r} is there, and only case tells them apart"
            raise PipelineError(code, what)
