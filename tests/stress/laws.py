"""What holds after any storm, as the tests ask it of the stored graph."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.neo4j_stores import run_cypher
from tests.stress.storm import told_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import Neo4jServer
    from tests.stress.sending import Said, Sender

ALLOWED = {
    ("PENDING", "RESOLVED_NATIVE"),
    ("PENDING", "RESOLVED_PORTABLE"),
    ("PENDING", "FAILED"),
    ("PENDING", "SUPERSEDED"),
    *(
        (resolved, then)
        for resolved in ("RESOLVED_NATIVE", "RESOLVED_PORTABLE")
        for then in ("PENDING", "CONSUMED", "FAILED", "SUPERSEDED")
    ),
}
"""The steps that a transfer may take one after the other."""

FINAL = {"CONSUMED", "FAILED", "SUPERSEDED"}

TRANSFERS = """query($after: String) { transfers(first: 500, after: $after) {
  pageInfo { hasNextPage endCursor } edges { node {
    transferId type status sourceThreadId targetThreadId targetRunId resolution { strategy }
    createdAt consumedAt error steps { status at runId reason } } } } }"""

ORDINALS = """MATCH (r:Run) WITH r.threadId AS thread, r.ordinal AS ordinal ORDER BY ordinal
WITH thread, collect(ordinal) AS ordinals
WHERE ordinals <> range(1, size(ordinals)) RETURN thread, ordinals"""
POSITIONS = """MATCH (i:Item) WITH i.threadId AS thread, i.position AS position ORDER BY position
WITH thread, collect(position) AS positions
WHERE positions <> range(0, size(positions) - 1) RETURN thread, positions"""
COUNTS = """RETURN COUNT { (:Run) }, COUNT { (:Item) }, COUNT { (t:Thread) WHERE t.recorded },
COUNT { (:Checkpoint) }, COUNT { (:Receipt) }, COUNT { (r:Receipt) WHERE r.made IS NULL }"""

Transfer = dict[str, Any]


async def transfers(sender: Sender) -> list[Transfer]:
    """All transfers that are there, page by page."""
    found: list[Transfer] = []
    after = None
    while True:
        page = (await sender.ask(TRANSFERS, after=after))["transfers"]
        found += [edge["node"] for edge in page["edges"]]
        if not page["pageInfo"]["hasNextPage"]:
            return found
        after = page["pageInfo"]["endCursor"]


def broken_lives(found: Sequence[Transfer]) -> list[Transfer]:
    """The transfers whose steps the rules forbid, or that ended more than once."""
    return [transfer for transfer in found if not _lives_by_the_rules(transfer)]


def _lives_by_the_rules(transfer: Transfer) -> bool:
    steps = [step["status"] for step in transfer["steps"]]
    consumed_at_once = transfer["type"] in {"SUBAGENT_SPAWN", "SUBAGENT_RESULT"}
    return (
        steps[0] == ("CONSUMED" if consumed_at_once else "PENDING")
        and all(pair in ALLOWED for pair in pairwise(steps))
        and sum(status in FINAL for status in steps) == (steps[-1] in FINAL)
        and steps[-1] == transfer["status"]
        and (transfer["status"] == "CONSUMED") == (transfer["consumedAt"] is not None)
        and (transfer["status"] == "FAILED") == (transfer["error"] is not None)
    )


def has_ended(transfer: Transfer) -> bool:
    """Whether nothing more can become of a transfer."""
    return transfer["status"] in FINAL


def pairs_waiting_twice(found: Sequence[Transfer]) -> list[tuple[str, str]]:
    """The pairs of threads of which several merge-backs are pending at once."""
    pending = Counter(
        (transfer["sourceThreadId"], transfer["targetThreadId"])
        for transfer in found
        if transfer["type"] == "MERGE_BACK" and transfer["status"] == "PENDING"
    )
    return [pair for pair, number in pending.items() if number > 1]


def told_differently(heard: Sequence[Said]) -> list[list[Said]]:
    """The commands that were answered differently when they were sent again, or done twice."""
    by_id: dict[str, list[Said]] = {}
    for said in heard:
        by_id.setdefault(said.command_id, []).append(said)
    return [
        answers
        for answers in by_id.values()
        if any(told_apart(said.answer) != told_apart(answers[0].answer) for said in answers)
        or sum(said.done_now for said in answers) > 1
    ]


def made(heard: Sequence[Said], mutation: str) -> dict[str, Said]:
    """The commands of a kind that were accepted, each once, by their ids."""
    return {said.command_id: said for said in heard if said.mutation == mutation and said.done}


def to_be_written(heard: Sequence[Said]) -> list[int]:
    """How many runs, items, threads, checkpoints and receipts the commands came to, and 0."""
    items = [
        said.answer["lastPosition"] - said.answer["firstPosition"] + 1
        for said in made(heard, "appendItems").values()
    ]
    starts = made(heard, "resolveStartContext")  # each a run with the message of its user
    new_threads = ("recordThread", "forkThread", "spawnSubagent")
    return [
        len(made(heard, "startRun")) + len(starts),
        sum(items) + len(starts),
        sum(len(made(heard, mutation)) for mutation in new_threads),
        len(made(heard, "recordCheckpoint")),
        len({said.command_id for said in heard}),
        0,
    ]


async def written(server: Neo4jServer) -> list[int]:
    """How many of these are there; the last number are the receipts that say nothing."""
    [row] = await run_cypher(server, COUNTS)
    return [int(str(number)) for number in row]


async def misplaced(server: Neo4jServer) -> list[list[object]]:
    """The threads whose runs or items are not numbered in a row."""
    return [*await run_cypher(server, ORDINALS), *await run_cypher(server, POSITIONS)]


async def findings(sender: Sender) -> list[Any]:
    """What ``integrity`` finds."""
    answer = await sender.ask("{ integrity { findings { rule ids message } } }")
    return answer["integrity"]["findings"]
