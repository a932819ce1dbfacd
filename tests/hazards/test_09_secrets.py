"""Hazard 9: a secret that an agent pastes gets into no object, note, cache, log or error."""

from __future__ import annotations

import subprocess
from pathlib import Path

from flow import call, done, draft, make_project, write
from planted import KEY, KEY_LINES, PLANTED, begin, end
from support import git

LOOK_ALIKES = [
    'apiKey == ""',
    "TOKEN=<TOKEN>",
    "password: ${DB_PASSWORD}",
    "token = $(pass show x)",
    "secret: str",
    "49ab0f2eed852b583c9772f11dd0de9505cbed41",
    "6f1d2c3b-9a8e-4f70-8123-456789abcdef",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
]
SECRETS = [secret for _, secret in PLANTED]
LITERAL = "our-own-internal-hostname-42"


def everything_kept(project: Path) -> bytes:
    """Every object of the repository, and every file of ours that is not the raw working set."""
    shown = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=project, capture_output=True
    )
    files = [*project.glob(".git/relay/**/*"), *project.glob(".relay/lessons/**/*")]
    files += [project / ".relay/LESSONS.md", *project.glob(".git/logs/**/*")]
    raw = project / ".git/relay/saved"
    kept = [file for file in files if file.is_file() and raw not in file.parents]
    kept = [file for file in kept if not file.name.startswith("settings-")]  # holds relay.yml
    return shown.stdout + b"".join(file.read_bytes() for file in kept)


def leaked(data: bytes, *more: str) -> list[str]:
    """A key's middle says as much as the whole."""
    wanted = [*SECRETS, *KEY_LINES, *more]
    return [secret for secret in wanted if secret[8:-4].encode() in data]


def test_no_planted_secret_gets_into_any_sink(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    (project / ".relay/relay.yml").write_text(f'version: 1\nredact_literals: ["{LITERAL}"]\n')
    git(project, "commit", "-qm", "x", "--allow-empty")
    assert len(SECRETS) >= 30
    key = "\n".join([begin(KEY), *KEY_LINES, end(KEY)])
    pasted = "\n".join(f"- the log says {secret} here" for secret in SECRETS)
    context = tmp_path / "context.md"
    context.write_text(f"# Context\n\n{pasted}\n\n{key}\n")
    done(project, "start", "--context", str(context))
    write(project, "draft.md", f"# Draft\n\n{pasted}\n\n{LITERAL}\n" + "\n".join(LOOK_ALIKES))
    done(project, "advance", "--message", f"with {SECRETS[0]} and {SECRETS[5]}")
    write(project, "review.md", f"## Required Changes\n\n{pasted}\n\n## Verdict: reject\n")
    done(project, "advance")
    draft(project, f"again\n{pasted}\n")
    done(project, "rollback", "--to", "2", "-m", SECRETS[7])
    done(project, "lessons", "add", "author", f"Never paste {SECRETS[9]} again")
    done(project, "next")
    done(project, "abandon", "-m", SECRETS[3])
    done(project, "distill", "--all")
    lesson = next(project.glob(".relay/lessons/author/never-paste*.md"))
    done(project, "lessons", "retire", lesson.stem, "--reason", f"it held {SECRETS[11]}")
    kept = everything_kept(project)
    assert leaked(kept, LITERAL) == []
    assert b"[redacted:github-token]" in kept and b"[redacted:literal]" in kept
    assert [text for text in LOOK_ALIKES if text.encode() not in kept] == []


def test_a_secret_in_a_lesson_that_a_person_typed_is_not_cached_or_shown(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    done(project, "lessons", "add", "author", "Rotate the key")
    lesson = next(project.glob(".relay/lessons/author/*.md"))
    lesson.write_text(lesson.read_text().replace("Rotate the key", f"Rotate {SECRETS[3]}"))
    shown = done(project, "lessons", "list") + done(project, "lessons", "list", "--json")
    done(project, "lessons", "render")
    index = (project / ".relay/LESSONS.md").read_text()
    cache = (project / ".git/relay/cache/lessons.json").read_text()
    assert leaked((shown + index + cache).encode()) == []


def test_errors_and_traces_do_not_quote_secrets(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    done(project, "start")
    draft(project)
    said = []
    for secret in SECRETS:
        write(project, "review.md", f"Verdict: {secret}\n")
        said.append(call(project, "advance"))
        said.append(call(project, "--json", "advance"))
        said.append(call(project, "show", secret))
    assert {answer.code for answer in said} == {1}
    assert leaked("".join(answer.out + answer.err for answer in said).encode()) == []


def test_refuse_stops_and_keeps_nothing(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    (project / ".relay/relay.yml").write_text("version: 1\nredaction: refuse\n")
    done(project, "start")
    write(project, "draft.md", f"line\n{SECRETS[3]}\n")
    answer = call(project, "advance")
    assert answer.code == 1
    assert ".relay/artifacts/draft.md:2: " in answer.err
    assert leaked(everything_kept(project) + answer.err.encode()) == []
