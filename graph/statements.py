"""Every Cypher statement as a typed value: its file, what it takes and what it answers.

A statement's file is named ``<folder>/<name>`` below ``cypher/``. Its header says the same as
its declaration, and loading compares them, so that neither can drift:

    // Every ancestor of a thread, nearest first.
    // reads: thread_id, kinds
    // returns: columns
    // Further notes.
    MATCH ...

``reads:`` (or ``writes:``) lists the parameters, ``returns:`` the columns; ``none`` is an empty
list, and a list that ends in a comma goes on in the next line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

import msgspec

if TYPE_CHECKING:
    from typing import LiteralString

CYPHER_FOLDER = Path(__file__).parent.parent / "cypher"


class Parameters(Protocol):
    """A frozen dataclass with a field for each parameter of a statement."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class NoParameters:
    """For a statement that takes none."""


class Nothing(msgspec.Struct, frozen=True):
    """For a statement that answers with no record."""


Result = TypeVar("Result")
Asked = TypeVar("Asked", bound=Parameters, contravariant=True)  # noqa: PLC0105 - reads as a word
Row = TypeVar("Row", bound=msgspec.Struct, covariant=True)  # noqa: PLC0105 - reads as a word


class Access(StrEnum):
    """Whether a statement may run on a reader."""

    READ = "reads"
    WRITE = "writes"


@dataclass(frozen=True, slots=True)
class Statement(Generic[Asked, Row]):
    """One statement: *asked* has a field a parameter, *row* a field a column, in order."""

    name: str
    access: Access
    text: LiteralString
    asked: type[Parameters]
    row: type[Row]
    parameters: tuple[str, ...]
    columns: tuple[str, ...]

    def values(self, parameters: Asked) -> dict[str, Any]:
        """The parameters as the driver takes them."""
        return {name: getattr(parameters, name) for name in self.parameters}


class StatementMismatch(Exception):
    """A statement's file and its declaration say different things."""

    def __init__(self, name: str, message: str) -> None:
        """Name the file and say what differs."""
        super().__init__(f"cypher/{name}.cypher: {message}")
        self.name = name


def reading(name: str, asked: type[Asked], row: type[Row]) -> Statement[Asked, Row]:
    """The statement of a file that only reads."""
    return _load(name, Access.READ, asked, row)


def writing(name: str, asked: type[Asked], row: type[Row]) -> Statement[Asked, Row]:
    """The statement of a file that writes."""
    return _load(name, Access.WRITE, asked, row)


def parse_header(name: str, text: str) -> tuple[Access, frozenset[str], tuple[str, ...]]:
    """The access, parameters and columns that the comments at the top of a statement state."""
    comments = [line.removeprefix("//").strip() for line in _split(text)[0]]
    opening = [*takewhile(lambda line: not line.startswith(("reads:", "writes:")), comments)]
    if not opening or not opening[-1].endswith("."):
        raise StatementMismatch(name, "the header has to begin with a sentence.")
    stated = {
        access: _listed(comments, f"{access}:")
        for access in Access
        if any(comment.startswith(f"{access}:") for comment in comments)
    }
    if len(stated) != 1:
        raise StatementMismatch(name, "the header needs one of 'reads:' and 'writes:'.")
    if not any(comment.startswith("returns:") for comment in comments):
        raise StatementMismatch(name, "the header has no 'returns:'.")
    access, parameters = stated.popitem()
    return access, frozenset(parameters), _listed(comments, "returns:")


def _load(name: str, access: Access, asked: type[Asked], row: type[Row]) -> Statement[Asked, Row]:
    text = (CYPHER_FOLDER / f"{name}.cypher").read_text("utf-8")
    stated_access, stated_parameters, stated_columns = parse_header(name, text)
    body = _split(text)[1]
    declared = tuple(field.name for field in fields(asked))
    columns = row.__struct_encode_fields__
    if stated_access is not access:
        raise StatementMismatch(name, f"the header says '{stated_access}:', not '{access}:'.")
    _compare(name, "the text uses", _parameters_in(body), frozenset(declared))
    _compare(name, "the header lists", stated_parameters, frozenset(declared))
    if stated_columns != columns:
        raise StatementMismatch(name, f"the header returns {stated_columns}, the row {columns}.")
    # The text of a file in this package is as literal as text in a module; nothing is put in.
    return Statement(name, access, cast("LiteralString", body), asked, row, declared, columns)


def _compare(name: str, where: str, found: frozenset[str], declared: frozenset[str]) -> None:
    if found != declared:
        differences = ", ".join(sorted(found ^ declared))
        raise StatementMismatch(name, f"{where} other parameters than declared: {differences}.")


def _split(text: str) -> tuple[list[str], str]:
    """The comment lines at the top of a file, and the statement below them."""
    lines = text.splitlines()
    end = next((at for at, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return lines[:end], "\n".join(lines[end:]).strip()


def _parameters_in(body: str) -> frozenset[str]:
    """The ``$names`` outside comments and quoted text."""
    bare = re.sub(
        r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""", "", body, flags=re.DOTALL
    )
    return frozenset(re.findall(r"\$(\w+)", bare))


def _listed(comments: list[str], word: str) -> tuple[str, ...]:
    """The names after *word*, on into the next lines while a line ends in a comma."""
    names = ""
    for comment in comments:
        if comment.startswith(word):
            names = comment.removeprefix(word).strip()
        elif names.endswith(","):
            names += comment
    return tuple(found for found in re.findall(r"\w+", names) if found != "none")
