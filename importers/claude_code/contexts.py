"""What each conversation of a plan needs to be told besides its own files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from graph.model import ThreadId
from importers.claude_code.context import (
    AgentFacts,
    Birth,
    Context,
    Continued,
    Form,
    Relative,
    agent_thread,
)
from importers.claude_code.library import AgentKey, Library, SessionKey
from importers.claude_code.spawns import sidechain_roots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from importers.claude_code.context import TranscriptFile
    from importers.claude_code.heads import Head
    from importers.claude_code.library import Key
    from importers.claude_code.searching import Searches


MAX_RELATIVES = 64
"""With how many sessions that begin alike one is compared, those that began it first."""


@dataclass(slots=True)
class Contexts:
    """Makes the contexts of conversations out of a library."""

    library: Library
    searches: Searches
    roots: Sequence[Path]
    _facts: dict[str, dict[str, AgentFacts]] = field(
        default_factory=dict[str, dict[str, "AgentFacts"]]
    )
    _wanted: set[str] | None = None

    def of(self, key: Key) -> Iterator[Context]:
        """The context of a conversation, and those of the agents that stand in its file."""
        files, head = self.library.files_of(key), self.library.head_of(key)
        if head is None:
            return
        if isinstance(key, AgentKey):
            yield self._agent(key, files, head)
            return
        sidechains = sorted(_sidechains(files)) if head.may_have_sidechains else []
        yield self._session(key, files, head, has_sidechains=bool(sidechains))
        for uuid in sidechains:
            yield Context(
                thread_id=agent_thread(key.session, uuid),
                form=Form.SIDECHAIN,
                session=key.session,
                files=files,
                parent=ThreadId(key.session),
                sidechain_root=uuid,
                root=self._root(files),
                cwd=head.cwd,
            )

    def _session(
        self, key: SessionKey, files: Sequence[TranscriptFile], head: Head, *, has_sidechains: bool
    ) -> Context:
        began_here = head.birth is Birth.HERE
        return Context(
            thread_id=ThreadId(key.session),
            form=Form.SESSION,
            session=key.session,
            files=tuple(files),
            birth=head.birth,
            relatives=() if began_here else tuple(self._relatives(key, head)),
            named=tuple(self._named(key, head)),
            continued=self._continued(key, files, head),
            agents=tuple(self._started_by(key.session, None)),
            has_sidechains=has_sidechains,
            root=self._root(files),
            cwd=head.cwd,
        )

    def _agent(self, key: AgentKey, files: Sequence[TranscriptFile], head: Head) -> Context:
        facts = self._agents(key.session).get(key.agent_id) or AgentFacts(agent_id=key.agent_id)
        parent = facts.parent_agent_id
        by_agent = parent is not None and parent != key.agent_id
        return Context(
            thread_id=agent_thread(key.session, key.agent_id),
            form=Form.AGENT,
            session=key.session,
            files=tuple(files),
            agents=tuple(self._started_by(key.session, key.agent_id)),
            agent=facts,
            parent=agent_thread(key.session, parent)
            if by_agent and parent is not None
            else ThreadId(key.session),
            root=self._root(files),
            cwd=head.cwd,
        )

    def _relatives(self, key: SessionKey, head: Head) -> Iterator[Relative]:
        if head.first_uuid is None:
            return
        family = [
            (other_head.birth, other_head.began_at or "", other.session)
            for other in self.library.family_of(head.first_uuid)
            if other != key and (other_head := self.library.head_of(other)) is not None
        ]
        for birth, _, session in sorted(family)[:MAX_RELATIVES]:
            yield Relative(self.library.files_of(SessionKey(session))[0], birth)

    def _named(self, key: SessionKey, head: Head) -> Iterator[TranscriptFile]:
        spoken_for = (head.session,) if head.session else ()
        for name in dict.fromkeys((*head.names, *spoken_for)):
            if name != key.session:
                yield from self.library.files_of(SessionKey(name))[:1]

    def _continued(
        self, key: SessionKey, files: Iterable[TranscriptFile], head: Head
    ) -> Continued | None:
        """Who holds the message that the first line goes on from, where this file does not."""
        uuid = head.parent_uuid
        if uuid is None:
            return None
        wanted = self._all_wanted()
        if any(self.searches.holds(file, uuid, wanted) for file in files):
            return None
        for other in self.library.neighbours_of(key):
            for file in self.library.files_of(other):
                if self.searches.holds(file, uuid, wanted):
                    return Continued(uuid, file)
        return None

    def _all_wanted(self) -> set[str]:
        if self._wanted is None:
            heads = (
                self.library.head_of(key)
                for key in self.library.chosen
                if isinstance(key, SessionKey)
            )
            self._wanted = {head.parent_uuid for head in heads if head and head.parent_uuid}
        return self._wanted

    def _started_by(
        self, session: str, parent_agent_id: str | None
    ) -> Iterator[tuple[str, ThreadId]]:
        for agent_id, facts in self._agents(session).items():
            if facts.parent_agent_id == parent_agent_id and facts.call_id is not None:
                yield facts.call_id, agent_thread(session, agent_id)

    def _agents(self, session: str) -> dict[str, AgentFacts]:
        known = self._facts.get(session)
        if known is None:
            known = {key.agent_id: self._facts_of(key) for key in self.library.agents_of(session)}
            self._facts[session] = known
        return known

    def _facts_of(self, key: AgentKey) -> AgentFacts:
        told = [
            self.library.sidecars.facts(key.agent_id, file.path)
            for file in self.library.files_of(key)
        ]
        return next(
            (facts for facts in told if facts.call_id or facts.parent_agent_id),
            told[0] if told else AgentFacts(agent_id=key.agent_id),
        )

    def _root(self, files: Sequence[TranscriptFile]) -> str | None:
        path = Path(files[0].path)
        return next((str(root) for root in self.roots if path.is_relative_to(root)), None)


def _sidechains(files: Iterable[TranscriptFile]) -> set[str]:
    found: set[str] = set()
    for file in files:
        try:
            found.update(sidechain_roots(file))
        except OSError:
            continue
    return found
