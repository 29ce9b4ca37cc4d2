"""What a field function finds on ``info.context``."""

from dataclasses import dataclass, field

import strawberry

from api.loaders import Loaders
from graph.store import ThreadGraph


@dataclass(frozen=True, slots=True)
class Context:
    """The graph, which operation of the query is meant, and what was asked of the graph so far."""

    graph: ThreadGraph
    operation_name: str | None = None
    loaders: Loaders = field(default_factory=Loaders)


Info = strawberry.Info[Context, None]
