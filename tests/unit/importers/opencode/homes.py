"""OpenCode's data as a test has it on disk: samples, databases and folders made by hand."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graph.model import ThreadId, Timestamp
from graph.records import ThreadRecord
from tests.samples_on_disk import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

START = 1_796_036_390_000
"""2026-11-30T10:59:50Z, when nothing else is said; all times are seconds after it."""

_TABLES = """
CREATE TABLE session (
    id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
    version TEXT, revert TEXT, agent TEXT, model TEXT,
    time_created INTEGER, time_updated INTEGER, time_archived INTEGER
);
CREATE TABLE message (
    id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT
);
CREATE TABLE part (
    id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,
    time_created INTEGER, time_updated INTEGER, data TEXT
);
CREATE TABLE event (id TEXT PRIMARY KEY, aggregate_id TEXT, seq INTEGER, type TEXT, data TEXT);
CREATE INDEX event_type ON event (aggregate_id, type, seq);
"""


def unpack_sample(scenario: str, target: Path) -> Path:
    """The database of a sample, in a data folder of its own."""
    folder = target / scenario.replace("/", "-") / "opencode"
    folder.mkdir(parents=True)
    path = folder / "opencode.db"
    packed = SAMPLES / scenario / "opencode.db.gz"
    plain = SAMPLES / scenario / "opencode.db"
    path.write_bytes(
        gzip.decompress(packed.read_bytes()) if packed.exists() else plain.read_bytes()
    )
    return folder


def at(second: float) -> int:
    """A time as OpenCode writes it."""
    return START + round(second * 1000)


def told(second: float) -> Timestamp:
    """The same time as the graph keeps it."""
    whole, milliseconds = divmod(round(second * 1000) + 50_000, 1000)
    minutes, seconds = divmod(whole, 60)
    clock = f"{10 + (59 + minutes) // 60:02}:{(59 + minutes) % 60:02}"
    return Timestamp(f"2026-11-30T{clock}:{seconds:02}.{milliseconds:03}000Z")


def ascending(kind: str, second: float, counter: int = 1) -> str:
    """An id that OpenCode would have made at that time."""
    return f"{kind}_{(at(second) * 0x1000 + counter) % (1 << 48):012x}{counter:014}"


@dataclass
class Home:
    """A database that is being filled, or the older folders of JSON."""

    sessions: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    messages: dict[str, tuple[str, dict[str, Any]]] = field(
        default_factory=dict[str, tuple[str, dict[str, Any]]]
    )
    parts: dict[str, tuple[str, str, dict[str, Any]]] = field(
        default_factory=dict[str, tuple[str, str, dict[str, Any]]]
    )
    events: list[tuple[str, str, str, dict[str, Any]]] = field(
        default_factory=list[tuple[str, str, str, dict[str, Any]]]
    )
    count: int = 0

    def session(self, session_id: str, second: float, **more: Any) -> str:  # noqa: ANN401 - any column
        """A session that was made at that second."""
        self.sessions[session_id] = {
            "id": session_id,
            "project_id": "p",
            "directory": "/project",
            "title": session_id,
            "version": "1.18.33",
            "time_created": at(second),
            "time_updated": at(second + 100),
            **more,
        }
        return session_id

    def message(
        self,
        session_id: str,
        second: float,
        *parts: dict[str, Any],
        made: float | None = None,
        **more: Any,  # noqa: ANN401 - any JSON
    ) -> str:
        """A message of that second; *made* is when its row was, where it was copied."""
        self.count += 1
        message_id = ascending("msg", second if made is None else made, self.count)
        time = {"created": at(second), **more.pop("time", {})}
        self.messages[message_id] = (session_id, {"time": time, **more})
        for part in parts:
            self.count += 1
            part_id = ascending("prt", second if made is None else made, self.count)
            self.parts[part_id] = (message_id, session_id, part)
        return message_id

    def prompt(self, session_id: str, second: float, text: str = "", **more: Any) -> str:  # noqa: ANN401 - as above
        """Somebody types something."""
        part = {"type": "text", "text": text or f"prompt {second:g}"}
        return self.message(session_id, second, part, role="user", **more)

    def answer(
        self,
        session_id: str,
        second: float,
        prompt: str,
        *parts: dict[str, Any],
        **more: Any,  # noqa: ANN401 - as above
    ) -> str:
        """The agent says something."""
        said = parts or ({"type": "text", "text": f"answer {second:g}"},)
        facts: dict[str, Any] = {
            "role": "assistant",
            "parentID": prompt,
            "modelID": "m",
            "finish": "stop",
            "time": {"completed": at(second + 0.5)},
        }
        facts.update(more)
        return self.message(session_id, second, *said, **facts)

    def turn(self, session_id: str, second: float) -> str:
        """A prompt and its answer half a second later."""
        prompt = self.prompt(session_id, second)
        self.answer(session_id, second + 0.2, prompt)
        return prompt

    def fork(
        self,
        session_id: str,
        source: str,
        second: float,
        *,
        before: str | None = None,
        **more: Any,  # noqa: ANN401 - as above
    ) -> str:
        """A copy of a session's messages, up to one of them, as OpenCode copies them."""
        title = self.sessions[source]["title"]
        self.session(session_id, second, **{"title": f"{title} (fork #1)", **more})
        names: dict[str, str] = {}
        copied: list[tuple[str, dict[str, Any]]] = sorted(
            (
                (message_id, info)
                for message_id, (owner, info) in self.messages.items()
                if owner == source
            ),
            key=lambda item: (item[1]["time"]["created"], item[0]),
        )
        for message_id, info in copied:
            if message_id == before:
                break
            facts: dict[str, Any] = dict(info)
            facts["parentID"] = names.get(facts.get("parentID", ""))
            inside = [part for of, _, part in self.parts.values() if of == message_id]
            created = (facts["time"]["created"] - START) / 1000
            made: float = second + 0.001
            names[message_id] = self.message(session_id, created, *inside, made=made, **facts)
        return session_id

    def event(self, session_id: str, second: float, kind: str, data: dict[str, Any]) -> None:
        """An event of a session."""
        self.count += 1
        self.events.append((ascending("evt", second, self.count), session_id, kind, data))

    def take_back(self, session_id: str, second: float, first: str, *, gone: bool) -> None:
        """Revert a session to before a message; *gone*: another prompt carried it out."""
        revert = {"messageID": first}
        info = {"id": session_id, "revert": revert, "time": {"updated": at(second)}}
        self.event(session_id, second, "session.updated.1", {"info": info})
        self.sessions[session_id]["revert"] = json.dumps(revert)
        if not gone:
            return
        self.sessions[session_id]["revert"] = None
        of = [m for m, (owner, _) in self.messages.items() if owner == session_id and m >= first]
        for message_id in of:
            _, message = self.messages.pop(message_id)
            said = {"id": message_id, "sessionID": session_id, **message}
            self.event(session_id, second, "message.updated.1", {"info": said})
            for part_id in [p for p, part in self.parts.items() if part[0] == message_id]:
                part = {"id": part_id, "messageID": message_id, **self.parts.pop(part_id)[2]}
                self.event(session_id, second, "message.part.updated.1", {"part": part})
            removed = {"sessionID": session_id, "messageID": message_id}
            self.event(session_id, second + 5, "message.removed.1", removed)

    def write(self, folder: Path, *, name: str = "opencode.db") -> Path:
        """Write a database, anew."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            self.fill(connection)
        return path

    def fill(self, connection: sqlite3.Connection) -> None:
        """Make the tables and put everything into them."""
        connection.executescript(_TABLES)
        for row in self.sessions.values():
            names = ", ".join(row)
            values = ", ".join("?" * len(row))
            connection.execute(
                f"INSERT INTO session ({names}) VALUES ({values})",  # noqa: S608 - our own words
                tuple(row.values()),
            )
        connection.executemany(
            "INSERT INTO message VALUES (?, ?, ?, ?, ?)",
            (
                (message_id, owner, info["time"]["created"], info["time"]["created"], _json(info))
                for message_id, (owner, info) in self.messages.items()
            ),
        )
        connection.executemany(
            "INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)",
            (
                (part_id, message_id, owner, _json(part))
                for part_id, (message_id, owner, part) in self.parts.items()
            ),
        )
        connection.executemany(
            "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
            (
                (event_id, owner, seq, kind, _json(data))
                for seq, (event_id, owner, kind, data) in enumerate(self.events)
            ),
        )
        connection.commit()

    def write_storage(self, folder: Path, *, oldest: bool = False) -> Path:
        """Write the folders of JSON instead."""
        root = folder / "storage"
        below = root / "session" if oldest else root
        for row in self.sessions.values():
            info = {
                "id": row["id"],
                "title": row["title"],
                "directory": row["directory"],
                "version": row["version"],
                "parentID": row.get("parent_id"),
                "revert": json.loads(row["revert"]) if row.get("revert") else None,
                "time": {"created": row["time_created"], "updated": row["time_updated"]},
            }
            place = root / "session" / ("info" if oldest else "p")
            _write(place / f"{row['id']}.json", info)
        for message_id, (owner, message) in self.messages.items():
            info = {"id": message_id, "sessionID": owner, **message}
            _write(below / "message" / owner / f"{message_id}.json", info)
        for part_id, (message_id, owner, part) in self.parts.items():
            place = below / "part" / owner / message_id if oldest else below / "part" / message_id
            _write(place / f"{part_id}.json", {"id": part_id, "messageID": message_id, **part})
        return root


def task(
    child: str, start: float, end: float, *, parent: str | None = None, call: str = "c"
) -> dict[str, Any]:
    """A part by which an agent gave a task to another session."""
    metadata = {"sessionId": child, **({"parentSessionId": parent} if parent else {})}
    return {
        "type": "tool",
        "tool": "task",
        "callID": call,
        "state": {
            "status": "completed",
            "input": {"prompt": "do it"},
            "output": f'<task id="{child}" state="completed">',
            "metadata": metadata,
            "time": {"start": at(start), "end": at(end)},
        },
    }


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


S = ThreadId("ses_s")

WHOLE = ["prompt 1", "answer 1.2", "prompt 2", "answer 2.2"]


def small() -> Home:
    """A session of two turns."""
    home = Home()
    home.session(S, 0)
    home.turn(S, 1)
    home.turn(S, 2)
    return home


def texts(thread: ThreadRecord) -> list[str | None]:
    """What was said."""
    return [item.text for item in thread.items.items]
