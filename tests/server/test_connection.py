"""What can go wrong with the connection: each a typed error in plain words."""

from __future__ import annotations

import socket
import warnings
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio
import msgspec
import pytest
from anyio.abc import SocketAttribute
from neo4j import AsyncGraphDatabase
from neo4j.exceptions import Neo4jError

from graph.errors import (
    BadInput,
    StatementFailed,
    StoreAccessDenied,
    StoreDatabaseMissing,
    StoreTimeout,
    StoreUnavailable,
)
from graph.neo4j_runner import Neo4jRunner, translated
from graph.neo4j_store import open_neo4j
from graph.statements import Access, NoParameters, Statement
from tests.neo4j_stores import address_of, run_cypher

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from typing import LiteralString

    from anyio.abc import ByteStream, SocketStream
    from neo4j import AsyncDriver

    from graph.neo4j_runner import Neo4jAddress
    from graph.runner import Transaction
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


def statement(
    text: LiteralString, access: Access = Access.READ
) -> Statement[NoParameters, Number]:
    """A statement that no file holds."""
    return Statement("test", access, text, NoParameters, Number, (), ("number",))


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
    async with open_neo4j(address) as store:
        assert isinstance(store.runner, Neo4jRunner)
        store.runner.timeout_seconds = 3.0
        with pytest.raises(StoreTimeout):
            await store.runner.read_one(SLOW, NoParameters())


async def test_a_write_that_takes_too_long_is_stopped(address: Neo4jAddress) -> None:
    """It may be given more time than others."""
    async with open_neo4j(address) as store:
        with pytest.raises(StoreTimeout):
            await store.runner.write(
                lambda transaction: transaction.run(SLOW, NoParameters()), seconds=3.0
            )


async def test_a_server_that_falls_silent_is_not_waited_for_for_ever(
    address: Neo4jAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is frozen, or a way to it that swallows everything, tells nobody that it ended."""
    monkeypatch.setattr("graph.neo4j_runner.SILENCE_SECONDS", 0.5)
    async with swallowing(address) as (through, silent), open_neo4j(through) as store:
        assert isinstance(store.runner, Neo4jRunner)
        answered = await store.runner.read_one(statement("RETURN 1 AS number"), NoParameters())
        silent.set()
        store.runner.timeout_seconds = 0.5
        with pytest.raises(StoreTimeout, match="does not answer"):
            await store.runner.read_one(statement("RETURN 1 AS number"), NoParameters())

    assert answered == Number(1)


@asynccontextmanager
async def swallowing(address: Neo4jAddress) -> AsyncGenerator[tuple[Neo4jAddress, anyio.Event]]:
    """A way to the server over which nothing gets any more once the event is set."""
    host, _, port = address.uri.partition("://")[2].partition(":")
    silent = anyio.Event()

    async def pass_on(here: ByteStream, there: ByteStream) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for data in here:
                if not silent.is_set():
                    await there.send(data)

    async def connect(client: SocketStream) -> None:
        async with (
            client,
            await anyio.connect_tcp(host, int(port)) as server,
            anyio.create_task_group() as ways,
        ):
            ways.start_soon(pass_on, client, server)
            await pass_on(server, client)
            ways.cancel_scope.cancel()

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as serving,
    ):
        serving.start_soon(listener.serve, connect)
        own = listener.extra(SocketAttribute.local_port)  # noqa: S610 - Django's word, not Django's
        yield replace(address, uri=f"bolt://127.0.0.1:{own}"), silent
        serving.cancel_scope.cancel()


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

        assert await break_connections(neo4j_server)
        assert await store.has_threads() is before


async def test_a_write_is_done_again_after_its_connection_broke(
    address: Neo4jAddress, neo4j_server: Neo4jServer
) -> None:
    """Its work is called again, as a whole; what the first attempt did is undone."""
    attempts = 0
    create = statement("CREATE (:Attempt) RETURN 1 AS number", Access.WRITE)
    count = statement("MATCH (a:Attempt) RETURN count(a) AS number")

    async def work(transaction: Transaction) -> Number:
        nonlocal attempts
        attempts += 1
        await transaction.run(create, NoParameters())
        if attempts == 1:
            await break_connections(neo4j_server)
        (created,) = await transaction.run(count, NoParameters())
        return created

    async with open_neo4j(address) as store:
        created = await store.runner.write(work)
    await run_cypher(neo4j_server, "MATCH (a:Attempt) DELETE a")

    assert (attempts, created) == (2, Number(1))


async def test_a_read_is_sent_to_who_only_reads(address: Neo4jAddress) -> None:
    """It says that it reads: a cluster sends it to a reader, and no server lets it write."""
    async with open_neo4j(address) as store:
        with pytest.raises(StatementFailed) as alone:
            await store.runner.read_one(
                statement("CREATE (:Attempt) RETURN 1 AS number"), NoParameters()
            )
        with pytest.raises(StatementFailed) as together:
            await store.runner.read_together(
                lambda transaction: transaction.run(
                    statement("CREATE (:Attempt) RETURN 1 AS number"), NoParameters()
                )
            )

    assert "AccessMode" in str(alone.value)
    assert "AccessMode" in str(together.value)


async def test_what_fails_for_the_moment_only_is_unavailable(neo4j_server: Neo4jServer) -> None:
    """Two that wait for each other: the one that the server stops may ask again."""
    await run_cypher(neo4j_server, "CREATE (:Lock {name: 'a'}), (:Lock {name: 'b'})")
    take: LiteralString = "MATCH (l:Lock {name: $name}) SET l.taken = true"
    stopped: list[Neo4jError] = []

    async def take_both(driver: AsyncDriver, first: str, second: str, both: anyio.Event) -> None:
        async with driver.session(database=neo4j_server.database) as session:  # pyright: ignore[reportUnknownMemberType] - untyped settings
            try:
                async with await session.begin_transaction() as transaction:
                    await (await transaction.run(take, name=first)).consume()
                    if both.statistics().tasks_waiting:
                        both.set()
                    await both.wait()
                    await (await transaction.run(take, name=second)).consume()
            except Neo4jError as error:
                stopped.append(error)

    both = anyio.Event()
    async with (
        AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            neo4j_server.uri, auth=(neo4j_server.user, neo4j_server.password)
        ) as driver,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(take_both, driver, "a", "b", both)
        tasks.start_soon(take_both, driver, "b", "a", both)
    await run_cypher(neo4j_server, "MATCH (l:Lock) DELETE l")

    (error,) = stopped
    assert isinstance(translated(error, neo4j_server.database), StoreUnavailable)


async def break_connections(server: Neo4jServer) -> list[list[object]]:
    """What the server says of each connection of the product that it has just closed."""
    mine = "CALL dbms.listConnections() YIELD connectionId, userAgent WHERE userAgent = $agent"
    return await run_cypher(
        server,
        f"{mine} CALL dbms.killConnection(connectionId) YIELD message RETURN message",
        agent="thread-lineage",
    )
