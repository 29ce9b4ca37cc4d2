"""The lineage of a thread: nodes, the edges between them, and where the answer was cut off."""

from collections.abc import Sequence
from dataclasses import dataclass

import strawberry

from api.context import Info, graph_of, rows_or_taken, selects
from api.cursors import Cursors, cursors_of
from api.enums import EdgeKind, LineageDirection, TransferType, TruncationReason
from api.limits import (
    ABSENT,
    DEFAULT_LINEAGE_NODES,
    MAX_LINEAGE_NODES,
    given,
    hops,
    page_size,
)
from api.thread import Thread
from api.walks import walked_kinds
from graph import model as rows
from graph.model import ThreadId, Timestamp
from graph.questions import DescendantPosition, LineageQuestion
from graph.questions import LineageGraph as LineageRows
from graph.questions import Truncation as TruncationRow


@strawberry.type(
    description="One relation between two threads, told from the origin to the newer one."
)
class LineageEdge:
    """One relation between two threads; its rows are ``graph.model.LineageEdge``."""

    kind: EdgeKind
    from_thread_id: str = strawberry.field(description="The origin; of a transfer, the source.")
    to_thread_id: str = strawberry.field(description="The newer one; of a transfer, the target.")
    status: str | None = strawberry.field(
        description="Of a spawn: open or closed; of a transfer, its status."
    )
    context_only: bool | None = strawberry.field(
        description="Of a fork: whether a spawned thread only copied its parent's context."
    )
    transfer_id: str | None
    transfer_type: TransferType | None
    item_count: int | None = strawberry.field(
        description="How many items a transfer carries, where that is known."
    )
    run_id: str | None = strawberry.field(
        description="The origin's run: the spawning run, or that of the source point."
    )
    at: Timestamp | None = strawberry.field(
        description="When the edge was made, or the transfer consumed."
    )
    point_at: Timestamp | None = strawberry.field(
        description="When the run of the source point ended."
    )
    evidence: str = strawberry.field(description="How this is known, and by which rule.")

    @strawberry.field(description="A name that stays: of kind and both ends, or of the transfer.")
    @staticmethod
    def id(edge: strawberry.Parent[rows.LineageEdge]) -> strawberry.ID:
        """A name that stays."""
        return strawberry.ID(edge.edge_id)


@strawberry.type(description="That an answer was cut off, why, and at which limit.")
class Truncation:
    """That an answer was cut off; its rows are ``graph.store.Truncation``."""

    reason: TruncationReason
    limit: int


@dataclass(frozen=True, slots=True)
class LineageAnswer:
    """What stands behind ``LineageGraph``."""

    nodes: Sequence[rows.Thread]
    edges: Sequence[rows.LineageEdge]
    truncated: TruncationRow | None
    end_cursor: str | None
    version: str

    @staticmethod
    def of(found: LineageRows, cursors: Cursors[DescendantPosition]) -> "LineageAnswer":
        """The answer, with a cursor where more nodes follow."""
        cut = found.truncated is not None and found.truncated.reason is TruncationReason.NODES
        end_cursor = cursors.write(found.end) if cut and found.end is not None else None
        return LineageAnswer(found.nodes, found.edges, found.truncated, end_cursor, found.version)


async def nodes_of(answer: strawberry.Parent[LineageAnswer], info: Info) -> list[rows.Thread]:
    """The threads of an answer."""
    return await rows_or_taken(info, answer.nodes)


async def edges_of(answer: strawberry.Parent[LineageAnswer], info: Info) -> list[rows.LineageEdge]:
    """The edges of an answer."""
    return await rows_or_taken(info, answer.edges)


@strawberry.type(description="Threads and the edges between them.")
class LineageGraph:
    """Threads and the edges between them; its rows are ``LineageAnswer``."""

    # What stands behind the lists are rows; graphql_type says what they answer.
    nodes: object = strawberry.field(
        resolver=nodes_of,
        graphql_type=list[Thread],
        description=(
            "The threads, nearest to where the walk began first, then by thread id. A hand-off "
            "from another tree brings in the thread at its other end, as one further hop."
        ),
    )
    edges: object = strawberry.field(
        resolver=edges_of,
        graphql_type=list[LineageEdge],
        description=(
            "The edges between threads of this and earlier pages, each on the page of the later "
            "of its two ends, by kind and both thread ids."
        ),
    )
    truncated: Truncation | None = strawberry.field(description="Null: nothing was cut off.")
    end_cursor: str | None = strawberry.field(
        description="For `after`, to go on where the nodes were cut off; null: none follow."
    )
    version: str = strawberry.field(
        description="Another one whenever the tree has changed: <rootThreadId>:<revision>."
    )


async def lineage(  # noqa: PLR0913, PLR0917 - these are the arguments of the schema
    info: Info,
    thread_id: str,
    direction: LineageDirection | None = LineageDirection.WHOLE_TREE,
    kinds: list[EdgeKind] | None = ABSENT,
    max_depth: int | None = ABSENT,
    max_nodes: int | None = ABSENT,
    after: str | None = ABSENT,
) -> LineageAnswer:
    """The lineage of a thread in one direction; ``ThreadNotFound`` for an unknown one."""
    walked, depth, cursor = walked_kinds(kinds), hops(max_depth), given(after)
    part = direction or LineageDirection.WHOLE_TREE
    cursors = cursors_of(DescendantPosition, "lineage", thread_id, part, walked, depth)
    found = await graph_of(info).lineage(
        LineageQuestion(
            thread_id=ThreadId(thread_id),
            direction=part,
            kinds=walked,
            max_depth=depth,
            max_nodes=page_size(
                max_nodes,
                name="maxNodes",
                default=DEFAULT_LINEAGE_NODES,
                most=MAX_LINEAGE_NODES,
            ),
            after=None if cursor is None else cursors.read(cursor),
            edges=selects(info, "edges"),
        )
    )
    return LineageAnswer.of(found, cursors)
