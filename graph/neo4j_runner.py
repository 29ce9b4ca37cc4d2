"""Typed statements through the official driver of Neo4j.

The only place that knows the driver besides the migrations: it opens and closes it, runs the
typed statements and translates its errors.
"""

from __future__ import annotations

import logging
import random
import warnings
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import msgspec
from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncGraphDatabase,
    NotificationMinimumSeverity,
    Query,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    Forbidden,
    GqlError,
    Neo4jError,
)

from graph.errors import (
    BadInput,
    StatementFailed,
    StoreAccessDenied,
    StoreDatabaseMissing,
    StoreError,
    StoreTimeout,
    StoreUnavailable,
)
from graph.statements import NoParameters, reading

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator

    from neo4j import AsyncDriver, AsyncManagedTransaction, AsyncResult, AsyncSession
    from neo4j.api import AsyncBookmarkManager

    from graph.runner import Transaction
    from graph.statements import Asked, Result, Row, Statement

log = logging.getLogger(__name__)


class Answer(msgspec.Struct, frozen=True):
    """That the database answers."""

    answer: int


VERIFY = reading("connection/verify", NoParameters, Answer)
SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
READ_ATTEMPTS = 6
RETRY_SECONDS = 15.0
SILENCE_SECONDS = 10.0
"""So long after a transaction's time is up a server that says nothing is waited for: the server
ends a transaction itself, but not one that is frozen or can't be reached any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neo4jAddress:
    """Where the database is, and as whom to open it."""

    uri: str
    user: str
    password: str
    database: str = "neo4j"


@asynccontextmanager
async def open_runner(
    address: Neo4jAddress, *, timeout_seconds: float = 60.0, warn: bool = False
) -> AsyncGenerator[Neo4jRunner]:
    """A runner over an open connection that was tried once; closed at the end.

    *timeout_seconds* is the longest that a transaction may take. With *warn*, whatever the
    server remarks on a statement becomes a Python warning. ``BadInput`` for what is no address.
    """
    if address.uri.partition("://")[0] not in SCHEMES:
        raise BadInput(f"{address.uri!r} is no address of a Neo4j: it begins with bolt or neo4j.")
    try:
        driver = AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            address.uri,
            auth=(address.user, address.password),
            max_transaction_retry_time=RETRY_SECONDS,
            user_agent="thread-lineage",
            telemetry_disabled=True,
            notifications_min_severity=None if warn else NotificationMinimumSeverity.OFF,
        )
    except (ConfigurationError, ValueError) as error:
        raise BadInput(f"{address.uri!r} is no address of a Neo4j: {error}") from error
    async with driver:
        runner = Neo4jRunner(driver, address.database, timeout_seconds)
        try:
            await runner.verify()
        except ValueError as error:
            # The driver looks at a port only when it uses it.
            raise BadInput(f"{address.uri!r} is no address of a Neo4j: {error}") from error
        yield runner


class Neo4jTransaction:
    """The statements of one managed transaction."""

    def __init__(self, transaction: AsyncManagedTransaction) -> None:
        self._transaction = transaction

    async def run(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        with _sent():
            result = await self._transaction.run(statement.text, statement.values(parameters))
        return await _rows(statement, result)


class Neo4jRunner:
    """Runs typed statements; every transaction names database, access, timeout and purpose."""

    def __init__(self, driver: AsyncDriver, database: str, timeout_seconds: float) -> None:
        self.driver = driver
        self.database = database
        self.timeout_seconds = timeout_seconds
        # What was written is seen by the next read, also by another member of a cluster.
        self.bookmarks: AsyncBookmarkManager = AsyncGraphDatabase.bookmark_manager()

    async def verify(self) -> None:
        """Raise what keeps the database from being used, if anything does."""
        try:
            await self.driver.verify_connectivity()  # pyright: ignore[reportUnknownMemberType] - untyped settings
        except GqlError as error:
            raise self._translated(error) from error
        await self.read_one(VERIFY, NoParameters())

    async def read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        try:
            with anyio.fail_after(self.timeout_seconds + SILENCE_SECONDS):
                return await self._read(statement, parameters)
        except TimeoutError as error:
            raise StoreTimeout("The graph database does not answer.") from error

    async def read_one(self, statement: Statement[Asked, Row], parameters: Asked) -> Row:
        rows = await self.read(statement, parameters)
        if len(rows) != 1:
            raise StatementFailed(f"{statement.name} answered with {len(rows)} records, not 1.")
        return rows[0]

    async def read_together(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        async with self._session(READ_ACCESS) as session:
            try:
                return await session.execute_read(self._unit(work, seconds))
            except GqlError as error:
                raise self._translated(error) from error

    async def write(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        async with self._session(WRITE_ACCESS) as session:
            try:
                return await session.execute_write(self._unit(work, seconds))
            except GqlError as error:
                raise self._translated(error) from error

    async def _read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        query = Query(
            statement.text,
            metadata={"app": "thread-lineage", "statement": statement.name},
            timeout=self.timeout_seconds,
        )
        values = statement.values(parameters)
        for attempt in range(READ_ATTEMPTS):
            try:
                async with self._session(READ_ACCESS) as session:
                    with _sent():
                        result = await session.run(query, values)
                    return await _rows(statement, result)
            except (Neo4jError, DriverError) as error:
                if not error.is_retryable() or attempt == READ_ATTEMPTS - 1:
                    raise self._translated(error) from error
                log.info("reading %s again after %s", statement.name, type(error).__name__)
                # Waiting times differ, so that those who collided do not meet again.
                await anyio.sleep(0.05 * 2**attempt * random.uniform(0.8, 1.2))  # noqa: S311
        raise AssertionError("the last attempt returns or raises")

    def _session(self, access: str) -> AsyncSession:
        return self.driver.session(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            database=self.database,
            default_access_mode=access,
            bookmark_manager=self.bookmarks,
        )

    def _unit(
        self, work: Callable[[Transaction], Awaitable[Result]], seconds: float | None
    ) -> Callable[[AsyncManagedTransaction], Awaitable[Result]]:
        @unit_of_work(metadata={"app": "thread-lineage"}, timeout=seconds or self.timeout_seconds)
        async def run(transaction: AsyncManagedTransaction) -> Result:
            return await work(Neo4jTransaction(transaction))

        return run

    def _translated(self, error: GqlError) -> StoreError:
        return translated(error, self.database)


def translated(error: GqlError, database: str) -> StoreError:
    """The error of ``graph.errors`` that says what the driver's error means."""
    if isinstance(error, Neo4jError):
        return _refused(error, error.code or "", database)
    if isinstance(error, DriverError) and not isinstance(error, ConfigurationError):
        return StoreUnavailable("The graph database can't be reached.")
    return StatementFailed(f"The graph database can't be used like this: {error}")


