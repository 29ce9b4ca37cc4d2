"""The importer of OpenCode's databases and of the folders that it had before."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from importers.opencode.driver import DRIVER
from importers.opencode.finding import find, holds_sessions
from importers.opencode.planning import plan_paths
from importers.opencode.reading import read_session
from importers.opencode.snapshots import Snapshots

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from importers.contract import Part, Plan, ReadOptions, Source

DATA_VARIABLE = "XDG_DATA_HOME"
DATABASE_VARIABLE = "OPENCODE_DB"
READER = 1


@dataclass(frozen=True, slots=True)
class OpenCodeImporter:
    """Reads what OpenCode kept, of every version so far; keeps the ``Importer`` contract."""

    _snapshots: Snapshots = field(default_factory=Snapshots)

    @property
    def driver(self) -> str:
        return DRIVER

    @property
    def reader(self) -> int:
        return READER

    def default_paths(self) -> tuple[Path, ...]:
        data = _data_folder()
        places = [data]
        named = os.environ.get(DATABASE_VARIABLE)
        if named and (data / named).parent != data:
            # A path of its own; a mere name lies in the folder anyway.
            places.append(data / named)
        return tuple(path for path in places if path.exists() and self.recognizes(path))

    def recognizes(self, path: Path) -> bool:
        try:
            found = find(path.absolute(), [])
        except OSError:
            return False
        return bool(found.storages) or any(
            holds_sessions(database, self._snapshots) for database in found.databases
        )

    def plan(self, paths: Sequence[Path]) -> Plan:
        return plan_paths(paths, self._snapshots)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Part]:
        return read_session(source, options)


def _data_folder() -> Path:
    named = os.environ.get(DATA_VARIABLE)
    return (Path(named) if named else Path.home() / ".local" / "share") / "opencode"


IMPORTER = OpenCodeImporter()
