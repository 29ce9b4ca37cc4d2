"""A runner that has the server profile every statement, for the tests of plans."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from neo4j import AsyncGraphDatabase

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from neo4j import AsyncDriver, AsyncSession, AsyncTransaction

    from graph.runner import Transaction
    from graph.statements import Asked, Result, Row, Statement
    from tests.neo4j_stores import Server


@dataclass(frozen=True, slots=True)
class Operator:
    """A step of a plan: what it does, how many rows it gave and what it read for them."""

    name: str
    rows: int
    hits: int


@dataclass(frozen=True, slots=True)
class Plan:
    """How one statement was carried out, and the bytes of memory that it needed at most."""

    statement: str
    operators: tuple[Operator, ...]
    memory: int

    @property
    def hits(self) -> int:
        """What the whole statement read, in database hits."""
        return sum(operator.hits for operator in self.operators)

    def named(self, name: str) -> list[Operator]:
        """The operators whose name begins so."""
        return [operator for operator in self.operators if operator.name.startswith(name)]


@asynccontextmanager
async def profiling(server: Server) -> AsyncGenerator[ProfilingRunner]:
    """A runner on a server that keeps the plan of each statement."""
    async with AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
        server.uri, auth=(server.user, server.password)
    ) as driver:
        yield ProfilingRunner(driver, server.database)


class ProfilingRunner:
    """Keeps the plan of each statement that it ran."""

    def __init__(self, driver: AsyncDriver, database: str) -> None:
        self._driver = driver
        self._database = database
        self.plans: list[Plan] = []

    async def read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        async with self._driver.session(database=self._database) as session:  # pyright: ignore[reportUnknownMemberType] - untyped settings
            return await _profiled(session, statement, parameters, self.plans)

    async def read_one(self, statement: Statement[Asked, Row], parameters: Asked) -> Row:
        (row,) = await self.read(statement, parameters)
        return row

    async def read_together(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        return await self.write(work, seconds=seconds)

    async def write(
        self,
        work: Callable[[Transaction], Awaitable[Result]],
        *,
        seconds: float | None = None,
    ) -> Result:
        async with (
            self._driver.session(database=self._database) as session,  # pyright: ignore[reportUnknownMemberType] - untyped settings
            await session.begin_transaction() as opened,
        ):
            result = await work(_ProfiledTransaction(opened, self.plans))
            await opened.commit()
            return result


class _ProfiledTransaction:
    """A transaction that keeps the plan of each of its statements."""

    def __init__(self, opened: AsyncTransaction, plans: list[Plan]) -> None:
        self._opened, self._plans = opened, plans

    async def run(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        return await _profiled(self._opened, statement, parameters, self._plans)


async def _profiled(
    runs: AsyncSession | AsyncTransaction,
    statement: Statement[Asked, Row],
    parameters: Asked,
    plans: list[Plan],
) -> list[Row]:
    # A test asks for the profile of a statement whose text is a file's.
    text: Any = "PROFILE " + statement.text
    result = await runs.run(text, statement.values(parameters))
    values: list[list[Any]] = await result.values()
    summary = await result.consume()
    profile = cast("dict[str, Any]", summary.profile)  # pyright: ignore[reportUnknownMemberType] - an untyped dict
    plans.append(
        Plan(
            statement=statement.name,
            operators=tuple(_operators(profile)),
            memory=profile["args"].get("GlobalMemory", 0),
        )
    )
    return [statement.row(*row) for row in values]


def _operators(step: dict[str, Any]) -> list[Operator]:
    found = [
        Operator(
            name=step["operatorType"].partition("@")[0],
            rows=step["args"].get("Rows", 0),
            hits=step["args"].get("DbHits", 0),
        )
    ]
    for child in step.get("children", []):
        found += _operators(child)
    return found
