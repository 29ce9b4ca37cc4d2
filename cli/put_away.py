"""``lineage archive``, ``unarchive``, ``delete`` and ``restore``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import CommandId
from cli.options import AsJson, DataFolder, ThreadWords
from cli.telling import Answer, Mutation, Order, meant, tell
from cli.terminal import counted
from cli.transfer_words import next_step
from graph.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

FACTS = "{ commandId replayed thread { ...ThreadFacts } threads { ...ThreadFacts } }"
ARCHIVE = Mutation(name="archiveThread", accepted=f"... on ThreadsArchived {FACTS}")
UNARCHIVE = Mutation(name="unarchiveThread", accepted=f"... on ThreadsUnarchived {FACTS}")
DELETE = Mutation(name="deleteThread", accepted=f"... on ThreadsDeleted {FACTS}")
RESTORE = Mutation(name="restoreThread", accepted=f"... on ThreadsRestored {FACTS}")


def archive(
    thread: ThreadWords,
    *,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Archive a thread and all that it spawned; its forks stay.

    An archived thread is not listed. It takes no start and no merge-back.

    Example:

        lineage archive 01a22c1b-3c70
    """
    _put(ARCHIVE, thread, Order(command_id=command_id, as_json=as_json, data=data), "unarchive")


def unarchive(
    thread: ThreadWords,
    *,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Bring one thread back from the archive.

    Those that it spawned stay there.

    Example:

        lineage unarchive 01a22c1b-3c70
    """
    _put(UNARCHIVE, thread, Order(command_id=command_id, as_json=as_json, data=data), "archive")


def delete(
    thread: ThreadWords,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="It is meant; nothing is asked.")
    ] = False,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Delete a thread and all that it spawned.

    Its forks stay, and `lineage restore` takes it back.

    Example:

        lineage delete 01a22c1b-3c70 --yes
    """
    if not yes:
        raise BadInput(
            "That deletes the thread and all that it spawned. If that is what you want, "
            f"add --yes; lineage restore {thread} takes it back."
        )
    _put(DELETE, thread, Order(command_id=command_id, as_json=as_json, data=data), "restore")


def restore(
    thread: ThreadWords,
    *,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Take the deletion of a thread back.

    What was deleted with it comes back, too.

    Example:

        lineage restore 01a22c1b-3c70
    """
    _put(RESTORE, thread, Order(command_id=command_id, as_json=as_json, data=data), None)


def _put(mutation: Mutation, thread: str, order: Order, back: str | None) -> None:
    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {"threadId": await meant(graph, thread)}

    def lines(answer: Answer) -> Iterator[Text | str]:
        done = answer["__typename"].removeprefix("Threads").lower()
        thread_id = answer["thread"]["threadId"]
        others = len(answer["threads"]) - 1
        more = f", with {counted(others, 'thread')} that it spawned" if others > 0 else ""
        yield f"Thread {thread_id} is {done}{more}."
        if back is not None:
            yield next_step("To take that back:", f"lineage {back} {thread_id}")

    tell(mutation, order, told, lines)
