"""The states of the files that runs left behind."""

import strawberry

from api.references import NativeRef
from graph.model import Timestamp


@strawberry.type(description="A state of the files that a run left behind.")
class Checkpoint:
    """A state of the files; its rows are ``graph.model.Checkpoint``."""

    checkpoint_id: str
    thread_id: str
    run_id: str = strawberry.field(description="The run that left it.")
    parent_checkpoint_id: str | None
    status: str = strawberry.field(description="ready, missing, error or stale.")
    native_ref: NativeRef | None = strawberry.field(description="The tool's own id for it.")
    files: list[str] = strawberry.field(description="The files that differ from its parent.")
    at: Timestamp | None
