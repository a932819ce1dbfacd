"""Paths and file names as people write them in prose; nothing else in the package guesses them."""

from __future__ import annotations

import re

_EXTENSIONS = """
adoc astro awk bash bat bicep bzl c cc cfg clj cmake cmd conf cpp cs css csv cts cu cxx d dart
diff ejs el elm erb erl ex exs fish fs gd go gql gradle graphql groovy h hbs hcl hh hpp hrl hs
htm html hxx ini ino ipynb j2 java jinja jl js json json5 jsonc jsonl jsx kt kts less lhs lisp
lock lua m md mdx mjs mk ml mli mm mod mts nim nix nu patch php pl pm po prisma proto ps1 pug
py pyi pyx r rb re res rs rst s sass scala scm scss sh sol sql styl sum sv svelte svg swift
tcl tex tf tfvars toml ts tsv tsx txt v vb vhd vim vue wasm wat xml yaml yml zig zsh
"""
_NAMES = """
.bashrc .dockerignore .editorconfig .env .eslintrc .gitattributes .gitignore .gitmodules
.mailmap .npmrc .nvmrc .prettierrc BUILD.bazel CODEOWNERS Containerfile Dockerfile Gemfile
Jenkinsfile Justfile Makefile Pipfile Procfile Rakefile Vagrantfile
"""
_PRODUCTS = "alpine.js d3.js express.js next.js node.js nuxt.js three.js vue.js"

_KNOWN_EXTENSIONS = frozenset(_EXTENSIONS.split())
_KNOWN_NAMES = frozenset(_NAMES.split())
_NO_FILES = frozenset(_PRODUCTS.split())

_DENSE = (("\u3000", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"), ("\uff00", "\uffef"))
"""The scripts that are written without spaces around a path."""

_WORD = re.compile(r"~?[/\\]?[\w.@+-]+(?:[/\\][\w.@+\[\]-]+)*[/\\]?")
_URL = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}://\S+")
_SPAN = re.compile(r"`([^`\n]+)`")
_TARGET = re.compile(r"\]\((?:<([^<>\n]+)>|([^()\s<>]+))")
_LINE_SUFFIX = re.compile(r"(?:[:#]L?\d[\d:,L-]{0,20})$")
_FILE = re.compile(r"[^/]*[^/.]\.(?P<extension>[A-Za-z][A-Za-z0-9]{0,7})")
_PLAIN = re.compile(r"[^~\t\n\r`'\"<>|*?:;=(){}$,][^\t\n\r`'\"<>|*?:;=(){}$,]*")


def files_named(text: str) -> set[str]:
    """Every file or directory that the text mentions, with `/` and without `./` or line numbers.

    In backticks and link targets anything with a `/` or with a file's extension counts; in
    running text only what nobody would take for a word: a known extension, or a `/` and an
    extension. URLs never count.
    """
    prose = _URL.sub(" ", text)
    links = [angled or bare for angled, bare in _TARGET.findall(prose)]
    found = {path_in_span(span) for span in _SPAN.findall(prose)}
    found.update(_path(link.replace("%20", " ")) for link in links)
    found.update(_path_in_prose(word) for word in _WORD.findall(_TARGET.sub(" ", prose)))
    return {path for path in found if path}


def path_in_span(span: str) -> str | None:
    """The path that a code span holds and nothing else, or None: it is a symbol or a command."""
    return None if " " in span.strip() else _path(span)


def _path(quoted: str) -> str | None:
    path = _tidy(quoted.strip())
    if not path or not _PLAIN.fullmatch(path):
        return None
    return path if "/" in path or _is_file(path) else None


def _without_sentence(word: str) -> str:
    """The ASCII path in a word whose beginning and end are the sentence around it."""
    start, end = 0, len(word)
    while start < end and _is_dense(word[start]):
        start += 1
    while end > start and _is_dense(word[end - 1]):
        end -= 1
    starts_path = word[start : start + 1].isascii() and word[start : start + 1].isalnum()
    ends_path = word[end - 1 : end].isascii() and word[end - 1 : end].isalnum()
    return word[start if starts_path else 0 : end if ends_path else len(word)]


def _is_dense(char: str) -> bool:
    return any(first <= char <= last for first, last in _DENSE)


def _path_in_prose(word: str) -> str | None:
    if word.startswith("~"):
        return None
    path = _without_sentence(_tidy(word))
    if path.endswith("/"):
        return path if path.count("/") > 1 else None
    found = _FILE.fullmatch(path.rpartition("/")[2])
    if "/" in path and found and len(found["extension"]) > 1:
        return path
    return path if _is_file(path) else None


def _is_file(path: str) -> bool:
    """Whether the last component has a name or an extension that only files have."""
    name = path.rpartition("/")[2]
    found = _FILE.fullmatch(name)
    known = found is not None and found["extension"].lower() in _KNOWN_EXTENSIONS
    return name in _KNOWN_NAMES or (known and name.lower() not in _NO_FILES)


def _tidy(word: str) -> str:
    """Without line number, closing punctuation and leading `/`, `./`, `../`; "" if it climbs."""
    path = _LINE_SUFFIX.sub("", word).replace("\\", "/")
    path = re.sub(r"^(?:\.{0,2}/)+", "", path)
    path = path.rstrip(".-") if not path.endswith("/") else path
    return "" if any(part in ("", "..") for part in path.rstrip("/").split("/")) else path
