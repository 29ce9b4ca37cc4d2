"""What the start of a run is answered: how its provider gets the context."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
import strawberry

from api.context import Info, graph_to_command
from api.loaders import place_of
from api.mutations.accepted import Accepted, run_of, there, transfers_of
from api.references import NativeRef
from api.run import Run
from api.scalars import Json
from api.transfer import Handoff, Transfer
from api.transfers import transfer as look_up_transfer
from graph import model as rows
from graph import transfers as transfer_rows
from graph.model import TransferId
from graph.transfers import HandoffId, HandoffKind, Strategy


@strawberry.type(description="One call of the provider's own interface.")
class NativeCall:
    """One call of the provider's own interface."""

    method: str
    params: str = strawberry.field(
        graphql_type=Json,
        description=(
            'Its arguments. {"$result": n, "path": p} stands for what call n, from 0, returned '
            "at that path."
        ),
    )


@strawberry.type(description="The calls that make a native fork, in order.")
class NativePlan:
    """The calls that make a native fork."""

    calls: list[NativeCall]


async def _transfer(base: strawberry.Parent["Resolved"], info: Info) -> transfer_rows.Transfer:
    transfer_id = TransferId(base.told["transferId"])
    return there(await look_up_transfer(info, transfer_id), transfer_id)


async def _handoff(base: strawberry.Parent["Resolved"], info: Info) -> transfer_rows.Handoff:
    handoff_id = HandoffId(base.told["handoffId"])
    commands = graph_to_command(info)
    found = await info.context.loaders.load(place_of(info), handoff_id, commands.handoffs_by_id)
    return there(found, handoff_id)


class Resolved:
    """What a receipt tells of one thing that a start resolved."""

    told: Mapping[str, Any]


@strawberry.type(description="The provider has what it needs.")
class NoTransfer(Resolved):
    """The provider has what it needs."""

    told: strawberry.Private[Mapping[str, Any]]
    resume: NativeRef | None = strawberry.field(
        description="The native thread to go on with; null: begin one."
    )


@strawberry.type(description="The provider forks its own thread.")
class NativeFork(Resolved):
    """The provider forks its own thread."""

    told: strawberry.Private[Mapping[str, Any]]
    transfer: object = strawberry.field(resolver=_transfer, graphql_type=Transfer)
    plan: NativePlan = strawberry.field(description="What to ask the provider for.")


@strawberry.type(description="The whole conversation is handed over.")
class PortableContext(Resolved):
    """The whole conversation is handed over."""

    told: strawberry.Private[Mapping[str, Any]]
    transfer: object = strawberry.field(resolver=_transfer, graphql_type=Transfer)
    handoff: object = strawberry.field(resolver=_handoff, graphql_type=Handoff)


@strawberry.type(description="What the provider lacks of the conversation is handed over.")
class DeltaContext(Resolved):
    """What the provider lacks is handed over."""

    told: strawberry.Private[Mapping[str, Any]]
    transfer: object = strawberry.field(resolver=_transfer, graphql_type=Transfer)
    handoff: object = strawberry.field(resolver=_handoff, graphql_type=Handoff)
    resume: NativeRef | None = strawberry.field(
        description="The native thread to go on with; null: begin one."
    )


@strawberry.type(description="The state of the files is handed over, as there is no text.")
class CheckpointContext(Resolved):
    """The state of the files is handed over."""

    told: strawberry.Private[Mapping[str, Any]]
    transfer: object = strawberry.field(resolver=_transfer, graphql_type=Transfer)
    handoff: object = strawberry.field(resolver=_handoff, graphql_type=Handoff)


StartBase = Annotated[
    NoTransfer | NativeFork | PortableContext | DeltaContext | CheckpointContext,
    strawberry.union("StartBase", description="How a start gets the context of its thread."),
]


def _base(accepted: strawberry.Parent[Accepted]) -> Resolved:
    told: Mapping[str, Any] = accepted.made["base"]
    match told["kind"]:
        case Strategy.NATIVE_FORK:
            calls = [
                NativeCall(
                    method=call["method"], params=msgspec.json.encode(call["params"]).decode()
                )
                for call in told["calls"]
            ]
            return NativeFork(told=told, plan=NativePlan(calls=calls))
        case HandoffKind.PORTABLE_CONTEXT:
            return PortableContext(told=told)
        case HandoffKind.DELTA_CONTEXT:
            return DeltaContext(told=told, resume=_native_ref(told["resume"]))
        case HandoffKind.CHECKPOINT_CONTEXT:
            return CheckpointContext(told=told)
        case _:
            return NoTransfer(told=told, resume=_native_ref(told["resume"]))


def _deltas(accepted: strawberry.Parent[Accepted]) -> list[DeltaContext]:
    return [DeltaContext(told=told, resume=None) for told in accepted.made["deltas"]]


def _native_ref(told: Mapping[str, Any] | None) -> Any:  # noqa: ANN401 - a row of NativeRef
    return (
        None
        if told is None
        else rows.NativeRef(
            driver=told["driver"],
            native_id=told.get("nativeId"),
            strength=rows.Strength(told["strength"]),
            ordinal=told.get("ordinal"),
        )
    )


@strawberry.type(description="A run is starting: this is how its provider gets the context.")
class StartContext(Accepted):
    """A run is starting."""

    run: object = strawberry.field(
        resolver=run_of,
        graphql_type=Run,
        description="The new run; confirm its start or let it fail.",
    )
    base: object = strawberry.field(resolver=_base, graphql_type=StartBase)
    deltas: object = strawberry.field(
        resolver=_deltas,
        graphql_type=list[DeltaContext],
        description="What forks bring back, to be handed over beside the base; oldest first.",
    )

    @strawberry.field(description="What the thread was begun by; null where that is not known.")
    def originator(self) -> str | None:
        """What the thread was begun by."""
        return self.made["originator"]


@strawberry.type(description="The provider accepted a start; what it resolved is consumed.")
class StartConfirmed(Accepted):
    """The provider accepted a start."""

    run: object = strawberry.field(resolver=run_of, graphql_type=Run)
    transfers: object = strawberry.field(
        resolver=transfers_of, graphql_type=list[Transfer], description="What it consumed."
    )


@strawberry.type(description="A start is given up; what it resolved waits again, or failed.")
class StartFailed(Accepted):
    """A start is given up."""

    run: object = strawberry.field(resolver=run_of, graphql_type=Run)
    transfers: object = strawberry.field(
        resolver=transfers_of, graphql_type=list[Transfer], description="What it had resolved."
    )
