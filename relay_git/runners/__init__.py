"""What other frameworks call an agent, as an agent of a pipeline.

    from relay_git.runners import openai_runner

    local = openai_runner("llama3", "http://localhost:11434/v1")
    result = await pipeline.step(Manifest("extractor", ["TICKETS"], ["FACTS"]), local)

A runner asks once a step, with a prompt made of the slice (`prompt_of`, or `prompt=` for another),
and gives up after `timeout` seconds. The framework of a runner is imported when the runner is
made. Whatever goes wrong then is a `Failure` of the step: AGENT_FAILED.
"""

from relay_git.pipeline.agents import AgentOutput, AgentRunner
from relay_git.runners.autogen import autogen_runner
from relay_git.runners.crewai import crewai_runner
from relay_git.runners.function import callable_runner
from relay_git.runners.langchain import langchain_runner
from relay_git.runners.openai import openai_runner
from relay_git.runners.prompt import Prompt, prompt_of
from relay_git.runners.runner import Runner

__all__ = [
    "AgentOutput",
    "AgentRunner",
    "Prompt",
    "Runner",
    "autogen_runner",
    "callable_runner",
    "crewai_runner",
    "langchain_runner",
    "openai_runner",
    "prompt_of",
]
