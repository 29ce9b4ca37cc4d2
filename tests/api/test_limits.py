"""How much one request may ask for."""

import pytest
from graphql import GraphQLObjectType, get_named_type, is_leaf_type

from tests.api.asking import Client
from tests.api.every_field import SCHEMA

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("field", "most"),
    [
        ("threads(first: {}) {{ totalCount }}", 100),
        ("threads(last: {}) {{ totalCount }}", 100),
        ('lineage(threadId: "root", maxNodes: {}) {{ version }}', 10_000),
        ('thread(threadId: "root") {{ runs(first: {}) {{ totalCount }} }}', 500),
        ('thread(threadId: "root") {{ history(first: {}) {{ totalCount }} }}', 500),
        ('thread(threadId: "root") {{ items(first: {}) {{ totalCount }} }}', 500),
        ('thread(threadId: "root") {{ children(first: {}) {{ totalCount }} }}', 500),
        ('thread(threadId: "root") {{ descendants(first: {}) {{ totalCount }} }}', 500),
        ('thread(threadId: "root") {{ spawnEdges(first: {}) {{ totalCount }} }}', 500),
        ('thread(threadId: "root") {{ checkpoints(first: {}) {{ totalCount }} }}', 500),
    ],
)
async def test_a_page_has_a_least_and_a_most(client: Client, field: str, most: int) -> None:
    """Nothing is clamped: more is refused, and less than one row is no page."""
    await client.data("{ " + field.format(most) + " }")

    assert await client.code("{ " + field.format(most + 1) + " }") == "LIMIT_EXCEEDED"
    assert await client.code("{ " + field.format(0) + " }") == "BAD_USER_INPUT"
    assert await client.code("{ " + field.format(-1) + " }") == "BAD_USER_INPUT"


@pytest.mark.parametrize(
    "field",
    [
        'lineage(threadId: "root", maxDepth: {}) {{ version }}',
        'thread(threadId: "root") {{ descendants(maxDepth: {}) {{ totalCount }} }}',
    ],
)
async def test_a_walk_has_a_most(client: Client, field: str) -> None:
    """A walk of no hops is a walk; one of more than 1,000 is refused."""
    await client.data("{ " + field.format(0) + " }")
    await client.data("{ " + field.format(1_000) + " }")

    assert await client.code("{ " + field.format(1_001) + " }") == "LIMIT_EXCEEDED"
    assert await client.code("{ " + field.format(-1) + " }") == "BAD_USER_INPUT"


def nested(levels: int) -> str:
    """A query of so many levels."""
    return '{ thread(threadId: "a") { ' + "parent { " * (levels - 2) + "title " + "} " * levels


def of_ids(count: int) -> str:
    """A query that names so many ids."""
    return "{ threads(filter: {ids: [" + '"a" ' * count + "]}) { totalCount } }"


@pytest.mark.parametrize(
    ("fits", "exceeds"),
    [
        (nested(30), nested(31)),
        (
            "{ " + " ".join(f"a{n}: __typename" for n in range(25)) + " }",
            "{ " + " ".join(f"a{n}: __typename" for n in range(26)) + " }",
        ),
        (
            "{ access { " + " ".join(f"a{n}: canWrite" for n in range(100)) + " } }",
            "{ access { " + " ".join(f"a{n}: canWrite" for n in range(101)) + " } }",
        ),
        (
            "{ access { " + "canWrite @skip(if: false) " * 100 + " } }",
            "{ access { " + "canWrite @skip(if: false) " * 101 + " } }",
        ),
        (of_ids(1_980), of_ids(2_000)),
        ("# word\n" * 1_990 + "{ __typename }", "# word\n" * 2_000 + "{ __typename }"),
    ],
    ids=["depth", "root fields", "aliases", "directives", "tokens", "comments"],
)
async def test_an_operation_has_a_most(client: Client, fits: str, exceeds: str) -> None:
    """Depth, root fields, aliases, directives and tokens are limited before anything runs."""
    await client.data(fits)
    answer = await client.ask(exceeds)

    assert [error["extensions"]["code"] for error in answer["errors"]] == ["LIMIT_EXCEEDED"]
    assert "data" not in answer


@pytest.mark.parametrize(
    "query",
    [
        "{ " + "a { " * 990 + "}" * 991,
        "query($a: " + "[" * 990 + "Int" + "]" * 990 + ") { a }",
    ],
)
async def test_deep_nesting_is_refused_and_breaks_nothing(client: Client, query: str) -> None:
    """Nesting that no parser should follow is a limit, too."""
    assert (await client.ask(query))["errors"][0]["extensions"]["code"] == "LIMIT_EXCEEDED"


LARGEST = [
    # what the page for the whole tree asks, at its most
    """query Tree { lineage(threadId: "root", maxNodes: 10000) { version truncated { reason limit }
       endCursor nodes { id threadId recorded title parent { threadId } root { threadId } }
       edges { id kind fromThreadId toThreadId status } } }""",
    # every sum of the nodes of a whole tree
    """query Sums { lineage(threadId: "root", maxNodes: 10000) { nodes { threadId totals { own {
       threads runs inputTokens outputTokens durationMs } } } edges { id } } }""",
    # the runs of a hundred threads
    """query Runs { nodes(ids: [IDS]) { ... on Thread { threadId runs(first: 60) { totalCount
       edges { node { runId ordinal status usage { inputTokens } } } } } } }""".replace(
        "IDS", '"VGhyZWFkOnJvb3Q" ' * 100
    ),
    """query Roots { threads(filter: {rootsOnly: true}, first: 100) { totalCount pageInfo {
       endCursor } edges { node { threadId children(first: 100) { edges { node { title } } }
       } } } }""",
    """{ thread(threadId: "root") { items(first: 500) { edges { node { text } } }
       descendants(first: 500) { edges { node { runs(first: 60) { edges { node { runId } } }
       } } } } }""",
]

