"""The importer of Claude Code's sessions and agents."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from importers.claude_code.context import DRIVER
from importers.claude_code.files import PROJECTS_FOLDER, projects_root, transcript_files
from importers.claude_code.planning import Memory, plan_paths
from importers.claude_code.reading import read_conversation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from importers.contract import Part, Plan, ReadOptions, Source

HOME_VARIABLE = "CLAUDE_CONFIG_DIR"
READER = 1


@dataclass(frozen=True, slots=True)
class ClaudeCodeImporter:
    """Reads what Claude Code wrote, of every version so far; keeps the ``Importer`` contract."""

    _memory: Memory = field(default_factory=Memory)

    @property
    def driver(self) -> str:
        return DRIVER

    @property
    def reader(self) -> int:
        return READER

    def default_paths(self) -> tuple[Path, ...]:
        named = os.environ.get(HOME_VARIABLE)
        home = Path(named).expanduser() if named else Path.home() / ".claude"
        folder = home / PROJECTS_FOLDER
        return (folder,) if folder.is_dir() and self.recognizes(folder) else ()

    def recognizes(self, path: Path) -> bool:
        try:
            root = projects_root(path)
            inside = root if root is not None and root.is_relative_to(path) else path
            files = transcript_files(inside, [])
            return any(self._memory.heads.is_known(file) for file in files)
        except OSError:
            return False

    def plan(self, paths: Sequence[Path]) -> Plan:
        return plan_paths(paths, self._memory)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Part]:
        return read_conversation(source, options)


IMPORTER = ClaudeCodeImporter()
