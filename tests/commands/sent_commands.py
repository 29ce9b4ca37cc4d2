"""Sending drawn commands to the service, and reading what became of them as the rules tell it."""

from __future__ import annotations

from typing import Any, cast

from tests.api.asking import Client
from tests.commands.random_commands import THREADS
from tests.commands.ruled_world import Command, Told, Transfer, World
from tests.commands.telling import document

NAMED = frozenset(
    {
        "commandId", "threadId", "runId", "itemId", "checkpointId", "sourceThreadId",
        "targetThreadId", "forkThreadId", "intoThreadId", "parentThreadId", "childThreadId",
        "parentRunId", "keepThroughRunId",
    }
)  # fmt: skip
"""The fields of inputs that hold ids: each sequence has its own."""

STATES = """query($ids: [String!]!, $archived: Boolean!, $first: Int!) {
  threads(first: 100, filter: {ids: $ids, archived: $archived, includeDeleted: true,
    includeSpawned: true}) { edges { node {
      threadId driver providerInstanceId model title name cwd archivedAt deletedAt status
      parentThreadId rootThreadId depth
      runs(first: 30) { edges { node { runId ordinal status error providerInstanceId
        rolledBackAt } } }
      history(first: 30) { edges { node { runId } } }
      items(first: $first) { edges { node { itemId runId } } }
      checkpoints(first: $first) { edges { node { checkpointId runId status } } }
      transfers(direction: IN, first: 30) { edges { node {
        transferId type status sourceThreadId targetThreadId targetRunId replaces
        consumedAt error
        sourcePoint { runId checkpointId } basePoint { runId } resultText outcome
        resolution { strategy } steps { status runId } } } } } } } }"""


