"""What a field function finds on ``info.context``."""

from dataclasses import dataclass, field

import strawberry

from api.loaders import Loaders
from api.selections import Selections
from graph.store import ThreadGraph


@dataclass(frozen=True, slots=True)
class Context:
    """The graph, which operation of the query is meant, and what was asked of the graph so far.

    *selections* has what the operation selects.
    """

    graph: ThreadGraph
    operation_name: str | None = None
    loaders: Loaders = field(default_factory=Loaders)
    selections: Selections = field(default_factory=Selections)


Info = strawberry.Info[Context, None]
