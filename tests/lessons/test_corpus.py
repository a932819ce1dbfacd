"""How well real reviews are read: our own few, and the shared corpus where it is at hand."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from relay_git.lessons.claims import headline
from relay_git.lessons.document import read_document
from relay_git.lessons.model import normalise

_ROOT = Path(__file__).parents[2]
_OURS = _ROOT / "tests" / "data" / "reviews"
_CORPUS = _ROOT.parent / "shared" / "corpus"

Labels = dict[str, Any]


def _load(path: Path) -> list[Labels]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _prediction(name: str, path: Path) -> Labels:
    document = read_document(path.read_bytes().decode("utf-8"))
    lessons = [
        {"line": finding.line, "text": headline(finding), "severity": finding.severity}
        for finding in document.findings
    ]
    return {"file": name, "verdict": document.verdict or "none", "lessons": lessons}


def _figures(docs: list[Labels]) -> dict[str, float]:
    """Lessons matched by line alone: stricter than the corpus' own scorer."""
    hits = misses = extra = alike = right = 0
    for doc in docs:
        got = _prediction(doc["file"], _OURS / doc["file"])
        right += got["verdict"] == doc["verdict"]
        found = {lesson["line"]: lesson["severity"] for lesson in got["lessons"]}
        for label in doc["lessons"]:
            severity = found.pop(label["line"], None)
            if not label.get("ambiguous"):
                hits += severity is not None
                misses += severity is None
                alike += severity == label["severity"]
        extra += len(found)
    return {
        "verdict": right / len(docs),
        "f1": 2 * hits / (2 * hits + misses + extra),
        "severity": alike / hits,
    }


def test_our_own_reviews_are_read_well() -> None:
    figures = _figures(_load(_OURS / "labels.jsonl"))
    assert figures["verdict"] >= 0.92
    assert figures["f1"] >= 0.95
    assert figures["severity"] >= 0.95


@pytest.mark.parametrize("doc", _load(_OURS / "labels.jsonl"), ids=lambda doc: str(doc["file"]))
def test_headlines_and_verdict_lines_are_the_labelled_ones(doc: Labels) -> None:
    path = _OURS / doc["file"]
    texts = {lesson["line"]: lesson["text"] for lesson in _prediction("x", path)["lessons"]}
    for label in doc["lessons"]:
        found = texts.get(label["line"])
        assert found is None or normalise(found).startswith(normalise(label["text"])[:40])
    document = read_document(path.read_text(encoding="utf-8"))
    assert document.verdict is None or document.verdict_line == doc["verdict_line"]


@pytest.fixture(scope="module")
def scored() -> dict[str, Any]:
    if not _CORPUS.is_dir():
        pytest.skip("the shared corpus of real reviews is not beside this repository")
    score: Callable[..., tuple[dict[str, Any], object, object]]
    score = runpy.run_path(str(_CORPUS / "score.py"))["score"]
    docs = {doc["file"]: doc for doc in _load(_CORPUS / "dev" / "labels.jsonl")}
    predicted = {name: _prediction(name, _CORPUS / name) for name in docs}
    result, _, confusion = score(docs, predicted)
    return {**result, "confusion": confusion}


def test_the_corpus_is_read_as_well_as_it_was(scored: dict[str, Any]) -> None:
    assert scored["verdict_accuracy_clear"] >= 0.97
    assert scored["lesson_f1"] >= 0.93
    assert scored["severity_accuracy"] >= 0.93


def test_no_rejected_document_is_called_approved(scored: dict[str, Any]) -> None:
    assert ("reject", "approve") not in scored["confusion"]
