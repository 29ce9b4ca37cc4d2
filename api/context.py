"""What a field function finds on ``info.context``."""

from dataclasses import dataclass, field

import strawberry

from api.loaders import Loaders
from graph.store import ThreadGraph


@dataclass(frozen=True, slots=True)
class Context:
    """The graph, and what this one request has asked of it so far."""

    graph: ThreadGraph
    loaders: Loaders = field(default_factory=Loaders)


Info = strawberry.Info[Context, None]
