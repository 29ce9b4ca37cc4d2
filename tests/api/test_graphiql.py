"""The page to ask questions in, and the setting that turns it off."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from graphql import parse

from api.graphiql.page import HERE, STATIC
from importers.codex.importer import CodexImporter
from resolvers.find_transcripts import Selection
from resolvers.import_transcripts import ImportOrder, import_transcripts
from tests.api.asking import Client, serving
from tests.memory_store import MemoryStore
from tests.samples_on_disk import unpack_home

pytestmark = pytest.mark.anyio

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
EXAMPLES: list[dict[str, Any]] = json.loads((STATIC / "examples.json").read_text())


@pytest.mark.parametrize("params", [{}, {"query": "{ __typename }"}])
async def test_a_browser_gets_the_page(client: Client, params: dict[str, str]) -> None:
    """GET /graphql is the page for those who like HTML best, also with a query to begin with."""
    response = await client.get("/graphql", params=params, headers=BROWSER)

    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["vary"] == "Accept"
    assert "default-src 'none'" in response.headers["content-security-policy"]


async def test_the_page_loads_only_what_is_served_here(client: Client) -> None:
    """Every file that it names is there, and none is of another host."""
    page = (await client.get("/graphql", headers=BROWSER)).text
    named = [
        name
        for name in re.findall(r'(?:src|href)="([^"]+)"', page)
        if not name.startswith("data:")
    ]

    found = {name: (await client.get(f"/{name}")).status_code for name in named}

    assert found == dict.fromkeys(named, 200)
    assert len(named) == 6


def test_no_file_of_the_page_names_another_host_to_load_from() -> None:
    """Not in the page, not in its styles, and not in a script that could import or fetch."""
    loads = re.compile(
        r"""(?:src|href)\s*=\s*["']?(?:https?:)?//"""
        r"""|url\(\s*["']?(?:https?:)?//|@import|importScripts"""
        r"""|(?:import|fetch|Worker|EventSource|WebSocket)\(\s*["'`](?:https?|wss?):"""
    )

    files = [HERE / "index.html", *(path for path in STATIC.rglob("*") if path.is_file())]

    assert [path.name for path in files if loads.search(path.read_text())] == []
    assert len(files) == 9


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["query"][1])
async def test_every_example_can_be_asked(client: Client, example: dict[str, Any]) -> None:
    """The queries that the page offers are valid, and so is what they ask of this family."""
    query = "\n".join(example["query"])
    variables = dict.fromkeys(example.get("variables", {}), "root")

    data = await client.data(query, **variables)

    assert all(value is not None for value in data.values())
    assert len(parse(query).definitions) == 1


async def test_the_examples_find_something_in_the_sample_data(tmp_path: Path) -> None:
    """As they stand, with the ids that they name, they show forks with runs and items."""
    store = MemoryStore()
    home = unpack_home("codex-0.171.0/forks-paginated", tmp_path)
    await import_transcripts(
        store, ImportOrder(importers=(CodexImporter(),), selection=Selection(paths=(home,)))
    )

    async with serving(store) as client:
        conversations, tree, origins, history = [
            await client.data("\n".join(example["query"]), **example.get("variables", {}))
            for example in EXAMPLES
        ]

    assert conversations["threads"]["edges"][0]["node"]["descendants"]["totalCount"] > 0
    assert len(tree["lineage"]["nodes"]) > 3
    assert {edge["kind"] for edge in tree["lineage"]["edges"]} >= {"FORK"}
    assert any(edge["node"]["forkedFrom"] for edge in origins["threads"]["edges"])
    assert history["thread"]["history"]["totalCount"] > 3
    assert history["thread"]["items"]["edges"]


async def test_one_setting_keeps_the_schema_to_itself() -> None:
    """Without introspection there is no page, no schema and no suggestion either."""
    async with serving(MemoryStore(), introspection=False) as client:
        page = await client.get("/graphql", headers=BROWSER)
        files = await client.get("/graphiql/page.js")
        schema = await client.ask("{ __schema { types { name } } }")
        field = await client.ask("{ thread(threadId: 1) { titel } threds { totalCount } }")
        value = await client.ask(
            "query($o: ThreadOrder) { threads(orderBy: $o) { totalCount } }", o="CREATED_DES"
        )
        typename = await client.data("{ __typename }")

    assert page.status_code == 400
    assert files.status_code == 404
    assert {error["extensions"]["code"] for error in schema["errors"]} == {
        "GRAPHQL_VALIDATION_FAILED"
    }
    assert "Did you mean" not in str(field)
    assert "title" not in str(field)
    assert "Did you mean" not in str(value)
    assert typename == {"__typename": "Query"}
