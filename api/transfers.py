"""The lists of transfers: all of them, and those of a thread."""

from collections.abc import Iterable, Sequence

import strawberry

from api.connections import Listing, ListQuestion, list_of
from api.context import Info, graph_of
from api.cursors import Cursors, cursors_of
from api.enums import Direction, TransferStatus, TransferType
from api.limits import ABSENT, given, page_size
from api.loaders import place_of
from graph import questions
from graph.model import Thread, ThreadId, Timestamp, TransferId
from graph.questions import (
    Page,
    ThreadTransfersQuestion,
    TransferPosition,
    TransfersQuestion,
)
from graph.store import ThreadGraph
from graph.transfers import Transfer


@strawberry.input(
    description=(
        "Which transfers a list holds. All conditions must be met; one that is absent or null is "
        "none, and an empty list matches nothing."
    )
)
class TransferFilter:
    """Which transfers a list holds; ``graph.questions.TransferFilter`` has the meanings."""

    ids: list[str] | None = strawberry.field(default=ABSENT, description="One of these.")
    type: list[TransferType] | None = strawberry.field(default=ABSENT, description="One of these.")
    status: list[TransferStatus] | None = strawberry.field(
        default=ABSENT, description="One of these."
    )
    source_thread_id: str | None = ABSENT
    target_thread_id: str | None = ABSENT
    thread_id: str | None = strawberry.field(default=ABSENT, description="At either end.")
    created_after: Timestamp | None = strawberry.field(default=ABSENT, description="Inclusive.")
    created_before: Timestamp | None = strawberry.field(default=ABSENT, description="Exclusive.")


async def transfer(info: Info, transfer_id: str) -> Transfer | None:
    """The transfer of an id."""
    graph, loaders = graph_of(info), info.context.loaders
    return await loaders.load(place_of(info), TransferId(transfer_id), graph.transfers_by_id)


def transfers(
    info: Info,
    filter: TransferFilter | None = ABSENT,  # noqa: A002 - the schema's word
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """The transfers that meet the filter."""
    return list_of(info, "transfers", transfers_matching(filter, first=first, after=after))


def transfers_matching(
    transfer_filter: TransferFilter | None,
    *,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> ListQuestion[str, Transfer, TransferPosition]:
    """How the transfers that meet a filter are asked for."""
    conditions, cursor = _conditions_of(transfer_filter), given(after)
    cursors = cursors_of(TransferPosition, "transfers", conditions)
    question = TransfersQuestion(
        filter=conditions,
        first=page_size(first),
        after=None if cursor is None else cursors.read(cursor),
    )

    async def fetch(graph: ThreadGraph, lists: list[str]) -> dict[str, Page[Transfer]]:
        return dict.fromkeys(lists, await graph.transfers(question))

    async def count(graph: ThreadGraph, lists: list[str]) -> dict[str, int]:
        return dict.fromkeys(lists, await graph.count_transfers(conditions))

    return ListQuestion(fetch=fetch, count=count, cursors=lambda _: cursors, positions=_places_of)


def thread_transfers(  # noqa: PLR0913, PLR0917 - these are the arguments of the schema
    thread: strawberry.Parent[Thread],
    info: Info,
    direction: Direction | None = ABSENT,
    status: list[TransferStatus] | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """The transfers into or out of the thread."""
    question = transfers_of(
        thread.thread_id, direction=direction, status=status, first=first, after=after
    )
    return list_of(info, thread.thread_id, question)


def transfers_of(
    thread_id: ThreadId,
    *,
    direction: Direction | None = ABSENT,
    status: list[TransferStatus] | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> ListQuestion[ThreadId, Transfer, TransferPosition]:
    """How transfers of threads are asked for; *after* is a place in the list of *thread_id*."""
    end, statuses, cursor = given(direction), given(status), given(after)
    words = None if statuses is None else sorted(set(statuses))

    def cursors(owner: ThreadId) -> Cursors[TransferPosition]:
        return cursors_of(TransferPosition, "Thread.transfers", owner, end, words)

    question = ThreadTransfersQuestion(
        direction=end,
        statuses=words,
        first=page_size(first),
        after=None if cursor is None else cursors(thread_id).read(cursor),
    )
    return ListQuestion(
        fetch=lambda graph, thread_ids: graph.thread_transfers(thread_ids, question),
        count=lambda graph, thread_ids: graph.count_thread_transfers(thread_ids, question),
        cursors=cursors,
        positions=_places_of,
    )


def _places_of(transfers: Sequence[Transfer]) -> Iterable[TransferPosition]:
    return (TransferPosition(found.created_at, found.transfer_id) for found in transfers)


def _conditions_of(transfer_filter: TransferFilter | None) -> questions.TransferFilter:
    asked = given(transfer_filter)
    if asked is None:
        return questions.TransferFilter()
    ids = given(asked.ids)
    return questions.TransferFilter(
        ids=None if ids is None else [TransferId(transfer_id) for transfer_id in ids],
        types=given(asked.type),
        statuses=given(asked.status),
        source_thread_id=_thread_id(asked.source_thread_id),
        target_thread_id=_thread_id(asked.target_thread_id),
        thread_id=_thread_id(asked.thread_id),
        created_after=given(asked.created_after),
        created_before=given(asked.created_before),
    )


def _thread_id(value: str | None) -> ThreadId | None:
    asked = given(value)
    return None if asked is None else ThreadId(asked)
