"""The capabilities of every driver."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from adapters import claude, codex, opencode
from adapters.abilities import Capabilities, CapabilityOverrides

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Capabilities", "CapabilityOverrides", "capabilities_of"]

_HANDOFFS_ONLY = Capabilities(fork=False, fork_at_turn=False, rollback=False)

_ROWS: Mapping[str, Capabilities] = {
    codex.DRIVER: codex.CAPABILITIES,
    claude.DRIVER: claude.CAPABILITIES,
    opencode.DRIVER: opencode.CAPABILITIES,
    "cursor": _HANDOFFS_ONLY,
    "grok": _HANDOFFS_ONLY,
}


def capabilities_of(driver: str, overrides: CapabilityOverrides | None = None) -> Capabilities:
    """What a driver can do; one without a row (acp, pi) takes handoffs and no more."""
    row = _ROWS.get(driver, _HANDOFFS_ONLY)
    if overrides is None:
        return row
    said = {name: value for name, value in asdict(overrides).items() if value is not None}
    return replace(row, **said)
