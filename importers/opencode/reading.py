"""Reading one session of a plan: its record first, then its items.

A session's messages are gone through twice: for what they are, and for what is in them. Between
the two only the messages without their parts are kept, so that memory stays flat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from importers.contract import ReadEnd, Skip
from importers.kept_text import TextKeeper
from importers.opencode.calls import Callers, calls_of, copied_calls_name
from importers.opencode.context import Context
from importers.opencode.conversation import converse
from importers.opencode.items import ItemReader
from importers.opencode.runs import run_ids_of, works_of
from importers.opencode.snapshots import UNREADABLE
from importers.opencode.thread import ToldSession, session_record
from importers.parts import Reading, parts_of
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from importers.contract import Part, ReadOptions, Source
    from importers.opencode.conversation import Conversation
    from importers.opencode.database import DatabaseReader
    from importers.opencode.storage import StorageReader


_TELLING = frozenset({"text", "subtask"})


def read_session(source: Source, options: ReadOptions) -> Iterator[Part]:
    """The records of one session, and what in it was left out."""
    context = source.context
    if not isinstance(context, Context):
        msg = "This source is of another importer's plan."
        raise TypeError(msg)
    try:
        with context.place.open() as reader:
            yield from parts_of(_reading(reader, context, source.size, options))
    except UNREADABLE as error:
        skip = Skip(
            path=context.place.original,
            reason="unreadable-session",
            detail=f"{context.session.session_id}: {error}",
        )
        yield ReadEnd(thread_id=context.session.session_id, skips=(skip,))


def _reading(
    reader: DatabaseReader | StorageReader, context: Context, size: int, options: ReadOptions
) -> Reading:
    session, place, origin = context.session, context.place, context.origin
    copies = origin.copies if origin is not None else ()
    inherited = frozenset(copy.message_id for copy in copies)
    skipping = Skipping(place.original)
    keeper = TextKeeper(options)
    told = converse(reader, session, skipping)
    run_ids = run_ids_of(told, inherited)
    read = ToldSession(
        context=context,
        told=told,
        works=works_of(told, inherited),
        run_ids=run_ids,
        calls=tuple(calls_of(reader, told, inherited)),
        callers=Callers(place, session.session_id, session.parent_id, context.spawners),
        preview=_preview(reader, told, inherited),
        inherited=inherited,
        names_source=origin is not None
        and copied_calls_name(reader, told, inherited, origin.source_id),
    )
    items = ItemReader(told, reader, run_ids, inherited, keeper, skipping)
    return Reading(
        thread=session_record(read, options, keeper.clean),
        items=items.read(),
        counter=items,
        skips=lambda: list(dict.fromkeys([*skipping.skips, *reader.faults.skips])),
        bytes_read=size,
    )


def _preview(
    reader: DatabaseReader | StorageReader, told: Conversation, inherited: Collection[str]
) -> str | None:
    """The first own prompt that has text, else the first of all."""
    own = [at for at in told.prompts if told.messages[at].message_id not in inherited]
    passed = Skipping("")
    for place in (*own, *told.prompts):
        for _, part in told.parts_of(reader, told.messages[place], passed):
            text = part.prompt if part.type == "subtask" else part.text
            if text and part.type in _TELLING and not part.synthetic and not part.ignored:
                return text
    return None
