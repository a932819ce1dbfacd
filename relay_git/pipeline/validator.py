"""The judgement of an output: a diff, what the rules found, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from relay_git.pipeline.codes import Code, PipelineError, words
from relay_git.pipeline.diff import Diff, diff
from relay_git.pipeline.frozen import Json, lent
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.rules import Checked, Finding, Rule, declared_writes
from relay_git.record import Record

Sections = Mapping[str, Json]


class Report(Record):
    """`confidence` is from 0 to 1: the weighted share of the rules that had something to check and
    found nothing. An output that says nothing has 0."""

    diff: Diff
    findings: tuple[Finding, ...]
    confidence: float

    @property
    def ok(self) -> bool:
        return not self.findings

    def with_findings(self, more: Iterable[Finding]) -> Report:
        return self.replace(findings=(*self.findings, *more))

    @property
    def reason(self) -> str:
        """Every finding, each with its section."""
        named = ((f"{f.section}: " if f.section else "") + f.reason for f in self.findings)
        return "; ".join(named)


def validate(
    rules: Sequence[Rule],
    before: Sections,
    after: Sections,
    manifest: Manifest,
    output_tokens: int,
) -> Report:
    """`before` is the payload of the step that the output will follow. Both are read-only."""
    changed = diff(before, after)
    every = [_within(manifest, output_tokens), declared_writes(changed, manifest)]
    every += [_ask(rule, before, after, manifest) for rule in rules]
    findings = tuple(finding for checked in every for finding in checked.findings)
    told = any(_says_something(after[name]) for name in changed.added + changed.modified)
    return Report(changed, findings, _confidence(every) if told else 0.0)


def _within(manifest: Manifest, tokens: int) -> Checked:
    if tokens <= manifest.max_output:
        return Checked(1)
    what = f"{manifest.agent_id} wrote {tokens} tokens, over its limit of {manifest.max_output}"
    return Checked(1, (Finding(Code.OUTPUT_TOO_LARGE, None, what),))


def _ask(rule: Rule, before: Sections, after: Sections, manifest: Manifest) -> Checked:
    try:
        checked = rule(lent(before, rule), lent(after, rule), manifest)
        if not isinstance(checked, Checked):
            raise TypeError(f"it gave {type(checked).__name__}, which is no `Checked`")
        return checked
    except Exception as error:
        what = f"the rule {_called(rule)} failed: {words(error)}"
        raise PipelineError(Code.RULE_FAILED, what) from error


def _called(rule: Rule) -> str:
    """As who gave it knows it: ours by what makes them."""
    name: str = getattr(rule, "__qualname__", type(rule).__name__)
    if getattr(rule, "__module__", "").startswith("relay_git."):
        return name.partition(".")[0]
    return name.rpartition("<locals>.")[2]


def _confidence(every: Sequence[Checked]) -> float:
    total = sum(checked.weight for checked in every)
    passed = sum(c.weight for c in every if c.things and not c.findings)
    return passed / total if total else 0.0


def _says_something(value: Json) -> bool:
    """Some text, number or truth value, at any depth."""
    if isinstance(value, dict):
        return any(map(_says_something, value.values()))
    if isinstance(value, list):
        return any(map(_says_something, value))
    return value is not None and (not isinstance(value, str) or bool(value.strip()))
