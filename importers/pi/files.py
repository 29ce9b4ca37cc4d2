"""The session files of pi: where they lie, and what their first lines say.

pi names a file ``<time>_<session>.jsonl`` in a folder for each project. The name is only looked
at where the file that it names is not there: the header says whose session it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from graph.model import ThreadId
from importers.contract import Skip
from importers.file_tree import FoundFile, files_below
from importers.native_ids import is_usable
from importers.pi.lines import read_header
from importers.pi.moments import named_moment
from importers.timestamps import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graph.model import Timestamp

SUFFIX = ".jsonl"
SESSIONS_FOLDER = "sessions"

_PROJECT_FOLDER = re.compile(r"--.*--")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SESSION_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[\dZ-]*_(.+?)(?:\.jsonl)?")


@dataclass(frozen=True, slots=True)
class SessionFile:
    """One session on disk, with what its header says of its origin."""

    path: str
    size: int
    modified_ns: int
    thread_id: ThreadId
    born: Timestamp | None
    origin_path: str | None = None
    cwd: str | None = None

    @property
    def rank(self) -> tuple[int, str]:
        """Which of several files of one session counts: the longest, then the first by name."""
        return -self.size, self.path


@dataclass(slots=True)
class Headers:
    """Reads the headers of files, those that did not change only once.

    It forgets everything when it is sent to another process.
    """

    _known: dict[str, tuple[FoundFile, SessionFile | Skip]] = field(
        default_factory=dict[str, tuple[FoundFile, "SessionFile | Skip"]]
    )

    def __reduce__(self) -> tuple[type[Headers], tuple[()]]:
        return Headers, ()

    def session(self, file: FoundFile) -> SessionFile | Skip:
        """The session of a file, or why it is none."""
        known = self._known.get(file.path)
        if known is not None and known[0] == file:
            return known[1]
        session = _read_session(file)
        self._known[file.path] = (file, session)
        return session


def session_files(root: Path, skips: list[Skip]) -> Iterator[FoundFile]:
    """All files below a folder that may be sessions, or the one file."""
    return files_below(root, SUFFIX, skips)


def sessions_root(path: Path) -> Path:
    """The widest folder that holds sessions related to those of a path.

    That is pi's own folder of all projects where the path lies in it, else the path itself, or
    the folder of a file.
    """
    for folder in (path, *path.parents):
        if _PROJECT_FOLDER.fullmatch(folder.name) and folder.parent.name == SESSIONS_FOLDER:
            return folder.parent
    return path if path.is_dir() else path.parent


def file_name(path: str) -> str:
    """The last part of a path that was written on whatever system."""
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def named_session(name: str) -> ThreadId | None:
    """The session that the name of a file or folder speaks of."""
    match = _SESSION_NAME.fullmatch(name)
    return ThreadId(match[1]) if match is not None and is_usable(match[1]) else None


def named_by_pi(name: str) -> ThreadId | None:
    """The session that a name speaks of, where only pi would have given it."""
    named = named_session(name)
    return named if named is not None and _UUID.fullmatch(named) else None


def folders_of(path: str) -> Sequence[Path]:
    """The folders that a file lies in, the nearest first."""
    return Path(path).parents


def _read_session(file: FoundFile) -> SessionFile | Skip:
    try:
        header = read_header(file.path)
    except OSError as error:
        detail = error.strerror or str(error)
        return Skip(path=file.path, reason="unreadable-file", detail=detail)
    name = file_name(file.path)
    session_id = None if header is None else header.id or named_by_pi(name.removesuffix(SUFFIX))
    if header is None or session_id is None:
        reason = "no-session-header" if file.size else "empty-file"
        return Skip(path=file.path, reason=reason, detail="not a pi session")
    if not is_usable(session_id):
        detail = "the session's id is too long"
        return Skip(path=file.path, line=1, reason="no-session-header", detail=detail)
    return SessionFile(
        path=file.path,
        size=file.size,
        modified_ns=file.modified_ns,
        thread_id=ThreadId(session_id),
        born=moment(header.timestamp) or named_moment(name),
        origin_path=header.parent_session or header.branched_from or None,
        cwd=header.cwd or None,
    )
