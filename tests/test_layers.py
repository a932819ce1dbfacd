"""The house has floors: a module imports lower ranks, or its own package, and nothing else.

rank  who
   0  errors names clock output files canonical record suggest resources redact
      secretforms secretfinder yamlio yamlnodes yamlmodel parallel services
   1  git/ signing/                      signing may use git/ (its process door)
   2  chain/ settings settings_file workspace upkeep     chain may use workspace
   3  workflow/ lessons/ drive/ sync/ pipeline/
                                         workflow may use lessons; never the other way round;
                                         drive may use workflow
   4  backends/ githooks/ doctor/ tour/ exporters/ runners/ telemetry/ testing/
      stores/
                                         edges: they never import each other
      joining arriving                   how each kind of refs travels, for sync; what git fetched
      commands/                          they share context, options, report, progress, watching,
                                         exchanging and inspecting alone, and may use the edges
   5  main __main__ cli_model completions/         the whole command line

Modules at the top of the package may use others of their own rank. Imports inside functions
count like those at the top of a module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "relay_git"

RANKS = {
    unit: rank
    for rank, units in enumerate(
        (
            "__init__ errors names clock output files canonical record suggest resources redact "
            "secretforms secretfinder yamlio yamlnodes yamlmodel parallel services",
            "git signing",
            "chain settings settings_file workspace upkeep",
            "workflow lessons drive sync pipeline",
            "backends githooks doctor exporters tour runners telemetry testing stores "
            "joining arriving commands",
            "main __main__ cli_model completions",
        )
    )
    for unit in units.split()
}
SIDEWAYS = {
    ("signing", "git"),
    ("chain", "workspace"),
    ("workflow", "lessons"),
    ("drive", "workflow"),
    ("completions", "cli_model"),
    ("commands", "backends"),
    ("commands", "githooks"),
    ("commands", "doctor"),
    ("commands", "exporters"),
    ("commands", "tour"),
    ("commands", "joining"),
    ("commands", "arriving"),
    ("githooks", "joining"),
    ("githooks", "arriving"),
}
SHARED_BY_COMMANDS = {
    *("__init__", "context", "options", "progress", "report", "watching", "exchanging"),
    "inspecting",
}
EXCEPTIONS = {
    # The parsers of all commands are what a completion script is made of.
    ("commands.completion", "completions.__init__"),
}

WHOLE_NAMESPACE = {"refs/relay/", "refs/relay/*"}
"""A prefix and a pattern for all refs of ours at once; they name no ref."""


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def dotted(path: Path) -> str:
    """`git.store` for `relay_git/git/store.py`, `git.__init__` for a package."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules of ours that are imported anywhere in it, dotted as above."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (resolved(alias.name) for alias in node.names if ours(alias.name))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            if ours(node.module or ""):
                yield from (resolved(f"{node.module}.{alias.name}") for alias in node.names)


def ours(name: str) -> bool:
    return name.split(".")[0] == "relay_git"


def resolved(name: str) -> str:
    """The longest beginning of a dotted name that is a module; the rest is a name inside it."""
    parts = name.split(".")[1:]
    while parts:
        path = PACKAGE.joinpath(*parts)
        if path.with_suffix(".py").is_file():
            return ".".join(parts)
        if path.is_dir():
            return ".".join([*parts, "__init__"])
        parts.pop()
    return "__init__"


def allowed(importer: str, imported: str) -> bool:
    if (importer, imported) in EXCEPTIONS:
        return True
    (unit, *inner), (other, *rest) = importer.split("."), imported.split(".")
    if unit == other == "commands":
        return rest[0] in SHARED_BY_COMMANDS
    if RANKS[other] == RANKS[unit]:
        return unit == other or not (inner or rest) or (unit, other) in SIDEWAYS
    return RANKS[other] < RANKS[unit]


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_a_module_imports_only_what_lies_below_it(path: Path) -> None:
    wrong = {name for name in imports(parsed(path)) if not allowed(dotted(path), name)}
    assert not wrong, f"{dotted(path)} must not import {', '.join(sorted(wrong))}"


def test_the_ranks_name_everything_there_is_and_nothing_else() -> None:
    units = {dotted(path).split(".")[0] for path in modules()}
    assert units == set(RANKS)


def test_no_exception_outlives_its_reason() -> None:
    made = {(dotted(path), name) for path in modules() for name in imports(parsed(path))}
    used = {(a.split(".")[0], b.split(".")[0]) for a, b in made}
    assert made >= EXCEPTIONS
    assert used >= SIDEWAYS


@pytest.mark.parametrize(
    ("source", "importer", "verdict"),
    [
        ("from relay_git.workflow import runs", "lessons.keep", False),
        ("from relay_git.lessons import keep", "workflow.prompt", True),
        ("def f():\n    from relay_git.commands.report import subject_of", "workflow.runs", False),
        ("import relay_git.chain.chain", "git.store", False),
        ("from relay_git.commands.status import report", "commands.next", False),
        ("from relay_git.commands.report import subject_of", "commands.next", True),
        ("from relay_git import names, workspace", "files", False),
        ("from relay_git import names, canonical", "files", True),
        ("from relay_git.chain import chain", "workspace", False),
        ("from relay_git.backends import registry", "commands.distill", True),
        ("from relay_git.backends import registry", "workflow.rewording", False),
        ("from relay_git.backends import registry", "drive.driver", False),
        ("from relay_git.workflow import runs", "drive.turn", True),
        ("from relay_git.drive import driver", "workflow.actions", False),
        ("from relay_git.commands.context import Context", "backends.command", False),
    ],
)
def test_a_wrong_import_is_seen(source: str, importer: str, verdict: bool) -> None:
    found = list(imports(ast.parse(source)))
    assert found
    assert all(allowed(importer, name) for name in found) is verdict


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_library_code_neither_prints_nor_exits(path: Path) -> None:
    allowed_here = {"sys.exit"} if path.name in ("main.py", "__main__.py") else set()
    assert not {*forbidden(parsed(path))} - allowed_here


def forbidden(tree: ast.AST) -> Iterator[str]:
    """Calls that print or end the program, as written."""
    names = {"print", "exit", "quit", "SystemExit", "sys.exit", "os._exit", "os.abort"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)) in names:
            yield name
        elif isinstance(node, ast.Raise) and node.exc and ast.unparse(node.exc) in names:
            yield "SystemExit"


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_only_names_spells_refs_and_trailers(path: Path) -> None:
    spelt = {text for text in names_of_ours(parsed(path)) if text not in WHOLE_NAMESPACE}
    assert bool(spelt) is (dotted(path) == "names"), f"take these from names.py: {spelt}"


def names_of_ours(tree: ast.AST) -> Iterator[str]:
    """String literals that hold one of our ref or trailer names; prose has spaces, names none."""
    ours = re.compile(r"\S*(refs/relay|refs/notes/relay|Relay-[A-Z])\S*")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.strip()
            if ours.fullmatch(text):
                yield text


def test_a_name_spelt_in_place_is_seen() -> None:
    source = 'ref = f"refs/relay/runs/{run}"\nline = "Relay-Run: " + run\nhelp = "see refs/relay/x"'
    assert [*names_of_ours(ast.parse(source))] == ["refs/relay/runs/", "Relay-Run:"]


def test_a_print_or_exit_is_seen() -> None:
    source = "import sys\nprint(1)\ndef f():\n    sys.exit(1)\nraise SystemExit(2)"
    assert sorted(forbidden(ast.parse(source))) == ["SystemExit", "print", "sys.exit"]
