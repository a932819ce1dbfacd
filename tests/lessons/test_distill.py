from __future__ import annotations

from relay_git.lessons.distill import Version, distil
from relay_git.names import ArtifactName, RunId

RUN = RunId("20260428-0930-fix-bug-3f9a")


def _version(
    text: str, *, step: int = 1, name: str = "plan_review.md", role: str = "planner"
) -> Version:
    time = f"2026-04-28T09:{step:02}:00Z"
    return Version(ArtifactName(name), text, f"blob{step}", step, time, role)


def test_a_rejected_review_teaches() -> None:
    text = "## Required Changes\n\n1. `net/retry.py` never sleeps.\n\n## Verdict: reject\n"
    (lesson,) = distil(RUN, [_version(text, step=3)])
    assert (lesson.role, lesson.severity, lesson.run) == ("planner", "warn", RUN)
    assert lesson.claim == "`net/retry.py` never sleeps."
    assert lesson.excerpt == "1. `net/retry.py` never sleeps."
    assert lesson.evidence.line == 3
    assert (lesson.evidence.step, lesson.evidence.blob) == (3, "blob3")
    assert lesson.observed_at == "2026-04-28T09:03:00Z"
    assert lesson.tags == ("net/retry.py",)


def test_a_finding_repeated_later_is_not_new() -> None:
    first = _version("## Concerns\n\n- It never sleeps.\n", step=1)
    second = _version("## Concerns\n\n- it never sleeps\n- It leaks.\n", step=4)
    lessons = distil(RUN, [first, second])
    assert [(lesson.claim, lesson.evidence.step) for lesson in lessons] == [
        ("It never sleeps.", 1),
        ("It leaks.", 4),
    ]


def test_the_worst_severity_counts() -> None:
    first = _version("## Suggestions\n\n- It never sleeps.\n", step=1)
    second = _version("## Catches\n\n- It never sleeps.\n", step=2)
    (lesson,) = distil(RUN, [first, second])
    assert (lesson.severity, lesson.evidence.step) == ("error", 1)


def test_roles_learn_apart() -> None:
    text = "## Concerns\n\n- It never sleeps.\n"
    versions = [_version(text), _version(text, name="audit.md", role="implementer")]
    assert sorted(lesson.role for lesson in distil(RUN, versions)) == ["implementer", "planner"]


def test_a_finding_without_a_path_is_tagged_with_the_touched_ones() -> None:
    text = "## Concerns\n\n- The `retry` loop never sleeps.\n- `b.py` leaks.\n"
    lessons = distil(RUN, [_version(text)], touched=["src/a.py", "c.py"])
    assert [lesson.tags for lesson in lessons] == [("c.py", "retry", "src/a.py"), ("b.py",)]


def test_our_own_text_teaches_nothing() -> None:
    text = "## Concerns\n\n- Say what worries you.\n- It leaks.\n"
    lessons = distil(RUN, [_version(text)], ours=["- Say what worries you."])
    assert [lesson.claim for lesson in lessons] == ["It leaks."]


def test_the_order_is_step_artifact_line_whatever_was_given() -> None:
    versions = [
        _version("## Concerns\n\n- D here.\n", step=2),
        _version("## Concerns\n\n- B here.\n- C here.\n", step=1, name="b.md"),
        _version("## Concerns\n\n- A here.\n", step=1, name="a.md"),
    ]
    expected = ["A here.", "B here.", "C here.", "D here."]
    assert [lesson.claim for lesson in distil(RUN, versions)] == expected
    assert distil(RUN, versions) == distil(RUN, versions[::-1])


def test_nothing_in_nothing_out() -> None:
    assert distil(RUN, []) == ()
    assert distil(RUN, [_version("## Required Changes\n\n- None.\n")]) == ()
