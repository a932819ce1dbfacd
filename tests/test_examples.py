"""The lessons that the templates' examples show are those that the program distils from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples import examples, learnt


@pytest.mark.parametrize("example", examples(), ids=lambda path: str(path.parent.name))
def test_playing_the_example_again_gives_the_lessons_that_it_shows(example: Path) -> None:
    shown = [*example.glob("lessons/**/*.md"), example / "LESSONS.md"]
    assert learnt(example) == {
        str(path.relative_to(example)): path.read_bytes() for path in shown
    }, "run `python tools/examples.py` and look at what changed"
