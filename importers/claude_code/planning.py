"""From the paths that a user names to the conversations that are to be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graph.errors import SourceNotFound, SourceNotRecognized
from importers.claude_code.context import DRIVER, Birth
from importers.claude_code.contexts import Contexts
from importers.claude_code.files import (
    projects_root,
    related_files,
    scope_of,
    transcript_files,
)
from importers.claude_code.heads import NO_MESSAGES, Heads
from importers.claude_code.library import AgentKey, Library, SessionKey
from importers.claude_code.searching import Searches
from importers.claude_code.sidecars import Sidecars
from importers.contract import Plan, Skip, Source
from importers.fingerprints import fingerprint_of
from importers.timestamps import from_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from importers.claude_code.context import Context
    from importers.claude_code.library import Key

_SIDE_AGENTS = ("acompact-", "aprompt_suggestion-", "aside_question-")
"""Agents of the program's own, which only repeat what the session says."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What was read of files that did not change since."""

    heads: Heads = field(default_factory=Heads)
    sidecars: Sidecars = field(default_factory=Sidecars)
    searches: Searches = field(default_factory=Searches)


def plan_paths(paths: Sequence[Path], memory: Memory) -> Plan:
    """The conversations below the paths: sessions, what was copied last, and their agents."""
    library = Library(memory.heads, memory.sidecars)
    roots: dict[Path, None] = {}
    for named in paths:
        path = named.absolute()
        if not path.exists():
            raise SourceNotFound(str(named), f"There is no file or folder {named}.")
        root = projects_root(path)
        inside = root if root is not None and root.is_relative_to(path) else path
        for file in transcript_files(inside, library.skips):
            library.choose(file)
        if root is not None:
            roots[root] = None
        scope = scope_of(path)
        if scope.folder != inside:
            for file in related_files(scope, {key.session for key in library.chosen}):
                library.know(file)
    if not library.chosen:
        _refuse(paths, library.skips)
    contexts = Contexts(library, memory.searches, tuple(roots))
    keys = [key for key in _ordered(library) if not _is_of_the_program(library, key)]
    return Plan(
        driver=DRIVER,
        sources=tuple(_source(context) for key in keys for context in contexts.of(key)),
        skips=tuple(library.skips),
        files=library.files,
    )


def _refuse(paths: Sequence[Path], skips: Sequence[Skip]) -> None:
    """Say that there is nothing, unless nobody has said anything yet."""
    if any(skip.reason == NO_MESSAGES for skip in skips):
        return
    for path in paths:
        if projects_root(path.absolute()) is None:
            raise SourceNotRecognized(str(path), f"{path} holds no session of Claude Code.")


def _is_of_the_program(library: Library, key: Key) -> bool:
    """Whether this is an agent that the program started for itself; it is counted."""
    if not isinstance(key, AgentKey) or not key.agent_id.startswith(_SIDE_AGENTS):
        return False
    library.skips.extend(
        Skip(path=file.path, reason="agent-of-the-program") for file in library.files_of(key)
    )
    return True


def _ordered(library: Library) -> Iterable[Key]:
    """Sessions before what was copied from them, relatives side by side, agents last."""
    places: dict[str, tuple[int, str]] = {}

    def place(key: Key) -> tuple[int, str, str, str]:
        if key.session not in places:
            head = library.head_of(SessionKey(key.session))
            places[key.session] = (
                (Birth.COPIED, "") if head is None else (head.birth, head.first_uuid or "")
            )
        birth, family = places[key.session]
        agent_id = key.agent_id if isinstance(key, AgentKey) else ""
        return birth, family, key.session, agent_id

    return sorted(library.chosen, key=place)


def _source(context: Context) -> Source:
    return Source(
        thread_id=context.thread_id,
        paths=tuple(file.path for file in context.files),
        size=sum(file.size for file in context.files),
        fingerprint=fingerprint_of(context),
        changed_at=from_nanoseconds(max(file.modified_ns for file in context.files)),
        cwd=context.cwd,
        context=context,
    )
