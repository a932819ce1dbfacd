"""A step's commit message: a subject that reads as a story, then the trailers."""

from __future__ import annotations

from collections.abc import Sequence

from relay_git import names
from relay_git.names import RunId
from relay_git.pipeline.state import Event


def message(name: str, run: RunId, step: int, event: Event, wrote: Sequence[str]) -> str:
    lines = [f"{names.TRAILER_RUN}: {run}", f"{names.TRAILER_STEP}: {step}"]
    if event.agent:
        lines.append(f"{names.TRAILER_ROLE}: {event.agent}")
    reasons = "\n".join(_line(finding.code, finding.section) for finding in event.findings)
    paragraphs = [_subject(name, event, wrote), *([reasons] if reasons else []), "\n".join(lines)]
    return "\n\n".join(paragraphs) + "\n"


def _subject(name: str, event: Event, wrote: Sequence[str]) -> str:
    match event.kind:
        case "start":
            return f"start {name}"
        case "end":
            return f"end {name}"
        case "abandon":
            return f"abandon {name}"
        case "fork":
            return f"fork {event.fork} of {_wrote(event.agent, wrote)}"
        case "join" if event.join:
            return _wrote(f"join {', '.join(event.join.chosen)}", wrote)
        case "rollback" if event.join:
            forks = ", ".join(receipt.fork for receipt in event.join.forks)
            return f"forks {forks}: rejected, rollback to step {event.to}"
        case "rollback" if event.rejected:
            return f"{event.agent}: rejected, rollback to step {event.to}"
        case "rollback":
            return f"rollback to step {event.to}"
    return _wrote(event.agent, wrote)


def _wrote(who: str | None, wrote: Sequence[str]) -> str:
    return f"{who}: {'wrote' if wrote else 'wrote nothing'} {', '.join(wrote)}".rstrip()


def _line(code: str, section: str | None) -> str:
    return f"{code} in {section}" if section else code
