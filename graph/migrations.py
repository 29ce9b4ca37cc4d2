"""The graph's constraints and indexes, brought up to date by numbered files.

``cypher/schema/NNN-name.cypher`` holds one statement that can be run twice. What was applied is
remembered in the graph as a node a migration. Several services that start at once apply each
file once: they meet at a locked node and the later ones find nothing left to do.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from graph.errors import SchemaChanged, SchemaTooNew
from graph.statements import (
    CYPHER_FOLDER,
    NoParameters,
    Nothing,
    Statement,
    reading,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph.runner import Runner, Transaction

PATIENCE_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of ``cypher/schema``."""

    number: int
    name: str
    checksum: str
    statement: Statement[NoParameters, Nothing]

    @property
    def changes_schema(self) -> bool:
        """Whether it makes or drops a constraint or an index, and not a node."""
        return re.match(r"(CREATE|DROP) .*(CONSTRAINT|INDEX) ", self.statement.text) is not None


class Applied(msgspec.Struct, frozen=True):
    """What the graph remembers of its migrations, a column each."""

    numbers: list[int]
    checksums: list[str]


@dataclass(frozen=True, slots=True)
class AppliedNow:
    """The migrations that have just been applied: number, name, checksum of each, and when."""

    migrations: list[dict[str, int | str]]
    applied_at: str


FIRST = writing("migration/first", NoParameters, Nothing)
LOCK = writing("migration/lock", NoParameters, Applied)
APPLIED = reading("migration/applied", NoParameters, Applied)
REMEMBER = writing("migration/remember", AppliedNow, Nothing)
AWAIT_INDEXES = reading("migration/await_indexes", NoParameters, Nothing)


async def migrate(runner: Runner, migrations: Sequence[Migration] | None = None) -> int:
    """Apply what is missing and answer how many files that were.

    ``SchemaTooNew`` where a newer version of this program was here, ``SchemaChanged`` where an
    applied file was edited; then nothing is applied.
    """
    known = load_migrations() if migrations is None else migrations
    if not missing(known, _by_number(await runner.read_one(APPLIED, NoParameters()))):
        return 0
    await runner.write(lambda transaction: transaction.run(FIRST, NoParameters()))

    async def apply(transaction: Transaction) -> int:
        [applied] = await transaction.run(LOCK, NoParameters())
        todo = missing(known, _by_number(applied))
        for _, together in groupby(todo, key=lambda migration: migration.changes_schema):
            await _run(runner, list(together))
        applied_at = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        remembered = AppliedNow([_remembered(at) for at in todo], applied_at)
        await transaction.run(REMEMBER, remembered)
        return len(todo)

    count = await runner.write(apply, seconds=PATIENCE_SECONDS)
    await runner.read_together(
        lambda transaction: transaction.run(AWAIT_INDEXES, NoParameters()),
        seconds=PATIENCE_SECONDS,
    )
    return count


async def count_missing(runner: Runner) -> int:
    """How many files ``migrate`` would apply; refuses what it refuses, and changes nothing."""
    applied = await runner.read_one(APPLIED, NoParameters())
    return len(missing(load_migrations(), _by_number(applied)))


def missing(known: Sequence[Migration], applied: Mapping[int, str]) -> list[Migration]:
    """The migrations that are still to be applied, in order."""
    newest = max((migration.number for migration in known), default=0)
    if max(applied, default=0) > newest:
        raise SchemaTooNew(max(applied), newest)
    for migration in known:
        if applied.get(migration.number, migration.checksum) != migration.checksum:
            raise SchemaChanged(migration.name)
    return [migration for migration in known if migration.number not in applied]


def load_migrations() -> list[Migration]:
    """The files of ``cypher/schema`` by number."""
    return [_load(path.stem) for path in sorted((CYPHER_FOLDER / "schema").glob("*.cypher"))]


def _load(name: str) -> Migration:
    number = re.match(r"(\d{3})-[a-z0-9-]+$", name)
    if number is None:
        raise ValueError(f"cypher/schema/{name}.cypher is not named like 001-what-it-adds.cypher.")
    statement = writing(f"schema/{name}", NoParameters, Nothing)
    checksum = hashlib.sha256(statement.text.encode()).hexdigest()
    return Migration(int(number[1]), name, checksum, statement)


async def _run(runner: Runner, together: Sequence[Migration]) -> None:
    """Apply migrations in a transaction of their own: none can change both schema and data."""

    async def run(transaction: Transaction) -> None:
        for migration in together:
            await transaction.run(migration.statement, NoParameters())

    await runner.write(run, seconds=PATIENCE_SECONDS)


def _remembered(migration: Migration) -> dict[str, int | str]:
    return {
        "number": migration.number,
        "name": migration.name,
        "checksum": migration.checksum,
    }


def _by_number(applied: Applied) -> dict[int, str]:
    return dict(zip(applied.numbers, applied.checksums, strict=True))
