"""What a thread says: messages, commands, file changes."""

import strawberry

from graph.model import Timestamp


@strawberry.type(description="A message, a command, a file change, … of a thread.")
class Item:
    """One item of a thread; its rows are ``graph.model.Item``."""

    item_id: str
    thread_id: str
    run_id: str | None = strawberry.field(description="The run that it belongs to.")
    position: int = strawberry.field(description="Its place in the thread, from 0.")
    kind: str = strawberry.field(
        description="message, reasoning, command, file_change, plan, compaction, …: an open list."
    )
    role: str | None = strawberry.field(description="user, assistant, tool or system.")
    text: str | None = strawberry.field(description="At most 256 KiB of its text.")
    text_bytes: int = strawberry.field(description="The size of the text before it was cut.")
    truncated: bool = strawberry.field(description="Whether the text was cut.")
    status: str | None
    at: Timestamp | None
