"""Sessions in the folders of JSON that OpenCode kept before it had a database.

One file is a session, a message or a part. There were two layouts; in the older one everything
lies below ``session``. What lies in other folders beside them is nobody's conversation.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from importers.opencode.decoding import decode_info, json_field, misshapen
from importers.opencode.moments import made_at
from importers.opencode.rewinds import Rewinds
from importers.opencode.session import Mark, Message, Session, session_name
from importers.opencode.shapes import SessionInfo
from importers.raw_lines import MAX_LINE_BYTES, Skipping
from importers.salvage import salvage

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from graph.model import ThreadId

SUFFIX = ".json"
_SESSION, _MESSAGE, _PART, _INFO = "session", "message", "part", "info"

_decode_session = msgspec.json.Decoder(SessionInfo).decode


@dataclass(frozen=True, slots=True)
class Storage:
    """A folder of the older storage; *is_oldest* says which of the two layouts it has."""

    root: str
    is_oldest: bool = False

    @property
    def original(self) -> str:
        """The place that is read."""
        return self.root

    @contextmanager
    def open(self) -> Generator[StorageReader]:
        """A reader of the folder."""
        yield StorageReader(Path(self.root), self.is_oldest, Skipping(self.root))


@dataclass(frozen=True, slots=True)
class StorageReader:
    """Answers from the files of a storage; *faults* are those of files that hold parts."""

    root: Path
    is_oldest: bool
    faults: Skipping

    def session_files(self) -> Iterator[Path]:
        """The files of all sessions."""
        base = self.root / _SESSION
        folders = [base / _INFO] if self.is_oldest else _folders(base)
        for folder in folders:
            yield from _files(folder)

    def session(self, path: Path, skipping: Skipping) -> Session | None:
        """The session of a file; ``None``, counted, where it is none."""
        raw = read_json(path, skipping)
        if raw is None:
            return None
        info = json_field(raw, _decode_session) or misshapen(raw, SessionInfo)
        session_id = session_name(info.id) if info is not None else None
        if info is None or session_id is None or not _is_session(info):
            skipping.add("no-session", detail="not a session of OpenCode")
            return None
        archived = info.time.archived
        return Session(
            session_id=session_id,
            parent_id=session_name(info.parentID),
            title=info.title,
            directory=info.directory,
            version=info.version,
            agent=info.agent,
            model=(info.model.id or info.model.modelID) if info.model is not None else None,
            created=_whole(info.time.created),
            updated=_whole(info.time.updated),
            archived=_whole(archived),
            is_archived=archived is not None,
            revert=info.revert,
        )

    def marks_of(self, session: Session) -> Iterator[Mark]:
        """The messages of a session, in order."""
        passed = Skipping(str(self.root))
        for message in self.messages(session.session_id, passed):
            yield Mark(message.message_id, message.created)

    def first_mark(self, session: Session) -> Mark | None:
        """The first message of a session: ids ascend with time."""
        passed = Skipping(str(self.root))
        for path in _files(self._messages(session.session_id)):
            message = self._message(path, session.created or 0, passed)
            if message is not None:
                return Mark(message.message_id, message.created)
        return None

    def rewinds(self, session: Session) -> Rewinds:
        """Nothing: the files keep no word of what was taken back."""
        return Rewinds()

    def messages(self, session_id: ThreadId, skipping: Skipping) -> Iterator[Message]:
        """The messages of a session, in order."""
        found = [
            message
            for path in _files(self._messages(session_id))
            if (message := self._message(path, 0, skipping)) is not None
        ]
        found.sort(key=lambda message: (message.created, message.message_id))
        yield from found

    def parts(self, message_id: str, session_id: ThreadId) -> Iterator[tuple[str, bytes]]:
        """The parts of a message, each with its id, in order."""
        if not _is_name(message_id):
            return
        base = self.root / _SESSION / _PART / session_id if self.is_oldest else self.root / _PART
        for path in _files(base / message_id):
            raw = read_json(path, self.faults)
            if raw is not None:
                yield path.stem, raw

    def state(self, session_id: ThreadId) -> tuple[int, int, int]:
        """What changes when a message of the session comes, goes or is written again."""
        count = size = changed = 0
        for path in _files(self._messages(session_id)):
            try:
                found = path.stat()
            except OSError:
                continue
            count, size = count + 1, size + found.st_size
            changed = max(changed, found.st_mtime_ns)
        return count, size, changed

    def _messages(self, session_id: ThreadId) -> Path:
        below = self.root / _SESSION / _MESSAGE if self.is_oldest else self.root / _MESSAGE
        return below / (session_id if _is_name(session_id) else "-")

    def _message(self, path: Path, near: int, skipping: Skipping) -> Message | None:
        raw = read_json(path, skipping)
        info = None if raw is None else decode_info(raw, path.name, skipping)
        if info is None:
            return None
        created = _whole(info.time.created)
        if created is None:
            created = made_at(path.stem, near) or near
        return Message(path.stem, created, info)


def storage_at(folder: Path) -> Storage | None:
    """The storage that a folder is, or may be by the names in it."""
    session = folder / _SESSION
    if (session / _INFO).is_dir():
        return Storage(str(folder), is_oldest=True)
    return Storage(str(folder)) if session.is_dir() else None


def read_json(path: Path, skipping: Skipping) -> bytes | None:
    """The JSON of a file as clean UTF-8; ``None``, counted, where it can't be read."""
    try:
        if path.stat().st_size > MAX_LINE_BYTES:
            skipping.add("file-too-long", detail=path.name)
            return None
        raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        skipping.add("unreadable-file", detail=f"{path.name}: {error.strerror or error}")
        return None
    try:
        raw.decode()
    except UnicodeDecodeError:
        found = salvage(raw, bool)
        return found.records[0] if len(found.records) == 1 else raw
    return raw


def _folders(base: Path) -> Sequence[Path]:
    try:
        with os.scandir(base) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir())
    except OSError:
        return ()


def _files(folder: Path) -> Sequence[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                Path(entry.path)
                for entry in entries
                if entry.name.endswith(SUFFIX) and not entry.name.startswith(".")
            )
    except OSError:
        return ()


def _is_session(info: SessionInfo) -> bool:
    return info.time.created is not None or info.title is not None or info.version is not None


def _is_name(text: str) -> bool:
    """Whether an id can be the name of a file and leads nowhere else."""
    return bool(text) and "/" not in text and "\\" not in text and text not in {".", ".."}


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
