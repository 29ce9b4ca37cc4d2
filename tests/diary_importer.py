"""The importer of Diary, a tool that does not exist: the example of docs/importers.md.

Diary keeps a file for each conversation. Its first line says whose it is, every other line what
somebody said in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from graph.errors import SourceNotFound, SourceNotRecognized
from graph.model import Actor, Evidence, ItemId, Proof, RunId, ThreadId, Timestamp
from graph.records import ForkRecord, ItemRecord, RunRecord, SpawnRecord, ThreadRecord
from importers.contract import Part, Plan, ReadEnd, ReadOptions, Skip, Source
from importers.file_tree import FoundFile, files_below
from importers.fingerprints import fingerprint_of
from importers.kept_text import TextKeeper
from importers.lenient import as_far_as_known
from importers.native_ids import is_usable
from importers.parts import Reading, parts_of
from importers.raw_lines import Skipping, raw_lines
from importers.salvage import salvage
from importers.timestamps import EPOCH, from_nanoseconds, timestamp

DRIVER = "diary"
READER = 1
SUFFIX = ".jsonl"


class Origin(msgspec.Struct, frozen=True):
    """Where a conversation goes on from: another one, after the answer to a prompt of it."""

    diary: str | None = None
    prompt: str | None = None


class Line(msgspec.Struct, frozen=True):
    """A line of any kind, as far as it is understood: a field that is not there is ``None``."""

    kind: str | None = None
    id: str | None = None
    at: str | None = None
    cwd: str | None = None
    continues: Origin | None = None
    asked_by: str | None = None
    by: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A file, and what its first line says."""

    file: FoundFile
    thread_id: ThreadId
    first: Line


@dataclass(frozen=True, slots=True)
class DiaryImporter:
    """Reads what Diary wrote; keeps the ``Importer`` contract."""

    @property
    def driver(self) -> str:
        return DRIVER

    @property
    def reader(self) -> int:
        return READER

    def default_paths(self) -> tuple[Path, ...]:
        folder = Path(os.environ.get("DIARY_HOME") or Path.home() / ".diary")
        return (folder,) if folder.is_dir() else ()

    def recognizes(self, path: Path) -> bool:
        try:
            files = files_below(path, SUFFIX, [])
            return any(isinstance(_conversation(file), Conversation) for file in files)
        except OSError:
            return False

    def plan(self, paths: Sequence[Path]) -> Plan:
        chosen: dict[ThreadId, Conversation] = {}
        skips: list[Skip] = []
        for path in paths:
            if not path.exists():
                raise SourceNotFound(str(path), f"There is no file or folder {path}.")
            for file in files_below(path.absolute(), SUFFIX, skips):
                found = _conversation(file)
                if isinstance(found, Skip):
                    skips.append(found)
                elif chosen.setdefault(found.thread_id, found).file != file:
                    skips.append(Skip(path=file.path, reason="duplicate-thread"))
        if not chosen:
            raise SourceNotRecognized(str(paths[0]), f"{paths[0]} holds no conversation of Diary.")
        sources = tuple(_source(conversation) for conversation in chosen.values())
        return Plan(driver=DRIVER, sources=sources, skips=tuple(skips), files=len(sources))

    def read(self, source: Source, options: ReadOptions) -> Iterator[Part]:
        conversation = source.context
        if not isinstance(conversation, Conversation):
            msg = "This source is of another importer's plan."
            raise TypeError(msg)
        skipping = Skipping(conversation.file.path)
        try:
            told = _Told()
            for line in _lines(conversation.file, skipping):
                told.take(line, skipping)
        except OSError as error:
            skipping.add("unreadable-file", detail=str(error))
            yield ReadEnd(thread_id=source.thread_id, skips=tuple(skipping.skips))
            return
        items = _Items(conversation, TextKeeper(options))
        yield from parts_of(
            Reading(
                thread=_thread(conversation, told, options),
                items=items.read(),
                counter=items,
                skips=lambda: skipping.skips,
                bytes_read=conversation.file.size,
            )
        )


def _conversation(file: FoundFile) -> Conversation | Skip:
    """The conversation of a file by its first line, or why it is none."""
    try:
        first = next(_lines(file, Skipping(file.path)), None)
    except OSError as error:
        return Skip(path=file.path, reason="unreadable-file", detail=str(error))
    if first is None or first.kind != "diary" or not is_usable(first.id):
        return Skip(path=file.path, reason="not-a-diary")
    return Conversation(file, ThreadId(first.id), first)


def _source(conversation: Conversation) -> Source:
    file = conversation.file
    return Source(
        thread_id=conversation.thread_id,
        paths=(file.path,),
        size=file.size,
        fingerprint=fingerprint_of(file),
        changed_at=from_nanoseconds(file.modified_ns),
        cwd=conversation.first.cwd,
        context=conversation,
    )


