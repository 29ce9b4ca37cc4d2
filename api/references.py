"""How providers name things, and the exact states that something was made from."""

import strawberry

from api.enums import Strength


@strawberry.type(description="A provider's own id for something.")
class NativeRef:
    """A provider's own id for something."""

    driver: str = strawberry.field(description="The tool: codex, claude, opencode, pi, …")
    native_id: str | None = strawberry.field(description="The id, where one is known.")
    strength: Strength = strawberry.field(description="How far the id can be relied on.")
    ordinal: int | None = strawberry.field(description="A place in the tool's own history.")


@strawberry.type(description="The exact state of a thread that something was made from.")
class SourcePoint:
    """The exact state of a thread that something was made from."""

    thread_id: str = strawberry.field(description="The thread, or the owner of the run.")
    run_id: str | None = strawberry.field(description="The last run that belongs to the state.")
    checkpoint_id: str | None = strawberry.field(description="The state of the files.")
    item_id: str | None = strawberry.field(description="The last item that belongs to it.")
    native_thread_ref: NativeRef | None = strawberry.field(description="The thread's own id.")
    native_turn_ref: NativeRef | None = strawberry.field(description="The run's own id.")
