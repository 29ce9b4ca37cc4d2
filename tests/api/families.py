"""Threads that the tests of the API ask about."""

from graph.model import CapabilityRoot, Evidence, ItemId, Proof, RunId, ThreadId, Timestamp
from graph.records import (
    Batch,
    ForkRecord,
    ItemRecord,
    ItemsRecord,
    RunRecord,
    SpawnRecord,
    ThreadRecord,
    WindowRecord,
)

FILE = Evidence(Proof.FILE, "session_meta")
DATABASE = Evidence(Proof.DATABASE, "thread_spawn_edges")


def at(minute: int) -> Timestamp:
    """A moment, so many minutes after noon."""
    return Timestamp(f"2026-11-30T12:{minute:02}:00.000000Z")


def run(thread_id: str, number: int, **facts: object) -> RunRecord:
    """A completed run of a thread; it starts *number* minutes after noon."""
    known: dict[str, object] = {
        "status": "completed",
        "started_at": at(number),
        "completed_at": at(number),
        "native_turn_id": f"turn-{number}",
        "driver": "codex",
        "provider_instance_id": "codex",
    }
    return RunRecord(run_id=RunId(f"{thread_id}/turn-{number}"), **{**known, **facts})  # pyright: ignore[reportArgumentType] - the facts are named by the test


def thread(thread_id: str, minute: int = 0, turns: int = 0, **facts: object) -> ThreadRecord:
    """A Codex thread that was created so many minutes after noon."""
    known: dict[str, object] = {
        "driver": "codex",
        "provider_instance_id": "codex",
        "title": thread_id.title(),
        "source_kind": "cli",
        "created_at": at(minute),
        "updated_at": at(minute),
        "recency_at": at(minute),
        "runs": tuple(run(thread_id, number) for number in range(1, turns + 1)),
    }
    return ThreadRecord(thread_id=ThreadId(thread_id), **{**known, **facts})  # pyright: ignore[reportArgumentType] - the facts are named by the test


def fork(source: str, turn: int, minute: int = 9, **facts: object) -> ForkRecord:
    """That a thread was forked from *source* after a turn."""
    return ForkRecord(
        source_thread_id=ThreadId(source),
        point_run_id=RunId(f"{source}/turn-{turn}"),
        at=at(minute),
        evidence=FILE,
        **facts,  # pyright: ignore[reportArgumentType] - the facts are named by the test
    )


def spawn(parent: str, child: str, turn: int = 1, status: str = "open") -> SpawnRecord:
    """That *parent* spawned *child* in a turn."""
    return SpawnRecord(
        child_thread_id=ThreadId(child),
        parent_thread_id=ThreadId(parent),
        status=status,
        run_id=RunId(f"{parent}/turn-{turn}"),
        call_id="call-1",
        at=at(8),
        evidence=DATABASE,
    )


def item(thread_id: str, position: int, turn: int = 1) -> ItemRecord:
    """A message of a turn."""
    return ItemRecord(
        item_id=ItemId(f"{thread_id}/item-{position}"),
        position=position,
        run_id=RunId(f"{thread_id}/turn-{turn}"),
        kind="message",
        role="user" if position % 2 == 0 else "assistant",
        text=f"text {position}",
        text_bytes=6,
        at=at(position),
    )


FAMILY = Batch(
    threads=(
        thread(
            "root",
            minute=1,
            turns=3,
            name="The first",
            selected_capability_roots=(
                CapabilityRoot(id="tool", environment_id="local", path="/tools"),
            ),
            windows=(
                WindowRecord(number=0, window_id="window-0"),
                WindowRecord(number=1, previous_window_id="window-0", run_id=RunId("root/turn-2")),
            ),
            items=ItemsRecord(items=tuple(item("root", n, turn=1 + n // 2) for n in range(5))),
        ),
        thread("fork", minute=2, turns=2, fork=fork("root", 2)),
        thread("helper", minute=3, turns=1, source_kind="subAgentThreadSpawn"),
        thread("deeper", minute=4, source_kind="subAgentThreadSpawn"),
    ),
    spawns=(
        spawn("root", "helper"),
        spawn("helper", "deeper", status="closed"),
        spawn("root", "unseen"),
    ),
)
"""``root``, its ``fork``, its agent ``helper`` with an agent ``deeper``, and a placeholder."""
