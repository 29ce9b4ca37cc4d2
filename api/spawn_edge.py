"""That one thread spawned another."""

from typing import TYPE_CHECKING, Annotated

import strawberry

from api.context import Info
from api.node import look_up_thread
from graph import model as rows
from graph.model import Timestamp

if TYPE_CHECKING:
    from api.thread import Thread


@strawberry.type(description="That one thread spawned another.")
class SpawnEdge:
    """That one thread spawned another; its rows are ``graph.model.SpawnEdge``."""

    parent_thread_id: str
    child_thread_id: str
    status: str = strawberry.field(
        description="open or closed; a word that is not known here stays as it is."
    )
    origin: str = strawberry.field(description="provider_native or app_owned.")
    run_id: str | None = strawberry.field(description="The parent's run that spawned it.")
    call_id: str | None = strawberry.field(description="The tool call that spawned it.")
    at: Timestamp | None = strawberry.field(description="When it was spawned.")
    evidence: str = strawberry.field(description="How this is known, and by which rule.")

    @strawberry.field(
        graphql_type=Annotated["Thread", strawberry.lazy("api.thread")],
        description="The thread that was spawned.",
    )
    @staticmethod
    async def child(edge: strawberry.Parent[rows.SpawnEdge], info: Info) -> rows.Thread | None:
        """The thread that was spawned."""
        return await look_up_thread(info, edge.child_thread_id)
