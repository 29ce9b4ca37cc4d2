"""What each field of the schema is made from: the fields of the row that stands behind it.

A field without a function of its own is the row's field of the same name. What a function reads
stands here, and nowhere else: by it, a statement reads only what is selected.
"""

from collections.abc import Mapping

from graphql import GraphQLSchema, is_object_type
from strawberry import Schema
from strawberry.types.base import StrawberryObjectDefinition

Reads = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By type, then by field of the schema: names of fields of the row."""

READ_BY_FUNCTIONS: Reads = {
    "Thread": {
        "id": ("thread_id",),
        "selectedCapabilityRoots": ("selected_capability_roots",),
        "root": ("root_thread_id",),
        "parent": ("parent_thread_id",),
        "forkedFrom": ("thread_id",),
        "historyBase": ("thread_id",),
        "ancestors": ("thread_id",),
        "descendants": ("thread_id",),
        "children": ("thread_id",),
        "spawnEdges": ("thread_id",),
        "runs": ("thread_id",),
        "history": ("thread_id",),
        "items": ("thread_id",),
        "checkpoints": ("thread_id",),
        "contextWindows": ("thread_id",),
        "transfers": ("thread_id",),
        "mergeBackDelta": ("thread_id",),
        "totals": (
            "thread_id",
            "recorded",
            "deleted_at",
            "run_count",
            "input_tokens",
            "output_tokens",
            "duration_ms",
        ),
    },
    "Run": {
        "id": ("run_id",),
        "usage": ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens"),
        "items": ("run_id",),
    },
    "LineageEdge": {"id": ("kind", "from_thread_id", "to_thread_id", "transfer_id")},
    "Transfer": {
        "id": ("transfer_id",),
        "handoff": ("transfer_id", "resolution"),
        "delta": ("type", "source_thread_id", "source_point"),
    },
    "SpawnEdge": {"child": ("child_thread_id",)},
    "ForkOrigin": {"thread": ("thread_id",)},
}


def plain_fields(schema: Schema, written: GraphQLSchema) -> Mapping[tuple[str, str], str]:
    """The row's field behind each field without a function, by type and field of the schema."""
    plain: dict[tuple[str, str], str] = {}
    for name, answered in written.type_map.items():
        definition = schema.get_type_by_name(name) if is_object_type(answered) else None
        if isinstance(definition, StrawberryObjectDefinition):
            for field in definition.fields:
                if field.is_basic_field:
                    written_name = schema.config.name_converter.get_graphql_name(field)
                    plain[name, written_name] = field.python_name
    return plain


def reads_of(plain: Mapping[tuple[str, str], str]) -> Reads:
    """What every field of the schema reads; a field that is absent: not known."""
    reads: dict[str, dict[str, tuple[str, ...]]] = {}
    for (type_name, field_name), column in plain.items():
        reads.setdefault(type_name, {})[field_name] = (column,)
    for type_name, fields in READ_BY_FUNCTIONS.items():
        reads.setdefault(type_name, {}).update(fields)
    return reads
