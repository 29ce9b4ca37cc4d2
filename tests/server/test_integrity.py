"""What the check of the graph finds, on a sound graph and on one that is damaged in each way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from graph import neo4j_integrity
from graph.integrity_rules import RULES
from graph.model import RunId
from graph.records import Batch, ItemsRecord, WindowRecord
from importers.known import known_importers
from resolvers.find_transcripts import Selection
from resolvers.import_transcripts import ImportOrder, import_transcripts
from tests.conformance.told import at, forked, ids, item, run, spawned, thread
from tests.neo4j_stores import open_empty, run_cypher
from tests.samples_on_disk import SAMPLES, unpack_home

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from graph.neo4j_store import Neo4jStore
    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio

RECORDS = (
    thread(
        "a",
        runs=(
            run("a/1", 1, completed_at=at(2), input_tokens=3, native_turn_id="t1"),
            run("a/2", 3, completed_at=at(5), output_tokens=4),
        ),
        items=ItemsRecord(items=(item("i0", 0, run_id=RunId("a/1")), item("i1", 1))),
        windows=(
            WindowRecord(number=0, window_id="w0"),
            WindowRecord(number=1, window_id="w1", previous_window_id="w0"),
        ),
    ),
    spawned("b", by="a", edge={"run_id": RunId("a/1")}, runs=(run("b/1", 2),)),
    forked("c", of="b", point="b/1"),
    spawned("d", by="c", fork=forked("d", of="a").fork),
    spawned("e", by="unseen"),
)


@pytest.fixture
async def store(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """A small graph with an edge of each sort."""
    async with open_empty(neo4j_server) as opened:
        await opened.record(Batch(threads=RECORDS))
        yield opened


@dataclass(frozen=True, slots=True)
class Damage:
    """A statement that breaks a rule, and the ids of the finding; *also* are other rules hurt."""

    rule: str
    text: str
    ids: list[str]
    also: set[str] = field(default_factory=set[str])


TRANSFER = """
MATCH (a:Thread {threadId: 'a'}), (b:Thread {threadId: 'b'})
CREATE (x:Transfer {transferId: 'x', status: 'consumed', consumedAt: 'then',
                    sourceThreadId: 'a', targetThreadId: 'b'})
