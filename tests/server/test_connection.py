"""What can go wrong with the connection: each a typed error in plain words."""

from __future__ import annotations

import socket
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from graph.errors import (
    BadInput,
    StatementFailed,
    StoreAccessDenied,
    StoreDatabaseMissing,
    StoreTimeout,
    StoreUnavailable,
)
from graph.neo4j_store import open_neo4j
from graph.statements import Access, NoParameters, Statement
from tests.neo4j_stores import address_of, run_cypher

if TYPE_CHECKING:
    from typing import LiteralString

    from graph.neo4j_runner import Neo4jAddress
    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio


WRONG = "not-the-password"


class Number(msgspec.Struct, frozen=True):
    """One column."""

    number: int


@dataclass(frozen=True, slots=True)
class Count:
    """How far to count."""

    count: int


def statement(text: LiteralString) -> Statement[NoParameters, Number]:
    """A statement that no file holds."""
    return Statement("test", Access.READ, text, NoParameters, Number, (), ("number",))


SLOW = statement(
    "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b) AS number"
)


@pytest.fixture
def address(neo4j_server: Neo4jServer) -> Neo4jAddress:
    """The server's address."""
    return address_of(neo4j_server)


async def _open(address: Neo4jAddress) -> None:
    async with open_neo4j(address):
        pytest.fail("it was opened")


async def test_a_wrong_password_is_no_access(address: Neo4jAddress) -> None:
    """The words say what to look at, and never the password."""
    with pytest.raises(StoreAccessDenied) as refused:
        await _open(replace(address, password=WRONG))

    assert "user and password" in str(refused.value)
    assert WRONG not in str(refused.value)


async def test_a_database_that_is_not_there_is_named(address: Neo4jAddress) -> None:
    """Before anything is asked of it."""
    with pytest.raises(StoreDatabaseMissing) as refused:
        await _open(replace(address, database="nowhere"))

    assert refused.value.database == "nowhere"


async def test_a_server_that_is_down_is_unavailable(address: Neo4jAddress) -> None:
    """Nobody listens at that port."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]

    with pytest.raises(StoreUnavailable):
        await _open(replace(address, uri=f"bolt://127.0.0.1:{port}"))


@pytest.mark.parametrize("uri", ["http://127.0.0.1:7474", "127.0.0.1", "bolt://127.0.0.1:port"])
async def test_what_is_no_address_is_told(address: Neo4jAddress, uri: str) -> None:
    """The words name what was given."""
    with pytest.raises(BadInput) as refused:
        await _open(replace(address, uri=uri))

    assert uri in str(refused.value)


async def test_a_read_that_takes_too_long_is_stopped(address: Neo4jAddress) -> None:
    """The transaction's time is up, on the server, too."""
    async with open_neo4j(address, timeout_seconds=0.3) as store:
        with pytest.raises(StoreTimeout):
            await store.runner.read_one(SLOW, NoParameters())


async def test_a_write_that_takes_too_long_is_stopped(address: Neo4jAddress) -> None:
    """It may be given more time than others."""
    async with open_neo4j(address) as store:
        with pytest.raises(StoreTimeout):
            await store.runner.write(
                lambda transaction: transaction.run(SLOW, NoParameters()), seconds=0.3
            )


async def test_a_statement_that_is_wrong_is_this_programs_fault(address: Neo4jAddress) -> None:
    """Its text stays in the cause, for the log."""
    async with open_neo4j(address) as store:
        with pytest.raises(StatementFailed) as refused:
            await store.runner.read_one(statement("RETURN nonsense AS number"), NoParameters())

    assert "nonsense" not in str(refused.value)
    assert "nonsense" in str(refused.value.__cause__)


async def test_another_answer_than_declared_is_this_programs_fault(address: Neo4jAddress) -> None:
    """Other columns, or another number of records where there has to be one."""
    two = statement("UNWIND [1, 2] AS number RETURN number")
    async with open_neo4j(address) as store:
        with pytest.raises(StatementFailed, match="answers with"):
            await store.runner.read_one(statement("RETURN 1 AS another"), NoParameters())
        with pytest.raises(StatementFailed, match="2 records"):
            await store.runner.read_one(two, NoParameters())


async def test_an_error_of_the_work_itself_is_not_translated(address: Neo4jAddress) -> None:
    """The transaction is undone and the error comes out as it is."""

    async def fail(_transaction: object) -> None:
        raise KeyError("mine")

    async with open_neo4j(address) as store:
        with pytest.raises(KeyError, match="mine"):
            await store.runner.write(fail)


async def test_what_the_server_remarks_becomes_a_warning_where_asked(
    address: Neo4jAddress,
) -> None:
    """The tests turn warnings into errors; a service would only fill its log."""
    remarkable = statement("MATCH (x:NoSuchLabelAnywhere) RETURN count(x) AS number")
    async with open_neo4j(address) as store:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert await store.runner.read_one(remarkable, NoParameters()) == Number(0)

    async with open_neo4j(address, warn=True) as store:
        with pytest.warns(match="NoSuchLabelAnywhere"):
            await store.runner.read_one(remarkable, NoParameters())


async def test_a_read_goes_on_after_its_connection_broke(
    address: Neo4jAddress, neo4j_server: Neo4jServer
) -> None:
    """It is asked again over a new one."""
    async with open_neo4j(address) as store:
        before = await store.has_threads()
        mine = "CALL dbms.listConnections() YIELD connectionId, userAgent WHERE userAgent = $agent"
        killed = await run_cypher(
            neo4j_server,
            f"{mine} CALL dbms.killConnection(connectionId) YIELD message RETURN message",
            agent="thread-lineage",
        )

        assert killed
        assert await store.has_threads() is before
