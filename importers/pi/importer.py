"""The importer of pi's sessions."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from importers.pi.driver import DRIVER
from importers.pi.files import Headers, SessionFile, session_files
from importers.pi.planning import plan_paths
from importers.pi.reading import read_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from importers.contract import Part, Plan, ReadOptions, Source

SESSIONS_VARIABLE = "PI_CODING_AGENT_SESSION_DIR"
HOME_VARIABLE = "PI_CODING_AGENT_DIR"
READER = 3
"""2: hand-offs are read. 3: what was copied from a session that is damaged is no own entry."""


@dataclass(frozen=True, slots=True)
class PiImporter:
    """Reads the sessions of pi, of every version so far; keeps the ``Importer`` contract."""

    _headers: Headers = field(default_factory=Headers)

    @property
    def driver(self) -> str:
        return DRIVER

    @property
    def reader(self) -> int:
        return READER

    def default_paths(self) -> tuple[Path, ...]:
        folder = _sessions_folder()
        return (folder,) if folder.is_dir() and self.recognizes(folder) else ()

    def recognizes(self, path: Path) -> bool:
        try:
            files = session_files(path, [])
            return any(isinstance(self._headers.session(file), SessionFile) for file in files)
        except OSError:
            return False

    def plan(self, paths: Sequence[Path]) -> Plan:
        return plan_paths(paths, self._headers)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Part]:
        return read_session(source, options)


def _sessions_folder() -> Path:
    named = os.environ.get(SESSIONS_VARIABLE)
    if named:
        return Path(named).expanduser()
    home = os.environ.get(HOME_VARIABLE)
    return (Path(home).expanduser() if home else Path.home() / ".pi" / "agent") / "sessions"


IMPORTER = PiImporter()
