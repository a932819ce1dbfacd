"""Without an extra its runner says how to get it; the others, and all imports, need none."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"openai", "langchain_core", "crewai", "autogen_agentchat"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nothing())
from relay_git import runners
from relay_git.pipeline import Manifest, Pipeline, PipelineError, memory_steps

try:
    getattr(runners, sys.argv[1])("x")
except PipelineError as error:
    print(error.code, error)
runner = runners.callable_runner(lambda messages: "still there")
manifest = Manifest("a", writes=["NOTES"], text_section="NOTES")
pipeline = Pipeline.open(memory_steps(), "demo")
print(pipeline.step_sync(manifest, runner).unwrap().payload["NOTES"])
"""


@pytest.mark.parametrize("extra", ["openai", "langchain", "crewai", "autogen"])
def test_an_extra_that_is_missing_is_named(extra: str) -> None:
    command = [sys.executable, "-P", "-c", PROGRAM, f"{extra}_runner"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    said, other = done.stdout.splitlines()
    assert said.startswith(f"INVALID_SETTING the {extra} runner needs a package that is not here")
    assert said.endswith(f"install it: pip install 'git-relay[{extra}]'")
    assert other == "still there"


def test_importing_the_runners_imports_no_framework() -> None:
    program = (
        "import sys, relay_git.runners; print(sorted(m.partition('.')[0] for m in sys.modules))"
    )
    command = [sys.executable, "-P", "-c", program]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for name in ("openai", "langchain_core", "pydantic", "asyncio"):
        assert f"'{name}'" not in loaded
    assert "'relay_git'" in loaded
