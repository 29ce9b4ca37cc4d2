"""What is seen of a selection before it is executed changes what is asked, never the answer."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, cast

import pytest
from graphql import GraphQLObjectType, get_named_type, is_leaf_type
from graphql.pyutils import Path

from api import families
from api.chosen_fields import CHOSEN
from api.field_columns import plain_fields, reads_of
from api.schema import LineageSchema, build_schema
from api.selections import Selected
from graph.model import Actor, RunId, SourcePoint, ThreadId, TransferId, TransferType
from graph.records import Batch, TransferRecord
from graph.store import ThreadGraph
from graph.transfers import Handoff, HandoffId, HandoffKind, Provider, Resolution, Strategy
from tests.api.asking import Answer, CountingGraph, serving
from tests.api.families import DATABASE, at, fork, spawn, thread
from tests.api.random_documents import RandomDocument
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

SCHEMA = build_schema()

HOLDERS = {
    "Thread": """{{ thread(threadId: "{0}") {{ {1} }}
        lineage(threadId: "root") {{ nodes {{ {1} }} }}
        threads {{ edges {{ node {{ {1} children {{ edges {{ node {{ {1} }} }} }} }} }} }} }}""",
    "Run": """{{ thread(threadId: "{0}") {{ runs {{ edges {{ node {{ {1} }} }} }}
        history {{ edges {{ node {{ {1} }} }} }} }} }}""",
    "Item": """{{ thread(threadId: "{0}") {{ items {{ edges {{ node {{ {1} }} }} }}
        runs {{ edges {{ node {{ items {{ edges {{ node {{ {1} }} }} }} }} }} }} }} }}""",
    "Checkpoint": """{{ thread(threadId: "{0}") {{
        checkpoints {{ edges {{ node {{ {1} }} }} }} }} }}""",
    "ContextWindow": '{{ thread(threadId: "{0}") {{ contextWindows {{ {1} }} }} }}',
    "SpawnEdge": '{{ thread(threadId: "{0}") {{ spawnEdges {{ edges {{ node {{ {1} }} }} }} }} }}',
    "Transfer": """{{ transfers {{ edges {{ node {{ {1} }} }} }}
        transfer(transferId: "merge") {{ {1} }}
        thread(threadId: "{0}") {{ transfers {{ edges {{ node {{ {1} }} }} }} }} }}""",
    "Handoff": "{{ transfers {{ edges {{ node {{ handoff {{ {1} }} }} }} }} }}",
    "LineageEdge": '{{ lineage(threadId: "{0}") {{ edges {{ {1} }} }} }}',
}
"""Where each type stands in an answer about a thread."""


CARRIED = Handoff(
    handoff_id=HandoffId("carried"),
    transfer_id=TransferId("merge"),
    kind=HandoffKind.DELTA_CONTEXT,
    payload='{"messages":[]}',
    text="what was done",
    tokens=3,
    item_ids=("i",),
    created_at=at(9),
)
MERGE = TransferRecord(
    transfer_id=TransferId("merge"),
    type=TransferType.MERGE_BACK,
    source_thread_id=ThreadId("fork"),
    target_thread_id=ThreadId("root"),
    source_point=SourcePoint(thread_id=ThreadId("fork"), run_id=RunId("fork/turn-1")),
    source_provider=Provider(instance_id="codex", driver="codex"),
    resolution=Resolution(strategy=Strategy.DELTA_CONTEXT, handoff_id=CARRIED.handoff_id),
    handoff=CARRIED,
    evidence=DATABASE,
    created_by=Actor.USER,
    created_at=at(9),
)
"""What is to be merged back into ``root``."""


class Whole:
    """Has all fields of all rows read, and nothing looked ahead for."""

    def answered_at(self, path: Path, field_name: str) -> str | None:
        return None

    def graph_for(self, graph: ThreadGraph, selected: Selected, type_name: str) -> ThreadGraph:
        return graph

    def fields_of(self, selected: Selected, type_name: str) -> Mapping[type[Any], frozenset[str]]:
        return {}


def fields() -> Iterator[tuple[str, str]]:
    """Each field of the rows, with what must be selected of it."""
    for type_name in HOLDERS:
        answered = SCHEMA.written.get_type(type_name)
        assert isinstance(answered, GraphQLObjectType)
        for name, field in answered.fields.items():
            inner = "" if is_leaf_type(get_named_type(field.type)) else " { __typename }"
            yield type_name, name + inner


async def answered(
    graph: ThreadGraph, document: str, *, ahead: bool, monkeypatch: pytest.MonkeyPatch
) -> Answer:
    """The answer, with or without looking ahead."""
    with monkeypatch.context() as patch:
        if not ahead:
            patch.setattr(LineageSchema, "choice", Whole())
            patch.setattr(families, "MOST_OWNERS", -1)
        async with serving(graph) as client:
            answer = await client.ask(document)
    for error in answer.get("errors", ()):
        error.get("extensions", {}).pop("correlationId", None)
    return answer


def test_it_is_known_what_each_field_reads() -> None:
    """A new field of these types is a row's field, or stands in ``api.field_columns``."""
    reads = reads_of(plain_fields(SCHEMA, SCHEMA.written))

    unknown = [
        f"{type_name}.{name}"
        for type_name, row in CHOSEN.items()
        for name in cast("GraphQLObjectType", SCHEMA.written.get_type(type_name)).fields
        if not set(reads[type_name].get(name, ["?"])) <= set(row.__struct_fields__)
    ]

    assert unknown == []
    assert HOLDERS.keys() == CHOSEN.keys()


