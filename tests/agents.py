"""Small programs that work as agents do: they read a prompt and write what it asks for."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from support import git

ROOT = Path(__file__).parents[1]

PLAYER = """\
import pathlib, re, sys
steps, log = map(pathlib.Path, sys.argv[1:])
prompt = sys.stdin.buffer.read().decode()
with log.open("a") as file:
    file.write(prompt + "\\n=====\\n")
stage, visit = re.search(r"^- stage: (\\w+), visit (\\d+)", prompt, re.M).groups()
folders = sorted(path for path in steps.iterdir() if path.name.partition("-")[2] == stage)
for artifact in folders[int(visit) - 1].iterdir():
    assert f"`.relay/artifacts/{artifact.name}`" in prompt
    pathlib.Path(".relay/artifacts", artifact.name).write_bytes(artifact.read_bytes())
"""
"""Plays the example of a template: what it writes depends on the stage and the visit alone."""

SCRIPTED = """\
import json, pathlib, re, subprocess, sys, time
script, log = map(pathlib.Path, sys.argv[1:])
prompt = sys.stdin.buffer.read().decode()
with log.open("a") as file:
    file.write(prompt + "\\n=====\\n")
stage = re.search(r"^- stage: (\\w+), visit", prompt, re.M)[1]
number = log.read_text().count(f"\\n- stage: {stage}, visit")
lines = json.loads(script.read_text())[stage]
exec(lines[min(number, len(lines)) - 1])
"""
"""Runs the line of Python that is meant for its so manieth call in a stage, or the last one."""


def example(template: str) -> Path:
    return ROOT / "templates" / template / "example" / "steps"


def texts(template: str) -> list[str]:
    """What the roles of the example write, in order."""
    folders = sorted(example(template).iterdir())
    return [next(folder.iterdir()).read_text() for folder in folders]


def played(path: Path, template: str) -> Path:
    """Let a program play that example; the file in which it keeps its prompts."""
    return _install(path, "agent", PLAYER, example(template))


def scripted(path: Path, name: str = "agent", **stages: Sequence[str] | str) -> Path:
    """Let a program run these lines, by stage; the file in which it keeps its prompts."""
    script = path.parent / f"{path.name}-script.json"
    lines: Mapping[str, Sequence[str]] = {
        stage: [said] if isinstance(said, str) else said for stage, said in stages.items()
    }
    script.write_text(json.dumps(lines))
    return _install(path, name, SCRIPTED, script)


def writing(name: str, text: str) -> str:
    """A line for `scripted` that writes an artifact."""
    return f"pathlib.Path('.relay/artifacts/{name}').write_text({text!r})"


def prompts(log: Path) -> list[str]:
    return log.read_text().split("\n=====\n")[:-1] if log.exists() else []


def _install(path: Path, name: str, source: str, *arguments: Path) -> Path:
    """As the backend `name`, which is the one to be asked."""
    program, log = path.parent / f"{path.name}-agent.py", path.parent / f"{path.name}-prompts.txt"
    program.write_text(source)
    argv = [sys.executable, str(program), *map(str, arguments), str(log)]
    git(path, "config", f"relay.{name}.command", shlex.join(argv))
    git(path, "config", "relay.backend", name)
    return log
