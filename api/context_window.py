"""The context windows of a thread."""

import strawberry


@strawberry.type(description="A context window of a thread; number 0 is the one it began with.")
class ContextWindow:
    """A context window of a thread; its rows are ``graph.model.ContextWindow``."""

    window_id: str | None = strawberry.field(description="The provider's id; not unique.")
    number: int
    run_id: str | None = strawberry.field(description="The run in which it began.")
    first_window_id: str | None
    previous_window_id: str | None
    rolled_back: bool = strawberry.field(description="Whether its run was rolled back.")
