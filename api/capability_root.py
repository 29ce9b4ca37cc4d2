"""The capabilities that a thread selected."""

import strawberry


@strawberry.type(description="A capability that a thread selected; not whether it is ready.")
class CapabilityRoot:
    """A capability that a thread selected; its rows are ``graph.model.CapabilityRoot``."""

    id: str
    environment_id: str
    path: str
