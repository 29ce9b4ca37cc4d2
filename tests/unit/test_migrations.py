"""Which migrations are missing, and the files they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.errors import SchemaChanged, SchemaTooNew
from graph.migrations import Migration, load_migrations, missing
from graph.statements import Access, NoParameters, Nothing, Statement

if TYPE_CHECKING:
    from typing import LiteralString


INDEX = "CREATE INDEX x IF NOT EXISTS FOR (t:T) ON (t.x)"


def migration(number: int, text: LiteralString = INDEX) -> Migration:
    """A migration whose checksum is its text."""
    statement: Statement[NoParameters, Nothing] = Statement(
        f"schema/{number}", Access.WRITE, text, NoParameters, Nothing, (), ()
    )
    return Migration(number, f"{number:03}-name", text, statement)


KNOWN = [migration(1), migration(2), migration(3)]


def applied(*migrations: Migration) -> dict[int, str]:
    """What a graph remembers of migrations."""
    return {at.number: at.checksum for at in migrations}


def test_all_are_missing_in_an_empty_graph() -> None:
    """In the order of their numbers."""
    assert missing(KNOWN, {}) == KNOWN


def test_nothing_is_missing_where_all_were_applied() -> None:
    """A second start finds nothing to do."""
    assert missing(KNOWN, applied(*KNOWN)) == []


def test_what_was_left_out_is_applied_later() -> None:
    """A gap can come from two branches that were merged."""
    assert missing(KNOWN, applied(KNOWN[0], KNOWN[2])) == [KNOWN[1]]


def test_a_newer_schema_is_refused() -> None:
    """An older program does not know what the newer one relies on."""
    with pytest.raises(SchemaTooNew) as refused:
        missing(KNOWN, applied(*KNOWN, migration(4)))

    assert (refused.value.found, refused.value.known) == (4, 3)
    assert "newer thread-lineage" in str(refused.value)


def test_an_edited_migration_is_refused() -> None:
    """The graph was made by another text than the one that stands there now."""
    with pytest.raises(SchemaChanged) as refused:
        missing(KNOWN, applied(KNOWN[0], migration(2, "something else")))

    assert refused.value.name == "002-name"


def test_the_files_are_numbered_without_gaps() -> None:
    """A number is never used twice, and each file is named for what it adds."""
    numbers = [at.number for at in load_migrations()]

    assert numbers == list(range(1, len(numbers) + 1))


def test_every_migration_can_be_run_twice() -> None:
    """A service that dies between a change and its note makes the change again."""
    unsafe = [
        at.name
        for at in load_migrations()
        if not ("IF NOT EXISTS" in at.statement.text or "IF EXISTS" in at.statement.text)
        and not ("MERGE" in at.statement.text or "CALL db.create" in at.statement.text)
    ]

    assert unsafe == []


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("CREATE CONSTRAINT c IF NOT EXISTS FOR (t:T) REQUIRE t.x IS UNIQUE", True),
        ("CREATE INDEX i IF NOT EXISTS FOR (t:T) ON (t.x)", True),
        ("CREATE TEXT INDEX i IF NOT EXISTS FOR (t:T) ON (t.x)", True),
        ("DROP INDEX i IF EXISTS", True),
        ("UNWIND [1] AS n MERGE (:T {n: n})", False),
        ("MATCH (t:T) SET t.x = 1", False),
    ],
)
def test_a_change_of_the_schema_is_told_from_one_of_the_data(
    text: LiteralString, *, changes: bool
) -> None:
    """No transaction can do both."""
    assert migration(1, text).changes_schema is changes