SCALARS = {
    name: " ".join(
        field_name
        for field_name, field in type_.fields.items()
        if is_leaf_type(get_named_type(field.type))
    )
    for name, type_ in SCHEMA.type_map.items()
    if isinstance(type_, GraphQLObjectType)
}
"""The fields of each type that are no objects."""


def page(field: str, type_name: str, inner: str = "") -> str:
    """The largest page of a connection of a thread, with all that its rows say of themselves."""
    return (
        f"{field}(first: 500) {{ totalCount pageInfo {{ {SCALARS['PageInfo']} }}"
        f" edges {{ cursor node {{ {SCALARS[type_name]} {inner} }} }} }}"
    )


LARGEST_PAGES = [
    f'{{ thread(threadId: "root") {{ {SCALARS["Thread"]} {" ".join(pages)} }} }}'
    for pages in (
        (
            page("runs", "Run", "usage { inputTokens }"),
            page("items", "Item"),
            page("history", "Run"),
        ),
        (
            page("children", "Thread", "contextWindows { number }"),
            page("items", "Item"),
            page("spawnEdges", "SpawnEdge"),
        ),
        (
            page("descendants", "Thread"),
            page("runs", "Run", "items { edges { node { text } } }"),
            page("checkpoints", "Checkpoint"),
        ),
    )
]
"""Three connections at their largest page, with all scalar fields and one list within."""

TOO_LARGE = [
    """{ threads(first: 100) { edges { node { children(first: 500) { edges { node {
       runs(first: 10) { edges { node { runId } } } } } } } } } }""",
    """query($n: Int = 500) { thread(threadId: "root") { children(first: $n) { edges { node {
       children(first: $n) { edges { node { title } } } } } } } }""",
    """{ thread(threadId: "root") { ...A } }
       fragment A on Thread { descendants(first: 500) { edges { node { ...B } } } }
       fragment B on Thread { descendants(first: 500) { edges { node { title } } } }""",
    """{ lineage(threadId: "root", maxNodes: 10000) { nodes { runs { edges { node { runId } } }
       } } }""",
]


@pytest.mark.parametrize("query", [*LARGEST, *LARGEST_PAGES])
async def test_large_useful_questions_are_allowed(client: Client, query: str) -> None:
    """The limit on objects leaves room for the largest pages that are of use."""
    await client.data(query)


@pytest.mark.parametrize("query", TOO_LARGE)
async def test_questions_that_multiply_are_refused(client: Client, query: str) -> None:
    """What could answer more than 100,000 objects is refused before anything runs."""
    answer = await client.ask(query)

    assert answer["errors"][0]["extensions"] == {"code": "LIMIT_EXCEEDED"}
    assert "data" not in answer


async def test_a_query_that_repeats_itself_is_not_checked_for_ever(client: Client) -> None:
    """Comparing each field with each other ends at a limit, too."""
    code = await client.code("{ access { " + "canWrite " * 1_990 + "} }")

    assert code == "LIMIT_EXCEEDED"


async def test_variables_count_like_numbers(client: Client) -> None:
    """The size of a list counts as it is given, in the query or beside it."""
    query = """query($n: Int) { thread(threadId: "root") { children(first: $n) { edges { node {
        children(first: $n) { edges { node { title } } } } } } } }"""

    await client.data(query, n=100)

    assert (await client.ask(query, n=500))["errors"][0]["extensions"]["code"] == "LIMIT_EXCEEDED"


async def test_fragments_that_double_are_measured_at_once(client: Client) -> None:
    """Each fragment is worked out once, however often it is spread."""
    spread = " ".join(
        f"fragment F{n} on Thread {{ parent {{ ...F{n + 1} }} root {{ ...F{n + 1} }} }}"
        for n in range(15)
    )
    query = f'{{ thread(threadId: "a") {{ ...F0 }} }} {spread} fragment F15 on Thread {{ title }}'

    assert await client.data(query) == {"thread": None}


async def test_a_query_that_was_right_once_is_measured_by_its_variables(client: Client) -> None:
    """What is remembered of a document holds for the sizes that it was asked with."""
    nested = "children(first: $n) { edges { node { children(first: $n) { totalCount } } } }"
    query = f'query($n: Int) {{ thread(threadId: "root") {{ {nested} }} }}'
    wide = query.replace("totalCount", "edges { node { children(first: $n) { totalCount } } }")

    fine = await client.ask(wide, n=2)
    code = await client.code(wide, n=400)
    again = await client.ask(wide, n=2)

    assert "errors" not in fine
    assert code == "LIMIT_EXCEEDED"
    assert again == fine


async def test_a_query_that_is_wrong_stays_wrong(client: Client) -> None:
    """Only valid documents are remembered as such."""
    codes = [await client.code("{ nothing }") for _ in range(2)]

    assert codes == ["GRAPHQL_VALIDATION_FAILED"] * 2
