"""Where a thread came from: a fork's source, and a history that is only referenced."""

from typing import TYPE_CHECKING, Annotated

import strawberry

from api.context import Info
from api.node import look_up_thread
from api.references import SourcePoint
from graph import model as rows
from graph.model import Timestamp

if TYPE_CHECKING:
    from api.thread import Thread


@strawberry.type(description="Where a fork came from.")
class ForkOrigin:
    """Where a fork came from; its rows are ``graph.model.ForkOrigin``."""

    thread_id: str = strawberry.field(description="The thread that was forked.")
    point: SourcePoint | None = strawberry.field(
        description="The state that the fork goes on from; null where it is not known."
    )
    context_only: bool = strawberry.field(
        description="Whether a spawned thread only copied its parent's context."
    )
    attached: bool = strawberry.field(
        description="Whether the fork stays attached to its source and out of the plain list."
    )
    at: Timestamp | None = strawberry.field(description="When the fork was made.")
    evidence: str = strawberry.field(description="How this is known, and by which rule.")

    @strawberry.field(
        graphql_type=Annotated["Thread", strawberry.lazy("api.thread")],
        description="The thread that was forked.",
    )
    @staticmethod
    async def thread(origin: strawberry.Parent[rows.ForkOrigin], info: Info) -> rows.Thread | None:
        """The thread that was forked."""
        return await look_up_thread(info, origin.thread_id)


@strawberry.type(description="The thread whose history is referenced and not copied.")
class HistoryBase:
    """The thread whose history is referenced; its rows are ``graph.model.HistoryBase``."""

    thread_id: str = strawberry.field(description="The thread whose history it is.")
    end_ordinal: int | None = strawberry.field(
        description="The first entry of that history that no longer belongs to it."
    )
