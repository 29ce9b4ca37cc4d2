"""A transfer as its node holds it: refs and providers in flat properties, the rest as JSON.

Nothing is looked for by a point or a step, so they are canonical JSON. What a point or a step
names by id besides stands in a property of its own where something is looked up by it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

import msgspec

from graph.columns import ChosenFields
from graph.model import (
    PROOF_RANK,
    Actor,
    NativeRef,
    RunId,
    SourcePoint,
    Strength,
    ThreadId,
    Timestamp,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.transfers import (
    Handoff,
    HandoffId,
    HandoffKind,
    Provider,
    Resolution,
    Strategy,
    Transfer,
    TransferStep,
)

if TYPE_CHECKING:
    from graph.properties import Properties
    from graph.records import TransferRecord

_canonical = msgspec.json.Encoder(order="sorted").encode
_packed = msgspec.msgpack.Encoder(order="deterministic").encode
_point = msgspec.json.Decoder(SourcePoint).decode
_steps = msgspec.json.Decoder(tuple[TransferStep, ...]).decode


NO_POINT = '{"threadId":""}'
"""What stands for a point that was not read."""


class StoredTransfer(msgspec.Struct, frozen=True, rename="camel"):
    """The properties of a transfer that are read."""

    transfer_id: TransferId
    type: TransferType
    status: TransferStatus
    source_thread_id: ThreadId
    target_thread_id: ThreadId
    source_point: str
    evidence: str
    created_by: Actor
    created_at: Timestamp
    updated_at: Timestamp
    steps: str
    base_point: str | None = None
    source_provider_instance_id: str | None = None
    source_provider_driver: str | None = None
    source_provider_continuation_key: str | None = None
    target_provider_instance_id: str | None = None
    target_provider_driver: str | None = None
    target_provider_continuation_key: str | None = None
    target_run_id: RunId | None = None
    replaces: TransferId | None = None
    consumed_at: Timestamp | None = None
    error: str | None = None
    strategy: Strategy | None = None
    native_thread_ref_driver: str | None = None
    native_thread_ref_id: str | None = None
    native_thread_ref_strength: Strength | None = None
    native_thread_ref_ordinal: int | None = None
    handoff_id: HandoffId | None = None
    task: str | None = None
    result_text: str | None = None
    outcome: str | None = None

    def shown(self) -> Transfer:
        """The transfer as it is read."""
        return Transfer(
            transfer_id=self.transfer_id,
            type=self.type,
            status=self.status,
            source_thread_id=self.source_thread_id,
            target_thread_id=self.target_thread_id,
            source_point=_point(self.source_point or NO_POINT),
            base_point=None if self.base_point is None else _point(self.base_point),
            source_provider=_provider(
                self.source_provider_instance_id,
                self.source_provider_driver,
                self.source_provider_continuation_key,
            ),
            target_provider=_provider(
                self.target_provider_instance_id,
                self.target_provider_driver,
                self.target_provider_continuation_key,
            ),
            target_run_id=self.target_run_id,
            replaces=self.replaces,
            evidence=self.evidence,
            created_by=self.created_by,
            created_at=self.created_at,
            updated_at=self.updated_at,
            consumed_at=self.consumed_at,
            error=self.error,
            resolution=self._resolution(),
            task=self.task,
            result_text=self.result_text,
            outcome=self.outcome,
            steps=_steps(self.steps or "[]"),
        )

    def _resolution(self) -> Resolution | None:
        if self.strategy is None:
            return None
        native = None
        if self.native_thread_ref_driver is not None:
            native = NativeRef(
                driver=self.native_thread_ref_driver,
                native_id=self.native_thread_ref_id,
                strength=self.native_thread_ref_strength or Strength.NONE,
                ordinal=self.native_thread_ref_ordinal,
            )
        return Resolution(
            strategy=self.strategy, native_thread_ref=native, handoff_id=self.handoff_id
        )


class StoredHandoff(msgspec.Struct, frozen=True, rename="camel"):
    """The properties of a handoff."""

    handoff_id: HandoffId
    transfer_id: TransferId
    kind: HandoffKind
    payload: str
    text: str
    tokens: int
    created_at: Timestamp
    item_ids: list[str]
    omitted_item_ids: list[str]

    def shown(self) -> Handoff:
        """The handoff as it is read."""
        return Handoff(
            handoff_id=self.handoff_id,
            transfer_id=self.transfer_id,
            kind=self.kind,
            payload=self.payload,
            text=self.text,
            tokens=self.tokens,
            created_at=self.created_at,
            item_ids=tuple(self.item_ids or ()),
            omitted_item_ids=tuple(self.omitted_item_ids or ()),
        )


PROVIDER = ("instance_id", "driver", "continuation_key")
"""The properties of a provider, behind the name of the field that holds it."""

RESOLUTION = (
    *("strategy", "handoff_id", "native_thread_ref_driver", "native_thread_ref_id"),
    *("native_thread_ref_strength", "native_thread_ref_ordinal"),
)
"""The properties of a resolution."""


def stored_fields(chosen: ChosenFields) -> ChosenFields:
    """The properties that hold the chosen fields of transfers and handoffs."""
    names: set[str] = set()
    for name in chosen.of(Transfer):
        match name:
            case "source_provider" | "target_provider":
                names |= {f"{name}_{part}" for part in PROVIDER}
            case "resolution":
                names |= set(RESOLUTION)
            case _:
                names.add(name)
    return ChosenFields({StoredTransfer: names, StoredHandoff: chosen.of(Handoff)})


def record_digest(record: TransferRecord) -> str:
    """What tells a record that was told before."""
    return blake2b(_packed(record), digest_size=16).hexdigest()


def transfer_properties(record: TransferRecord) -> Properties:
    """What a record says of a transfer."""
    steps = record.all_steps
    resolution = record.resolution
    properties: Properties = {
        "transferId": record.transfer_id,
        "type": record.type.value,
        "status": record.status.value,
        "sourceThreadId": record.source_thread_id,
        "targetThreadId": record.target_thread_id,
        "sourcePoint": _json(record.source_point),
        "sourceRunId": record.source_point.run_id,
        "evidence": str(record.evidence),
        "proofRank": PROOF_RANK[record.evidence.proof],
        "createdBy": record.created_by.value,
        "createdAt": record.created_at,
        "updatedAt": steps[-1].at,
        "steps": _json(steps),
        "basePoint": None if record.base_point is None else _json(record.base_point),
        **_provider_properties("sourceProvider", record.source_provider),
        **_provider_properties("targetProvider", record.target_provider),
        "targetRunId": record.target_run_id,
        "replaces": record.replaces,
        "consumedAt": record.consumed_at,
        "error": record.error,
        "strategy": None if resolution is None else resolution.strategy.value,
        **_native_properties(None if resolution is None else resolution.native_thread_ref),
        "handoffId": None if resolution is None else resolution.handoff_id,
        "itemCount": record.carried_items,
        "task": record.task,
        "resultText": record.result_text,
        "outcome": record.outcome,
        "recordDigest": record_digest(record),
    }
    return {name: value for name, value in properties.items() if value is not None}


def handoff_properties(handoff: Handoff) -> Properties:
    """What a record says of a handoff."""
    return {
        "handoffId": handoff.handoff_id,
        "transferId": handoff.transfer_id,
        "kind": handoff.kind.value,
        "payload": handoff.payload,
        "text": handoff.text,
        "tokens": handoff.tokens,
        "createdAt": handoff.created_at,
        "itemIds": list(handoff.item_ids),
        "omittedItemIds": list(handoff.omitted_item_ids),
    }


def _provider(
    instance_id: str | None, driver: str | None, continuation_key: str | None
) -> Provider | None:
    if instance_id is None or driver is None:
        return None
    return Provider(instance_id=instance_id, driver=driver, continuation_key=continuation_key)


def _provider_properties(prefix: str, provider: Provider | None) -> Properties:
    if provider is None:
        return {}
    return {
        f"{prefix}InstanceId": provider.instance_id,
        f"{prefix}Driver": provider.driver,
        f"{prefix}ContinuationKey": provider.continuation_key,
    }


def _native_properties(native: NativeRef | None) -> Properties:
    if native is None:
        return {}
    return {
        "nativeThreadRefDriver": native.driver,
        "nativeThreadRefId": native.native_id,
        "nativeThreadRefStrength": native.strength.value,
        "nativeThreadRefOrdinal": native.ordinal,
    }


def _json(value: object) -> str:
    """Canonical JSON: keys sorted, and what is not known left out."""
    return _canonical(_known(msgspec.to_builtins(value))).decode()


def _known(value: Any) -> Any:  # noqa: ANN401 - any JSON
    match value:
        case dict():
            told = cast("dict[str, Any]", value)
            return {name: _known(held) for name, held in told.items() if held is not None}
        case list() | tuple():
            return [_known(held) for held in cast("list[Any]", value)]
        case _:
            return value
