"""The questions in docs/cypher-recipes.md, each asked of the graph of some samples."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from neo4j import AsyncGraphDatabase

from graph.records import Batch
from importers.codex.importer import CodexImporter
from resolvers.find_transcripts import Selection
from resolvers.import_transcripts import ImportOrder, import_transcripts
from tests.api.families import spawn, thread
from tests.neo4j_stores import open_empty
from tests.samples_on_disk import unpack_home

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from neo4j import AsyncDriver

    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio

TEXT = (Path(__file__).parents[2] / "docs" / "cypher-recipes.md").read_text("utf-8")
RECIPES = dict(
    re.findall(
        r"^## ([^\n]+)\n(?:(?!\n## ).)*?```cypher\n(.*?)```", TEXT, re.MULTILINE | re.DOTALL
    )
)
SAMPLES = ("forks-paginated", "spawn-v2-paginated", "review", "revert-paginated")
ASKED = {"since": "2026-11-30", "levels": 2, "root": "01a22c1b-8cb5-7ff0-9871-e1c7ea782e61"}
UUID = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4})-[0-9a-f-]{22}")

ANSWERS: dict[str, list[list[Any]]] = {
    "How many agents did each conversation start?": [["01a22c1b-8cb5", 3, 3, 1]],
    "What did each tree of conversations use?": [
        ["01a22c1b-8cb5", 4, 9, 40_425, 360],
        ["01a22c1b-3c70", 7, 10, 23_530, 220],
        ["01a22c1b-e636", 3, 7, 16_542, 140],
        ["01a22c1d-272b", 2, 4, 7_964, 60],
    ],
    "Which conversations go deepest?": [
        [
            "01a22c1b-3c70",
            3,
            ["01a22c1b-4643", "01a22c1b-4520", "01a22c1b-4043", "01a22c1b-3c70"],
        ]
    ],
    "Which forks were never continued?": [
        ["01a22c1b-44ea", "01a22c1b-3c70", "2026-11-30T10:58:34.350000Z"]
    ],
    "Which forks go on from a point that was rolled back later?": [
        ["01a22c1b-e92f", "01a22c1b-e636", 3, "2026-11-30T10:59:16.793000Z"]
    ],
    "Which models did a tree use most?": [["mock-model", 9, 4, 360]],
    "Whose agents fail?": [
        ["01a22c1b-8cb5", "01a22c1b-8cb5/01a22c1b-99bb", "interrupted", ["01a22c1b-9a09"]]
    ],
    "How long do agents take?": [["mock-model", 3, 1.4, 2.7]],
    "What is named but was never imported?": [["lost", ["SPAWNED_BY"], ["left"]]],
    "How much history did each fork take over?": [
        ["01a22c1b-44ea", "01a22c1b-3c70", 4, 10_674, 100],
        ["01a22c1b-4043", "01a22c1b-3c70", 3, 8_529, 80],
        ["01a22c1b-e92f", "01a22c1b-e636", 3, 7_083, 60],
        ["01a22c1b-4213", "01a22c1b-3c70", 2, 6_394, 60],
        ["01a22c1b-4520", "01a22c1b-4043", 2, 4_276, 40],
        ["01a22c1b-ed5d", "01a22c1b-e636", 2, 4_725, 40],
        ["01a22c1b-430b", "01a22c1b-3c70", 1, 2_130, 20],
        ["01a22c1b-4643", "01a22c1b-4520", 1, 2_147, 20],
    ],
}
"""By title, in the order of the document; ids by their beginnings."""


@pytest.fixture(scope="module")
async def driver(
    neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[AsyncDriver]:
    """A driver of the graph of the samples, and of an agent whose spawner was never imported."""
    folder = tmp_path_factory.mktemp("samples")
    homes = tuple(unpack_home(f"codex-0.171.0/{name}", folder) for name in SAMPLES)
    order = ImportOrder(importers=(CodexImporter(),), selection=Selection(paths=homes))
    async with open_empty(neo4j_server) as store:
        await import_transcripts(store, order)
        await store.record(Batch(threads=(thread("left"),), spawns=(spawn("lost", "left"),)))
        async with AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            neo4j_server.uri, auth=(neo4j_server.user, neo4j_server.password)
        ) as opened:
            yield opened


def test_there_are_ten_recipes() -> None:
    """Each has an answer here."""
    assert len(RECIPES) == 10
    assert list(ANSWERS) == list(RECIPES)


@pytest.mark.parametrize("title", RECIPES)
async def test_a_recipe_answers_what_it_says(driver: AsyncDriver, title: str) -> None:
    """As it stands in the document, as is known of the samples, and without a remark."""
    answer = await driver.execute_query(RECIPES[title], ASKED)

    rows = [[shortened(value) for value in record.values()] for record in answer.records]
    assert rows == ANSWERS[title]
    assert [status for status in answer.summary.gql_status_objects if status.is_notification] == []


def shortened(value: Any) -> Any:  # noqa: ANN401 - whatever a statement answers
    """A value with the ids in it cut to where they differ."""
    if isinstance(value, str):
        return UUID.sub(r"\1", value)
    if isinstance(value, list):
        return [shortened(part) for part in cast("list[Any]", value)]
    return value