CREATE (x)-[:TRANSFERS_FROM]->(a) CREATE (x)-[:TRANSFERS_TO]->(b) WITH x, a, b
"""

DAMAGES = [
    Damage("thread_properties", "MATCH (t:Thread {threadId: 'a'}) REMOVE t.driver", ["a"]),
    Damage("thread_properties", "MATCH (t:Thread {threadId: 'e'}) REMOVE t.deleted", ["e"]),
    Damage(
        "edge_ends",
        "MATCH (t:Thread {threadId: 'a'}) CREATE (t)-[:HISTORY_BASE {evidence: 'x'}]->(t)",
        ["a", "a"],
    ),
    Damage(
        "edge_words",
        "MATCH (:Thread {threadId: 'b'})-[e:SPAWNED_BY]->() SET e.status = ''",
        ["b", "a"],
    ),
    Damage(
        "edge_words",
        "MATCH (:Thread {threadId: 'c'})-[e:FORKED_FROM]->() REMOVE e.evidence",
        ["c", "b"],
    ),
    Damage(
        "edge_runs",
        "MATCH (:Thread {threadId: 'c'})-[e:FORKED_FROM]->() SET e.pointRunId = 'b/9'",
        ["c", "b", "b/9"],
    ),
    Damage(
        "edge_runs",
        "MATCH (:Thread {threadId: 'b'})-[e:SPAWNED_BY]->() SET e.runId = 'a/9'",
        ["b", "a", "a/9"],
    ),
    Damage(
        "one_spawner",
        "MATCH (b:Thread {threadId: 'b'}), (c:Thread {threadId: 'unseen'}) "
        "CREATE (b)-[:SPAWNED_BY {status: 'open', evidence: 'x'}]->(c) "
        "SET b.severalOrigins = true",
        ["b", "a", "unseen"],
    ),
    Damage(
        "one_origin",
        "MATCH (c:Thread {threadId: 'c'}), (u:Thread {threadId: 'unseen'}) "
        "CREATE (c)-[:FORKED_FROM {evidence: 'x'}]->(u) SET c.severalOrigins = true",
        ["c", "b", "unseen"],
    ),
    Damage(
        "parent",
        "MATCH (c:Thread {threadId: 'c'}) SET c.relationshipToParent = 'SUBAGENT'",
        ["c"],
    ),
    Damage(
        "parent",
        "MATCH (t:Thread {threadId: 'b'}) REMOVE t.agentParentThreadId",
        ["b"],
        {"session"},
    ),
    Damage("place", "MATCH (t:Thread {threadId: 'b'}) SET t.rootThreadId = 'b'", ["b"]),
    Damage("place", "MATCH (t:Thread {threadId: 'd'}) SET t.depth = 7", ["d"]),
    Damage(
        "place",
        "MATCH (t:Thread {threadId: 'a'}) REMOVE t.depth",
        ["a"],
        {"thread_properties"},
    ),
    Damage("session", "MATCH (t:Thread {threadId: 'b'}) SET t.sessionId = 'other'", ["b"]),
    Damage("several_origins", "MATCH (t:Thread {threadId: 'd'}) REMOVE t.severalOrigins", ["d"]),
    Damage(
        "several_origins", "MATCH (t:Thread {threadId: 'b'}) SET t.severalOrigins = true", ["b"]
    ),
    Damage(
        "run_owner",
        "MATCH (r:Run {runId: 'b/1'}), (a:Thread {threadId: 'a'}) CREATE (a)-[:HAS_RUN]->(r)",
        ["b/1", "a", "b"],
        {"run_order", "own_sums"},
    ),
    Damage(
        "run_owner",
        "MATCH (:Thread {threadId: 'b'})-[has:HAS_RUN]->() DELETE has",
        ["b/1"],
        {"own_sums"},
    ),
    Damage("run_order", "MATCH (r:Run {runId: 'a/2'}) SET r.ordinal = 3", ["a", "a/2"]),
    Damage("run_order", "MATCH (r:Run {runId: 'b/1'}) REMOVE r.ordinal", ["b", "b/1"]),
    Damage(
        "run_order",
        "MATCH (r:Run {runId: 'a/2'}) SET r.byCommand = true, r.ordinal = 3",
        ["a", "a/2"],
    ),
    Damage("run_words", "MATCH (r:Run {runId: 'b/1'}) SET r.status = ''", ["b/1"]),
    Damage("own_sums", "MATCH (t:Thread {threadId: 'a'}) SET t.runCount = 3", ["a"]),
    Damage("own_sums", "MATCH (t:Thread {threadId: 'a'}) SET t.durationMs = 3001", ["a"]),
    Damage("own_sums", "MATCH (t:Thread {threadId: 'a'}) REMOVE t.inputTokens", ["a"]),
    Damage("item_owner", "CREATE (:Item {itemId: 'lost', threadId: 'z', position: 0})", ["lost"]),
    Damage("item_count", "MATCH (t:Thread {threadId: 'a'}) SET t.itemCount = 1", ["a"]),
    Damage(
        "window",
        "MATCH (w:ContextWindow {windowKey: 'a/0'}) SET w.windowKey = 'a/7'",
        ["a/7", "a"],
    ),
    Damage(
        "window",
        "MATCH (:Thread {threadId: 'a'})-[has:HAS_WINDOW]->({windowKey: 'a/1'}) DELETE has",
        ["a/1"],
    ),
    Damage(
        "window_chain",
        "MATCH (w:ContextWindow {windowKey: 'a/1'}) SET w.previousWindowId = 'other'",
        ["a/1", "a/0"],
    ),
    Damage("transfer_ends", TRANSFER + "CREATE (x)-[:TRANSFERS_TO]->(a)", ["x", "a", "a", "b"]),
    Damage("transfer_ends", TRANSFER + "SET x.sourceThreadId = 'b'", ["x", "a", "b"]),
    Damage("transfer_words", TRANSFER + "SET x.status = 'odd'", ["x"]),
    Damage("transfer_words", TRANSFER + "REMOVE x.consumedAt", ["x"]),
]


async def found(store: Neo4jStore) -> list[tuple[str, list[str]]]:
    """The rules that are broken, with the ids of each finding."""
    report = await store.integrity()
    return [(finding.rule, sorted(finding.ids)) for finding in report.findings]


@pytest.mark.parametrize("damage", [pytest.param(d, id=f"{d.rule}: {d.text}") for d in DAMAGES])
async def test_each_damage_is_told_by_its_rule_alone(
    store: Neo4jStore, neo4j_server: Neo4jServer, damage: Damage
) -> None:
    """What is wrong, with the ids; other rules speak only where they are broken, too."""
    await run_cypher(neo4j_server, damage.text)

    report = await found(store)

    assert [told for told in report if told[0] not in damage.also] == [
        (damage.rule, sorted(damage.ids))
    ]
    assert {rule for rule, _ in report} == {damage.rule, *damage.also}


def test_every_rule_is_broken_by_a_test() -> None:
    """A rule that no damage breaks may never find anything."""
    assert {damage.rule for damage in DAMAGES} == {rule.name for rule in RULES}


async def test_a_graph_of_all_samples_is_sound(neo4j_server: Neo4jServer, tmp_path: Path) -> None:
    """Whatever real programs wrote keeps every rule once it is imported."""
    names = [
        path.parent.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*/*/truth.json")
    ]
    paths = tuple(unpack_home(name, tmp_path) for name in sorted(names))
    async with open_empty(neo4j_server) as empty:
        await import_transcripts(
            empty, ImportOrder(importers=known_importers(), selection=Selection(paths=paths))
        )

        report = await empty.integrity()

    assert [finding.message for finding in report.findings] == []
    assert list(report.unconfirmed_starts) == []


async def test_cycles_and_late_parents_are_sound(store: Neo4jStore) -> None:
    """The root of a cycle is its smallest id; what hangs on it follows."""
    await store.record(
        Batch(
            threads=(
                spawned("x", by="z"),
                spawned("y", by="x"),
                spawned("z", by="y"),
                forked("below", of="y"),
            )
        )
    )
    await store.record(Batch(threads=(spawned("unseen", by="x"),)))

    assert await found(store) == []


async def test_findings_of_a_rule_are_cut_and_say_so(
    store: Neo4jStore, neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many are told, the first by id, and the last of them says that there are more."""
    monkeypatch.setattr(neo4j_integrity, "MOST_FINDINGS", 2)
    await run_cypher(neo4j_server, "MATCH (t:Thread) WHERE t.recorded SET t.itemCount = 9")

    report = await store.integrity()

    assert [finding.ids for finding in report.findings] == [["a"], ["b"]]
    assert [finding.message for finding in report.findings] == [
        "Thread a is stored with 9 items and has 2. Import its transcript again.",
        (
            "Thread b is stored with 9 items and has 0. Import its transcript again. "
            "More break this rule: the first 2 are told."
        ),
    ]


async def test_starts_that_nobody_confirmed_are_told(store: Neo4jStore) -> None:
    """They are no finding; what was rolled back no longer starts."""
    runs: tuple[Any, ...] = (
        run("s/1", 1, status="starting"),
        run("s/2", 2, status="preparing"),
        run("s/3", 3, status="starting", rolled_back_at=at(9)),
        run("s/4", 4, status="running"),
    )
    await store.record(Batch(threads=(thread("s", runs=runs),)))

    report = await store.integrity()

    assert report.findings == []
    assert [told.run_id for told in report.unconfirmed_starts] == ["s/1", "s/2"]
    assert await store.threads_by_id(ids("s"))