@pytest.mark.parametrize("thread_id", ["root", "fork", "helper"])
async def test_each_field_alone_is_what_it_is_among_all(
    family: MemoryStore, monkeypatch: pytest.MonkeyPatch, thread_id: str
) -> None:
    """Rows that carry just what one field needs are enough for it."""
    await family.record(Batch(transfers=(MERGE,)))
    for type_name, field in fields():
        document = HOLDERS[type_name].format(thread_id, field)

        narrow = await answered(family, document, ahead=True, monkeypatch=monkeypatch)

        whole = await answered(family, document, ahead=False, monkeypatch=monkeypatch)
        assert narrow == whole, document
        assert "errors" not in narrow, document


async def test_random_documents_are_answered_alike(
    family: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Aliases, fragments, arguments, several levels: with and without looking ahead."""
    for seed in range(40):
        document = RandomDocument(SCHEMA.written, Random(seed)).text()  # noqa: S311 - a test's dice

        ahead = await answered(family, document, ahead=True, monkeypatch=monkeypatch)

        ordinary = await answered(family, document, ahead=False, monkeypatch=monkeypatch)
        assert ahead == ordinary, document


async def test_children_that_several_threads_share_and_lists_that_differ() -> None:
    """Aliases with other arguments, a cursor and a shared child are asked by themselves."""
    store = MemoryStore()
    await store.record(
        Batch(
            threads=(
                thread("top"),
                thread("left"),
                thread("right"),
                thread("shared", fork=fork("right", 1)),
                thread("below"),
            ),
            spawns=(
                spawn("top", "left"),
                spawn("top", "right"),
                spawn("left", "shared"),
                spawn("shared", "below", status="closed"),
            ),
        )
    )
    counting = CountingGraph(store)
    query = """{ thread(threadId: "top") {
        some: children(first: 1) { edges { node { threadId } } pageInfo { hasNextPage } }
        children(first: 9) { edges { node { threadId children(first: 9) { edges { node { threadId
            children(kinds: SPAWN, spawnStatus: "closed") { edges { node { threadId } } }
            open: children(kinds: [SPAWN], spawnStatus: "open") { edges { node { threadId } } }
        } } } } } } } }"""

    async with serving(cast("ThreadGraph", counting)) as client:
        top = (await client.data(query))["thread"]

    assert names(top["some"]) == ["left"]
    assert top["some"]["pageInfo"] == {"hasNextPage": True}
    left, right = (edge["node"] for edge in top["children"]["edges"])
    (once,), (again,) = left["children"]["edges"], right["children"]["edges"]
    assert once == again
    assert names(once["node"]["children"]) == ["below"]
    assert names(once["node"]["open"]) == []
    assert counting.calls == {"family": 1, "children": 2}  # some, and open


def names(connection: Any) -> list[str]:  # noqa: ANN401 - JSON
    """The threads on a page."""
    return [edge["node"]["threadId"] for edge in connection["edges"]]
