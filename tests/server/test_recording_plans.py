"""What recording costs: a fixed number of statements, each from an index or along edges."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from neo4j import AsyncGraphDatabase

import graph
from graph.errors import BadInput, IdTooLong
from graph.neo4j_store import Neo4jStore
from graph.records import Batch, ItemsRecord, ThreadRecord, WindowRecord
from graph.statements import Statement
from tests.conformance.told import forked, item, run, spawned, tell, thread
from tests.neo4j_stores import count_indexes, open_empty
from tests.server.counting import CountingRunner
from tests.server.statement_budgets import PINNED_ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio

SCANS = (
    "AllNodesScan",
    "NodeByLabelScan",
    "NodeIndexScan",
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
    "DirectedAllRelationshipsScan",
    "UndirectedAllRelationshipsScan",
)


@pytest.fixture
async def store(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """An empty store."""
    async with open_empty(neo4j_server) as opened:
        yield opened


def family(name: str, size: int) -> list[ThreadRecord]:
    """A thread with children, forks and all that threads have; each names others by turns."""
    point = {"point_native_turn_id": f"{name}-turn-0"}
    return [
        spawned(
            f"{name}-{number}",
            f"{name}-root",
            native_thread_id=f"{name}-{number}",
            fork=forked("x", f"{name}-{number - 1}", edge=point).fork,
            digest="d",
            runs=(
                run(
                    f"{name}-{number}/1",
                    number % 60,
                    native_turn_id=f"{name}-turn-{number}",
                    parent_native_turn_id=f"{name}-turn-0",
                    rollout_id=f"{name}-{number}",
                    native_ordinal=1,
                ),
            ),
            windows=(WindowRecord(number=0),),
            items=ItemsRecord(items=(item(f"{name}-{number}/i", 0),)),
        )
        for number in range(size)
    ]


async def _statements(store: Neo4jStore, batch: Batch) -> list[str]:
    runner = CountingRunner(store.runner)
    await Neo4jStore(runner).record(batch)
    return runner.ran


async def test_a_batch_of_any_size_takes_as_many_statements(store: Neo4jStore) -> None:
    """New threads, and threads that are there already."""
    small = await _statements(store, Batch(threads=tuple(family("small", 2))))
    large = await _statements(store, Batch(threads=tuple(family("large", 100))))
    moves = [
        await _statements(store, Batch(threads=(forked(f"{name}-0", f"{name}-1", digest="new"),)))
        for name in ("small", "large")
    ]

    assert small == large
    assert moves[0] == moves[1]


async def test_threads_that_are_unchanged_cost_one_read(store: Neo4jStore) -> None:
    """Nothing is locked, nothing is written."""
    batch = Batch(threads=tuple(family("same", 50)))
    await store.record(batch)

    assert await _statements(store, batch) == ["record/known"]


async def test_a_new_thread_alone_costs_few_statements(store: Neo4jStore) -> None:
    """The usual import: look, lock and make, write the thread, its runs and what names them."""
    told = thread("new", runs=(run("new/1", 1, native_turn_id="t"),))

    assert await _statements(store, Batch(threads=(told,))) == [
        "record/known",
        "record/enter",
        "record/threads",
        "record/runs",
        "record/unsettled_runs",
        "record/forks_to_settle",
    ]


PINNED = (
    "record/",
    *(name for name, test in PINNED_ELSEWHERE.items() if test == Path(__file__).name),
)
"""By the beginning of their names, the statements that must not scan."""


async def test_no_writing_scans_the_graph(neo4j_server: Neo4jServer, store: Neo4jStore) -> None:
    """Each begins at an index, whatever the graph holds."""
    await store.record(Batch(threads=tuple(family("some", 500))))
    await count_indexes(neo4j_server)

    scans = {
        name: found
        for name, operators in (await _plans(neo4j_server)).items()
        if name.startswith(tuple(PINNED))
        and (found := [operator for operator in operators if operator in SCANS])
    }

    assert scans == {}


async def test_an_empty_graph_knows_every_name_that_a_statement_uses(
    neo4j_server: Neo4jServer, store: Neo4jStore
) -> None:
    """The server has nothing to remark, not even before the first thread."""
    assert not await store.has_threads()

    plans = await _plans(neo4j_server)

    assert len(plans) > 50


async def test_a_value_that_no_property_holds_is_bad_input(store: Neo4jStore) -> None:
    """A number over 63 bits, half a surrogate pair: nothing of the batch is written."""
    with pytest.raises(BadInput):
        await tell(store, thread("fine"), thread("a", runs=(run("a/1", 1, input_tokens=2**63),)))
    with pytest.raises(BadInput):
        await tell(store, thread("fine"), thread("a", title="\ud800"))

    assert not await store.has_threads()


@pytest.mark.parametrize("field", ["cwd", "git_repository"])
async def test_a_place_that_no_index_holds_is_refused(store: Neo4jStore, field: str) -> None:
    """Longer than any system's longest path."""
    await tell(store, thread("a", **{field: "x" * 4_096}))

    with pytest.raises(IdTooLong):
        await tell(store, thread("b", **{field: "x" * 4_097}))


async def test_long_texts_are_stored_whole(store: Neo4jStore) -> None:
    """Only the search looks no further than its index does."""
    long = "é" * 40_000

    await tell(store, thread("a", title=long, preview=long, model=long))

    [found] = (await store.threads_by_id([thread("a").thread_id])).values()
    assert (found.title, found.preview, found.model) == (long, long, long)


def _declared() -> Iterator[Statement[Any, Any]]:
    """Every statement that a module of the graph declares, but those that migrate."""
    for module in pkgutil.iter_modules(graph.__path__):
        if module.name.startswith(("local_neo4j", "neo4j_jars", "neo4j_lock")):
            continue
        for value in vars(importlib.import_module(f"graph.{module.name}")).values():
            if isinstance(value, Statement) and not value.name.startswith("migration/"):
                yield value


async def _plans(server: Neo4jServer) -> dict[str, list[str]]:
    """The operators of each statement's plan; what the server remarks is a warning."""
    found: dict[str, list[str]] = {}
    async with (
        AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            server.uri,
            auth=(server.user, server.password),
            warn_notification_severity="INFORMATION",
        ) as driver,
        driver.session(database=server.database) as session,  # pyright: ignore[reportUnknownMemberType] - untyped settings
    ):
        for statement in _declared():
            text: Any = "EXPLAIN " + statement.text
            result = await session.run(text, dict.fromkeys(statement.parameters))
            summary = await result.consume()
            plan = cast("dict[str, Any]", summary.plan)  # pyright: ignore[reportUnknownMemberType] - an untyped dict
            found[statement.name] = list(_operators(plan))
    return found


def _operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", []):
        yield from _operators(child)
