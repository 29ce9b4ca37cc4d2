"""What is known about a conversation besides its own files: what reading it needs to be told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from graph.model import ThreadId

DRIVER = "claude"


class Birth(IntEnum):
    """What the first lines of a file prove about where its conversation began."""

    HERE = 0
    PERHAPS_HERE = 1
    UNKNOWN = 2
    COPIED = 3


class Form(StrEnum):
    """How a conversation is written: a session, an agent's own file, or lines in a session's."""

    SESSION = "session"
    AGENT = "agent"
    SIDECHAIN = "sidechain"


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """One file of a conversation; *session* is what its name says."""

    path: str
    size: int
    modified_ns: int
    session: str


@dataclass(frozen=True, slots=True)
class Relative:
    """A session that begins with the same message."""

    file: TranscriptFile
    birth: Birth


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFacts:
    """What stands beside an agent's file about how it was made."""

    agent_id: str
    call_id: str | None = None
    parent_agent_id: str | None = None
    role: str | None = None
    name: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Continued:
    """The message of another session that the first line goes on from, and who holds it."""

    uuid: str
    file: TranscriptFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The facts of one conversation that stand in other places.

    *session* is the session that it is, or that it belongs to. *named* are the files of the
    sessions that its first lines name as those they were copied from. *agents* are the agents
    that its calls started, by the id of the call. *sidechain_root* is the first message of an
    agent that is written in a session's file, *has_sidechains* says that a session's file holds
    such agents. *root* is the folder of all projects, *cwd* the one that
    the conversation began in.
    """

    thread_id: ThreadId
    form: Form
    session: str
    files: tuple[TranscriptFile, ...]
    birth: Birth = Birth.UNKNOWN
    relatives: tuple[Relative, ...] = ()
    named: tuple[TranscriptFile, ...] = ()
    continued: Continued | None = None
    agents: tuple[tuple[str, ThreadId], ...] = ()
    agent: AgentFacts | None = None
    parent: ThreadId | None = None
    sidechain_root: str | None = None
    has_sidechains: bool = False
    root: str | None = None
    cwd: str | None = None


def agent_thread(session: str, agent_id: str) -> ThreadId:
    """The thread id of an agent: agents' own ids are unique in a session only."""
    return ThreadId(f"{DRIVER}:{session}:{agent_id}")
