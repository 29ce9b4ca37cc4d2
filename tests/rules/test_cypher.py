"""The house rules about Cypher files."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.server.statement_budgets import BUDGETS, PINNED_ELSEWHERE

ROOT = Path(__file__).parents[2]
CYPHER = ROOT / "cypher"
SCHEMA = CYPHER / "schema"


def test_every_statement_is_declared_once() -> None:
    """A file that nothing loads is not checked by anything; the schema's load themselves."""
    files = [
        str(path.relative_to(CYPHER).with_suffix(""))
        for path in CYPHER.rglob("*.cypher")
        if SCHEMA not in path.parents
    ]

    assert sorted(files) == sorted(set(_declared()))


def test_a_file_holds_one_statement() -> None:
    """Several are several files."""
    several = [
        path.name
        for path in CYPHER.rglob("*.cypher")
        if _statement(path).rstrip("; \n").count(";")
    ]

    assert several == []


def test_every_statement_has_a_budget() -> None:
    """What it may read on a fixed graph is pinned; its line stands in ``statement_budgets``."""
    for name in PINNED_ELSEWHERE.values():
        assert (ROOT / "tests" / "server" / name).is_file()

    unpinned = [
        name
        for name in sorted(set(_declared()) - BUDGETS.keys())
        if not name.startswith(tuple(PINNED_ELSEWHERE))
    ]

    assert unpinned == []


def _statement(path: Path) -> str:
    lines = path.read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("//"))


def _declared() -> list[str]:
    """The names that ``reading`` and ``writing`` are called with."""
    return [
        str(node.args[0].value)
        for path in (ROOT / "graph").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"reading", "writing"}
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]
