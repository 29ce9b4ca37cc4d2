"""The importers that there are, one a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from importers.codex.importer import CodexImporter

if TYPE_CHECKING:
    from importers.contract import Importer


def known_importers() -> tuple[Importer, ...]:
    """An importer of each tool, in the order in which they are asked about a path."""
    return (CodexImporter(),)
