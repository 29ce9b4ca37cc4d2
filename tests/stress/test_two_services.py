"""Many clients, two services, one graph: whatever they send, the rules hold afterwards."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from tests.stress.families import PROVIDERS, confirmed, family, recorded, start
from tests.stress.laws import (
    broken_lives,
    findings,
    has_ended,
    misplaced,
    pairs_waiting_twice,
    to_be_written,
    told_differently,
    transfers,
    written,
)
from tests.stress.sending import Said, Unanswered, all_at_once, sending
from tests.stress.service_processes import service_processes
from tests.stress.storm import StormClient, begin, settle_all, told_apart
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
COMMANDS = 20
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


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS)
async def test_the_rules_hold_after_a_storm_of_commands(
    sender: Sender, neo4j_server: Neo4jServer, seed: int
) -> None:
    """No fault, each command done once, each transfer one end, nothing lost or double."""
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
    went_on = await settle_all(sender, found, world.name)
    ended = await transfers(sender)
    assert broken_lives(ended) == []
    assert [one for one in ended if one["targetThreadId"] in went_on and not has_ended(one)] == []
    assert await findings(sender) == []
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
        ("resolveStartContext", {**start("{}-fork", PROVIDERS[1])}),
        ("rollbackThread", {"threadId": "{}-fork"}),
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


async def test_of_starts_at_once_on_a_thread_one_is_under_way(sender: Sender) -> None:
    """The others are told of it; once it is confirmed the next one can begin."""
    await family(sender, "started")

    said: list[Said] = await all_at_once(
        *(
            sender.send(n % 2, "resolveStartContext", f"start-{n}", **start("started-fork"))
            for n in range(6)
        )
    )
    [begun] = [one for one in said if one.done]
    run_id = begun.answer["run"]["runId"]
    await sender.done(1, "confirmStart", "start-confirm", **confirmed(run_id))
    await sender.done(0, "resolveStartContext", "start-next", **start("started-fork"))

    assert [(one.answer["code"], one.answer["runId"]) for one in said if not one.done] == [
        ("START_IN_PROGRESS", run_id)
    ] * 5


async def test_a_start_that_both_settle_at_once_is_settled_once(sender: Sender) -> None:
    """Be it confirmed, to be tried again, or given up for good: its transfer follows."""
    await family(sender, "settled")
    fork = {"sourceThreadId": "settled", "targetThreadId": "settled-twice"}
    forked = await sender.done(0, "forkThread", "settled-twice-fork", **fork)
    begun = await sender.done(1, "resolveStartContext", "settle", **start("settled-twice"))
    run_id = begun["run"]["runId"]
    failed = {"runId": run_id, "reason": "No luck."}

    said: list[Said] = await all_at_once(
        sender.send(0, "confirmStart", "settle-a", **confirmed(run_id)),
        sender.send(1, "failStart", "settle-b", **failed, retryable=False),
        sender.send(0, "failStart", "settle-c", **failed, retryable=True),
        sender.send(1, "confirmStart", "settle-d", **confirmed(run_id)),
    )

    [first] = [one for one in said if one.done]
    standing = {one["transferId"]: one["status"] for one in await transfers(sender)}
    expected = {"settle-b": "FAILED", "settle-c": "PENDING"}.get(first.command_id, "CONSUMED")
    refused = [one.answer["code"] for one in said if not one.done]
    assert refused == ["TRANSITION_NOT_ALLOWED"] * 3
    assert standing[forked["transfer"]["transferId"]] == expected


async def test_a_merge_back_never_waits_to_bring_what_is_rolled_back_at_once(
    sender: Sender,
) -> None:
    """Whichever comes first: it finds nothing to bring, or is superseded with the reason."""
    for turn in range(3):
        name = f"rolled-{turn}"
        await family(sender, name)

        merged, rolled = await all_at_once(
            sender.send(0, "mergeBack", f"{name}-merge", forkThreadId=f"{name}-fork"),
            sender.send(1, "rollbackThread", f"{name}-back", threadId=f"{name}-fork"),
        )

        came_to = [
            (one["status"], one["steps"][-1]["reason"])
            for one in await transfers(sender)
            if one["type"] == "MERGE_BACK" and one["sourceThreadId"] == f"{name}-fork"
        ]
        reason = f"Its source run {name}-fork-run was rolled back."
        assert rolled.done
        assert came_to == ([("SUPERSEDED", reason)] if merged.done else [])
        assert merged.done or merged.answer["code"] == "NO_STABLE_POINT"


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


async def test_a_start_outlives_the_service_that_resolved_it(
    services: list[ServiceProcess], neo4j_server: Neo4jServer, tmp_path: Path
) -> None:
    """Sent again it is the same start; until anybody gives it up, no other one can begin."""
    with service_processes(neo4j_server, tmp_path, number=1) as [victim]:
        async with sending([victim.address, services[1].address]) as sender:
            await family(sender, "outlived")
            fork = {"sourceThreadId": "outlived", "targetThreadId": "outlived-too"}
            forked = await sender.done(0, "forkThread", "outlived-too-fork", **fork)
            wish = start("outlived-too", PROVIDERS[1])
            begun = await sender.done(0, "resolveStartContext", "outlived-start", **wish)
            victim.kill()

            again = await sender.done(1, "resolveStartContext", "outlived-start", **wish)
            other = await sender.send(1, "resolveStartContext", "outlived-other", **wish)
            run_id = begun["run"]["runId"]
            failed = {"runId": run_id, "reason": "The service crashed."}
            await sender.done(1, "failStart", "outlived-fail", **failed)
            late = await sender.send(1, "confirmStart", "outlived-late", **confirmed(run_id))
            next_one = await sender.done(1, "resolveStartContext", "outlived-next", **wish)
            next_id = next_one["run"]["runId"]
            await sender.done(1, "confirmStart", "outlived-end", **confirmed(next_id))
    async with sending([services[0].address]) as survivor:
        found = await transfers(survivor)

    [life] = [
        [(step["status"], step["runId"]) for step in one["steps"]]
        for one in found
        if one["transferId"] == forked["transfer"]["transferId"]
    ]
    assert again == begun | {"replayed": True}
    assert (other.answer["code"], other.answer["runId"]) == ("START_IN_PROGRESS", run_id)
    assert late.answer["code"] == "TRANSITION_NOT_ALLOWED"
    assert life == [
        ("PENDING", None),
        ("RESOLVED_PORTABLE", run_id),
        ("PENDING", run_id),
        ("RESOLVED_PORTABLE", next_id),
        ("CONSUMED", next_id),
    ]
