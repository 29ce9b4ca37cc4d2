"""Many clients, two services, one graph: whatever they send, the rules hold afterwards."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from tests.stress.families import PROVIDERS, family, recorded
from tests.stress.laws import (
    broken_lives,
    findings,
    misplaced,
    pairs_waiting_twice,
    to_be_written,
    told_differently,
    transfers,
    written,
)
from tests.stress.sending import Said, Unanswered, all_at_once, sending
from tests.stress.service_processes import service_processes
from tests.stress.storm import StormClient, begin, told_apart
from tests.stress.stranger import stranger, until_blocked

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Neo4jServer
    from tests.stress.families import Wish
    from tests.stress.sending import Sender
    from tests.stress.service_processes import ServiceProcess

pytestmark = pytest.mark.anyio

TREES = 3
CLIENTS = 8
COMMANDS = 30
SEEDS = [1]

ANSWERED = 30
"""So many answers has a service given when it crashes."""

WHILE_IT_CRASHES: list[Wish] = [
    ("startRun", {"threadId": "crash", "status": "completed"}),
    ("appendItems", {"threadId": "crash", "items": [{"kind": "message", "text": "Kept?"}]}),
    ("forkThread", {"sourceThreadId": "crash"}),
    ("mergeBack", {"forkThreadId": "crash-fork"}),
    ("spawnSubagent", {"parentThreadId": "crash"}),
    ("startRun", {"threadId": "crash-child"}),
    ("appendItems", {"threadId": "crash-fork", "items": [{"kind": "plan", "text": "Kept."}]}),
    ("switchProvider", {"threadId": "crash-fork", "provider": PROVIDERS[1]}),
]
"""What each client sends meanwhile."""


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_rules_hold_after_a_storm_of_commands(
    sender: Sender, neo4j_server: Neo4jServer, seed: int
) -> None:
    """No fault, each command done once, each transfer at most one end, nothing lost or double."""
    before = await written(neo4j_server)
    world = await begin(sender, f"storm-{seed}", trees=TREES)

    async with anyio.create_task_group() as tasks:
        for number in range(CLIENTS):
            dice = Random(f"{seed} {number}")  # noqa: S311 - a test's dice
            client = StormClient(sender, world, number % len(sender.clients), dice)
            tasks.start_soon(client.send, COMMANDS)

    assert told_differently(sender.heard) == []
    assert await findings(sender) == []
    assert await misplaced(neo4j_server) == []
    found = await transfers(sender)
    assert broken_lives(found) == []
    assert pairs_waiting_twice(found) == []
    after = await written(neo4j_server)
    assert [a - b for a, b in zip(after, before, strict=True)] == to_be_written(sender.heard)


@pytest.mark.parametrize(
    ("mutation", "told"),
    [
        ("startRun", {"threadId": "{}"}),
        ("appendItems", {"threadId": "{}", "items": [{"kind": "message", "text": "Once."}]}),
        ("forkThread", {"sourceThreadId": "{}"}),
        ("mergeBack", {"forkThreadId": "{}-fork"}),
        ("spawnSubagent", {"parentThreadId": "{}", "task": "Once."}),
        ("archiveThread", {"threadId": "{}-child"}),
    ],
)
async def test_a_command_that_is_sent_at_once_everywhere_is_done_once(
    sender: Sender, mutation: str, told: dict[str, Any]
) -> None:
    """One answer says that it was done, the others that it was done before, with the same ids."""
    thread = f"once-{mutation}"
    await family(sender, thread)
    named = {
        name: value.format(thread) if isinstance(value, str) else value
        for name, value in told.items()
    }

    said: list[Said] = await all_at_once(
        *(sender.send(n % 2, mutation, f"{thread}-command", **named) for n in range(8))
    )

    assert sorted(one.answer["replayed"] for one in said) == [False, *[True] * 7]
    assert len({str(told_apart(one.answer)) for one in said}) == 1


async def test_one_command_id_with_two_bodies_at_once_is_one_command(sender: Sender) -> None:
    """The body that comes first counts; the other one is told of the conflict everywhere."""
    await family(sender, "bodies")

    said: list[Said] = await all_at_once(
        *(
            sender.send(n % 2, "startRun", "bodies-command", threadId="bodies", model=model)
            for n, model in enumerate(["this", "that", "that", "this", "this", "that"])
        )
    )

    assert sum(one.done_now for one in said) == 1
    assert sum(one.done for one in said) == 3
    assert [one.answer["code"] for one in said if not one.done] == ["CONFLICT"] * 3


async def test_a_result_that_both_report_at_once_is_recorded_once(sender: Sender) -> None:
    """The first report counts, and all are answered with it."""
    await family(sender, "reported")

    said: list[Said] = await all_at_once(
        *(
            sender.send(
                n % 2,
                "completeSubagent",
                f"report-{n}",
                childThreadId="reported-child",
                outcome="failed",
                error=f"Failure {n}.",
            )
            for n in range(8)
        )
    )

    results = [
        transfer
        for transfer in await transfers(sender)
        if transfer["type"] == "SUBAGENT_RESULT" and transfer["sourceThreadId"] == "reported-child"
    ]
    assert sum(one.done_now for one in said) == 1
    assert len({one.answer["transfer"]["resultText"] for one in said}) == 1
    assert {one.answer["transfer"]["transferId"] for one in said} == {
        transfer["transferId"] for transfer in results
    }


async def test_of_merge_backs_at_once_one_waits(sender: Sender) -> None:
    """Each of the others was superseded by one that came after it."""
    await family(sender, "merged")

    said: list[Said] = await all_at_once(
        *(
            sender.send(n % 2, "mergeBack", f"merge-{n}", forkThreadId="merged-fork")
            for n in range(8)
        )
    )

    ids = [one.answer["transfer"]["transferId"] for one in said]
    superseded = [
        one.answer["superseded"]["transferId"] for one in said if one.answer["superseded"]
    ]
    standing = {
        transfer["transferId"]: transfer["status"]
        for transfer in await transfers(sender)
        if transfer["transferId"] in ids
    }
    assert len(set(superseded)) == len(superseded) == 7
    assert standing == {
        one: "SUPERSEDED" if one in superseded else "PENDING" for one in sorted(ids)
    }


async def test_a_thread_id_that_both_make_at_once_is_taken_once(sender: Sender) -> None:
    """Be it by a fork, a spawn or a record."""
    await family(sender, "wanted")
    wishes = [
        ("forkThread", {"sourceThreadId": "wanted", "targetThreadId": "prize"}),
        ("spawnSubagent", {"parentThreadId": "wanted", "childThreadId": "prize"}),
        ("recordThread", recorded("prize")),
    ]

    said: list[Said] = await all_at_once(
        *(
            sender.send(service, mutation, f"{mutation}-{service}-prize", **told)
            for mutation, told in wishes
            for service in range(2)
        )
    )

    assert sum(one.done for one in said) == 1
    assert {one.answer["code"] for one in said if not one.done} == {"THREAD_EXISTS"}


async def test_a_command_that_meets_a_deadlock_is_done_all_the_same(
    sender: Sender, neo4j_server: Neo4jServer
) -> None:
    """Whoever wrote the other one: it is undone and begun again, and nobody is told."""
    for service in range(2):
        thread, command_id = f"deadlock-{service}", f"deadlock-command-{service}"
        await sender.done(service, "recordThread", f"{thread}-begin", **recorded(thread))
        wish = {"threadId": thread, "patch": {"title": "New"}}
        said: list[Said] = []

        async def send(to: int, named: str, told: dict[str, Any], into: list[Said]) -> None:
            into.append(await sender.send(to, "updateThreadMetadata", named, **told))

        async with stranger(neo4j_server) as held, anyio.create_task_group() as tasks:
            await held.lock(thread)
            tasks.start_soon(send, service, command_id, wish, said)
            await until_blocked(neo4j_server)
            assert not await held.loses(command_id)
            await held.give_up()

        assert [one.done_now for one in said] == [True]
    assert sender.sent_again == 0


async def test_nothing_that_was_answered_is_lost_in_a_crash(
    services: list[ServiceProcess], neo4j_server: Neo4jServer, tmp_path: Path
) -> None:
    """A command sent again to another service is done once, whether it was answered or not."""
    before = await written(neo4j_server)
    unanswered: list[tuple[str, str, dict[str, Any]]] = []
    with service_processes(neo4j_server, tmp_path, number=1) as [victim]:
        async with sending([victim.address, services[0].address]) as sender:
            await family(sender, "crash")

            async def send(client: int) -> None:
                for number, (mutation, told) in enumerate(WHILE_IT_CRASHES):
                    command_id = f"crash-{client}-{number}"
                    try:
                        await sender.send(0, mutation, command_id, **told)
                    except Unanswered:
                        unanswered.append((mutation, command_id, told))
                    if len(sender.heard) == ANSWERED:
                        victim.kill()

            await all_at_once(*(send(client) for client in range(6)))
            answered = list(sender.heard)
            again = [(said.mutation, said.command_id, said.told) for said in answered]
            for mutation, command_id, told in (*again, *unanswered, *unanswered):
                await sender.send(1, mutation, command_id, **told)

            replayed = [said.answer["replayed"] for said in sender.heard[len(answered) :]]
            once = len(unanswered)
            assert once > 0
            assert all(replayed[: len(answered)])
            assert all(replayed[len(answered) + once :])
            assert told_differently(sender.heard) == []
            assert await misplaced(neo4j_server) == []
            after = await written(neo4j_server)
            told_of = to_be_written(sender.heard)
    async with sending([services[0].address]) as survivor:
        assert await findings(survivor) == []
    assert [a - b for a, b in zip(after, before, strict=True)] == told_of
