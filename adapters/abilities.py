"""What a provider can do for a context transfer, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a provider can do; the names are those of the API in Python's case.

    *fork* copies a native thread, *fork_at_turn* up to a named turn, *rollback* takes turns from
    the end of one. The rest says which handoffs its prompt can take.
    """

    fork: bool
    fork_at_turn: bool
    rollback: bool
    full_handoff: bool = True
    delta_handoff: bool = True
    checkpoint_handoff: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityOverrides:
    """What a caller knows better, field by field; ``None`` keeps what the driver's row says."""

    fork: bool | None = None
    fork_at_turn: bool | None = None
    rollback: bool | None = None
    full_handoff: bool | None = None
    delta_handoff: bool | None = None
    checkpoint_handoff: bool | None = None
