"""What the client answers about context that is handed from thread to thread."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lineage_client import (
    Handoff,
    IntegrityReport,
    LineageClient,
    Resolution,
    SourcePoint,
    ThreadNotFound,
    Transfer,
    TransferStep,
)


def noon(minute: int) -> datetime:
    """A moment of the families."""
    return datetime(2026, 11, 30, 12, minute, tzinfo=UTC)


def point(thread_id: str, run_id: str | None = None) -> SourcePoint:
    """A state of a thread, without names of a tool."""
    return SourcePoint(
        thread_id=thread_id,
        run_id=run_id,
        checkpoint_id=None,
        item_id=None,
        native_thread_ref=None,
        native_turn_ref=None,
    )


def test_a_transfer_is_a_typed_value(client: LineageClient) -> None:
    """With its points, resolution and steps; an unknown id is None."""
    assert client.transfer("switch") == Transfer(
        transfer_id="switch",
        type="PROVIDER_HANDOFF",
        status="CONSUMED",
        source_thread_id="trunk",
        target_thread_id="trunk",
        source_point=point("trunk"),
        base_point=None,
        source_provider=None,
        target_provider=None,
        target_run_id=None,
        replaces=None,
        evidence="database: thread_spawn_edges",
        created_by="SYSTEM",
        created_at=noon(2),
        updated_at=noon(3),
        consumed_at=noon(3),
        error=None,
        resolution=Resolution(
            strategy="PORTABLE_CONTEXT", native_thread_ref=None, handoff_id="carried"
        ),
        task=None,
        result_text=None,
        outcome=None,
        steps=(TransferStep(status="CONSUMED", at=noon(3), run_id=None, reason=None),),
    )
    assert client.transfer("nothing") is None


def test_what_a_transfer_carries_can_be_read(client: LineageClient) -> None:
    """None where it carries nothing, and where there is no such transfer."""
    assert client.handoff("switch") == Handoff(
        handoff_id="carried",
        kind="PORTABLE_CONTEXT",
        payload={"messages": []},
        text="nothing yet",
        tokens=3,
        item_ids=("i",),
        omitted_item_ids=(),
        created_at=noon(2),
    )
    assert client.handoff("merge") is None
    assert client.handoff("nothing") is None


def test_transfers_are_listed_by_conditions(client: LineageClient) -> None:
    """By the time they were made; all conditions must hold."""
    every = client.transfers()
    late = client.transfers(created_after=noon(2), status=["CONSUMED"])
    merges = client.transfers(type=["MERGE_BACK"], source_thread_id="branch")

    assert [transfer.transfer_id for transfer in every] == ["merge", "switch"]
    assert [transfer.transfer_id for transfer in late] == ["switch"]
    assert [transfer.transfer_id for transfer in merges] == ["merge"]


def test_transfers_of_a_thread_go_in_or_out(client: LineageClient) -> None:
    """Without a direction both, one from a thread to itself once."""
    both = client.transfers_of("trunk")
    out = client.transfers_of("trunk", direction="OUT")
    pending = client.transfers_of("trunk", direction="IN", status=["PENDING"])

    assert [transfer.transfer_id for transfer in both] == ["merge", "switch"]
    assert [transfer.transfer_id for transfer in out] == ["switch"]
    assert [transfer.transfer_id for transfer in pending] == ["merge"]
    with pytest.raises(ThreadNotFound, match="'nobody'"):
        next(client.transfers_of("nobody"))


def test_what_a_fork_could_bring_back_is_told(client: LineageClient) -> None:
    """Up to its latest stable run, or up to the one that is named; its items one by one."""
    delta = client.merge_back_delta("branch")
    earlier = client.merge_back_items("branch", run_id="branch/turn-1")

    assert delta is not None
    assert (delta.fork_thread_id, delta.into_thread_id) == ("branch", "trunk")
    assert (delta.base, delta.tip) == (
        point("trunk", "trunk/turn-1"),
        point("branch", "branch/turn-2"),
    )
    assert [run.ordinal for run in delta.runs] == [1, 2]
    assert (delta.item_count, delta.already_delivered, delta.files_changed) == (4, 0, ())
    assert [item.position for item in client.merge_back_items("branch")] == [0, 1, 2, 3]
    assert [item.position for item in earlier] == [0, 1]


def test_what_is_no_fork_brings_nothing_back(client: LineageClient) -> None:
    """An id that was never seen is an error."""
    assert client.merge_back_delta("trunk") is None
    assert list(client.merge_back_items("trunk")) == []
    with pytest.raises(ThreadNotFound):
        client.merge_back_delta("nobody")


def test_the_client_can_ask_whether_the_graph_is_sound(client: LineageClient) -> None:
    """Findings with their rule and ids; ``unseen`` is only named and no fault."""
    report = client.integrity()

    assert report == IntegrityReport(findings=(), unconfirmed_starts=())
