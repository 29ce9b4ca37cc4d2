"""What is compiled answers as the ordinary execution does, to the byte."""

import asyncio
import logging
import os
from collections.abc import Iterator
from random import Random
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.schema import build_schema
from graph.store import ThreadGraph
from tests.api.asking import serving
from tests.api.bent_graph import BENDS, BentGraph
from tests.api.families import FAMILY
from tests.api.random_documents import RandomDocument, comparable
from tests.memory_store import MemoryStore

ASKS_BOTH_WAYS = True

EXAMPLES = int(os.environ.get("LINEAGE_TEST_DOCUMENTS", "300"))

FAILING = [
    "threads_by_id",
    "family",
    "children",
    "runs",
    "count_children",
    "lineage",
    "fork_origins",
]

SCHEMA = build_schema().written


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    """Faults are made on purpose here; nobody reads of them."""
    log = logging.getLogger("thread_lineage.api")
    log.setLevel(logging.CRITICAL)
    yield
    log.setLevel(logging.NOTSET)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.integers(min_value=0, max_value=2**63))
def test_random_documents_are_answered_alike(seed: int) -> None:
    """Aliases, fragments, directives, merged fields, nested lists, bad values, errors."""
    random = Random(seed)  # noqa: S311 - nothing is secret
    document = RandomDocument(SCHEMA, random).text()
    bends = random.sample(BENDS, random.choice((0, 0, 1, 2)))
    failing = frozenset(random.sample(FAILING, random.choice((0, 0, 0, 1))))
    variables = random.choice([{}, {"size": 2, "kinds": ["SPAWN"]}, {"no": True, "id": "fork"}])

    compiled, ordinary = asyncio.run(_both(document, variables, bends, failing))

    assert comparable(compiled) == comparable(ordinary), document


async def _both(
    document: str, variables: dict[str, Any], bends: list[Any], failing: frozenset[str]
) -> list[bytes]:
    store = MemoryStore()
    await store.record(FAMILY)
    graph = cast("ThreadGraph", BentGraph(cast("ThreadGraph", store), bends, failing))
    answers: list[bytes] = []
    for compiled in (True, False):
        async with serving(graph, compiled=compiled) as client:
            asked = {"query": document, "variables": variables}
            answers.append((await client.post("/graphql", json=asked)).content)
    return answers
