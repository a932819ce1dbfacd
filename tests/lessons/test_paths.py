"""Which words of a text are paths."""

from __future__ import annotations

import time

import pytest

from relay_git.lessons.paths import files_named, path_in_span


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See src/app.py:12-14, and lib/x.rs.", {"src/app.py", "lib/x.rs"}),
        ("`src/net/` and `Makefile` and `src/app`", {"src/net/", "Makefile", "src/app"}),
        ("edit ./a/b.py or ../c/d.py or /e/f.py", {"a/b.py", "c/d.py", "e/f.py"}),
        ("the Makefile, .gitignore and state.py", {"Makefile", ".gitignore", "state.py"}),
        (r"src\app\main.cs", {"src/app/main.cs"}),
        ("[x](docs/a%20b.md#L3) [y](<c d.md>) [z](e.md)", {"docs/a b.md", "c d.md", "e.md"}),
        ("run `git add src/a.py`", {"src/a.py"}),
        (
            "請修改src/app.py文件，日本語.txt bläh.py app.py를",
            {"src/app.py", "日本語.txt", "bläh.py"} | {"app.py"},
        ),
        ("src/app/[...slug]/page.tsx", {"src/app/[...slug]/page.tsx"}),
        ("x/custom.ext and custom.ext", {"x/custom.ext"}),
        ("config/.env and backend/.env.example", {"config/.env", "backend/.env.example"}),
    ],
)
def test_paths_are_found(text: str, expected: set[str]) -> None:
    assert files_named(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "and/or, he/she, w/ it, e.g. i.e./e.g. 1.2.3 v1.2/3.4",
        "https://example.com/a/b.py git+ssh://host/x.git",
        "`os.path.join` data.get() Node.js Next.js",
        "a@example.com ~/x.py `~/x.py` a/../b.py `..`",
        "*.py <br/> `a && b` `` `",
    ],
)
def test_other_words_are_not(text: str) -> None:
    assert files_named(text) == set()


def test_a_span_is_a_path_or_a_symbol() -> None:
    assert path_in_span("src/app.py:12") == "src/app.py"
    assert path_in_span("Store.close") is None
    assert path_in_span("rm app.py") is None


@pytest.mark.parametrize("text", ["a" * 300_000, "`:1" * 80_000, "](<" * 80_000, "文" * 200_000])
def test_no_text_takes_long(text: str) -> None:
    start = time.monotonic()
    files_named(text)
    assert time.monotonic() - start < 2
