"""The house rules about files, which no linter knows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_LINES = 500
CATCH_ALL_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}


FOLDERS = (
    *("adapters", "api", "bench", "cli", "cypher", "docs"),
    *("graph", "importers", "resolvers", "tests", ".ci"),
)
FOREIGN = {"samples", "static", "__pycache__"}
"""Folders of files that others wrote."""


def written(*patterns: str) -> list[Path]:
    """The project's own files of some patterns."""
    places = [(ROOT, "{}"), *((ROOT / folder, "**/{}") for folder in FOLDERS)]
    found = {
        path
        for place, each in places
        for pattern in patterns
        for path in place.glob(each.format(pattern))
        if path.is_file() and FOREIGN.isdisjoint(path.parts)
    }
    return sorted(found)


def name_of(path: Path) -> str:
    """The path as people write it."""
    return str(path.relative_to(ROOT))


PYTHON = written("*.py")
WRITTEN = written("*.py", "*.md", "*.cypher", "*.toml", "Makefile", "run")


@pytest.mark.parametrize("path", PYTHON, ids=name_of)
def test_a_file_fits_on_a_few_screens(path: Path) -> None:
    """At 500 lines a file is split by what it is about."""
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", PYTHON, ids=name_of)
def test_a_file_is_named_for_what_it_holds(path: Path) -> None:
    """A name that fits everything says nothing."""
    assert CATCH_ALL_NAMES.isdisjoint({path.stem, *path.stem.split("_"), path.parent.name})


@pytest.mark.parametrize(
    "path", [path for path in PYTHON if path.name == "__init__.py"], ids=name_of
)
def test_a_package_file_holds_one_sentence(path: Path) -> None:
    """What a package has to offer stands in its modules."""
    body = ast.parse(path.read_text("utf-8")).body

    assert len(body) == 1
    assert isinstance(body[0], ast.Expr)
    assert str(ast.literal_eval(body[0].value)).count("\n") == 0


@pytest.mark.parametrize(
    "path", [path for path in PYTHON if path.name.startswith("test_")], ids=name_of
)
def test_a_test_says_its_rule(path: Path) -> None:
    """A test's name is a sentence and its docstring the rule."""
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    ]

    mute = [
        node.name for node in functions if not ast.get_docstring(node) or node.name.count("_") < 3
    ]
    assert mute == []


@pytest.mark.parametrize("path", PYTHON, ids=name_of)
def test_no_handler_swallows_what_it_does_not_know(path: Path) -> None:
    """``except Exception`` is for handing on, raised or to whoever waits for a future."""
    handlers = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"})
        )
    ]

    silent = [
        node.lineno for node in handlers if not any(_hands_on(part) for part in ast.walk(node))
    ]
    assert silent == []


@pytest.mark.parametrize("path", WRITTEN, ids=name_of)
def test_a_file_ends_with_its_last_line(path: Path) -> None:
    """Text files end with one line break and have no trailing blanks."""
    text = path.read_text("utf-8")

    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert [n for n, line in enumerate(text.splitlines(), 1) if line != line.rstrip()] == []


def _hands_on(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Call(func=ast.Attribute(attr="set_exception")):
            return True
        case _:
            return False
