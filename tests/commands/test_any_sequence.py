"""Any sequence of commands: the service answers and keeps what the rules say, and no more."""

from __future__ import annotations

from itertools import count
from pprint import pformat
from typing import TYPE_CHECKING

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graph.migrations import migrate
from graph.neo4j_store import Neo4jStore, open_neo4j
from tests.api.asking import Client, serving
from tests.commands.random_sequences import sequence
from tests.commands.ruled_commands import ruled
from tests.commands.ruled_world import Command, Told, World
from tests.commands.sent_commands import expected, part, seen, send, states
from tests.neo4j_stores import EMPTY, address_of, run_cypher
from tests.stress.laws import broken_lives

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tests.conftest import Neo4jServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1200)]

AT_ONCE = 10
"""The sequences that are sent at the same time, each to threads of its own."""

EXAMPLES = 200
"""How many times so many are sent: 2,000 sequences in all."""

SETTINGS = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],  # a failure is made short here, command by command
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

prefixes = (f"s{number}-" for number in count())


@pytest.fixture
async def quick_graph(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """An empty graph, in which nothing may be wrong in the end.

    Its driver does not look for the server's remarks, which would take most of the time.
    """
    async with open_neo4j(address_of(neo4j_server)) as store:
        await migrate(store.runner)
        await run_cypher(neo4j_server, EMPTY)
        yield store
        assert list((await store.integrity()).findings) == []


@pytest.fixture
async def client(quick_graph: Neo4jStore) -> AsyncGenerator[Client]:
    """Who asks a service over that graph."""
    async with serving(quick_graph) as asking:
        yield asking


async def told(client: Client, prefix: str, commands: list[Command]) -> tuple[World, list[str]]:
    """Send a sequence; the world that the rules made of it, and what was answered differently."""
    world = World()
    differences: list[str] = []
    for command in commands:
        answer = await send(client, prefix, command)
        ruling = ruled(world, command, answer)
        if part(answer, ruling) != ruling:
            differences.append(f"{command}\n    rules:   {ruling}\n    service: {answer}")
            break
    return world, differences


async def differing(
    client: Client, batch: list[list[Command]]
) -> list[tuple[list[Command], list[str]]]:
    """The sequences after which rules and service differ, and in what."""
    own = [next(prefixes) for _ in batch]
    ends: dict[str, tuple[World, list[str]]] = {}

    async def tell(prefix: str, commands: list[Command]) -> None:
        ends[prefix] = await told(client, prefix, commands)

    async with anyio.create_task_group() as tasks:
        for prefix, commands in zip(own, batch, strict=True):
            tasks.start_soon(tell, prefix, commands)

    archived = any(one.archived for world, _ in ends.values() for one in world.threads.values())
    found = await states(client, own, archived=archived)
    failed: list[tuple[list[Command], list[str]]] = []
    for prefix, commands in zip(own, batch, strict=True):
        world, differences = ends[prefix]
        differences = differences or _different_ends(seen(prefix, found), expected(world))
        lives = [
            edge["node"]
            for thread_id, thread in found.items()
            if thread_id.startswith(prefix)
            for edge in thread["transfers"]["edges"]
        ]
        differences += [f"a life that is forbidden: {life}" for life in broken_lives(lives)]
        if differences:
            failed.append((commands, differences))
    return failed


async def shortest(
    client: Client, commands: list[Command], differences: list[str]
) -> tuple[list[Command], list[str]]:
    """The sequence without what the difference does not need."""
    for place in reversed(range(len(commands))):
        shorter = commands[:place] + commands[place + 1 :]
        for fewer, still in await differing(client, [shorter]):
            commands, differences = fewer, still
    return commands, differences


def _different_ends(is_there: dict[str, Told], should_be: dict[str, Told]) -> list[str]:
    return [
        f"thread {name} {field}\n    rules:   {should_be.get(name, {}).get(field)}"
        f"\n    service: {is_there.get(name, {}).get(field)}"
        for name in sorted(is_there.keys() | should_be.keys())
        for field in (is_there.get(name) or should_be[name])
        if is_there.get(name, {}).get(field) != should_be.get(name, {}).get(field)
    ]


@SETTINGS
@given(number=st.integers(min_value=0, max_value=2**48))
async def test_no_sequence_of_commands_records_what_the_rules_forbid(
    client: Client, number: int
) -> None:
    """Answers, runs, transfers and threads are those of the rules; integrity finds nothing."""
    numbers = range(number * AT_ONCE, (number + 1) * AT_ONCE)
    failed = await differing(client, [sequence(each) for each in numbers])

    for commands, differences in failed[:1]:
        fewest, found = await shortest(client, commands, differences)
        pytest.fail("\n".join([f"after {pformat(fewest)}", *found]))