def _refused(error: Neo4jError, code: str, database: str) -> StoreError:
    if code.endswith("Database.DatabaseNotFound"):
        return StoreDatabaseMissing(database)
    if "TransactionTimedOut" in code:
        return StoreTimeout("The graph database took too long over this and was stopped.")
    if code.endswith("Security.AuthenticationRateLimit"):
        return StoreAccessDenied(
            "After several wrong passwords the graph database refuses every one for a moment."
        )
    if isinstance(error, (AuthError, Forbidden)) or ".Security." in code:
        return StoreAccessDenied(
            "The graph database does not accept this user and password, "
            "or does not let this user do that."
        )
    if error.is_retryable():
        return StoreUnavailable("The graph database refuses for the moment; try again.")
    return StatementFailed(f"The graph database does not accept a statement ({code}).")


@contextmanager
def _sent() -> Generator[None]:
    """``BadInput`` for a value that can't even be put on the wire."""
    try:
        yield
    except (OverflowError, UnicodeEncodeError) as error:
        raise BadInput(f"A value can't be stored: {error}.") from error


async def _rows(statement: Statement[Asked, Row], result: AsyncResult) -> list[Row]:
    # A connection that broke is told by the values; the names of the columns are then missing.
    values: list[list[Any]] = await result.values()
    if tuple(result.keys()) != statement.columns:
        raise StatementFailed(
            f"{statement.name} answers with {result.keys()}, not {statement.columns}."
        )
    # The driver's own warnings are not used: for each statement they read the source of every
    # frame on the stack, which takes longer than the statement.
    for told in (await result.consume()).gql_status_objects:
        if told.is_notification:
            warnings.warn(f"{statement.name}: {told.status_description}", stacklevel=2)
    return [statement.row(*row) for row in values]