_decode = msgspec.json.Decoder(Line).decode
_decode_any = msgspec.json.Decoder(dict[str, object]).decode


def _lines(file: FoundFile, skipping: Skipping) -> Iterator[Line]:
    """The lines that can be read, as far as the file reached when it was planned."""
    for number, raw in raw_lines(file.path, skipping, most=file.size):
        try:
            yield _decode(raw)
        except msgspec.ValidationError as error:
            # Whole, but not in the shape that is known: a newer version wrote it.
            skipping.add("unknown-shape", number, str(error))
            try:
                yield as_far_as_known(Line, _decode_any(raw))
            except msgspec.DecodeError:
                continue
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            found = salvage(raw, lambda record: "kind" in record)
            for reason in found.reasons:
                skipping.add(reason, number, str(error))
            yield from (as_far_as_known(Line, _decode_any(record)) for record in found.records)


@dataclass(slots=True)
class _Told:
    """What the lines tell of the whole: the prompts, and which of them were answered."""

    prompts: dict[str, Timestamp] = field(default_factory=dict[str, Timestamp])
    answered: dict[str, Timestamp] = field(default_factory=dict[str, Timestamp])
    last_at: Timestamp = EPOCH

    def take(self, line: Line, skipping: Skipping) -> None:
        """Take note of a line."""
        self.last_at = max(self.last_at, timestamp(line.at) or EPOCH)
        match line:
            case Line(kind="said", by="user", id=str(prompt)) if is_usable(prompt):
                self.prompts.setdefault(prompt, self.last_at)
            case Line(kind="said", by="agent") if self.prompts:
                self.answered[next(reversed(self.prompts))] = self.last_at
            case Line(kind="diary" | "said"):
                pass
            case _:
                skipping.add("unknown-line", detail=line.kind or "")


def _thread(conversation: Conversation, told: _Told, options: ReadOptions) -> ThreadRecord:
    first, thread_id = conversation.first, conversation.thread_id
    born = timestamp(first.at) or EPOCH
    provider = options.provider or DRIVER
    fork = spawn = None
    if first.continues is not None and is_usable(first.continues.diary):
        source = ThreadId(first.continues.diary)
        prompt = first.continues.prompt
        fork = ForkRecord(
            source_thread_id=source,
            point_run_id=_run_id(source, prompt) if is_usable(prompt) else None,
            evidence=Evidence(Proof.FILE, "continues"),
        )
    if is_usable(first.asked_by):
        spawn = SpawnRecord(
            child_thread_id=thread_id,
            parent_thread_id=ThreadId(first.asked_by),
            evidence=Evidence(Proof.FILE, "asked_by"),
        )
    return ThreadRecord(
        thread_id=thread_id,
        native_thread_id=thread_id,
        driver=DRIVER,
        provider_instance_id=provider,
        created_by=Actor.USER if spawn is None else Actor.AGENT,
        cwd=first.cwd,
        source_file=conversation.file.path,
        created_at=born,
        updated_at=max(born, told.last_at),
        recency_at=max(born, told.last_at),
        runs=tuple(
            RunRecord(
                run_id=_run_id(thread_id, prompt),
                native_turn_id=prompt,
                status="completed" if prompt in told.answered else "interrupted",
                provider_instance_id=provider,
                started_at=at,
                completed_at=told.answered.get(prompt),
            )
            for prompt, at in told.prompts.items()
        ),
        fork=fork,
        spawn=spawn,
    )


@dataclass(slots=True)
class _Items:
    """What was said, one item a line; *settled* as all are, for a line never changes."""

    conversation: Conversation
    keeper: TextKeeper
    count: int = 0

    @property
    def settled(self) -> int:
        return self.count

    def read(self) -> Iterator[ItemRecord]:
        """Go through the file once more, and keep nothing of it."""
        thread_id = self.conversation.thread_id
        run_id: RunId | None = None
        seen: set[str] = set()
        for line in _lines(self.conversation.file, Skipping("")):
            if line.kind != "said" or not is_usable(line.id) or line.id in seen:
                continue
            seen.add(line.id)
            if line.by == "user":
                run_id = _run_id(thread_id, line.id)
            text, size, truncated = self.keeper.keep(line.text)
            yield ItemRecord(
                item_id=ItemId(f"{thread_id}/{line.id}"),
                position=self.count,
                run_id=run_id,
                kind="message",
                role="user" if line.by == "user" else "assistant",
                text=text,
                text_bytes=size,
                truncated=truncated,
                native_item_id=line.id,
                at=timestamp(line.at),
            )
            self.count += 1


def _run_id(thread_id: ThreadId, prompt: str) -> RunId:
    return RunId(f"{thread_id}/{prompt}")
