"""Context transfers: what was handed from one thread to another, or to itself, and how."""

from typing import Any

import strawberry

from api.context import Info, graph_of
from api.enums import Actor, HandoffKind, Strategy, TransferStatus, TransferType
from api.loaders import place_of
from api.merge_back import DeltaAsked, MergeBackDelta
from api.node import Node
from api.references import NativeRef, SourcePoint
from api.scalars import Json
from graph import transfers as rows
from graph.model import Timestamp


@strawberry.type(description="One configured account of a tool.")
class Provider:
    """One configured account; its rows are ``graph.transfers.Provider``."""

    instance_id: str
    driver: str = strawberry.field(description="The tool: codex, claude, opencode, pi, …")
    continuation_key: str | None = strawberry.field(
        description="Accounts with the same one can go on with each other's threads."
    )


@strawberry.type(description="How a transfer was resolved.")
class Resolution:
    """How a transfer was resolved; its rows are ``graph.transfers.Resolution``."""

    strategy: Strategy
    native_thread_ref: NativeRef | None = strawberry.field(
        description="The provider's own thread, once it has one."
    )
    handoff_id: str | None = strawberry.field(description="The context that was made for it.")


@strawberry.type(description="The context that a transfer carries, made when it is first needed.")
class Handoff:
    """The context of a transfer; its rows are ``graph.transfers.Handoff``."""

    handoff_id: str
    kind: HandoffKind
    payload: Json = strawberry.field(description="The messages, in order.")
    text: str = strawberry.field(description="The same as it goes into a prompt.")
    tokens: int
    item_ids: list[str] = strawberry.field(description="The items of the messages, in order.")
    omitted_item_ids: list[str] = strawberry.field(
        description="The items that the budget left out."
    )
    created_at: Timestamp


@strawberry.type(description="One step in the life of a transfer.")
class TransferStep:
    """One step of a transfer; its rows are ``graph.transfers.TransferStep``."""

    status: TransferStatus
    at: Timestamp
    run_id: str | None = strawberry.field(description="The run that it was taken for.")
    reason: str | None = strawberry.field(description="Why it was taken.")


@strawberry.type(
    description="That context was, or is to be, handed from one thread to another or to itself."
)
class Transfer(Node):
    """A context transfer; its rows are ``graph.transfers.Transfer``."""

    transfer_id: str
    type: TransferType
    status: TransferStatus
    source_thread_id: str
    target_thread_id: str
    source_point: SourcePoint = strawberry.field(description="The state that is handed over.")
    base_point: SourcePoint | None = strawberry.field(
        description="The state from which on it is handed over, where that is a part only."
    )
    source_provider: Provider | None
    target_provider: Provider | None
    target_run_id: str | None = strawberry.field(description="The run that it is bound to.")
    replaces: str | None = strawberry.field(description="The transfer that it stands in for.")
    evidence: str = strawberry.field(description="How this is known, and by which rule.")
    created_by: Actor
    created_at: Timestamp
    updated_at: Timestamp
    consumed_at: Timestamp | None
    error: str | None = strawberry.field(description="Why it failed.")
    resolution: Resolution | None = strawberry.field(description="Null: not resolved.")
    task: str | None = strawberry.field(description="What a spawned thread was given to do.")
    result_text: str | None = strawberry.field(description="What a spawned thread came back with.")
    outcome: str | None = strawberry.field(description="completed, failed or cancelled.")
    steps: list[TransferStep] = strawberry.field(description="What became of it, in order.")

    @classmethod
    def is_type_of(cls, row: object, _: Any) -> bool:  # noqa: ANN401 - graphql-core's info
        """Whether a row behind ``Node`` is a transfer."""
        return isinstance(row, rows.Transfer)

    @strawberry.field(
        graphql_type=Handoff | None,
        description="The context that it carries; null where its resolution names none.",
    )
    @staticmethod
    async def handoff(
        transfer: strawberry.Parent[rows.Transfer], info: Info
    ) -> rows.Handoff | None:
        """The context that the transfer carries."""
        if transfer.resolution is None or transfer.resolution.handoff_id is None:
            return None
        graph, loaders = graph_of(info), info.context.loaders
        return await loaders.load(place_of(info), transfer.transfer_id, graph.handoffs)

    @strawberry.field(
        graphql_type=MergeBackDelta | None,
        description=(
            "Of a MERGE_BACK: what its source did since its fork point up to the source point, "
            "without what is delivered by now. Null for the other types, and where that run is "
            "not known or was rolled back."
        ),
    )
    @staticmethod
    async def delta(transfer: strawberry.Parent[rows.Transfer], info: Info) -> DeltaAsked | None:
        """What the transfer brings back."""
        run_id = transfer.source_point.run_id
        if transfer.type is not TransferType.MERGE_BACK or run_id is None:
            return None
        graph, loaders = graph_of(info), info.context.loaders
        tip = (transfer.source_thread_id, run_id)
        return DeltaAsked.of(
            await loaders.load(place_of(info), tip, graph.merge_back_deltas_to), info
        )
