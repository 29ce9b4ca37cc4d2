"""From the paths that a user names to the sessions that are to be read.

Only what was named is to be imported; the other sessions of pi's folder are looked at because a
fork can't be told without the session that it came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graph.errors import SourceNotFound, SourceNotRecognized
from importers.contract import Plan, Skip, Source
from importers.fingerprints import fingerprint_of
from importers.pi.context import Ancestor, Context
from importers.pi.driver import DRIVER
from importers.pi.files import (
    SessionFile,
    file_name,
    folders_of,
    named_by_pi,
    named_session,
    session_files,
    sessions_root,
)
from importers.timestamps import from_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from graph.model import ThreadId
    from importers.file_tree import FoundFile
    from importers.pi.files import Headers

MAX_ANCESTORS = 64
"""How far a chain of headers is followed; beyond it the graph does it."""


@dataclass(slots=True)
class _Sessions:
    """The sessions that were named, and all files that they may refer to, by name."""

    headers: Headers
    chosen: dict[ThreadId, SessionFile] = field(default_factory=dict["ThreadId", SessionFile])
    by_path: dict[str, FoundFile] = field(default_factory=dict[str, "FoundFile"])
    by_name: dict[str, list[FoundFile]] = field(default_factory=dict[str, list["FoundFile"]])
    skips: list[Skip] = field(default_factory=list[Skip])
    files: int = 0

    def know(self, file: FoundFile) -> None:
        """Remember a file that a session may refer to."""
        if file.path not in self.by_path:
            self.by_path[file.path] = file
            self.by_name.setdefault(file_name(file.path), []).append(file)

    def choose(self, file: FoundFile) -> None:
        """Add the session of a file to those that are to be imported."""
        session = self.headers.session(file)
        if isinstance(session, Skip):
            self.skips.append(session)
            return
        self.files += 1
        known = self.chosen.get(session.thread_id)
        if known is None:
            self.chosen[session.thread_id] = session
        elif known.path != session.path:
            kept, other = sorted((known, session), key=_rank)
            self.chosen[session.thread_id] = kept
            detail = f"{kept.path} is read instead"
            self.skips.append(Skip(path=other.path, reason="duplicate-thread", detail=detail))

    def context(self, session: SessionFile) -> Context:
        """All that is known about one session."""
        return Context(
            file=session,
            ancestors=tuple(self._ancestors(session)),
            spawner=self._spawner(session),
        )

    def _ancestors(self, session: SessionFile) -> Iterator[Ancestor]:
        seen = {session.thread_id}
        origin = session.origin_path
        while origin and len(seen) <= MAX_ANCESTORS:
            found = self._file(origin)
            if found is None:
                named = named_session(file_name(origin))
                if named is not None and named not in seen:
                    yield Ancestor(named)
                return
            if found.thread_id in seen:
                return
            seen.add(found.thread_id)
            yield Ancestor(found.thread_id, found.path, found.born)
            origin = found.origin_path

    def _file(self, path: str) -> SessionFile | None:
        """The session at a path that was written elsewhere or long ago: else by its name."""
        exact = self.by_path.get(path)
        candidates = [exact] if exact is not None else self.by_name.get(file_name(path), [])
        sessions = [
            session
            for file in candidates
            if isinstance(session := self.headers.session(file), SessionFile)
        ]
        return min(sessions, key=_rank, default=None)

    def _spawner(self, session: SessionFile) -> ThreadId | None:
        """The session that has a folder of its own, which this file lies in."""
        for folder in folders_of(session.path):
            if named_session(folder.name) is None:
                continue
            parent = self._file(f"{folder}.jsonl")
            spawner = named_by_pi(folder.name) if parent is None else parent.thread_id
            if spawner is not None:
                return None if spawner == session.thread_id else spawner
        return None


def plan_paths(paths: Sequence[Path], headers: Headers) -> Plan:
    """The sessions below the paths, each once, in the order in which they were made."""
    sessions = _Sessions(headers)
    roots: set[Path] = set()
    for named in paths:
        path = named.absolute()
        if not path.exists():
            raise SourceNotFound(str(named), f"There is no file or folder {named}.")
        for file in session_files(path, sessions.skips):
            sessions.know(file)
            sessions.choose(file)
        root = sessions_root(path)
        if root != path:
            roots.add(root)
    for root in sorted(roots):
        # What can't be read there is nothing that the user asked for.
        for file in session_files(root, []):
            sessions.know(file)
    if not sessions.chosen and paths:
        _refuse(paths, sessions.skips)
    ordered = sorted(sessions.chosen.values(), key=_made)
    return Plan(
        driver=DRIVER,
        sources=tuple(_source(sessions.context(session)) for session in ordered),
        skips=tuple(sessions.skips),
        files=sessions.files,
    )


def _refuse(paths: Sequence[Path], skips: Sequence[Skip]) -> None:
    """Say that there is nothing, unless a folder of pi's is merely empty."""
    files = [path for path in paths if path.is_file()]
    if files or skips:
        named = str((files or paths)[0])
        raise SourceNotRecognized(named, f"{named} holds no session of pi.")


def _source(context: Context) -> Source:
    file = context.file
    return Source(
        thread_id=file.thread_id,
        paths=(file.path,),
        size=file.size,
        fingerprint=fingerprint_of(file, context.ancestors, context.spawner),
        changed_at=from_nanoseconds(file.modified_ns),
        cwd=file.cwd,
        context=context,
    )


def _rank(session: SessionFile) -> tuple[int, str]:
    return session.rank


def _made(session: SessionFile) -> tuple[str, str]:
    return session.born or "", session.thread_id
