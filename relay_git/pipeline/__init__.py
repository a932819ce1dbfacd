"""Pass context between agents: packed, budgeted, validated, signed, reversible, kept in git.

    from relay_git.pipeline import Manifest, Pipeline

    pipeline = Pipeline.open(".", "summarise-tickets", token_budget=8_000)
    facts = Manifest(agent_id="extractor", reads=["TICKETS"], writes=["FACTS"])
    result = await pipeline.step(facts, agent)      # or pipeline.step_sync(facts, agent)

An agent is a callable, plain or a coroutine function: given a `Slice` and its `Manifest`, it
returns the sections that it changes. `relay_git.runners` makes agents of what other frameworks
call one; `relay_git.telemetry` makes traces of what observers are told, `relay_git.testing` is for
tests. What is exported here is the whole public interface.
"""

from relay_git.pipeline.agents import Agent, AgentOutput, AgentRunner
from relay_git.pipeline.branch import Fork
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.diff import Change, Diff
from relay_git.pipeline.entities import entity_drift
from relay_git.pipeline.frozen import thaw
from relay_git.pipeline.gitsteps import git_steps
from relay_git.pipeline.join import JoinStrategy
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.memory import memory_steps
from relay_git.pipeline.notice import Moment, Notice, Observer
from relay_git.pipeline.packers import Embedder, Recency, Relevance, Structural
from relay_git.pipeline.packing import Packer
from relay_git.pipeline.pipeline import Pipeline
from relay_git.pipeline.results import Failure, Result, RolledBack, Success
from relay_git.pipeline.rules import (
    Checked,
    Finding,
    Rule,
    critical,
    pinned,
    schemas,
    size_bounds,
)
from relay_git.pipeline.settings import SURFACE, Policy, retry
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import Event, Joined, Receipt
from relay_git.pipeline.stepstore import NewStep, StepStore
from relay_git.pipeline.tokens import HeuristicCounter, TikTokenCounter, TokenCounter
from relay_git.pipeline.validator import Report

__all__ = [
    "SURFACE",
    "Agent",
    "AgentOutput",
    "AgentRunner",
    "Change",
    "Checked",
    "Code",
    "Diff",
    "Embedder",
    "Event",
    "Failure",
    "Finding",
    "Fork",
    "HeuristicCounter",
    "JoinStrategy",
    "Joined",
    "Manifest",
    "Moment",
    "NewStep",
    "Notice",
    "Observer",
    "Packer",
    "Pipeline",
    "PipelineError",
    "Policy",
    "Receipt",
    "Recency",
    "Relevance",
    "Report",
    "Result",
    "RolledBack",
    "Rule",
    "Slice",
    "Snapshot",
    "StepStore",
    "Structural",
    "Success",
    "TikTokenCounter",
    "TokenCounter",
    "critical",
    "entity_drift",
    "git_steps",
    "memory_steps",
    "pinned",
    "retry",
    "schemas",
    "size_bounds",
    "thaw",
]
