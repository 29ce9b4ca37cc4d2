"""All transcripts that may matter to an import, by what they can be asked for.

Only what was named is to be imported. The rest is looked at because a conversation can't be told
without it: the session that it was copied from, the agents that it started, its other copies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from importers.claude_code.context import TranscriptFile
from importers.claude_code.files import SUFFIX, named_agent, session_of_agent
from importers.claude_code.heads import Head, Heads
from importers.claude_code.sidecars import Sidecars
from importers.contract import Skip
from importers.native_ids import is_usable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from importers.file_tree import FoundFile


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A session, by its id."""

    session: str


@dataclass(frozen=True, slots=True)
class AgentKey:
    """An agent, by its session and its id there."""

    session: str
    agent_id: str


Key = SessionKey | AgentKey


@dataclass(slots=True)
class Library:
    """The files that are known, and those of them that are to be imported."""

    heads: Heads
    sidecars: Sidecars
    skips: list[Skip] = field(default_factory=list[Skip])
    files: int = 0
    chosen: dict[Key, None] = field(default_factory=dict["Key", None])
    _found: dict[str, FoundFile] = field(default_factory=dict[str, "FoundFile"])
    _named: dict[Key, dict[str, FoundFile]] = field(
        default_factory=dict["Key", dict[str, "FoundFile"]]
    )
    _agents: dict[str, dict[AgentKey, None]] = field(
        default_factory=dict[str, dict["AgentKey", None]]
    )
    _looked_at: set[str] = field(default_factory=set[str])
    _families: dict[str, list[SessionKey]] | None = None

    def choose(self, file: FoundFile) -> None:
        """Add the conversation of a file to those that are to be imported."""
        if file.path in self._looked_at:
            return
        self._looked_at.add(file.path)
        head = self.heads.head(file)
        if isinstance(head, Skip):
            self.skips.append(head)
            return
        key = self._key(file, head)
        if key is None:
            self.skips.append(Skip(path=file.path, reason="unusable-id"))
            return
        self.files += 1
        self.chosen[key] = None
        self._add(file, key)

    def know(self, file: FoundFile) -> None:
        """Remember a file; it is only looked into where that is needed."""
        if file.path in self._found:
            return
        named = named_agent(file.path)
        session = session_of_agent(file.path)
        key: Key | None = None
        if named is None:
            key = SessionKey(Path(file.path).name.removesuffix(SUFFIX))
        elif session is not None:
            key = AgentKey(session, named)
        else:
            head = self.heads.head(file)
            key = None if isinstance(head, Skip) else self._key(file, head)
        if key is not None:
            self._add(file, key)

    def files_of(self, key: Key) -> tuple[TranscriptFile, ...]:
        """The files of a conversation that are transcripts, by their paths."""
        return tuple(
            TranscriptFile(file.path, file.size, file.modified_ns, key.session)
            for file in self._real(key)
        )

    def head_of(self, key: Key) -> Head | None:
        """The head of a conversation's first file."""
        return next((head for file in self._real(key) if (head := self._head(file))), None)

    def agents_of(self, session: str) -> Iterable[AgentKey]:
        """The agents of a session that have a file."""
        return sorted(self._agents.get(session, {}), key=lambda key: key.agent_id)

    def family_of(self, uuid: str) -> Iterable[SessionKey]:
        """The sessions that begin with a message."""
        if self._families is None:
            self._families = {}
            for key in sorted(self._sessions(), key=lambda key: key.session):
                head = self.head_of(key)
                if head is not None and head.first_uuid is not None:
                    self._families.setdefault(head.first_uuid, []).append(key)
        return self._families.get(uuid, ())

    def neighbours_of(self, key: SessionKey) -> Iterable[SessionKey]:
        """The other sessions in the same folder, the oldest first."""
        folders = {Path(file.path).parent for file in self._real(key)}
        others = [
            (head.birth, head.began_at or "", other.session)
            for other in self._sessions()
            if other != key
            and any(Path(path).parent in folders for path in self._named[other])
            and (head := self.head_of(other)) is not None
        ]
        return [SessionKey(session) for _, _, session in sorted(others)]

    def _sessions(self) -> Iterator[SessionKey]:
        return (key for key in self._named if isinstance(key, SessionKey))

    def _add(self, file: FoundFile, key: Key) -> None:
        self._found[file.path] = file
        self._named.setdefault(key, {})[file.path] = file
        if isinstance(key, AgentKey):
            self._agents.setdefault(key.session, {})[key] = None

    def _real(self, key: Key) -> Iterable[FoundFile]:
        files = self._named.get(key, {})
        return [files[path] for path in sorted(files) if self._head(files[path]) is not None]

    def _head(self, file: FoundFile) -> Head | None:
        head = self.heads.head(file)
        return None if isinstance(head, Skip) else head

    def _key(self, file: FoundFile, head: Head) -> Key | None:
        stem = Path(file.path).name.removesuffix(SUFFIX)
        named = named_agent(file.path)
        if named is None and not head.is_agent:
            return SessionKey(stem) if is_usable(stem) else None
        agent_id = named or head.agent_id or stem
        session = session_of_agent(file.path) or head.session
        if session is None or not is_usable(session) or not is_usable(agent_id):
            return None
        return AgentKey(session, agent_id)
