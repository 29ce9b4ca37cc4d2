"""The house rules about files, which no linter knows."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_LINES = 500
LEAST_WORDS = 2
CATCH_ALL_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}


FOLDERS = (
    *("adapters", "api", "bench", "cli", "client", "cypher", "docs"),
    *("graph", "importers", "resolvers", "tests", ".ci"),
)
FOREIGN = {"samples", "static", "node_modules", "__pycache__"}
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
TREES = {path: ast.parse(path.read_text("utf-8")) for path in PYTHON}


def test_a_file_fits_on_a_few_screens() -> None:
    """At 500 lines a file is split by what it is about."""
    lines = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in PYTHON}

    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_a_file_is_named_for_what_it_holds() -> None:
    """A name that fits everything says nothing."""
    vague = [
        name_of(path)
        for path in PYTHON
        if CATCH_ALL_NAMES & {path.stem, *path.stem.split("_"), path.parent.name}
    ]

    assert vague == []


def test_a_package_file_holds_one_sentence() -> None:
    """What a package has to offer stands in its modules; a library names it for its users, too."""
    library = ROOT / "client" / "lineage_client" / "__init__.py"
    packages = [path for path in PYTHON if path.name == "__init__.py" and path != library]

    assert [name_of(path) for path in packages if not _is_a_sentence(TREES[path])] == []


def test_a_test_says_its_rule() -> None:
    """A test's name is a sentence and its docstring the rule."""
    mute = [
        f"{name_of(path)}: {node.name}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and (not ast.get_docstring(node) or node.name.count("_") < LEAST_WORDS)
    ]

    assert mute == []


def test_no_handler_swallows_what_it_does_not_know() -> None:
    """``except Exception`` is for handing on: raised, to who waits, or told in full at the end."""
    silent = [
        f"{name_of(path)}:{node.lineno}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and _takes_everything(node)
        and not any(_hands_on(part) for part in ast.walk(node))
    ]

    assert silent == []


def test_a_file_ends_with_its_last_line() -> None:
    """Text files end with one line break and have no blanks at the ends of lines."""
    untidy = [name_of(path) for path in WRITTEN if not _is_tidy(path.read_text("utf-8"))]

    assert untidy == []


def _is_a_sentence(tree: ast.Module) -> bool:
    words = ast.get_docstring(tree)
    return len(tree.body) == 1 and words is not None and "\n" not in words


def _takes_everything(handler: ast.ExceptHandler) -> bool:
    match handler.type:
        case None | ast.Name(id="Exception" | "BaseException"):
            return True
        case _:
            return False


def _hands_on(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Call(func=ast.Attribute(attr="set_exception" | "print_exc")):
            return True
        case _:
            return False


def _is_tidy(text: str) -> bool:
    ends_once = text.endswith("\n") and not text.endswith("\n\n")
    return ends_once and all(line == line.rstrip() for line in text.split("\n"))
