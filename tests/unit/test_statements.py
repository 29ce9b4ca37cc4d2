"""Typed statements: their files and their declarations say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import pytest

from graph import statements
from graph.statements import (
    Access,
    NoParameters,
    StatementMismatch,
    parse_header,
    reading,
    writing,
)

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Asked:
    """Two parameters."""

    thread_id: str
    first: int


class Answer(msgspec.Struct, frozen=True):
    """Two columns."""

    title: str
    depth: int


GOOD = """\
// A thread's title and depth.
// reads: thread_id, first
// returns: title, depth
// A note: its words, and $words, count for nothing.
MATCH (t:Thread {threadId: $thread_id}) // not $a_parameter
WHERE t.title <> '$quoted' AND t.title <> "$quoted, too" /* $neither
is this */
RETURN t.title AS title, t.depth AS depth LIMIT $first
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of statements."""
    monkeypatch.setattr(statements, "CYPHER_FOLDER", tmp_path)
    (tmp_path / "threads").mkdir()
    return tmp_path / "threads"


def test_a_statement_knows_its_parameters_and_columns(folder: Path) -> None:
    """Its text is the file without the header; comments and quoted text name no parameter."""
    (folder / "one.cypher").write_text(GOOD)

    statement = reading("threads/one", Asked, Answer)

    assert statement.text == GOOD.split("count for nothing.\n")[1].strip()
    assert (statement.access, statement.parameters, statement.columns) == (
        Access.READ,
        ("thread_id", "first"),
        ("title", "depth"),
    )
    assert statement.values(Asked("a", 5)) == {"thread_id": "a", "first": 5}


def test_a_statement_without_parameters_and_columns_says_none(folder: Path) -> None:
    """The word stands for an empty list."""
    (folder / "none.cypher").write_text(
        "// Changes nothing.\n// writes: none\n// returns: none\nFINISH\n"
    )

    statement = writing("threads/none", NoParameters, statements.Nothing)

    assert (statement.parameters, statement.columns) == ((), ())


def test_columns_are_named_as_the_row_encodes_them(folder: Path) -> None:
    """A row that renames its fields has the columns of Cypher's case."""

    class Renamed(msgspec.Struct, frozen=True, rename="camel"):
        root_thread_id: str

    (folder / "root.cypher").write_text(
        "// A root.\n// reads: none\n// returns: rootThreadId\nRETURN 'a' AS rootThreadId\n"
    )

    assert reading("threads/root", NoParameters, Renamed).columns == ("rootThreadId",)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("LIMIT $first", "", "the text uses other parameters than declared: first"),
        ("LIMIT $first", "LIMIT $last", "the text uses other parameters than declared: first, la"),
        (
            "thread_id, first",
            "thread_id",
            "the header lists other parameters than declared: first",
        ),
        ("title, depth", "depth, title", "the header returns"),
        ("// reads:", "// writes:", "the header says 'writes:', not 'reads:'"),
        ("// reads: thread_id, first\n", "", "the header needs one of"),
        ("// returns: title, depth\n", "", "the header has no 'returns:'"),
        ("// A thread's title and depth.", "// A thread", "has to begin with a sentence"),
    ],
)
def test_a_file_that_says_something_else_is_refused(
    folder: Path, old: str, new: str, said: str
) -> None:
    """The error names the file and what differs."""
    (folder / "one.cypher").write_text(GOOD.replace(old, new, 1))

    with pytest.raises(StatementMismatch) as refused:
        reading("threads/one", Asked, Answer)

    assert str(refused.value).startswith("cypher/threads/one.cypher: ")
    assert said in str(refused.value)


def test_a_long_list_goes_on_in_the_next_line() -> None:
    """As long as a line ends in a comma."""
    header = parse_header(
        "x", "// A row.\n// reads: a,\n// b,\n// c\n// returns: d,\n// e\n// Notes.\nRETURN 1\n"
    )

    assert header == (Access.READ, frozenset({"a", "b", "c"}), ("d", "e"))
