"""The importers that there are, one a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from importers.claude_code.importer import ClaudeCodeImporter
from importers.codex.importer import CodexImporter
from importers.opencode.importer import OpenCodeImporter
from importers.pi.importer import PiImporter

if TYPE_CHECKING:
    from importers.contract import Importer


def known_importers() -> tuple[Importer, ...]:
    """An importer of each tool, in the order in which they are asked about a path."""
    return (CodexImporter(), ClaudeCodeImporter(), PiImporter(), OpenCodeImporter())
