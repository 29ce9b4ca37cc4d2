"""The page to ask questions in, and the setting that turns it off."""

import json
import re
from typing import Any

import pytest
from graphql import parse

from api.graphiql.page import HERE, STATIC
from tests.api.asking import Client, serving
from tests.memory_store import MemoryStore

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
