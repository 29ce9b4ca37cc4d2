"""Which fields of rows an answer needs: a statement reads only these."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from graphql import GraphQLObjectType, GraphQLSchema, get_named_type
from graphql.pyutils import Path

from api.field_columns import Reads
from api.selections import Selected
from graph import model, transfers
from graph.store import ThreadGraph

CHOSEN: Mapping[str, type[Any]] = {
    "Thread": model.Thread,
    "Run": model.Run,
    "Item": model.Item,
    "LineageEdge": model.LineageEdge,
    "SpawnEdge": model.SpawnEdge,
    "Checkpoint": model.Checkpoint,
    "ContextWindow": model.ContextWindow,
    "Transfer": transfers.Transfer,
    "Handoff": transfers.Handoff,
}
"""The rows of which a store is told what is needed; of others everything is read."""


class FieldChoice:
    """Tells a graph what the rows behind a field must carry."""

    def __init__(self, written: GraphQLSchema, reads: Reads) -> None:
        """Know the types of a schema and what its fields read."""
        self._written, self._reads = written, reads

    def answered_at(self, path: Path, field_name: str) -> str | None:
        """The name of the object type that a field at *path* answers, under lists."""
        return self._answered(path.typename or "", field_name)

    def graph_for(self, graph: ThreadGraph, selected: Selected, type_name: str) -> ThreadGraph:
        """*graph* for the rows of a field that answers *type_name*: a type, a list or a page.

        Where it is not known what is needed, it is *graph* itself.
        """
        fields = self.fields_of(selected, type_name)
        return graph.selecting(fields) if fields else graph

    def fields_of(self, selected: Selected, type_name: str) -> Mapping[type[Any], frozenset[str]]:
        """What is read of the rows of a field that answers *type_name*; empty: not known."""
        kept = f"fields of {type_name}"
        if kept not in selected.kept:
            selected.kept[kept] = self._fields([selected], type_name)
        return selected.kept[kept]

    def _fields(
        self, selected: Iterable[Selected], type_name: str
    ) -> Mapping[type[Any], frozenset[str]]:
        """What is read of the rows of a type, or of those that its lists and edges hold."""
        below = [field for one in selected for field in one.fields(type_name).values()]
        row_type = CHOSEN.get(type_name)
        if row_type is not None:
            reads = [self._reads[type_name].get(field.name) for field in below if _has_rows(field)]
            known = [columns for columns in reads if columns is not None]
            if len(known) < len(reads):
                return {}
            return {row_type: frozenset(column for columns in known for column in columns)}
        found: dict[type[Any], frozenset[str]] = {}
        for name in ("edges", "nodes", "node", "runs"):
            answered = self._answered(type_name, name)
            if answered is not None:
                found.update(self._fields([one for one in below if one.name == name], answered))
        return found

    def _answered(self, type_name: str, field_name: str) -> str | None:
        parent = self._written.get_type(type_name)
        if not isinstance(parent, GraphQLObjectType) or field_name not in parent.fields:
            return None
        answered: Any = parent.fields[field_name].type  # pyright: ignore[reportUnknownMemberType] - untyped there
        named = cast("object", get_named_type(answered))
        return named.name if isinstance(named, GraphQLObjectType) else None


def _has_rows(field: Selected) -> bool:
    return field.name != "__typename"
