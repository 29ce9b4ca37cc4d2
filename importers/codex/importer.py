"""The importer of Codex homes and rollout files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from importers.codex.database import database_in, is_database, read_database
from importers.codex.files import Heads, file_at, is_rollout_name, read_head, rollout_files
from importers.codex.planning import plan_paths
from importers.codex.reading import read_thread
from importers.codex.thread import DRIVER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from importers.contract import Part, Plan, ReadOptions, Skip, Source

HOME_VARIABLE = "CODEX_HOME"
READER = 1


@dataclass(frozen=True, slots=True)
class CodexImporter:
    """Reads what Codex wrote, of every version so far; keeps the ``Importer`` contract."""

    _heads: Heads = field(default_factory=Heads)

    @property
    def driver(self) -> str:
        return DRIVER

    @property
    def reader(self) -> int:
        return READER

    def default_paths(self) -> tuple[Path, ...]:
        named = os.environ.get(HOME_VARIABLE)
        home = Path(named) if named else Path.home() / ".codex"
        return (home,) if home.is_dir() else ()

    def recognizes(self, path: Path) -> bool:
        try:
            if path.is_file():
                return _is_codex_file(path)
            return path.is_dir() and _holds_codex(path)
        except OSError:
            return False

    def plan(self, paths: Sequence[Path]) -> Plan:
        return plan_paths(paths, self._heads)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Part]:
        return read_thread(source, options)


def _is_codex_file(path: Path) -> bool:
    if is_database(path):
        return bool(read_database(path).threads)
    return is_rollout_name(path) and read_head(file_at(path))[0] is not None


def _holds_codex(folder: Path) -> bool:
    passed: list[Skip] = []
    if any(read_head(file)[0] is not None for file in rollout_files(folder, passed)):
        return True
    database = database_in(folder)
    return database is not None and bool(read_database(database).threads)
