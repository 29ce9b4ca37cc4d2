"""What a thread did: its runs."""

from typing import Any

import strawberry

from api.connections import Connection, Listing, ListQuestion, list_of
from api.context import Info
from api.cursors import Cursors, cursors_of
from api.enums import RunKind
from api.item import Item
from api.limits import ABSENT, given, page_size
from api.node import Node
from api.rows import column_of
from api.scalars import BigInt
from graph import model as rows
from graph.model import RunId, Timestamp


@strawberry.type(description="The tokens that a run used, as the provider counted them.")
class Usage:
    """The tokens of a run; its rows are ``graph.model.Run``."""

    input_tokens: BigInt | None
    cached_input_tokens: BigInt | None = strawberry.field(description="Part of inputTokens.")
    output_tokens: BigInt | None
    reasoning_tokens: BigInt | None = strawberry.field(description="Part of outputTokens.")


@strawberry.type(description="A turn of a thread: what was asked, up to the end of the answer.")
class Run(Node):
    """One run of a thread; its rows are ``graph.model.Run``."""

    run_id: str
    thread_id: str = strawberry.field(description="The thread that the run belongs to.")
    native_turn_id: str | None = strawberry.field(description="The tool's own id for the turn.")
    ordinal: int = strawberry.field(description="Its place among the thread's own runs, from 1.")
    kind: RunKind
    status: str = strawberry.field(
        description=(
            "preparing, queued, starting, running, waiting, completed, interrupted, failed or "
            "cancelled. A run that was rolled back keeps its status."
        )
    )
    rolled_back_at: Timestamp | None = strawberry.field(description="When it was rolled back.")
    driver: str | None
    provider_instance_id: str | None
    model: str | None
    started_at: Timestamp | None
    completed_at: Timestamp | None
    parent_run_id: str | None = strawberry.field(description="The run that caused this one.")
    root_run_id: str | None = strawberry.field(description="The first run of that chain.")
    trigger: str | None = strawberry.field(description="What caused the run.")
    error: str | None = strawberry.field(description="Why it failed.")

    @classmethod
    def is_type_of(cls, row: object, _: Any) -> bool:  # noqa: ANN401 - graphql-core's info
        """Whether a row behind ``Node`` is a run."""
        return isinstance(row, rows.Run)

    @strawberry.field(
        graphql_type=Usage | None, description="The tokens it used; null where none are known."
    )
    @staticmethod
    def usage(run: strawberry.Parent[rows.Run]) -> rows.Run | None:
        """The run itself, which holds its tokens, where any are known."""
        known = (
            run.input_tokens,
            run.cached_input_tokens,
            run.output_tokens,
            run.reasoning_tokens,
        )
        return None if all(tokens is None for tokens in known) else run

    @strawberry.field(graphql_type=Connection[Item], description="Its items, by position.")
    @staticmethod
    def items(
        run: strawberry.Parent[rows.Run],
        info: Info,
        first: int | None = ABSENT,
        after: str | None = ABSENT,
    ) -> Listing:
        """The run's items, by position."""
        question = items_of_run(run.run_id, first=first, after=after)
        return list_of(info, run.run_id, question)


def items_of_run(
    run_id: RunId, *, first: int | None = ABSENT, after: str | None = ABSENT
) -> ListQuestion[RunId, rows.Item, int]:
    """How a run's items are asked for; *after* is a place in the list of *run_id*."""
    size, cursor = page_size(first), given(after)

    def cursors(owner: RunId) -> Cursors[int]:
        return cursors_of(int, "Run.items", owner)

    position = None if cursor is None else cursors(run_id).read(cursor)
    return ListQuestion(
        fetch=lambda graph, run_ids: graph.items_of_runs(run_ids, first=size, after=position),
        count=lambda graph, run_ids: graph.count_items_of_runs(run_ids),
        cursors=cursors,
        positions=lambda found: column_of(found, "position"),
    )
