"""How the halves of the Neo4j store run their statements, without knowing the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from graph.statements import Asked, Result, Row, Statement


class Transaction(Protocol):
    """Statements that run together or not at all."""

    async def run(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        """The rows that one statement answers with, in its order."""
        ...


class Runner(Protocol):
    """Runs statements in a database; errors are those of ``graph.errors``.

    Whatever fails for the moment only is tried again: the work of a transaction can run twice.
    """

    async def read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        """The rows of one reading statement, in one round trip."""
        ...

    async def read_one(self, statement: Statement[Asked, Row], parameters: Asked) -> Row:
        """The only row of a reading statement that always answers with exactly one."""
        ...

    async def read_together(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        """What *work* makes of several reading statements, within *seconds* where given."""
        ...

    async def write(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        """What *work* makes of statements that are committed together, within *seconds*."""
        ...
