"""What to do about errors that a user can mend."""

from __future__ import annotations

from graph.errors import (
    SchemaTooNew,
    StoreAccessDenied,
    StoreDatabaseMissing,
    StoreUnavailable,
)


def remedy_of(error: Exception) -> str | None:
    """A sentence that says what to do, unless the error's own words do."""
    match error:
        case StoreAccessDenied():
            return "Check NEO4J_USER and NEO4J_PASSWORD."
        case StoreDatabaseMissing():
            return "Check NEO4J_DATABASE."
        case StoreUnavailable() | TimeoutError():
            return "Check that it runs, and NEO4J_URI."
        case SchemaTooNew():
            return "Or set NEO4J_URI or LINEAGE_DATA to another graph."
        case _:
            return None
