"""Archiving, deleting, and changing what is said of a thread."""

from typing import Any

import pytest

from graph.neo4j_store import Neo4jStore
from graph.records import Batch
from tests.api.asking import Answer
from tests.commands.telling import Teller
from tests.conformance.told import based_on, forked, thread

pytestmark = pytest.mark.anyio


async def family(teller: Teller) -> None:
    """R spawned A and C, A spawned B; F is a fork of R."""
    await teller.recorded("R")
    await teller.completed("R", "r1")
    for child, parent in (("A", "R"), ("C", "R"), ("B", "A")):
        await teller.recorded(child, parent={"threadId": parent})
    await teller.tell("forkThread", sourceThreadId="R", targetThreadId="F")


def moved(answer: Answer) -> list[str]:
    """The threads that an answer tells, in its order."""
    return [thread["threadId"] for thread in answer["threads"]]


async def listed(teller: Teller, **conditions: Any) -> set[str]:  # noqa: ANN401 - any filter
    """The ids of a list with everything that it may hold."""
    asked = {"includeSpawned": True, **conditions}
    told = await teller.client.data(
        "query($f: ThreadFilter) { threads(filter: $f) { edges { node { threadId } } } }", f=asked
    )
    return {edge["node"]["threadId"] for edge in told["threads"]["edges"]}


async def test_a_thread_is_archived_with_all_that_it_spawned(teller: Teller) -> None:
    """The deepest first after itself; forks stay, and only one comes back."""
    await family(teller)
    archived = await teller.tell("archiveThread", threadId="R")
    left, away = await listed(teller), await listed(teller, archived=True)
    back = await teller.tell("unarchiveThread", threadId="R")

    assert moved(archived) == ["R", "B", "C", "A"]
    assert (left, away) == ({"F"}, {"R", "A", "B", "C"})
    assert back["thread"] == {"threadId": "R", "archivedAt": None}
    assert moved(back) == ["R"]
    assert await listed(teller) == {"R", "F"}


async def test_what_is_archived_already_is_passed_over(teller: Teller) -> None:
    """But asking for it by name is refused, as is bringing back what is not archived."""
    await family(teller)
    await teller.tell("archiveThread", threadId="A")

    assert await teller.refused("archiveThread", threadId="A") == "TRANSITION_NOT_ALLOWED"
    assert await teller.refused("unarchiveThread", threadId="R") == "TRANSITION_NOT_ALLOWED"
    assert moved(await teller.tell("archiveThread", threadId="R")) == ["R", "C"]


async def test_a_deletion_is_taken_back_as_it_was_made(teller: Teller, graph: Neo4jStore) -> None:
    """What another command deleted before stays deleted; the lineage shows all of it."""
    await family(teller)
    await teller.tell("deleteThread", threadId="B")
    deleted = await teller.tell("deleteThread", threadId="R")
    left = await listed(teller)
    shown = await teller.client.data('{ lineage(threadId: "F") { nodes { threadId } } }')
    refused = await teller.refused("startRun", threadId="A")
    restored = await teller.tell("restoreThread", threadId="R")

    assert moved(deleted) == ["R", "C", "A"]
    assert left == {"F"}
    assert {node["threadId"] for node in shown["lineage"]["nodes"]} == {"R", "A", "B", "C", "F"}
    assert refused == "THREAD_DELETED"
    assert restored["thread"] == {"threadId": "R", "deletedAt": None}
    assert moved(restored) == ["R", "C", "A"]
    assert await listed(teller) == {"R", "A", "C", "F"}
    assert await teller.refused("restoreThread", threadId="R") == "TRANSITION_NOT_ALLOWED"
    assert list((await graph.integrity()).findings) == []


@pytest.mark.parametrize(
    "other", [based_on(thread("other"), "A"), forked("other", of="A", edge={"attached": True})]
)
async def test_a_history_that_others_use_is_not_deleted(
    teller: Teller,
    graph: Neo4jStore,
    other: Any,  # noqa: ANN401 - a record
) -> None:
    """Neither while a thread outside goes on from it, nor while one is attached to it."""
    await family(teller)
    await graph.record(Batch(threads=(other,)))

    assert await teller.refused("deleteThread", threadId="R") == "HISTORY_REFERENCED"
    await teller.tell("deleteThread", threadId="other")
    assert moved(await teller.tell("deleteThread", threadId="R")) == ["R", "B", "C", "A"]


async def test_what_is_said_of_a_thread_can_be_changed(teller: Teller) -> None:
    """Null takes away, absent stays, and a search finds the new words."""
    await teller.recorded("t", title="Old title", cwd="/work", model="m")
    answer = await teller.tell(
        "updateThreadMetadata", threadId="t", patch={"title": None, "name": "New name"}
    )

    assert answer["thread"] == {"title": None, "name": "New name", "model": "m", "cwd": "/work"}
    assert await listed(teller, search="New name") == {"t"}
    assert await listed(teller, search="Old") == set()


async def test_who_does_not_exist_is_not_put_away(teller: Teller) -> None:
    """Each says so by name."""
    codes = [
        await teller.refused(mutation, threadId="?")
        for mutation in ("archiveThread", "unarchiveThread", "deleteThread", "restoreThread")
    ]

    assert codes == ["THREAD_NOT_FOUND"] * 4