def under(prefix: str, value: Any) -> Any:  # noqa: ANN401 - any input
    """An input with the ids of its own sequence."""
    if isinstance(value, list):
        return [under(prefix, one) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    told = cast("dict[str, Any]", value)
    return {
        key: prefix + one if key in NAMED and isinstance(one, str) else under(prefix, one)
        for key, one in told.items()
    }


def without(prefix: str, value: Any) -> Any:  # noqa: ANN401 - any answer
    """An answer with the short ids of the rules."""
    if isinstance(value, list):
        return [without(prefix, one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        return {key: without(prefix, one) for key, one in told.items()}
    return value.removeprefix(prefix) if isinstance(value, str) else value


async def send(client: Client, prefix: str, command: Command) -> Told:
    """What the service answers to a command."""
    told = {key: value for key, value in command.items() if key != "mutation"}
    mutation = command["mutation"]
    answer = await client.data(document(mutation), input=under(prefix, told))
    return without(prefix, answer[mutation])


def part(answer: object, expected: object) -> object:
    """As much of an answer as the rules say something of."""
    if isinstance(expected, dict) and isinstance(answer, dict):
        found = cast("dict[str, object]", answer)
        wanted = cast("dict[str, object]", expected)
        return {key: part(found.get(key), value) for key, value in wanted.items()}
    if isinstance(expected, list) and isinstance(answer, list):
        pairs = zip(cast("list[object]", answer), cast("list[object]", expected), strict=False)
        rest = cast("list[object]", answer)[len(cast("list[object]", expected)) :]
        return [*(part(one, other) for one, other in pairs), *rest]
    return answer


async def states(client: Client, prefixes: list[str], *, archived: bool) -> dict[str, Told]:
    """What each thread of some sequences is now, by its whole id; with those *archived*."""
    ids = [prefix + name for prefix in prefixes for name in THREADS]
    found: dict[str, Told] = {}
    for which in (False, True) if archived else (False,):
        page = await client.data(STATES, ids=ids, archived=which, first=30)
        for edge in page["threads"]["edges"]:
            found[edge["node"]["threadId"]] = edge["node"]
    return found


def seen(prefix: str, found: dict[str, Told]) -> dict[str, Told]:
    """The threads of one sequence, told as ``expected`` tells them."""
    own = {
        key.removeprefix(prefix): without(prefix, value)
        for key, value in found.items()
        if key.startswith(prefix)
    }
    transfers: dict[str, Told] = {
        edge["node"]["transferId"]: edge["node"]
        for thread in own.values()
        for edge in thread["transfers"]["edges"]
    }
    return {name: _seen_thread(thread, transfers) for name, thread in own.items()}


def expected(world: World) -> dict[str, Told]:
    """What each thread of a world is by the rules."""
    told: dict[str, Told] = {}
    for name, thread in world.threads.items():
        root, depth = world.lineage(thread)
        told[name] = {
            "driver": thread.account and thread.account.driver,
            "instance": thread.account and thread.account.instance_id,
            "model": thread.model,
            "title": thread.title,
            "name": thread.name,
            "cwd": thread.cwd,
            "archived": thread.archived,
            "deleted": thread.deleted_by is not None,
            "status": thread.status,
            "lineage": [thread.parent, root, depth],
            "runs": [
                [
                    run.run_id,
                    place,
                    run.status,
                    run.error,
                    run.account and run.account.instance_id,
                    not run.left,
                ]
                for place, run in enumerate(thread.runs, 1)
            ],
            "history": [run.run_id for run in world.history(thread)],
            "items": [[item.item_id, item.run_id] for item in thread.items],
            "checkpoints": sorted(
                [checkpoint, run.run_id, status]
                for run in thread.runs
                for checkpoint, status in run.checkpoints.items()
            ),
            "transfers": sorted(
                (_expected_transfer(one) for one in world.transfers if one.target == name),
                key=repr,
            ),
        }
    return told


def _expected_transfer(transfer: Transfer) -> list[object]:
    return [
        transfer.type,
        transfer.status,
        transfer.source,
        transfer.source_run,
        transfer.source_checkpoint,
        transfer.base_run,
        transfer.target_run,
        transfer.strategy,
        transfer.outcome,
        transfer.text,
        [list(step) for step in transfer.steps],
        transfer.replaces and _expected_transfer(transfer.replaces),
    ]


def _seen_thread(thread: Told, transfers: dict[str, Told]) -> Told:
    return {
        "driver": thread["driver"],
        "instance": thread["providerInstanceId"],
        "model": thread["model"],
        "title": thread["title"],
        "name": thread["name"],
        "cwd": thread["cwd"],
        "archived": thread["archivedAt"] is not None,
        "deleted": thread["deletedAt"] is not None,
        "status": thread["status"],
        "lineage": [thread["parentThreadId"], thread["rootThreadId"], thread["depth"]],
        "runs": [
            [
                run["runId"],
                run["ordinal"],
                run["status"],
                run["error"],
                run["providerInstanceId"],
                run["rolledBackAt"] is not None,
            ]
            for run in _nodes(thread["runs"])
        ],
        "history": [run["runId"] for run in _nodes(thread["history"])],
        "items": [
            ["made" if item["itemId"].startswith("item-") else item["itemId"], item["runId"]]
            for item in _nodes(thread["items"])
        ],
        "checkpoints": sorted(
            [one["checkpointId"], one["runId"], one["status"]]
            for one in _nodes(thread["checkpoints"])
        ),
        "transfers": sorted(
            (_seen_transfer(one, transfers) for one in _nodes(thread["transfers"])), key=repr
        ),
    }


def _seen_transfer(transfer: Told, transfers: dict[str, Told]) -> list[object]:
    base, resolution = transfer["basePoint"], transfer["resolution"]
    replaced = transfer["replaces"]
    return [
        transfer["type"],
        transfer["status"],
        transfer["sourceThreadId"],
        transfer["sourcePoint"]["runId"],
        transfer["sourcePoint"]["checkpointId"],
        base and base["runId"],
        transfer["targetRunId"],
        resolution and resolution["strategy"],
        transfer["outcome"],
        transfer["resultText"],
        [[step["status"], _run_of(step)] for step in transfer["steps"]],
        _seen_transfer(transfers[replaced], transfers) if replaced else None,
    ]


def _run_of(step: Told) -> str | None:
    """The run that a step is of; what waits or gives way is of none."""
    return None if step["status"] in {"PENDING", "SUPERSEDED"} else step["runId"]


def _nodes(connection: Told) -> list[Told]:
    return [edge["node"] for edge in connection["edges"]]
