"""A runner that remembers which statements ran, for the tests of what recording costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from graph.runner import Runner, Transaction
    from graph.statements import Asked, Result, Row, Statement


class CountingTransaction:
    """A transaction that tells its statements."""

    def __init__(self, transaction: Transaction, ran: list[str]) -> None:
        self._transaction = transaction
        self._ran = ran

    async def run(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        self._ran.append(statement.name)
        return await self._transaction.run(statement, parameters)


class CountingRunner:
    """Passes everything on; *ran* holds the names of the statements in order."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.ran: list[str] = []

    async def read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        self.ran.append(statement.name)
        return await self._runner.read(statement, parameters)

    async def read_one(self, statement: Statement[Asked, Row], parameters: Asked) -> Row:
        self.ran.append(statement.name)
        return await self._runner.read_one(statement, parameters)

    async def read_together(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        return await self._runner.read_together(
            lambda transaction: work(CountingTransaction(transaction, self.ran)), seconds=seconds
        )

    async def write(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        return await self._runner.write(
            lambda transaction: work(CountingTransaction(transaction, self.ran)), seconds=seconds
        )
